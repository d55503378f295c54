import type { ZoneOffsets } from "@dosimeter/core";
import { createQueryId, type QueryCompiler, type RawBuilder, sql } from "kysely";
import type { Column } from "../declaration/declaration.ts";

export type Fragment = RawBuilder<unknown>;

/** SQL text with its parameters: values travel as parameters, names only as quoted identifiers. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly (string | number | boolean)[];
}

/** Periods of a column, and what becomes of dates outside of them. */
export interface PeriodRange {
  readonly lower: number;
  readonly upper: number;
  readonly outside: "clamped" | "left out";
}

/** A stored column within a range, and the rows of which it is the value: databases test them while they read. */
export interface Within {
  readonly value: Fragment;
  readonly kept: Fragment;
  /** Of a date that is clamped: itself. */
  readonly date?: Fragment;
}

interface DecimalRange {
  readonly scale: number;
  readonly lower: number;
  readonly upper: number;
}

/** Decimals that stay what they are until they are clamped, or even until they are added up. */
export interface StoredDecimals {
  /** Clamped to a range, and then in steps of the last digit too; null where the storage has more digits than a step can. */
  readonly within: (
    raw: Fragment,
    storage: string,
    range: DecimalRange,
  ) => (Within & { readonly decimal: Fragment }) | null;
  /** The sum of clamped decimals in steps of their last digit, of which 1 has `factor`. */
  readonly sum: (decimal: Fragment, factor: bigint) => Fragment;
}

export interface Days {
  /** Whether a stored date is there and finite. Databases test it while they read. */
  readonly isFinite: (date: Fragment) => Fragment;
  /** A DATE as the number of its day from 1970 on, and the DATE of a number from year 1 to 9999. */
  readonly number: (date: Fragment) => Fragment;
  readonly at: (number: Fragment) => Fragment;
  /** What EXTRACT calls the day of the week, from Monday, 1. */
  readonly weekday: Fragment;
  /** What the database calls the type of a DATE. */
  readonly storage: string;
}

/**
 * The SQL that databases write differently. Builders of SQL (`sql.ts`, `bounded-rows.ts`, new statistics) exist once
 * and take the differences from a dialect; all other SQL must have the same meaning in every database:
 *
 * - comparisons, CASE, coalesce, nullif, least/greatest of values that are not NULL, + − *, floor, count, sum, min, max,
 *   window functions with a total order, GROUP BY, UNION ALL, WITH, and of texts ||, left and replace. Never round(),
 *   //, casts that can fail, functions of floating-point sums, other text functions, or the text of a number.
 * - whole numbers are BIGINT, and results must fit: both databases stop with an error at 2⁶³. sum() gives more than 64 bits.
 * - columns are read with `typed` only, texts come out in NFC and binary order, NaN is above every number.
 * - rows are put in a fair, secret order by `withOrder` (`order.ts`) only, which is the same in every database.
 */
