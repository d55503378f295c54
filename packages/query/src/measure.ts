import { keyVector } from "./key-rows.ts";
import type { BoundedStatistic } from "./plan.ts";
import { aggregatesOf, cellsPerGroup, measuredCells, statisticOf } from "./statistics.ts";

/** All cells in declared order: what SQL did not find is there as zero and gets noise too. */
export function vectorOf(statistic: BoundedStatistic, rows: readonly (readonly unknown[])[]): readonly bigint[] {
  const row = statisticOf(statistic.statistic);
  if (statistic.keys !== null)
    return keyVector(statistic.keys, rows, cellsPerGroup(statistic), (sums) =>
      row.integers(sums ?? aggregatesOf(statistic).map(() => 0n), statistic),
    );
  const found = new Map(
    rows.map(([cell, ...aggregates]) => [Number(cell), aggregates.map((value) => BigInt(value as bigint | string))]),
  );
  const empty = aggregatesOf(statistic).map(() => 0n);
  return Array.from({ length: measuredCells(statistic) }, (_, cell) =>
    row.integers(found.get(cell) ?? empty, statistic),
  ).flat();
}
