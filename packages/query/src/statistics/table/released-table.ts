import { present } from "@dosimeter/core/internal";
import { unitsOf } from "../../noise/noise-at.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";
import type { ReleasedTable, TableErrors } from "../released.ts";
import { meanSize } from "./choose.ts";
import { Forest } from "./forest.ts";
import { histogramNoise, mostPairs, oneHistogram, stepUnits } from "./steps.ts";

/** The released counts, from the drawn integers of `measureTable`. */
export function releasedTable(drawn: readonly bigint[], statistic: BoundedStatistic<TableTask>): ReleasedTable {
  const { task } = statistic;
  let at = 0;
  const next = (cells: number): readonly number[] => {
    at += cells;
    return drawn.slice(at - cells, at).map(Number);
  };
  const columns = task.columns.map(({ cells, ...column }) => ({ ...column, counts: next(cells) }));
  const [measured = 0] = next(1);
  const pairs = Array.from({ length: measured }, () => {
    const [a, b] = task.pairs[next(1)[0] ?? 0] ?? [0, 0];
    return { columns: [a, b] as const, counts: next((task.columns[a]?.cells ?? 0) * (task.columns[b]?.cells ?? 0)) };
  });
  const { impossible } = task;
  return {
    columns,
    pairs,
    noise: noiseSizes(statistic, measured),
    ...present({ impossible }),
  };
}

/** The mean size of the noise of one count of a column, and of a pair where this many are measured. */
function noiseSizes(
  { task, noise, sensitivity }: BoundedStatistic<TableTask>,
  measured: number,
): ReleasedTable["noise"] {
  const steps = stepUnits(unitsOf(noise), task);
  const one = oneHistogram(sensitivity, task);
  const sizeOf = (units: bigint, count: number): number => meanSize(histogramNoise(noise.kind, units, count, one));
  return {
    columns: sizeOf(steps.columns, task.columns.length),
    pairs: measured === 0 ? 0 : sizeOf(steps.pairs, measured),
  };
}

/**
 * What to expect from the noise alone, without anything that consistency mends [M204]: half the mean distance of the noisy
 * counts of each column and each measured pair from the exact ones, as a share of the rows, at most 1.
 */
export function tableErrors({ columns, pairs, noise }: ReleasedTable, rows: number): TableErrors {
  const nameOf = (at: number): string => columns[at]?.name ?? "";
  return {
    rows,
    columns: columns.map(({ name, counts }) => ({ name, error: wrongShare(counts.length, noise.columns, rows) })),
    pairs: pairs.map(({ columns: [a, b], counts }) => ({
      columns: [nameOf(a), nameOf(b)] as const,
      error: wrongShare(counts.length, noise.pairs, rows),
    })),
  };
}

const wrongShare = (cells: number, size: number, rows: number): number =>
  Math.min(1, (cells * size) / 2 / Math.max(1, rows));

/**
 * The same before anything is paid, for a table of about that many rows: each column, and each candidate pair where as many pairs as there can
 * be are measured, which is the worst case: fewer have less noise.
 */
export function expectedTableErrors(statistic: BoundedStatistic<TableTask>, rows: number): TableErrors {
  const { task } = statistic;
  const noise = noiseSizes(statistic, mostPairs(task));
  const of = (at: number): TableTask["columns"][number] | undefined => task.columns[at];
  return {
    rows,
    columns: task.columns.map(({ name, cells }) => ({ name, error: wrongShare(cells, noise.columns, rows) })),
    pairs: task.pairs.map(([a, b]) => ({
      columns: [of(a)?.name ?? "", of(b)?.name ?? ""] as const,
      error: wrongShare((of(a)?.cells ?? 0) * (of(b)?.cells ?? 0), noise.pairs, rows),
    })),
  };
}

/**
 * How far counts of two columns together may be trusted: measured; linked, following from measured pairs and from what is impossible; or
 * taken as independent.
 */
export function standingOfPair(
  { columns, pairs, impossible = [] }: ReleasedTable,
  asked: readonly [number, number],
): PairStanding {
  if (pairs.some(({ columns: pair }) => pair.every((at) => asked.includes(at)))) return "measured";
  const forest = new Forest(columns.length);
  for (const { columns: pair } of [...pairs, ...impossible]) forest.join(pair);
  return forest.isApart(asked) ? "independent" : "linked";
}
export type PairStanding = "measured" | "linked" | "independent";

/** What the table keeps, what it does not, and what it must not be used for. */
export function tableNotes(table: ReleasedTable): readonly string[] {
  const { columns, pairs, impossible = [] } = table;
  const names = pairs.map(({ columns: [a, b] }) => `${columns[a]?.name} with ${columns[b]?.name}`);
  const ruled =
    impossible.length === 0 ? "" : pairs.length === 0 ? ", but for what is impossible" : " and from what is impossible";
  const kept =
    pairs.length === 0
      ? `No pair of columns was measured: made-up rows take every column as independent of the others${ruled}.`
      : `Pairs that were measured: ${names.join(", ")}. Made-up rows take every other pair as independent, but for what follows from these${ruled}.`;
  return columns.length === 1
    ? []
    : [
        kept,
        ...(impossible.length === 0
          ? []
          : [
              `No made-up row has ${impossible.map(({ says }) => says).join(", or ")}: the plan says so, it was not counted.`,
            ]),
        "Do not use made-up rows for single people, for values that few people have, for pairs that were not measured, or for what three columns do together.",
      ];
}
