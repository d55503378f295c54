import type { OffsetChange, ZoneOffsets } from "@dosimeter/core";
import {
  type Column,
  codeFrom,
  isScaled,
  type Layout,
  MAX_DIGITS,
  MONTHS,
  markersOfNumbers,
  readBooleanSpelling,
  textOfCode,
} from "@dosimeter/query/declaration";
import {
  bitOperators,
  centuryOf,
  compiledBy,
  type Dialect,
  datesReader,
  type Fragment,
  inIsoOrder,
  integer,
  isMarker,
  type Parts,
  type StoredDecimals,
  type StoredTimes,
  shiftedBy,
  type TimesDialect,
  unmarked,
  usual,
} from "@dosimeter/query/dialect";
import { readNumberSpelling } from "@dosimeter/query/input";
import { sql } from "kysely";
import { DuckDbQueryCompiler } from "./query-compiler.ts";

const WORDS = /^(VARCHAR|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|ENUM)/;

/** A stored date or timestamp as a DATE; the cast of an infinite or far TIMESTAMP_MS would fail. */
const STORED_DATES: Readonly<Record<string, (raw: Fragment) => Fragment>> = {
  DATE: (raw) => raw,
  TIMESTAMP: (raw) => sql`CAST(${raw} AS DATE)`,
  TIMESTAMP_NS: (raw) => sql`CAST(${raw} AS DATE)`,
  TIMESTAMP_S: (raw) => sql`CAST(make_timestamp(TRY(epoch_us(${raw}))) AS DATE)`,
  TIMESTAMP_MS: (raw) => sql`CAST(make_timestamp(TRY(epoch_us(${raw}))) AS DATE)`,
};

/** NULL where infinite. */
const micros = (raw: Fragment): Parts => ({ parts: sql`epoch_us(${raw})`, perSecond: 1_000_000 });
/** A far TIMESTAMP_S or TIMESTAMP_MS would fail. */
const tried = (raw: Fragment): Parts => ({ parts: sql`TRY(epoch_us(${raw}))`, perSecond: 1_000_000 });
/** `epoch_us` would round those before 1970 up. */
const nanos = (raw: Fragment): Parts => ({
  parts: sql`CASE WHEN isfinite(${raw}) THEN epoch_ns(${raw}) // 1000 - CASE WHEN epoch_ns(${raw}) % 1000 < 0 THEN 1 ELSE 0 END END`,
  perSecond: 1_000_000,
});

const STORED_TIMES: Readonly<Record<string, (raw: Fragment) => StoredTimes>> = {
  "TIMESTAMP WITH TIME ZONE": (raw) => ({
    instant: {
      ...micros(raw),
      secondsFrom: (first, last) => {
        const [low, high] = [first, last].map((part) => sql`make_timestamptz(${integer(part)})`);
        return sql`date_sub('second', ${low}, least(greatest(${raw}, ${low}), ${high}))`;
      },
    },
  }),
  TIMESTAMP: (raw) => ({ local: micros(raw) }),
  TIMESTAMP_NS: (raw) => ({ local: nanos(raw) }),
  TIMESTAMP_S: (raw) => ({ local: tried(raw) }),
  TIMESTAMP_MS: (raw) => ({ local: tried(raw) }),
};

/** DuckDB names a value in the function of a list alone. */
const once: Dialect["once"] = (value, name, of) =>
  sql`(list_transform([${value}], lambda ${sql.id(name)}: ${of(sql.id(name))})[1])`;

/** Up to this number comparisons name their value each time, which is faster. */
const MAX_WRITTEN = 64;

function steppedTree(value: Fragment, first: number, changes: readonly OffsetChange[]): Fragment {
  const middle = Math.floor(changes.length / 2);
  const change = changes[middle];
  if (change === undefined) return integer(first);
  const [below, above] = [changes.slice(0, middle), changes.slice(middle + 1)];
  return sql`CASE WHEN ${value} >= ${integer(change.at)} THEN ${steppedTree(value, change.offset, above)} ELSE ${steppedTree(value, first, below)} END`;
}

