import { sql } from "kysely";
import { integer } from "../../dialect/dialect.ts";
import type { Packed } from "../../dialect/packed.ts";
import type { SeriesTask } from "../../plan/task.ts";

/** Period and tick of a row as one whole number, below 2⁶³, as a series has at most 2⁹ periods; the period alone where rows are counted. */
export function packedSeries({ bins, ticks, over }: SeriesTask): Packed {
  const values = ticks === undefined ? 1n : ticks.steps + 1n;
  return {
    payloads: BigInt(bins.length) * values,
    over: over ?? null,
    pack: (period, tick) => sql`(${period} * ${integer(values)} + ${tick})`,
    period: (dialect) => (ticks === undefined ? sql`v` : dialect.quotient(sql`v`, integer(values))),
    tick: sql`(v % ${integer(values)})`,
  };
}
