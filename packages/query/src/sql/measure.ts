import type { BoundedStatistic } from "../plan/bounded.ts";
import { aggregatesOf, cellsPerGroup, measuredCells, statisticOf } from "../statistics/index.ts";
import { keyVector } from "./key-rows.ts";

/** All cells in declared order: what SQL did not find is there as zero and gets noise too. */
export function vectorOf(statistic: BoundedStatistic, rows: readonly (readonly unknown[])[]): readonly bigint[] {
  const row = statisticOf(statistic.statistic);
  if (statistic.keys !== null)
    return keyVector(statistic.keys, rows, cellsPerGroup(statistic), (sums) =>
      row.integers(sums ?? aggregatesOf(statistic).map(() => 0n), statistic),
    );
  const empty = row.integers(
    aggregatesOf(statistic).map(() => 0n),
    statistic,
  );
  const vector: bigint[] = [];
  for (let cell = measuredCells(statistic); cell > 0; cell--) for (const integer of empty) vector.push(integer);
  for (const [cell, ...aggregates] of rows) {
    const integers = row.integers(
      aggregates.map((value) => BigInt(value as bigint | string)),
      statistic,
    );
    for (const [at, integer] of integers.entries()) vector[Number(cell) * empty.length + at] = integer;
  }
  return vector;
}