function duckdbStepped(value: Fragment, { first, changes }: ZoneOffsets): Fragment {
  const tree = (of: Fragment): Fragment => steppedTree(of, first, changes);
  return changes.length <= MAX_WRITTEN ? tree(value) : once(value, "stepped", tree);
}

/** Slots of a table of offsets; more would take longer to write than they save. */
const MAX_SLOTS = 2 ** 11;

/**
 * By a table with a slot for each few months, in which at most one change lies: its number and what is left of the search stand
 * in no CASE and in no function of a list, where DuckDB would compute the value again for each of them.
 */
function duckdbShifted(value: Fragment, zone: ZoneOffsets): Fragment {
  const { first, changes } = zone;
  const start = changes[0]?.at ?? 0;
  const shortest = Math.min(...changes.slice(1).map(({ at }, before) => at - (changes[before]?.at ?? at)), 2 ** 40);
  const places = Math.floor(Math.log2(shortest));
  const slotOf = (at: number): number => Math.floor((at - start) / 2 ** places);
  const slots = slotOf(changes.at(-1)?.at ?? 0) + 1;
  if (changes.length === 0 || slots > MAX_SLOTS) return shiftedBy({ once, stepped: duckdbStepped })(value, zone);
  const at = Array.from({ length: slots }, () => start);
  const offsets = [first, ...at];
  for (const { at: second, offset } of changes) {
    at[slotOf(second)] = second;
    offsets.fill(offset, slotOf(second) + 1);
  }
  const list = (numbers: readonly number[]): Fragment => sql`CAST([${sql.join(numbers.map(integer))}] AS BIGINT[])`;
  const slot = sql`(least((greatest(${value}, ${integer(start)}) - ${integer(start)}) >> ${integer(places)}, ${integer(slots - 1)}) + 1)`;
  const hasChanged = sql`CAST(${value} >= ${list(at)}[${slot}] AS BIGINT)`;
  return sql`(${value} + ${list(offsets)}[${slot} + ${hasChanged}])`;
}

const duckdbDays = { ...usual.days, storage: "DATE" };

const duckdbDates: TimesDialect = {
  days: duckdbDays,
  once,
  stepped: duckdbStepped,
  shifted: duckdbShifted,
  groups: (text, form, of) => of((at) => sql`regexp_extract(${text}, ${sql.lit(`^${form}$`)}, ${integer(at)})`),
  digits: (text) => sql`coalesce(TRY_CAST(nullif(${text}, '') AS BIGINT), 0)`,
  takesAny: true,
  quotient: (dividend, divisor) => sql`(${dividend} // ${divisor})`,
  // DuckDB would also read spaces, slashes, one digit and years before 1.
  fromIso: (text) =>
    sql`CASE WHEN regexp_full_match(${text}, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND ${text} NOT LIKE '0000%' THEN TRY_CAST(${text} AS DATE) END`,
  fromLayout: (text, layout) => {
    const group = (at: number): Fragment => sql`regexp_extract(${text}, ${sql.lit(layout.form)}, ${integer(at)})`;
    if (layout.isNamed || layout.quarter !== null || layout.week !== null) return fromNamed(text, layout, group);
    const ordered = sql`regexp_replace(${text}, ${sql.lit(`^${layout.form}$`)}, ${sql.lit(inIsoOrder(layout))})`;
    const whole = layout.pivot === null ? ordered : sql`(${centuryOf(layout.pivot, group(layout.year))} || ${ordered})`;
    const isYear = layout.pivot === null ? sql` AND ${group(layout.year)} <> '0000'` : sql``;
    return sql`CASE WHEN regexp_full_match(${text}, ${sql.lit(layout.form)})${isYear} THEN TRY_CAST(${whole} AS DATE) END`;
  },
};

