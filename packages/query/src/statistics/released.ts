import type { Calendar } from "@dosimeter/core";
import type { ColumnType } from "../declaration/declaration.ts";
import type { Bin, ImpossibleCells } from "../plan/task.ts";

/** A column of a released table: its cells in order, and after them one for a missing value where it may miss. */
export interface ReleasedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly bins: readonly Bin[];
  readonly hasMissing: boolean;
  readonly calendar?: Calendar;
  readonly granularity?: number;
  readonly counts: readonly number[];
}

/** Everything that was released of a table: noisy counts. Made-up rows follow from it alone. */
export interface ReleasedTable {
  readonly columns: readonly ReleasedColumn[];
  /** The pairs that were measured, which form a forest; the second column runs fastest. */
  readonly pairs: readonly { readonly columns: readonly [number, number]; readonly counts: readonly number[] }[];
  /** The mean size of the noise of one count of a column, and of a pair. */
  readonly noise: { readonly columns: number; readonly pairs: number };
  /** What no made-up row is, as the request says. */
  readonly impossible?: readonly ImpossibleCells[];
}

/** A share of all rows that lies in a wrong cell: half the distance of two histograms, over the number of rows. */
export interface TableErrors {
  /** The number of rows, as the released counts say. */
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly error: number }[];
  readonly pairs: readonly { readonly columns: readonly [string, string]; readonly error: number }[];
}
