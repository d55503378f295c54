import { type RawBuilder, sql } from "kysely";
import type { Column } from "./declaration.ts";

export type Fragment = RawBuilder<unknown>;

/**
 * Everything that two databases write differently. Builders of SQL (`sql.ts`, `bounded-rows.ts`, new statistics) are written
 * once and take what differs from here; everything else they use has to be plain SQL with one meaning in all of them:
 *
 * - comparisons, CASE, coalesce, nullif, least/greatest of values that are not NULL, + − *, floor, count, sum, min, max, &, |,
 *   <<, >>, window functions with a total order, GROUP BY, UNION ALL, WITH, and of texts ||, left and replace. Never round(),
 *   //, casts that can fail, functions of floating-point sums, other text functions, or the text of a number.
 * - whole numbers are BIGINT, and results must fit: both databases stop with an error at 2⁶³. sum() gives more than 64 bits.
 * - columns are read with `typed` only, texts come out in NFC and binary order, NaN is above every number.
 * - an order of rows that is fair and known to nobody: `withOrder` (`order.ts`), which is the same in every database.
 */
export interface Dialect {
  readonly name: "duckdb" | "postgres";
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
  /** The first 60 bits of the SHA-256 of a key and a text: as good as random and independent to whoever lacks the key. */
  readonly keyedBits: (key: string, text: Fragment) => Fragment;
  /** One row for each of the `count` least values of a group, duplicates kept; null where no aggregate does it. */
  readonly leastOf: ((value: Fragment, count: number) => Fragment) | null;
  /** FROM clause: rows of `left` whose u is (not) in `right`. */
  readonly withUnitsIn: (left: Fragment, right: Fragment) => Fragment;
  readonly withUnitsNotIn: (left: Fragment, right: Fragment) => Fragment;
  /** Behind a subquery whose columns are used several times each: keeps them from being computed as often. */
  readonly fence: Fragment;
}

const NARROW = ["TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"];

function duckdbTyped(raw: Fragment, column: Column, storage: string): Fragment {
  const numbers = (target: "BIGINT" | "DOUBLE"): Fragment => {
    if (storage === target) return raw;
    return NARROW.includes(storage)
      ? sql`CAST(${raw} AS ${sql.raw(target)})`
      : sql`TRY_CAST(${raw} AS ${sql.raw(target)})`;
  };
  const text = storage === "VARCHAR" ? raw : sql`CAST(${raw} AS VARCHAR)`;
  switch (column.type) {
    case "integer":
      return numbers("BIGINT");
    case "number":
      return numbers("DOUBLE");
    case "boolean":
      return storage === "BOOLEAN" ? raw : sql`TRY_CAST(${text} AS BOOLEAN)`;
    case "category":
      return typeof column.categories?.[0] === "number" ? numbers("DOUBLE") : sql`nfc_normalize(${text})`;
    case "text":
      return sql`nfc_normalize(${text})`;
  }
}

const literalOf = (each: string | number): Fragment =>
  typeof each === "number" ? sql`CAST(${each} AS DOUBLE)` : sql`CAST(${each} AS VARCHAR)`;

export const duckdbDialect: Dialect = {
  name: "duckdb",
  double: sql`DOUBLE`,
  text: sql`VARCHAR`,
  typed: duckdbTyped,
  quotient: (dividend, divisor) => sql`(${dividend} // ${divisor})`,
  xor: (a, b) => sql`xor(${a}, ${b})`,
  // By its type alone DuckDB knows that an array will do; one of 2¹⁶ entries pays only for many leaves.
  index: (value, count) => {
    if (count <= 2 ** 8) return sql`CAST(${value} AS UTINYINT)`;
    return count > 2 ** 12 && count <= 2 ** 16 ? sql`CAST(${value} AS USMALLINT)` : value;
  },
  position: (members, value) => {
    return sql`CAST(nullif(list_position([${sql.join(members.map(literalOf))}], ${value}), 0) - 1 AS BIGINT)`;
  },
  keyList: (members) =>
    sql`(SELECT unnest([${sql.join(members.map(literalOf))}]) AS m, CAST(unnest(range(${sql.raw(String(members.length))})) AS BIGINT) AS i)`,
  textBits: (text) => sql`CAST('0x' || substr(md5(${text}), 1, 15) AS BIGINT)`,
  keyedBits: (key, text) => sql`CAST('0x' || substr(sha256(CAST(${key} AS VARCHAR) || ${text}), 1, 15) AS BIGINT)`,
  leastOf: (value, count) => sql`unnest(min(${value}, ${sql.raw(String(count))}))`,
  withUnitsIn: (left, right) => sql`${left} SEMI JOIN ${right} USING (u)`,
  withUnitsNotIn: (left, right) => sql`${left} ANTI JOIN ${right} USING (u)`,
  fence: sql``,
};

