import { sql } from "kysely";
import { codeFrom, isScaled } from "../declaration/decimals.ts";
import { markersOfNumbers } from "../declaration/missing.ts";
import { type Dialect, type Fragment, integer } from "./dialect.ts";

const isOneOf = (value: Fragment, markers: readonly Fragment[]): Fragment =>
  markers.length === 0 ? sql`false` : sql`(${value} IN (${sql.join(markers)}))`;

/** Whether a stored text is a marker of a missing value. */
export const isMarker = (text: Fragment, markers: readonly string[]): Fragment =>
  isOneOf(
    text,
    markers.map((marker) => sql.lit(marker)),
  );

/**
 * A stored column as its declared type, a category without spaces around it and in its declared spelling, and NULL where it holds a marker,
 * before any bound, bin or filter sees it [M86]. Dates are compared as they are read: a calendar or a period would hide their markers.
 */
export const unmarked =
  (typed: Dialect["typed"], double: Fragment): Dialect["typed"] =>
  (raw, column, storage) => {
    const isTexts = typeof column.categories?.[0] === "string";
    const stored = typed(raw, column, storage);
    const value = isTexts ? sql<unknown>`nullif(trim(BOTH ' ' FROM ${stored}), '')` : stored;
    // A database gives a number of 32 bits as the double that it is.
    const asStored = /^(?:FLOAT|real)$/.test(storage) ? Math.fround : Number;
    const numbers = markersOfNumbers(column).numbers.map(asStored).filter(Number.isFinite);
    const texts =
      isTexts || column.type === "text" ? (column.missing ?? []).map((marker): Fragment => sql.lit(marker)) : [];
    const markers = [
      ...texts,
      ...numbers.map((number): Fragment => {
        if (isScaled(column)) return integer(codeFrom(number, column));
        return column.type === "integer" ? integer(BigInt(number)) : sql`CAST(${number} AS ${double})`;
      }),
    ];
    const spelled = Object.entries(column.spellings ?? {}).filter(([, written]) => written.length > 0);
    const cases = [
      ...(markers.length === 0 ? [] : [sql`WHEN ${isOneOf(value, markers)} THEN NULL`]),
      ...spelled.map(([category, written]) => sql`WHEN ${isMarker(value, written)} THEN ${sql.lit(category)}`),
    ];
    return cases.length === 0 ? value : sql`CASE ${sql.join(cases, sql` `)} ELSE ${value} END`;
  };