/** The first day of what a text names by words, quarters or weeks; NULL where there is no such day. */
function fromNamed(text: Fragment, layout: Layout, group: (at: number) => Fragment): Fragment {
  const { year, month, day, quarter, week, pivot, form } = layout;
  const short = group(year);
  const whole = pivot === null ? short : sql`(${centuryOf(pivot, short)} || ${short})`;
  const number = (at: number): Fragment => sql`TRY_CAST(${group(at)} AS INTEGER)`;
  const named = (at: number): Fragment =>
    sql`CASE ${sql.join(
      MONTHS.map(
        (begins, place) =>
          sql`WHEN regexp_matches(lower(${group(at)}), ${sql.lit(`^(?:${begins})`)}) THEN ${integer(place + 1)}`,
      ),
      sql` `,
    )} END`;
  const months =
    quarter !== null
      ? sql`(3 * ${number(quarter)} - 2)`
      : month === null
        ? integer(1)
        : layout.isNamed
          ? named(month)
          : number(month);
  const first = (months: Fragment, days: Fragment): Fragment =>
    sql`TRY_CAST(${whole} || '-' || ${months} || '-' || ${days} AS DATE)`;
  // The fourth of January is in the first week. A week that is none of its year begins in another.
  const fourth = first(integer(1), integer(4));
  const monday = (at: number): Fragment =>
    sql`CAST(${fourth} - CAST(isodow(${fourth}) - 1 AS INTEGER) + 7 * (${number(at)} - 1) AS DATE)`;
  const found =
    week === null
      ? first(months, day === null ? integer(1) : group(day))
      : sql`CASE WHEN isoyear(${monday(week)}) = TRY_CAST(${whole} AS INTEGER) THEN ${monday(week)} END`;
  return sql`CASE WHEN regexp_full_match(${text}, ${sql.lit(form)}) AND ${whole} <> '0000' THEN ${found} END`;
}

const reader = datesReader(duckdbDates, { dates: STORED_DATES, times: STORED_TIMES });

const FLOATS = ["FLOAT", "DOUBLE"];
const NARROW = ["TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"];

const STORED_DECIMAL = /^DECIMAL\((\d+),(\d+)\)$/;

/**
 * A stored number or text in steps of its last digit, halves away from 0; a value of more than 18 digits is none. A product of
 * DECIMALs fails above 18 digits where both factors have fewer, so a wide one is computed with 38.
 */
function duckdbDecimal(raw: Fragment, scale: number, storage: string): Fragment {
  const [, width = "", digits = ""] = STORED_DECIMAL.exec(storage) ?? [];
  const isNarrow = width !== "" && Number(digits) <= scale && Number(width) + scale + 1 <= MAX_DIGITS;
  const decimal = (most: number): Fragment => sql`DECIMAL(${integer(most)}, ${integer(scale)})`;
  const value = isNarrow ? raw : sql`CAST(TRY_CAST(${raw} AS ${decimal(MAX_DIGITS)}) AS ${decimal(38)})`;
  return stepsOf(value, 10n ** BigInt(scale), sql`BIGINT`);
}

const stepsOf = (decimal: Fragment, factor: bigint, type: Fragment): Fragment =>
  sql`CAST(${decimal} * CAST(${integer(factor)} AS DECIMAL(${integer(String(factor).length)}, 0)) AS ${type})`;

