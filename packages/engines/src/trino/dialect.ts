import type { ZoneOffsets } from "@dosimeter/core";
import { type Column, isScaled, MAX_DIGITS } from "@dosimeter/query/declaration";
import {
  centuryOf,
  compiledBy,
  type Days,
  type Dialect,
  datesReader,
  EPOCH,
  type Fragment,
  inIsoOrder,
  integer,
  type Sql,
  type StoredTimes,
  shiftedBy,
  type TimesDialect,
  unmarked,
} from "@dosimeter/query/dialect";
import { SqliteQueryCompiler, sql } from "kysely";
import { isText, isWhole, kindOf, type StoredKind, wholeDigits } from "./types.ts";

/** No date of Trino is infinite, and none is reckoned with by operators. */
const trinoDays: Days = {
  isFinite: (date) => sql`${date} IS NOT NULL`,
  number: (date) => sql`date_diff('day', ${EPOCH}, ${date})`,
  at: (number) => sql`date_add('day', ${number}, ${EPOCH})`,
  weekday: sql`day_of_week`,
  storage: "date",
};

const STORED_DATES: { readonly [K in StoredKind]?: (raw: Fragment) => Fragment } = {
  date: (raw) => raw,
  timestamp: (raw) => sql`CAST(${raw} AS DATE)`,
};

/** `date_diff` alone would round times before 1970 up. */
const seconds = (raw: Fragment, epoch: string) => ({
  parts: sql`date_diff('second', TIMESTAMP ${sql.lit(epoch)}, date_trunc('second', ${raw}))`,
  perSecond: 1,
});

const STORED_TIMES: { readonly [K in StoredKind]?: (raw: Fragment) => StoredTimes } = {
  timestamp: (raw) => ({ local: seconds(raw, "1970-01-01 00:00:00") }),
  "timestamp with time zone": (raw) => ({ instant: seconds(raw, "1970-01-01 00:00:00 UTC") }),
};

/** A lambda names its argument. */
const once: Dialect["once"] = (value, name, of) =>
  sql`(transform(ARRAY[${value}], ${sql.id(name)} -> ${of(sql.id(name))})[1])`;

const placeAmong = (value: Fragment, edges: readonly Fragment[]): Fragment =>
  sql`width_bucket(CAST(${value} AS DOUBLE), ARRAY[${sql.join(edges.map((edge) => sql`CAST(${edge} AS DOUBLE)`))}])`;

function trinoStepped(value: Fragment, { first, changes }: ZoneOffsets): Fragment {
  if (changes.length === 0) return integer(first);
  const offsets = [first, ...changes.map(({ offset }) => offset)].map(integer);
  const place = placeAmong(
    value,
    changes.map(({ at }) => integer(at)),
  );
  return sql`element_at(ARRAY[${sql.join(offsets)}], ${place} + 1)`;
}

/** A pattern of Java takes a line break for the end of a text; this is the whole of it. */
const whole = (form: string): Fragment => sql.lit(`\\A(?:${form})\\z`);

const trinoDates: TimesDialect = {
  days: trinoDays,
  once,
  stepped: trinoStepped,
  shifted: shiftedBy({ once, stepped: trinoStepped }),
  groups: (text, form, of) => of((at) => sql`regexp_extract(${text}, ${whole(form)}, ${integer(at)})`),
  digits: (text) => sql`coalesce(TRY_CAST(nullif(${text}, '') AS BIGINT), 0)`,
  takesAny: true,
  quotient: (dividend, divisor) => sql`(${dividend} / ${divisor})`,
  // A cast would also read one digit, and a year 0.
  fromIso: (text) =>
    sql`CASE WHEN regexp_like(${text}, ${whole("[0-9]{4}-[0-9]{2}-[0-9]{2}")}) AND ${text} NOT LIKE '0000%' THEN TRY_CAST(${text} AS DATE) END`,
  fromLayout: (text, layout) => {
    const form = whole(layout.form);
    const year = sql`regexp_extract(${text}, ${form}, ${integer(layout.year)})`;
    const ordered = sql`regexp_replace(${text}, ${form}, ${sql.lit(inIsoOrder(layout).replaceAll("\\", "$"))})`;
    const written = layout.pivot === null ? ordered : sql`(${centuryOf(layout.pivot, year)} || ${ordered})`;
    const isYear = layout.pivot === null ? sql` AND ${year} <> '0000'` : sql``;
    return sql`CASE WHEN regexp_like(${text}, ${form})${isYear} THEN TRY_CAST(${written} AS DATE) END`;
  },
};

