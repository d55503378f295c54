import { toDouble } from "@dosimeter/core";
import type { BoundedStatistic } from "../../plan.ts";
import { type Aggregate, measuredCells, type Statistic, statisticOf } from "../../statistics.ts";
import { holds } from "./evaluate.ts";
import type { TwinRow } from "./twin.ts";

/** Sums that a table in memory can do; a statistic with others is not practised. */
const KNOWN: readonly Aggregate[] = ["rows", "units", "ticks", "signedTicks", "squares"];

export function canPractise({ statistic, groups, design, derived }: BoundedStatistic): boolean {
  if (design !== null || derived !== undefined) return false;
  const row: Statistic = statisticOf(statistic);
  const isPlain =
    row.outputs === undefined && row.cells === undefined && row.tree === undefined && row.fixedBins === undefined;
  const isDeclared =
    row.findsKeys === undefined && row.distinct === undefined && row.clips === undefined && groups.length > 0;
  return isPlain && isDeclared && row.aggregates.every((aggregate) => KNOWN.includes(aggregate));
}

/** The exact integers of a statistic over invented rows, one privacy unit a row: what an engine would measure. */
export function measured(statistic: BoundedStatistic, rows: readonly TwinRow[]): readonly bigint[] {
  const { aggregates, integers } = statisticOf(statistic.statistic);
  const cells = measuredCells(statistic);
  const perGroup = cells / statistic.groups.length;
  const sums = aggregates.map(() => new Array<bigint>(cells).fill(0n));
  const groupAt = new Map(statistic.groups.map((group, index) => [keyOf(statistic, group), index]));
  for (const row of rows) {
    if (statistic.where !== null && !holds(statistic.where, row)) continue;
    const group = groupAt.get(keyOf(statistic, row));
    const place = placeOf(statistic, row);
    if (group === undefined || place === null) continue;
    const cell = group * perGroup + place.cell;
    aggregates.forEach((aggregate, index) => {
      const list = sums[index];
      if (list !== undefined) list[cell] = (list[cell] ?? 0n) + amountOf(aggregate, place.tick, statistic);
    });
  }
  return Array.from({ length: cells }, (_, cell) => cell).flatMap((cell) =>
    integers(
      sums.map((list) => list[cell] ?? 0n),
      statistic,
    ),
  );
}

const keyOf = ({ groupBy }: BoundedStatistic, row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(groupBy.map((name) => row[name] ?? null));

/** Which bin or leaf of its group a row falls in, and its tick; null where it does not count. */
function placeOf(statistic: BoundedStatistic, row: TwinRow): { readonly cell: number; readonly tick: bigint } | null {
  if (statistic.column === null) return { cell: 0, tick: 0n };
  const value = row[statistic.column];
  if (value === null || value === undefined) return null;
  if (statistic.bins.length > 0) {
    const last = statistic.bins.length - 1;
    const cell = statistic.bins.findIndex((bin, index) =>
      "value" in bin
        ? bin.value === value
        : index === last || Number(value) < (statistic.bins[index + 1] as { lower: number }).lower,
    );
    return cell < 0 ? null : { cell, tick: 0n };
  }
  if (statistic.ticks === null) return { cell: 0, tick: 0n };
  const { step, steps } = statistic.ticks;
  const [lower, upper] = [statistic.lower ?? 0, statistic.upper ?? 0];
  const clamped = Math.min(upper, Math.max(lower, Number(value)));
  const near = BigInt(Math.floor((clamped - lower) / toDouble(step, "down") + 0.5));
  const tick = near > steps ? steps : near;
  return { cell: statistic.selection === null ? 0 : Number(tick / statistic.selection.ticksPerLeaf), tick };
}

function amountOf(aggregate: Aggregate, tick: bigint, { ticks, unitTicks }: BoundedStatistic): bigint {
  const signed = (ticks?.first ?? 0n) + tick;
  switch (aggregate) {
    case "rows":
    case "units":
      return 1n;
    case "ticks":
      if (unitTicks === null) return tick;
      return signed < unitTicks.least ? unitTicks.least : signed > unitTicks.largest ? unitTicks.largest : signed;
    case "signedTicks":
      return signed;
    case "squares":
      return tick * tick;
    default:
      throw new RangeError(`${aggregate} is not practised`);
  }
}