/** A DECIMAL is clamped as it is stored: no step of the way there fails, as it has at most as many digits as its bounds then. */
const duckdbDecimals: StoredDecimals = {
  within: (raw, storage, { scale, lower, upper }) => {
    const [, width = "", digits = ""] = STORED_DECIMAL.exec(storage) ?? [];
    if (width === "" || Number(digits) > scale || Number(width) + scale - Number(digits) > MAX_DIGITS) return null;
    const [low = 0n, high = 0n] = [lower, upper].map((bound) => codeFrom(bound, { scale }));
    const most = Math.max(scale + 1, ...[low, high].map((code) => String(code < 0n ? -code : code).length));
    const decimal = (most: number): Fragment => sql`DECIMAL(${integer(most)}, ${integer(scale)})`;
    const bound = (code: bigint): Fragment => sql`CAST(${sql.lit(textOfCode(code, { scale }))} AS ${decimal(most)})`;
    const clamped = sql`least(greatest(${raw}, ${bound(low)}), ${bound(high)})`;
    const room = most + scale + 1 <= MAX_DIGITS ? most : 38;
    return {
      decimal: clamped,
      value: stepsOf(sql`CAST(${clamped} AS ${decimal(room)})`, 10n ** BigInt(scale), sql`BIGINT`),
      kept: sql`${raw} IS NOT NULL`,
    };
  },
  // Sums have 38 digits, of which fewer rows than 10¹⁴ need no more.
  sum: (decimal, factor) => stepsOf(sql`sum(${decimal})`, factor, sql`HUGEINT`),
};

/** A stored number, NULL where it is a word that is a marker: DuckDB might read it as a number, such as inf. */
function withoutWords(stored: Fragment, column: Column, storage: string): Fragment {
  const { words } = markersOfNumbers(column);
  if (words.length === 0 || !/^(VARCHAR|ENUM)/.test(storage)) return stored;
  return sql`CASE WHEN ${isMarker(sql`nfc_normalize(CAST(${stored} AS VARCHAR))`, words)} THEN NULL ELSE ${stored} END`;
}

const TEXTS = /^(VARCHAR|ENUM)/;

/** What stands for a sign within brackets of a pattern. */
const bracketed = (signs: string): string => signs.replace(/[\\\]^-]/g, "\\$&");
const literally = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");

/** A stored text as databases write numbers and truth values; NULL where it is not written as declared. Any other stored value as it is. */
export function plainText(stored: Fragment, { type, pattern }: Column, storage: string): Fragment {
  if (pattern === undefined || type === "date") return stored;
  if (type === "boolean") {
    const { yes, no } = readBooleanSpelling(pattern) ?? { yes: [], no: [] };
    const word = sql`lower(nfc_normalize(trim(CAST(${stored} AS VARCHAR))))`;
    const among = (words: readonly string[]): Fragment =>
      sql`${word} IN (${sql.join(words.map((one) => sql.lit(one)))})`;
    return sql`CASE WHEN ${among(yes)} THEN 'true' WHEN ${among(no)} THEN 'false' END`;
  }
  const spelling = readNumberSpelling(pattern);
  if (spelling === null || !TEXTS.test(storage)) return stored;
  const { thousands, decimal, before, after } = spelling;
  const grouped = thousands === "" ? "" : `[1-9][0-9]{0,2}(?:[${bracketed(thousands)}][0-9]{3})+|`;
  const digits = `(?:${grouped}[0-9]+)(?:[${decimal}][0-9]*)?|[${decimal}][0-9]+`;
  const around = (text: string): string => (text === "" ? "" : `(?:${literally(text)})?`);
  const form = `[\\s\u00a0]*${around(before)}[\\s\u00a0\u202f]*([-+−]?(?:${digits})(?:[eE][-+]?[0-9]+)?)[\\s\u00a0\u202f]*${around(after)}[\\s\u00a0]*`;
  const text = sql`CAST(${stored} AS VARCHAR)`;
  const number = sql`translate(regexp_extract(${text}, ${sql.lit(`^${form}$`)}, 1), ${sql.lit(`−${decimal}${thousands}`)}, '-.')`;
  return sql`CASE WHEN regexp_full_match(${text}, ${sql.lit(form)}) THEN ${number} END`;
}

