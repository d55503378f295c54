import type { TableTask } from "../../plan/task.ts";

/** One histogram of a table: of a column, or of a candidate pair of columns, the second running fastest. */
export interface Histogram {
  readonly columns: readonly [number] | readonly [number, number];
  /** Where its cells begin in the measured vector. */
  readonly from: number;
  readonly cells: number;
}

/** All histograms that are measured, in the order of the vector: every column, then every candidate pair. */
export function histogramsOf({ columns, pairs }: Pick<TableTask, "columns" | "pairs">): readonly Histogram[] {
  const cellsOf = (at: number): number => columns[at]?.cells ?? 0;
  let from = 0;
  const next = (of: Histogram["columns"], cells: number): Histogram => {
    const histogram = { columns: of, from, cells };
    from += cells;
    return histogram;
  };
  return [
    ...columns.map((_, at) => next([at], cellsOf(at))),
    ...pairs.map(([a, b]) => next([a, b], cellsOf(a) * cellsOf(b))),
  ];
}
