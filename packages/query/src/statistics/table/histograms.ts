import type { TableColumn, TablesTask, TableTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";

/** One histogram of a table: of some of its columns, the last running fastest. */
export interface Histogram {
  readonly columns: readonly number[];
  /** Where its cells begin in the measured vector. */
  readonly from: number;
  readonly cells: number;
}

export type MeasuredTable = Pick<TableTask, "kind" | "columns" | "pairs" | "cells"> | TablesTask;

/** All histograms that are measured, in the order of the vector: every column, then every candidate pair; or every table that is counted. */
export function histogramsOf(task: MeasuredTable | Pick<TableTask, "columns" | "pairs">): readonly Histogram[] {
  const sets = "counted" in task ? task.counted : [...task.columns.map((_, at) => [at]), ...task.pairs];
  let from = 0;
  return sets.map((columns) => {
    const histogram = { columns, from, cells: cellsIn(task.columns, columns) };
    from += histogram.cells;
    return histogram;
  });
}

/** The place of a cell in its histogram, by the places of all columns, a sum of products from the first on. */
export const placeIn = <T>(
  { columns: of }: Histogram,
  columns: readonly TableColumn[],
  { at, next }: { readonly at: (column: number) => T; readonly next: (place: T, cells: number, value: T) => T },
): T => of.slice(1).reduce((place, column) => next(place, columns[column]?.cells ?? 0, at(column)), at(of[0] ?? 0));
