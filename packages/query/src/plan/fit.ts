/** What a stored value is instead of one that a declaration holds, or of a step of it. */
export type MisfitKind = "unreadable" | "outside" | "offStep";

/** A value as it is stored, and in how many rows. */
export interface StoredValue {
  readonly value: string;
  readonly rows: number;
}

/** The values of a column that its declaration does not hold. */
export interface Misfit {
  readonly kind: MisfitKind;
  readonly rows: number;
  /** How many different ones. */
  readonly values: number;
  /** Those in most rows, first; at most `MAX_SHOWN`, none of more than `MAX_KEY_LENGTH` characters. */
  readonly frequent: readonly StoredValue[];
  /** Of numbers, dates and times outside their bounds: the least and the most of all values, as a declaration writes bounds. */
  readonly range?: { readonly lower: string; readonly upper: string };
}

export interface ColumnFit {
  readonly name: string;
  /** Rows that hold nothing, or NaN. */
  readonly empty: number;
  /** Rows with a marker of a missing value. */
  readonly marked: number;
  readonly misfits: readonly Misfit[];
  /** Of numbers and dates: the least and the largest value within the bounds, where it may stand for a missing one. */
  readonly apart: readonly StoredValue[];
  /** Of numbers within their bounds: the least and the most, where both are in a small part of them. */
  readonly within?: { readonly lower: string; readonly upper: string };
  /** Of numbers written as texts: points seem to mark thousands. */
  readonly marksThousands?: true;
  /** Declared categories that few rows hold, in the declared order, and how many such there are. */
  readonly rare: readonly StoredValue[];
  readonly rareCount: number;
}

/** Rows without the unit that they are about, and units with more rows than they may have. */
export interface UnitFit {
  readonly missing: number;
  /** Units with more rows than declared, the rows above it, and the most rows of one. All 0 where no number of rows is declared. */
  readonly over: number;
  readonly cut: number;
  readonly most: number;
}

/**
 * How rows fit a declaration: as secret as the rows themselves. Only who sent the rows may see it [M340].
 */
export interface Fit {
  readonly rows: number;
  /** Every declared column, in the declared order. */
  readonly columns: readonly ColumnFit[];
  /** Null where each row is a unit. */
  readonly unit: UnitFit | null;
  /** What no row can be by the declaration, and in how many rows it is: those that are broken. */
  readonly broken: readonly { readonly says: string; readonly rows: number }[];
}

/** Different values that are shown of each misfit, and rare categories of a column. */
export const MAX_SHOWN = 20;