function duckdbTyped(stored: Fragment, column: Column, storage: string): Fragment {
  const raw = plainText(withoutWords(stored, column, storage), column, storage);
  const numbers = (target: "BIGINT" | "DOUBLE"): Fragment => {
    if (storage === target) return raw;
    return NARROW.includes(storage)
      ? sql`CAST(${raw} AS ${sql.raw(target)})`
      : sql`TRY_CAST(${raw} AS ${sql.raw(target)})`;
  };
  const number = FLOATS.includes(storage) ? sql`CASE WHEN NOT isnan(${raw}) THEN ${raw} END` : raw;
  const text = storage === "VARCHAR" ? raw : sql`CAST(${number} AS VARCHAR)`;
  const present = (): Fragment => sql`nullif(nfc_normalize(${text}), '')`;
  switch (column.type) {
    case "date":
      return reader.periods(raw, column, storage, WORDS.test(storage) ? text : null);
    case "integer":
      return numbers("BIGINT");
    case "number":
      return isScaled(column) ? duckdbDecimal(raw, column.scale, storage) : numbers("DOUBLE");
    case "boolean":
      return storage === "BOOLEAN" && column.pattern === undefined ? raw : sql`TRY_CAST(${text} AS BOOLEAN)`;
    case "category":
      return typeof column.categories?.[0] === "number" ? numbers("DOUBLE") : present();
    case "text":
      return present();
  }
}

const literalOf = (each: string | number): Fragment =>
  typeof each === "number" ? sql`CAST(${each} AS DOUBLE)` : sql`CAST(${each} AS VARCHAR)`;

/** A list with a value that has it is a parameter for each. */
const BETWEEN = "\u001f";
const isApart = (each: string | number): boolean => typeof each === "number" || !each.includes(BETWEEN);

/** A list as one text: thousands of parameters take a statement seconds. */
function listOf(members: readonly (string | number)[]): Fragment {
  if (!members.every(isApart)) return sql`[${sql.join(members.map(literalOf))}]`;
  const texts = sql`string_split(${members.join(BETWEEN)}, ${BETWEEN})`;
  return typeof members[0] === "number" ? sql`CAST(${texts} AS DOUBLE[])` : texts;
}

/** Bits of a BIGINT that is never negative. */
const MAX_BITS = 63;

export const duckdbDialect: Dialect = {
  ...usual,
  name: "duckdb",
  compile: compiledBy(new DuckDbQueryCompiler()),
  double: sql`DOUBLE`,
  text: sql`VARCHAR`,
  wide: sql`HUGEINT`,
  typed: unmarked(duckdbTyped, sql`DOUBLE`),
  once,
  stepped: duckdbStepped,
  shifted: duckdbShifted,
  decimals: duckdbDecimals,
  days: duckdbDays,
  datesWithin: reader.within,
  quotient: (dividend, divisor) => sql`(${dividend} // ${divisor})`,
  bits: bitOperators,
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
    sql`(SELECT unnest(${listOf(members)}) AS m, CAST(unnest(range(${sql.raw(String(members.length))})) AS BIGINT) AS i)`,
  textBits: (text) => sql`CAST('0x' || substr(md5(${text}), 1, 15) AS BIGINT)`,
  keyedBits: (key, text) => sql`CAST('0x' || substr(sha256(CAST(${key} AS VARCHAR) || ${text}), 1, 15) AS BIGINT)`,
  leastOf: (rows, count) => sql`SELECT unnest(min(p, ${integer(count)})) AS e FROM (${rows}) AS q GROUP BY u`,
  // A bit for each group of a unit takes a tenth of the memory of its pairs.
  pairsOf: (rows, count) =>
    count > MAX_BITS
      ? null
      : sql`SELECT u, i AS g FROM (SELECT u, bit_or(CAST(1 AS BIGINT) << g) AS s FROM (${rows}) AS p GROUP BY u) AS q, (SELECT unnest(range(${integer(count)})) AS i) AS r WHERE (s >> i) & 1 = 1`,
  withUnitsIn: (left, right) => sql`${left} SEMI JOIN ${right} USING (u)`,
  withUnitsNotIn: (left, right) => sql`${left} ANTI JOIN ${right} USING (u)`,
  fence: sql``,
};