const reader = datesReader(trinoDates, { dates: STORED_DATES, times: STORED_TIMES });

/** A stored number in steps of its last digit, halves away from 0; one of more than 18 digits is none. */
function trinoDecimal(raw: Fragment, scale: number, storage: string): Fragment {
  if (!isWhole(storage) && kindOf(storage) !== "decimal") return sql`CAST(NULL AS BIGINT)`;
  const most = integer(10n ** BigInt(MAX_DIGITS - scale));
  const factor = sql`CAST(${integer(10n ** BigInt(scale))} AS DECIMAL(${integer(scale + 1)}, 0))`;
  const steps = sql`CAST(CAST(${raw} AS DECIMAL(38, ${integer(scale)})) * ${factor} AS BIGINT)`;
  // Trino would read `most` as the stored type, in which it may not fit: DECIMAL(38, 30) has eight digits before its point.
  if (wholeDigits(storage) <= MAX_DIGITS - scale) return steps;
  return sql`CASE WHEN ${raw} > -${most} AND ${raw} < ${most} THEN ${steps} END`;
}

/** NULL for NaN, which Trino takes for no number and for no equal of itself. By its text a decimal is the nearest double. */
function trinoDouble(raw: Fragment, storage: string): Fragment {
  const kind = kindOf(storage);
  if (kind === "double") return sql`CASE WHEN NOT is_nan(${raw}) THEN ${raw} END`;
  if (kind === "real") return sql`CASE WHEN NOT is_nan(${raw}) THEN CAST(${raw} AS DOUBLE) END`;
  if (isWhole(storage)) return sql`CAST(${raw} AS DOUBLE)`;
  return kind === "decimal" ? sql`CAST(CAST(${raw} AS VARCHAR) AS DOUBLE)` : sql`CAST(NULL AS DOUBLE)`;
}

function trinoInteger(raw: Fragment, storage: string): Fragment {
  if (storage === "bigint") return raw;
  if (isWhole(storage)) return sql`CAST(${raw} AS BIGINT)`;
  // A cast would round.
  return kindOf(storage) === "decimal"
    ? sql`CASE WHEN ${raw} = truncate(${raw}) THEN TRY_CAST(${raw} AS BIGINT) END`
    : sql`CAST(NULL AS BIGINT)`;
}

/**
 * Spaces that fill up a CHAR are not part of it. An empty text is NULL. A text with as many bytes as letters is ASCII, and so in NFC as it
 * is: Trino would copy it twice to normalize it.
 */
export function trinoText(raw: Fragment, storage: string): Fragment {
  if (!isText(storage)) return sql`CAST(NULL AS VARCHAR)`;
  const kind = kindOf(storage);
  const text = sql`CAST(${raw} AS VARCHAR)`;
  if (kind !== "varchar" && kind !== "char") return text;
  const whole = kind === "char" ? sql`trim(TRAILING ' ' FROM ${text})` : text;
  return sql`nullif(CASE WHEN length(${whole}) = length(to_utf8(${whole})) THEN ${whole} ELSE normalize(${whole}, NFC) END, '')`;
}

/** Storage is what DESCRIBE says. Other types were refused when the table was described. */
function trinoTyped(raw: Fragment, column: Column, storage: string): Fragment {
  const kind = kindOf(storage);
  const written = kind !== "boolean" && isText(storage) ? trinoText(raw, storage) : null;
  switch (column.type) {
    case "date":
      return reader.periods(raw, column, kind, written);
    case "integer":
      return trinoInteger(raw, storage);
    case "number":
      return isScaled(column) ? trinoDecimal(raw, column.scale, storage) : trinoDouble(raw, storage);
    case "boolean":
      return kind === "boolean" ? raw : sql`CAST(NULL AS BOOLEAN)`;
    case "category":
      return typeof column.categories?.[0] === "number" ? trinoDouble(raw, storage) : trinoText(raw, storage);
    case "text":
      return trinoText(raw, storage);
  }
}

