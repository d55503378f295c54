import type { BlockRange, Exact } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import type { Source } from "../source/kinds.ts";
import type { BoundedPlan } from "./bounded.ts";

/** What a stored value is instead of one that a declaration holds, or of a step of it. */
export type MisfitKind = "unreadable" | "outside" | "offStep";

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
  readonly range?: { readonly lower: string; readonly upper: string } | undefined;
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
  readonly within?: { readonly lower: string; readonly upper: string } | undefined;
  /** Of numbers written as texts: points seem to mark thousands. */
  readonly marksThousands?: true | undefined;
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

/** A file's header names and storage types; no rows. */
export interface SourceColumn {
  readonly name: string;
  /** The file's own type: VARCHAR for every column of a CSV file. */
  readonly type: string;
}

/** A registered table: what the catalog keeps next to the declaration. Both are secrets of the server. */
export interface TableVersion {
  /** A keyed hash of the content: same salt and same bytes give the same version, without the salt no one can compare. */
  readonly version: string;
  /** 32 random bytes as hexadecimal, drawn once per dataset from a cryptographic generator [M88]. */
  readonly salt: string;
}

/** Where the rows of a table come from, as the catalogue of its database says. */
export interface Lineage {
  /** What stands for the table, for each one that its views read, and for what it is a part of: shared by all that hold the same rows. */
  readonly bases: readonly string[];
  /** Tables of which the role of the connection may see some rows only (row-level security), by name. */
  readonly rowSecurity: readonly string[];
}

/** A table that fits its declaration; without a lineage where no catalogue says it. */
export interface CheckedTable extends TableVersion {
  readonly lineage?: Lineage;
}

/** The measured integers of one statistic: cells × integers, before noise; of groups that no one declared, the units of each. */
export interface MeasuredVector extends ReadonlyArray<bigint> {
  /** Groups that no one declared, as found. As secret as the integers. */
  readonly found?: readonly Key[];
  /**
   * The integers of the cells of a found group, made when they are asked for: most groups stay hidden, and those take no more time
   * and memory than their rows.
   */
  readonly cellsOf?: (at: number) => readonly bigint[];
}

/** The measured integers of every statistic of a plan, in its order. */
export type Measured = readonly MeasuredVector[];

/** Why a connection cannot be used, by its name, in our own words and not its driver's; null where it can. */
export type Problems = Readonly<Record<string, string | null>>;

/** What a connection shows: its schemas, and the tables and views of one of them. Names only: how many rows or partitions there are depends on rows. */
export interface Listing {
  readonly schemas: readonly string[];
  readonly tables: readonly string[];
  /** False where there are more names than are listed. */
  readonly isWhole: boolean;
}

export interface JoinedVersion extends TableVersion {
  readonly joined?: TableVersion;
}

export interface RunOptions extends JoinedVersion {
  readonly signal?: AbortSignal;
}

export interface Appending {
  /** The file with more rows. */
  readonly more: Source;
  readonly window: readonly BlockRange[];
  /** A path in the folder of the files. */
  readonly to: string;
  readonly signal?: AbortSignal;
}

/** Rows of the file that was brought: of the window, and others. As secret as rows. */
export interface Appended {
  readonly added: number;
  readonly dropped: number;
}

export interface FitOptions {
  /** A declared category in fewer rows is rare. */
  readonly fewerThan: number;
  readonly signal?: AbortSignal;
}

/** Computes the exact integers of a bounded plan. All engines pass one conformance kit. */
export interface Engine {
  /** Column names and storage types. DATA_UNREADABLE for an empty file, another encoding, no header. Reads no values. */
  describe(source: Source, signal?: AbortSignal): Promise<readonly SourceColumn[]>;
  /** The schemas of the connection of a table, and the names in the schema of that table, which need not exist. INVALID_PARAMETER for a file. */
  list(source: Source, signal?: AbortSignal): Promise<Listing>;
  /**
   * Proves that the table can be read as declared, or throws DATA_UNREADABLE naming the column, never a value or a row. Only
   * the owner of the dataset sees the refusal.
   */
  check(
    declaration: Declaration,
    options: { readonly salt: string; readonly signal?: AbortSignal },
  ): Promise<CheckedTable>;
  /**
   * How the rows of a file fit a declaration. DATA_UNREADABLE where a column cannot be read as declared at all, and after a minute. For the one
   * who sent the file alone; INVALID_PARAMETER for any other source. [M340]
   */
  fit(declaration: Declaration, options: FitOptions): Promise<Fit>;
  /**
   * Writes a new file `to`: the rows of a declared file, and those of another one that lie in this window of its blocks. DATA_UNREADABLE for a
   * file with other columns, INVALID_PARAMETER for a source that is no CSV file. How many rows came is for the owner alone. [M167]
   */
  append(declaration: Declaration, appending: Appending): Promise<Appended>;
  /** Refuses a plan that its database would not read: INVALID_PARAMETER with the path of the row. Connects to nothing. */
  checkSize(plan: BoundedPlan): void;
  /** Measures. Any failure is ENGINE_FAILED with one constant message, an abort included. */
  run(plan: BoundedPlan, options: RunOptions): Promise<Exact<Measured>>;
  /** Whether each of its connections can be signed in to now: null, or why not. Reads nothing. */
  probe(): Promise<Problems>;
  close(): Promise<void>;
}
