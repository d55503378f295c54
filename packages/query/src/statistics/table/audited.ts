import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";
import { histogramsOf } from "./histograms.ts";
import { releasedTable } from "./released-table.ts";

/** Counts that an attacker knows of one draw: where they begin among the exact integers, and the size of their noise. */
export interface DrawnCounts {
  readonly from: number;
  readonly counts: readonly number[];
  readonly size: number;
}

/** The counts of the columns and of the chosen pairs, each by its own noise. */
export function auditedCounts(
  drawn: readonly bigint[],
  statistic: BoundedStatistic<TableTask>,
): readonly DrawnCounts[] {
  const histograms = histogramsOf(statistic.task);
  const { columns, pairs, noise } = releasedTable(drawn, statistic);
  const fromOf = (of: readonly number[]): number =>
    histograms.find(({ columns: own }) => own.join() === of.join())?.from ?? 0;
  return [
    ...columns.map(({ counts }, at) => ({ from: fromOf([at]), counts, size: noise.columns })),
    ...pairs.map(({ counts, columns: of }) => ({ from: fromOf(of), counts, size: noise.pairs })),
  ];
}
