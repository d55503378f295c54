import type { RawBuilder } from "kysely";
import type { Column } from "../declaration/declaration.ts";

export type Fragment = RawBuilder<unknown>;

/** SQL text with its parameters: values travel as parameters, names only as quoted identifiers. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly (string | number | boolean)[];
}

/**
 * Everything that two databases write differently. Builders of SQL (`sql.ts`, `bounded-rows.ts`, new statistics) are written
 * once and take what differs from here; everything else they use has to be plain SQL with one meaning in all of them:
 *
 * - comparisons, CASE, coalesce, nullif, least/greatest of values that are not NULL, + − *, floor, count, sum, min, max, &, |,
 *   <<, >>, window functions with a total order, GROUP BY, UNION ALL, WITH, and of texts ||, left and replace. Never round(),
 *   //, casts that can fail, functions of floating-point sums, other text functions, or the text of a number.
 * - whole numbers are BIGINT, and results must fit: both databases stop with an error at 2⁶³. sum() gives more than 64 bits.
 * - columns are read with `typed` only, texts come out in NFC and binary order, NaN is above every number.
 * - an order of rows that is fair and known to no one: `withOrder` (`order.ts`), which is the same in every database.
 */
export interface Dialect {
  readonly name: string;
  readonly compile: (fragment: Fragment) => Sql;
  /** The type of doubles; whole numbers are BIGINT everywhere. */
  readonly double: Fragment;
  readonly text: Fragment;
  /** A stored column as its declared type, NULL where it holds no such value; NaN stays. Total: no stored value fails. */
  readonly typed: (raw: Fragment, column: Column, storage: string) => Fragment;
  /** Quotient of non-negative whole numbers, cut off. */
  readonly quotient: (dividend: Fragment, divisor: Fragment) => Fragment;
  readonly xor: (a: Fragment, b: Fragment) => Fragment;
  /** A whole number from 0 below `count`, as the type by which rows are grouped fastest. */
  readonly index: (value: Fragment, count: number) => Fragment;
  /** Zero-based place among declared texts or numbers, NULL when it is none of them. */
  readonly position: (members: readonly (string | number)[], value: Fragment) => Fragment;
  /** A FROM item with one row (m, i) for each declared text or number and its zero-based place: joined, it costs no scan a row. */
  readonly keyList: (members: readonly (string | number)[]) => Fragment;
  /** The first 60 bits of the MD5 of a text in UTF-8. */
  readonly textBits: (text: Fragment) => Fragment;
  /** The first 60 bits of the SHA-256 of a key and a text: as good as random and independent to anyone who lacks the key. */
  readonly keyedBits: (key: string, text: Fragment) => Fragment;
  /** One row for each of the `count` least values of a group, duplicates kept; null where no aggregate does it. */
  readonly leastOf: ((value: Fragment, count: number) => Fragment) | null;
  /** FROM clause: rows of `left` whose u is (not) in `right`. */
  readonly withUnitsIn: (left: Fragment, right: Fragment) => Fragment;
  readonly withUnitsNotIn: (left: Fragment, right: Fragment) => Fragment;
  /** Behind a subquery whose columns are used several times each: keeps them from being computed as often. */
  readonly fence: Fragment;
}
