import type { Key } from "../declaration/key.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { gridOf, rangeOf, type TableColumn, type TableTask, type Task } from "../plan/task.ts";
import { binAt, numberOf, tickOf } from "./place.ts";
import { isStatisticName, type statistics, type TableName } from "./registry.ts";
import { histogramsOf, type MeasuredTable, placeIn } from "./table/histograms.ts";
import { releasedTable } from "./table/released-table.ts";
import type { tableSets } from "./tables/index.ts";

function practiceTable(
  { task, column: summed }: Of<MeasuredTable>,
  rows: readonly Readonly<Record<string, Key | null>>[],
): readonly bigint[] {
  const { ticks, range } = { ticks: gridOf({ task }), range: rangeOf({ task }) };
  const counts = new Array<bigint>(task.cells).fill(0n);
  const histograms = histogramsOf(task);
  for (const row of rows) {
    const places = task.columns.map((column) => (column.isLevel === true ? 0 : placeOf(column, row[column.name])));
    const value = summed === null ? 1 : row[summed];
    if (places.some((place) => place < 0) || value === null || value === undefined) continue;
    const amount = ticks === undefined ? 1n : ticks.first + tickOf(ticks, range, numberOf(value, range?.calendar));
    for (const histogram of histograms) {
      const at = (column: number): number => places[column] ?? 0;
      const next = (before: number, cells: number, value: number): number => before * cells + value;
      const cell = histogram.from + placeIn(histogram, task.columns, { at, next });
      counts[cell] = (counts[cell] ?? 0n) + amount;
    }
  }
  return counts;
}

/** The cell of a value; −1 where the row is left out, because a value misses that cannot. */
function placeOf({ bins, hasMissing, calendar }: TableColumn, stored: Key | null | undefined): number {
  const missing = hasMissing ? bins.length : -1;
  if (stored === null || stored === undefined) return missing;
  const place = binAt(bins, numberOf(stored, calendar));
  return place < 0 ? missing : place;
}

/** Counts that an attacker knows of one draw: where they begin among the exact integers, and the size of their noise. */
interface DrawnCounts {
  readonly from: number;
  readonly counts: readonly number[];
  readonly size: number;
}

/** The counts of the columns and of the chosen pairs, each by its own noise. */
function auditedCounts(drawn: readonly bigint[], statistic: BoundedStatistic<TableTask>): readonly DrawnCounts[] {
  const histograms = histogramsOf(statistic.task);
  const { columns, pairs, noise } = releasedTable(drawn, statistic);
  const fromOf = (of: readonly number[]): number =>
    histograms.find(({ columns: own }) => own.join() === of.join())?.from ?? 0;
  return [
    ...columns.map(({ counts }, at) => ({ from: fromOf([at]), counts, size: noise.columns })),
    ...pairs.map(({ counts, columns: of }) => ({ from: fromOf(of), counts, size: noise.pairs })),
  ];
}

type Of<T extends Task> = Pick<BoundedStatistic<T>, "task" | "column">;

/** How practice and audit try a statistic that measures a whole table. Pages load none of it, so it is not in the statistic's row. */
interface TableTrials<T extends Task> {
  /** The exact integers of practice rows. */
  readonly practice: (of: Of<T>, rows: readonly Readonly<Record<string, Key | null>>[]) => readonly bigint[];
  /** What an attacker knows of a draw, where it is more than its integers. */
  readonly audited?: (drawn: readonly bigint[], statistic: BoundedStatistic<T>) => readonly DrawnCounts[];
}

type CountedName = TableName | keyof typeof tableSets;
type TaskOf<N extends CountedName> = ReturnType<(typeof statistics)[N]["task"]>;

const trials: { readonly [N in CountedName]: TableTrials<TaskOf<N>> } = {
  syntheticTable: { practice: practiceTable, audited: auditedCounts },
  tables: { practice: practiceTable },
  tableSums: { practice: practiceTable },
};

/** Undefined of statistics that measure no whole table. The cast: a statistic has the task that its row gives. */
export const tableTrialsOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): TableTrials<Task> | undefined =>
  isStatisticName(statistic) ? (trials as Partial<Record<string, TableTrials<Task>>>)[statistic] : undefined;