/** Bits by functions: Trino has no operators for them. */
const bits: Dialect["bits"] = {
  and: (a, b) => sql`bitwise_and(${a}, ${b})`,
  or: (...parts) => parts.reduce((all, part) => sql`bitwise_or(${all}, ${part})`),
  left: (value, places) => sql`bitwise_left_shift(CAST(${value} AS BIGINT), ${integer(places)})`,
  right: (value, places) => sql`bitwise_right_shift(CAST(${value} AS BIGINT), ${integer(places)})`,
};

const arrayOf = (members: readonly (string | number)[]): Fragment => {
  const item = (each: string | number): Fragment =>
    typeof each === "number" ? sql`CAST(${each} AS DOUBLE)` : sql`CAST(${each} AS VARCHAR)`;
  return sql`ARRAY[${sql.join(members.map(item))}]`;
};

const first60 = (hash: Fragment): Fragment => sql`from_base(substr(to_hex(${hash}), 1, 15), 16)`;

/** Where CASE takes longer to compile than to run. */
const MAX_COMPARED = 32;

export const trinoDialect: Dialect = {
  name: "trino",
  // It writes names and texts as the standard does, and ? for a parameter.
  compile: compiledBy(new SqliteQueryCompiler()),
  double: sql`DOUBLE`,
  text: sql`VARCHAR`,
  typed: unmarked(trinoTyped, sql`DOUBLE`),
  once,
  stepped: trinoStepped,
  shifted: shiftedBy({ once, stepped: trinoStepped }),
  datesWithin: (raw, column, storage, range) => reader.within(raw, column, kindOf(storage), range),
  decimals: null,
  days: trinoDays,
  sum: (value) => sql`sum(CAST(${value} AS DECIMAL(38, 0)))`,
  edgesBelow: (value, edges) => (edges.length <= MAX_COMPARED ? null : placeAmong(value, edges)),
  // Trino reads a WITH again wherever it stands. The rows of ours are the same each time: nothing that reads a sample of rows has one.
  inlined: sql``,
  computedOnce: null,
  pairsOf: () => null,
  wide: sql`DECIMAL(38, 0)`,
  quotient: (dividend, divisor) => sql`(${dividend} / ${divisor})`,
  bits,
  xor: (a, b) => sql`bitwise_xor(${a}, ${b})`,
  index: (value) => value,
  // One look-up, however many there are.
  position: (members, value) =>
    sql`CAST(element_at(MAP(${arrayOf(members)}, ARRAY[${sql.join(members.map((_, at) => integer(at)))}]), ${value}) AS BIGINT)`,
  // Without statistics of a table, Trino would send all of its rows through the network to join them.
  keyList: null,
  textBits: (text) => first60(sql`md5(to_utf8(${text}))`),
  keyedBits: (key, text) => first60(sql`sha256(to_utf8(CAST(${key} AS VARCHAR) || ${text}))`),
  leastOf: (rows, count) =>
    sql`SELECT w.e FROM (SELECT min(p, ${integer(count)}) AS ps FROM (${rows}) AS q GROUP BY u) AS a CROSS JOIN UNNEST(a.ps) AS w(e)`,
  withUnitsIn: (left, right) => sql`${left} WHERE u IN (SELECT u FROM ${right})`,
  withUnitsNotIn: (left, right) => sql`${left} WHERE NOT EXISTS (SELECT 1 FROM ${right} WHERE ${right}.u = ${left}.u)`,
  fence: sql``,
};

/** One statement: Trino's interface takes parameters as a list of literals after the text. */
export function statementOf({ text, parameters }: Sql): string {
  if (parameters.length === 0) return text;
  return `EXECUTE IMMEDIATE ${quoted(text)} USING ${parameters.map(literal).join(", ")}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** With an exponent a number is a double; without, Trino reads decimals. */
function literal(value: string | number | boolean): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return String(value);
  if (Number.isNaN(value)) return "nan()";
  return Number.isFinite(value) ? value.toExponential().toUpperCase() : `${value < 0 ? "-" : ""}infinity()`;
}
