import type { ZoneOffsets } from "@dosimeter/core";
import { type Column, isScaled, MAX_DIGITS } from "@dosimeter/query/declaration";
import {
  bitOperators,
  centuryOf,
  compiledBy,
  type Dialect,
  datesReader,
  type Fragment,
  inIsoOrder,
  integer,
  type Parts,
  type StoredTimes,
  shiftedBy,
  type TimesDialect,
  unmarked,
  usual,
} from "@dosimeter/query/dialect";
import { PostgresQueryCompiler, sql } from "kysely";

const WHOLE = ["smallint", "integer", "bigint"];
const WORDS = ["text", "character varying", "character", "name", "uuid", "date"];

const STORED_DATES: Readonly<Record<string, (raw: Fragment) => Fragment>> = {
  date: (raw) => raw,
  "timestamp without time zone": (raw) => sql`CAST(${raw} AS DATE)`,
};

/** Texts whose year, month and day are digits. make_date would fail for a day that does not exist. */
function postgresDate(form: string, ordered: Fragment, text: Fragment): Fragment {
  const part = (at: number): Fragment => sql`CAST(split_part(${ordered}, '-', ${integer(at)}) AS INTEGER)`;
  const [year, month, day] = [part(1), part(2), part(3)];
  const leap = sql`(${year} % 4 = 0 AND (${year} % 100 <> 0 OR ${year} % 400 = 0))`;
  const longest = sql`CASE WHEN ${month} IN (4, 6, 9, 11) THEN 30 WHEN ${month} <> 2 THEN 31 WHEN ${leap} THEN 29 ELSE 28 END`;
  return sql`CASE WHEN ${text} ~ ${sql.lit(`^${form}$`)} THEN CASE WHEN ${year} >= 1 AND ${month} BETWEEN 1 AND 12 AND ${day} BETWEEN 1 AND ${longest} THEN make_date(${year}, ${month}, ${day}) END END`;
}

/** Whole seconds from 1970 on, NULL where infinite; `extract` counts parts of seconds exactly. */
const seconds = (raw: Fragment): Parts => ({
  parts: sql`CASE WHEN isfinite(${raw}) THEN CAST(floor(extract(epoch FROM ${raw})) AS BIGINT) END`,
  perSecond: 1,
});

const STORED_TIMES: Readonly<Record<string, (raw: Fragment) => StoredTimes>> = {
  "timestamp with time zone": (raw) => ({ instant: seconds(raw) }),
  "timestamp without time zone": (raw) => ({ local: seconds(raw) }),
};

/** `OFFSET 0` keeps the planner from writing the value into each of its places. */
const once: Dialect["once"] = (value, name, of) =>
  sql`(SELECT ${of(sql.id(name))} FROM (SELECT ${value} AS ${sql.id(name)} OFFSET 0) AS one)`;

/** By halving. Where a time misses, so does the offset. */
function postgresStepped(value: Fragment, { first, changes }: ZoneOffsets): Fragment {
  if (changes.length === 0) return integer(first);
  const list = (numbers: readonly number[]): Fragment => sql.lit(`{${numbers.join(",")}}`);
  const before = sql`width_bucket(CAST(${value} AS BIGINT), CAST(${list(changes.map(({ at }) => at))} AS BIGINT[]))`;
  return sql`(CAST(${list([first, ...changes.map(({ offset }) => offset)])} AS BIGINT[]))[${before} + 1]`;
}

const postgresDates: TimesDialect = {
  days: usual.days,
  once,
  stepped: postgresStepped,
  shifted: shiftedBy({ once, stepped: postgresStepped }),
  // A pattern with groups is slow: a text is matched once.
  groups: (text, form, of) =>
    once(sql`regexp_match(${text}, ${sql.lit(`^${form}$`)})`, "found", (found) =>
      of((at) => sql`(${found})[${integer(at)}]`),
    ),
  digits: (text) => sql`CAST(coalesce(nullif(${text}, ''), '0') AS BIGINT)`,
  takesAny: false,
  quotient: (dividend, divisor) => sql`(${dividend} / ${divisor})`,
  fromIso: (text) => postgresDate("[0-9]{4}-[0-9]{2}-[0-9]{2}", text, text),
  fromLayout: (text, layout) => {
    const form = sql.lit(`^${layout.form}$`);
    const ordered = sql`regexp_replace(${text}, ${form}, ${sql.lit(inIsoOrder(layout))})`;
    const year = sql`regexp_replace(${text}, ${form}, ${sql.lit(`\\${layout.year}`)})`;
    const whole = layout.pivot === null ? ordered : sql`(${centuryOf(layout.pivot, year)} || ${ordered})`;
    return once(whole, "ordered", (named) => postgresDate(layout.form, named, text));
  },
};

const reader = datesReader(postgresDates, { dates: STORED_DATES, times: STORED_TIMES });

/** A stored number in steps of its last digit, halves away from 0; NaN, infinite ones and those of more than 18 digits are none. */
function postgresDecimal(raw: Fragment, scale: number, storage: string): Fragment {
  if (storage !== "numeric" && !WHOLE.includes(storage)) return sql`CAST(NULL AS BIGINT)`;
  const most = integer(10n ** BigInt(MAX_DIGITS - scale));
  // One digit behind the last decides what a stored one with more digits becomes.
  const value = sql`CAST(${raw} AS NUMERIC)`;
  return sql`CASE WHEN ${value} > -${most} AND ${value} < ${most} THEN CAST(round(${value} * ${integer(10n ** BigInt(scale))}) AS BIGINT) END`;
}

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
      ? sql`nullif(normalize(CAST(${raw} AS TEXT), NFC) COLLATE "C", '')`
      : none("TEXT");
  switch (column.type) {
    case "date": {
      const isWritten = WORDS.includes(storage) || WHOLE.includes(storage) || storage === "enum";
      // In the collation "C": under a nondeterministic one a pattern would fail, and only for values that are there.
      return reader.periods(raw, column, storage, isWritten ? text() : null);
    }
    case "integer":
      if (storage === "bigint") return raw;
      if (WHOLE.includes(storage)) return sql`CAST(${raw} AS BIGINT)`;
      return storage === "numeric"
        ? sql`CASE WHEN ${raw} BETWEEN -9223372036854775808 AND 9223372036854775807 AND ${raw} = trunc(${raw}) THEN CAST(${raw} AS BIGINT) END`
        : none("BIGINT");
    case "number":
      return isScaled(column) ? postgresDecimal(raw, column.scale, storage) : double();
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
  ...usual,
  name: "postgres",
  compile: compiledBy(new PostgresQueryCompiler()),
  double: sql`DOUBLE PRECISION`,
  text: sql`TEXT`,
  wide: sql`NUMERIC`,
  typed: unmarked(postgresTyped, sql`DOUBLE PRECISION`),
  once,
  stepped: postgresStepped,
  shifted: shiftedBy({ once, stepped: postgresStepped }),
  datesWithin: reader.within,
  quotient: (dividend, divisor) => sql`(${dividend} / ${divisor})`,
  bits: bitOperators,
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
