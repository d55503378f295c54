import type { Predicate } from "./predicate-type.ts";

/** What can be taken of the rows of one person. */
export type TakeName = "one" | "count" | "sum" | "min" | "max" | "first" | "last" | "any";

/** A joined column as people write it. */
export interface JoinedColumn {
  readonly take: TakeName;
  readonly column?: string;
  /** first, last: the column whose least or greatest value says which row it is. */
  readonly by?: string;
  /** Which rows of the person count, as text or JSON. */
  readonly where?: Predicate | string;
  /** sum: bounds of one person's total. count: bounds of the number, for histograms, means and quantiles of it. */
  readonly lower?: number;
  readonly upper?: number;
}

/** The same, checked: what it takes of the rows of one person. */
export interface Taken extends JoinedColumn {
  readonly where?: Predicate;
}

/** A plan's other table of the same people, as people write it. */
export interface JoinRequest {
  /** Its id. */
  readonly dataset: string;
  /** The newest version when absent. */
  readonly version?: number;
  /** The column that names the person in the table that the plan is about; only that one joins. */
  readonly on?: string;
  /** New columns by name: a column of one row of each person, or what is taken of all of a person's rows. */
  readonly columns: Readonly<Record<string, string | JoinedColumn>>;
}

/** A join as a question depends on it: the table at its version, and each column in one spelling. */
export interface Join {
  readonly dataset: string;
  readonly version: number;
  readonly columns: Readonly<Record<string, Taken>>;
}
