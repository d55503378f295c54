import type { Formula } from "@dosimeter/query/declaration";
import type { Truths } from "./conditions.ts";

/** A number as it was written, a text, a name, a truth value, nothing, or several of them. */
export type SqlValue =
  | { readonly number: string }
  | { readonly text: string }
  | { readonly name: string }
  | { readonly truth: boolean }
  | { readonly nothing: true }
  | { readonly list: readonly SqlValue[] };

/** `epsilon = 0.1` of OPTIONS, or `epsilon => 0.1` of a call. */
export interface SqlSetting {
  readonly name: string;
  readonly at: number;
  readonly value: SqlValue;
}

/** An aggregate as it was written. */
export interface SqlCall {
  /** In small letters. */
  readonly name: string;
  readonly at: number;
  readonly isDistinct: boolean;
  readonly isStar: boolean;
  readonly of: readonly SqlArgument[];
  readonly settings: readonly SqlSetting[];
  /** Of WITHIN GROUP (ORDER BY …). */
  readonly within: Formula | null;
  readonly filter: Formula | null;
}

export type SqlArgument = { readonly at: number } & (
  | { readonly formula: Formula }
  | { readonly list: readonly Formula[] }
);

/** One column of the result. */
export interface SqlItem {
  readonly at: number;
  readonly alias: string | null;
  readonly what: { readonly call: SqlCall } | { readonly formula: Formula };
}

/** A place in the list of columns (from 1), or a formula. */
export type SqlTerm = { readonly at: number } & ({ readonly place: number } | { readonly formula: Formula });

export interface SqlOrder {
  readonly term: SqlTerm;
  readonly isDescending: boolean;
  /** null: as SQL has it, missing values last, or first when descending. */
  readonly nullsFirst: boolean | null;
}

/** `[LEFT] JOIN people USING (person)`, or of `(SELECT person, COUNT(*) AS visits FROM visits GROUP BY person)`. */
export interface SqlJoin {
  readonly name: string;
  readonly at: number;
  /** What its columns may be prefixed with: the alias where there is one, else its name. */
  readonly prefix: string;
  readonly by: { readonly name: string; readonly at: number };
  /** Without LEFT. */
  readonly isInner: boolean;
  /** What is taken of all rows of a person; null where the table itself is joined. */
  readonly rows: SqlStatement | null;
}

export interface SqlStatement {
  readonly at: number;
  readonly options: readonly SqlSetting[];
  readonly derived: readonly { readonly name: string; readonly at: number; readonly formula: Formula }[];
  readonly items: readonly SqlItem[];
  /** What columns may be prefixed with: the alias where there is one, else what FROM names. */
  readonly prefix: string;
  /** The same inside WITH, where the name of the dataset is read, and that of WITH is not. */
  readonly innerPrefix: string;
  /** Of one other table of the same people, whose columns it reads. */
  readonly joins: readonly SqlJoin[];
  readonly where: { readonly at: number; readonly formula: Formula } | null;
  readonly groupBy: readonly SqlTerm[];
  /** Of CUBE, ROLLUP and GROUPING SETS: the places in `groupBy` of each grouping. */
  readonly sets: readonly (readonly number[])[] | null;
  readonly having: { readonly at: number; readonly formula: Formula } | null;
  readonly orderBy: readonly SqlOrder[];
  readonly limit: number | null;
  readonly offset: number;
}

/** One text of SQL, read and not yet compared with a declaration. */
export interface SqlQuery extends Truths {
  readonly source: string;
  /** Every statement is about it. */
  readonly dataset: { readonly name: string; readonly at: number };
  readonly statements: readonly SqlStatement[];
  readonly names: ReadonlySet<string>;
  /** Where each column of a formula was written. */
  readonly places: WeakMap<Formula, number>;
  /** Aggregates that HAVING and ORDER BY name. */
  readonly calls: WeakMap<Formula, SqlCall>;
}
