import { type BoundedStatistic, cellsPerGroup, type MeasuredVector, measuredCells } from "@dosimeter/query/plan";
import { definitionOf } from "@dosimeter/query/statistics";
import { type Collector, keyCollector } from "./key-rows.ts";

/** All cells in declared order: a cell without rows is zero and gets noise too. */
export function collectorOf(statistic: BoundedStatistic): Collector {
  const { aggregates, integers } = definitionOf(statistic);
  const empty = integers(
    aggregates(statistic.task).map(() => 0n),
    statistic,
  );
  if (statistic.keys !== undefined)
    return keyCollector(statistic.keys, cellsPerGroup(statistic), (sums) =>
      sums === undefined ? empty : integers(sums, statistic),
    );
  const vector: bigint[] = [];
  for (let cell = measuredCells(statistic); cell > 0; cell--) for (const integer of empty) vector.push(integer);
  return {
    add(rows) {
      for (const [cell, ...sums] of rows) {
        const found = integers(
          sums.map((value) => BigInt(value as bigint | string)),
          statistic,
        );
        for (const [at, integer] of found.entries()) vector[Number(cell) * empty.length + at] = integer;
      }
    },
    vector: () => vector,
  };
}

export function vectorOf(statistic: BoundedStatistic, rows: readonly (readonly unknown[])[]): MeasuredVector {
  const collector = collectorOf(statistic);
  collector.add(rows);
  return collector.vector();
}