const WHOLE = ["smallint", "integer", "bigint"];
const WORDS = ["text", "character varying", "character", "name", "uuid", "date"];

/** Storage is what `format_type` says, without its length. Other types were refused when the table was described. */
function postgresTyped(raw: Fragment, column: Column, storage: string): Fragment {
  const none = (type: string): Fragment => sql`CAST(NULL AS ${sql.raw(type)})`;
  const double = (): Fragment => {
    if (storage === "double precision") return raw;
    if (storage === "real" || WHOLE.includes(storage)) return sql`CAST(${raw} AS DOUBLE PRECISION)`;
    if (storage !== "numeric") return none("DOUBLE PRECISION");
    // A cast of 1e400 or of 1e-400 would fail.
    return sql`CASE WHEN ${raw} = 'NaN' THEN CAST('NaN' AS DOUBLE PRECISION) WHEN ${raw} > 1e300 THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN ${raw} < -1e300 THEN CAST('-Infinity' AS DOUBLE PRECISION) WHEN abs(${raw}) < 1e-300 THEN CAST(0 AS DOUBLE PRECISION) ELSE CAST(${raw} AS DOUBLE PRECISION) END`;
  };
  const text = (): Fragment =>
    WORDS.includes(storage) || WHOLE.includes(storage) || storage === "boolean" || storage === "enum"
      ? sql`(normalize(CAST(${raw} AS TEXT), NFC) COLLATE "C")`
      : none("TEXT");
  switch (column.type) {
    case "integer":
      if (storage === "bigint") return raw;
      if (WHOLE.includes(storage)) return sql`CAST(${raw} AS BIGINT)`;
      return storage === "numeric"
        ? sql`CASE WHEN ${raw} BETWEEN -9223372036854775808 AND 9223372036854775807 AND ${raw} = trunc(${raw}) THEN CAST(${raw} AS BIGINT) END`
        : none("BIGINT");
    case "number":
      return double();
    case "boolean":
      return storage === "boolean" ? raw : none("BOOLEAN");
    case "category":
      return typeof column.categories?.[0] === "number" ? double() : text();
    case "text":
      return text();
  }
}

/** An array as one parameter: a statement takes no more than 65,535 of them. */
function arrayLiteral(members: readonly (string | number)[]): string {
  const item = (each: string | number): string =>
    typeof each === "number" ? String(each) : `"${each.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return `{${members.map(item).join(",")}}`;
}

export const postgresDialect: Dialect = {
  name: "postgres",
  double: sql`DOUBLE PRECISION`,
  text: sql`TEXT`,
  typed: postgresTyped,
  quotient: (dividend, divisor) => sql`(${dividend} / ${divisor})`,
  xor: (a, b) => sql`(${a} # ${b})`,
  index: (value) => value,
  position: (members, value) => {
    const type = sql.raw(typeof members[0] === "number" ? "DOUBLE PRECISION[]" : "TEXT[]");
    return sql`CAST(array_position(CAST(${arrayLiteral(members)} AS ${type}), ${value}) - 1 AS BIGINT)`;
  },
  keyList: (members) =>
    typeof members[0] === "number"
      ? sql`(SELECT m, i - 1 AS i FROM unnest(CAST(${arrayLiteral(members)} AS DOUBLE PRECISION[])) WITH ORDINALITY AS w(m, i))`
      : sql`(SELECT m COLLATE "C" AS m, i - 1 AS i FROM unnest(CAST(${arrayLiteral(members)} AS TEXT[])) WITH ORDINALITY AS w(m, i))`,
  textBits: (text) => sql`CAST(CAST('x' || substr(md5(${text}), 1, 15) AS BIT(60)) AS BIGINT)`,
  keyedBits: (key, text) =>
    sql`CAST(CAST('x' || substr(encode(sha256(convert_to(CAST(${key} AS TEXT) || ${text}, 'UTF8')), 'hex'), 1, 15) AS BIT(60)) AS BIGINT)`,
  leastOf: null,
  withUnitsIn: (left, right) => sql`${left} WHERE u IN (SELECT u FROM ${right})`,
  withUnitsNotIn: (left, right) => sql`${left} WHERE NOT EXISTS (SELECT 1 FROM ${right} WHERE ${right}.u = ${left}.u)`,
  fence: sql` OFFSET 0`,
};