export interface Dialect {
  readonly name: string;
  readonly compile: (fragment: Fragment) => Sql;
  /** The type of doubles; whole numbers are BIGINT everywhere. */
  readonly double: Fragment;
  readonly text: Fragment;
  /**
   * A stored column as its declared type, NULL where it holds no such value; NaN stays, or is NULL where it is not above
   * every number. An empty text is NULL, as it is in a file of text. No stored value makes it fail.
   */
  readonly typed: (raw: Fragment, column: Column, storage: string) => Fragment;
  /** Decimals as they are stored; null where whole numbers are as fast. */
  readonly decimals: StoredDecimals | null;
  /** A column stored as dates within a range of its periods; null where it is stored as something else. */
  readonly datesWithin: (raw: Fragment, column: Column, storage: string, range: PeriodRange) => Within | null;
  /** What `of` makes of a value that is computed once and named there; names within each other differ. */
  readonly once: (value: Fragment, name: string, of: (named: Fragment) => Fragment) => Fragment;
  /** The offset of the last change at or below a whole number, and the first one before them; any or NULL where the number misses. */
  readonly stepped: (value: Fragment, offsets: ZoneOffsets) => Fragment;
  /** A whole number that costs little and its offset added up; NULL where it misses. */
  readonly shifted: (value: Fragment, offsets: ZoneOffsets) => Fragment;
  readonly days: Days;
  /** A type of whole numbers of 38 digits. */
  readonly wide: Fragment;
  /** The sum of whole numbers, exact beyond 64 bits. */
  readonly sum: (value: Fragment) => Fragment;
  /** How many ascending edges, which doubles hold exactly, lie at or below a number; null where CASE is as fast. */
  readonly edgesBelow: (value: Fragment, edges: readonly Fragment[]) => Fragment | null;
  /** Stands after AS in WITH: a query that is read where it is used, and one that is computed once. */
  readonly inlined: Fragment;
  /** Null where a query that is read several times is computed as often. */
  readonly computedOnce: Fragment | null;
  /** Quotient of non-negative whole numbers, rounded down. */
  readonly quotient: (dividend: Fragment, divisor: Fragment) => Fragment;
  /** Bits of whole numbers; the number shifted to the right is never negative. Brackets go around them. */
  readonly bits: {
    readonly and: (a: Fragment, b: Fragment) => Fragment;
    readonly or: (...parts: readonly Fragment[]) => Fragment;
    readonly left: (value: Fragment, places: number) => Fragment;
    readonly right: (value: Fragment, places: number) => Fragment;
  };
  readonly xor: (a: Fragment, b: Fragment) => Fragment;
  /** A whole number from 0 below `count`, as the type that the database groups fastest. */
  readonly index: (value: Fragment, count: number) => Fragment;
  /** Zero-based place among declared texts or numbers, NULL when it is none of them. */
  readonly position: (members: readonly (string | number)[], value: Fragment) => Fragment;
  /**
   * A FROM item with one row (m, i) for each declared text or number and its zero-based place: a join with it avoids a
   * scan of the list for every row. Null where `position` is no scan.
   */
  readonly keyList: ((members: readonly (string | number)[]) => Fragment) | null;
  /** The first 60 bits of the MD5 of a text in UTF-8. */
  readonly textBits: (text: Fragment) => Fragment;
  /**
   * The first 60 bits of the SHA-256 of a key and a text: as good as random and independent for a person without the
   * key.
   */
  readonly keyedBits: (key: string, text: Fragment) => Fragment;
  /**
   * A query of rows (e): the `count` least p of each u of the rows (u, p), duplicates kept; null when the database has no such
   * aggregate.
   */
  readonly leastOf: ((rows: Fragment, count: number) => Fragment) | null;
  /** A query of the different pairs (u, g) of rows, g from 0 below `count`, that is faster than DISTINCT; null where there is none. */
  readonly pairsOf: (rows: Fragment, count: number) => Fragment | null;
  /** FROM clause: rows of `left` whose u is (not) in `right`. */
  readonly withUnitsIn: (left: Fragment, right: Fragment) => Fragment;
  readonly withUnitsNotIn: (left: Fragment, right: Fragment) => Fragment;
  /** Stands after a subquery whose columns are used several times, so that the database computes each only once. */
  readonly fence: Fragment;
}

/** The same of any number, which is computed once. */
export const shiftedBy =
  ({ once, stepped }: Pick<Dialect, "once" | "stepped">): Dialect["shifted"] =>
  (value, offsets) =>
    once(value, "utc", (utc) => sql`(${utc} + ${stepped(utc, offsets)})`);

export const integer = (value: number | bigint): Fragment => sql.raw(String(value));

/** Bits by operators, where a database has them. */
export const bitOperators: Dialect["bits"] = {
  and: (a, b) => sql`${a} & ${b}`,
  or: (...parts) => sql.join(parts, sql` | `),
  left: (value, places) => sql`${value} << ${integer(places)}`,
  right: (value, places) => sql`${value} >> ${integer(places)}`,
};

export const EPOCH = sql`DATE '1970-01-01'`;

/** Dates by operators, where a database has them and infinite ones. */
const dateOperators: Days = {
  isFinite: (date) => sql`${date} > DATE '-infinity' AND ${date} < DATE 'infinity'`,
  number: (date) => sql`CAST(${date} - ${EPOCH} AS BIGINT)`,
  at: (number) => sql`(${EPOCH} + CAST(${number} AS INTEGER))`,
  weekday: sql`isodow`,
  storage: "date",
};

/** What most databases write alike. */
export const usual = {
  decimals: null,
  days: dateOperators,
  sum: (value) => sql`sum(${value})`,
  edgesBelow: () => null,
  pairsOf: () => null,
  inlined: sql` NOT MATERIALIZED`,
  computedOnce: sql` MATERIALIZED`,
} as const satisfies Partial<Dialect>;

/** The `compile` of a dialect whose SQL this Kysely compiler writes. */
export const compiledBy =
  (compiler: QueryCompiler): Dialect["compile"] =>
  (fragment) => {
    const { sql, parameters } = compiler.compileQuery(fragment.toOperationNode(), createQueryId());
    return { text: sql, parameters: parameters as Sql["parameters"] };
  };
