import {
  byLocalTime,
  clockOf,
  DAY_SECONDS,
  FIRST_SECOND,
  isCalendarUnit,
  LAST_SECOND,
  readInstant,
  type ZoneOffsets,
} from "@dosimeter/core";
import { sql } from "kysely";
import { isTimestamp, secondsOf, unitOfDates } from "../declaration/dates.ts";
import type { Column } from "../declaration/declaration.ts";
import { ISO_TIME, type Layout, readLayout } from "../declaration/layout.ts";
import { offsetsWithin } from "../declaration/offsets.ts";
import { type DatesDialect, periodsOfDays, storedPeriods, storedWithin } from "./dates-sql.ts";
import { type Dialect, type Fragment, integer, type PeriodRange, type Within } from "./dialect.ts";
import { isMarker } from "./markers-sql.ts";

/** What databases write differently about times. */
export interface TimesDialect extends DatesDialect, Pick<Dialect, "stepped" | "shifted" | "once"> {
  /** What `of` makes of the groups of a text that a form matches; an empty text or NULL where there is none. */
  readonly groups: (text: Fragment, form: string, of: (group: (at: number) => Fragment) => Fragment) => Fragment;
  /** A text of digits, which may be empty or NULL, as a whole number; never fails. */
  readonly digits: (text: Fragment) => Fragment;
}

/** A whole number of parts of a second from 1970 on, NULL where infinite. */
export interface Parts {
  readonly parts: Fragment;
  readonly perSecond: number;
  /** Whole seconds from the first part to the time, which is clamped to both; absent where a quotient is as fast. */
  readonly secondsFrom?: (first: bigint, last: bigint) => Fragment;
}

/** A stored column: parts of a second of UTC, or of the clocks of the declared zone; a text; or none of them. */
export interface StoredTimes {
  readonly instant?: Parts | undefined;
  readonly local?: Parts | undefined;
  readonly text?: Fragment | undefined;
}

type TimeColumn = Pick<Column, "calendar" | "pattern" | "pivot" | "missing" | "lower" | "upper"> & {
  readonly zone: string;
};

/** The quotient of any whole numbers from −2⁵⁹ on, rounded down: databases agree on those of non-negative numbers only. */
function floorSql({ quotient }: Pick<Dialect, "quotient">, value: Fragment, by: number): Fragment {
  if (by === 1) return value;
  const shift = 10n ** 12n;
  return sql`(${quotient(sql`(${value} + ${integer(shift * BigInt(by))})`, integer(by))} - ${integer(shift)})`;
}

/**
 * A stored column in the periods of its declaration, as BIGINT; NULL where it holds no time or an infinite one. Times before year 1
 * or after year 9999 are the first or last second: bounds clamp them. [M205]
 */
function storedTimes(dialect: TimesDialect, { instant, local, text }: StoredTimes, column: TimeColumn): Fragment {
  const offsets = offsetsWithin(column.zone, secondsOf(column), "zone");
  const stored = instant ?? local;
  if (stored !== undefined) {
    const isLocal = instant === undefined;
    const marked = markedParts(stored, column, isLocal ? "UTC" : column.zone);
    const read = secondsWithin(dialect, stored);
    const seconds = marked === null ? read : sql`CASE WHEN NOT ${marked} THEN ${read} END`;
    return periods(dialect, { seconds, isLocal, offsets }, column);
  }
  if (text === undefined) return sql`CAST(NULL AS BIGINT)`;
  const layout = column.pattern === undefined ? ISO_TIME : readLayout(column.pattern, column.pivot, "columns", true);
  const { missing = [] } = column;
  const seconds = dialect.once(text, "written", (written) => {
    const read = instantOfText(dialect, written, layout, offsets);
    return missing.length === 0 ? read : sql`CASE WHEN ${isMarker(written, missing)} THEN NULL ELSE ${read} END`;
  });
  const { stepped } = dialect;
  const shifted: Dialect["shifted"] = (value, at) => sql`(${value} + ${stepped(value, at)})`;
  return dialect.once(seconds, "instant", (named) =>
    periods({ ...dialect, shifted }, { seconds: within(named), isLocal: false, offsets }, column),
  );
}

/** `least` and `greatest` would turn a missing value into a bound. */
const within = (seconds: Fragment): Fragment =>
  sql`CASE WHEN ${seconds} IS NOT NULL THEN least(greatest(${seconds}, ${integer(FIRST_SECOND)}), ${integer(LAST_SECOND)}) END`;

/** The second of a stored time, rounded down. */
function secondsWithin({ quotient }: TimesDialect, { parts, perSecond }: Parts): Fragment {
  const by = BigInt(perSecond);
  const [first, last] = [BigInt(FIRST_SECOND) * by, (BigInt(LAST_SECOND) + 1n) * by - 1n];
  const above = sql`(least(greatest(${parts}, ${integer(first)}), ${integer(last)}) + ${integer(-first)})`;
  return sql`CASE WHEN ${parts} IS NOT NULL THEN ${quotient(above, integer(perSecond))} - ${integer(-FIRST_SECOND)} END`;
}

/** A stored instant that is counted as one, in periods from `lower` to `upper`: one division a row, or none. Null of any other column. */
function timesWithin(
  { quotient }: TimesDialect,
  { instant }: StoredTimes,
  column: TimeColumn,
  { lower, upper, outside }: PeriodRange,
): Within | null {
  const { calendar, zone } = column;
  const clock = clockOf(calendar ?? "day");
  if (instant === undefined || clock === null) return null;
  const { parts, perSecond, secondsFrom } = instant;
  const each = BigInt(clock.seconds * perSecond);
  const [first, last] = [BigInt(lower) * each, (BigInt(upper) + 1n) * each - 1n];
  const seconds = secondsFrom?.(first, last);
  const above = seconds ?? sql`(least(greatest(${parts}, ${integer(first)}), ${integer(last)}) - (${integer(first)}))`;
  const by = seconds === undefined ? each : BigInt(clock.seconds);
  const value = sql`(${by === 1n ? above : quotient(above, integer(by))} + (${integer(lower)}))`;
  const kept =
    outside === "clamped" ? sql`${parts} IS NOT NULL` : sql`${parts} BETWEEN ${integer(first)} AND ${integer(last)}`;
  const marked = markedParts(instant, column, zone);
  return { value, kept: marked === null ? kept : sql`(${kept} AND NOT ${marked})` };
}

/** Whether a stored time lies in the second of a marker, before bounds or the calendar clamp it; null without markers. NULL where it is infinite. */
function markedParts({ parts, perSecond }: Parts, { missing = [] }: TimeColumn, zone: string): Fragment | null {
  const each = BigInt(perSecond);
  const within = missing.flatMap((marker) => {
    const second = markerSecond(marker, zone);
    if (second === null) return [];
    const from = BigInt(second) * each;
    return [sql`${parts} BETWEEN ${integer(from)} AND ${integer(from + each - 1n)}`];
  });
  return within.length === 0 ? null : sql`(${sql.join(within, sql` OR `)})`;
}

/** The second of a marker. A time on the first or the last day of the calendar, which bounds cannot name, can be one. */
function markerSecond(marker: string, zone: string): number | null {
  const inner = marker.replace(/^9999-12-31/, "9999-12-30").replace(/^0001-01-01/, "0001-01-02");
  const second = readInstant(inner, zone);
  if (second === null || inner === marker) return second;
  return second + (marker.startsWith("9") ? DAY_SECONDS : -DAY_SECONDS);
}

interface Seconds {
  readonly seconds: Fragment;
  readonly isLocal: boolean;
  readonly offsets: ZoneOffsets;
}

function periods(dialect: TimesDialect, { seconds, isLocal, offsets }: Seconds, column: TimeColumn): Fragment {
  const calendar = unitOfDates(column);
  if (!isCalendarUnit(calendar)) {
    const instant = isLocal ? sql`(${seconds} - ${dialect.stepped(seconds, byLocalTime(offsets))})` : seconds;
    return floorSql(dialect, instant, clockOf(calendar)?.seconds ?? 1);
  }
  const local = isLocal ? seconds : dialect.shifted(seconds, offsets);
  return dialect.once(floorSql(dialect, local, DAY_SECONDS), "days", (days) => periodsOfDays(dialect, days, calendar));
}

/** Of a text the second of UTC that it names; without an offset it is the time in the zone. */
function instantOfText(dialect: TimesDialect, text: Fragment, layout: Layout, offsets: ZoneOffsets): Fragment {
  const day = dialect.days.number(dialect.fromLayout(text, layout));
  return dialect.groups(text, layout.form, (group) => instantOfParts(dialect, { day, group, layout, offsets }));
}

interface TextParts {
  readonly day: Fragment;
  readonly group: (at: number) => Fragment;
  readonly layout: Layout;
  readonly offsets: ZoneOffsets;
}

function instantOfParts(dialect: TimesDialect, { day, group, layout, offsets }: TextParts): Fragment {
  const part = (at: number | null): Fragment => (at === null ? integer(0) : dialect.digits(group(at)));
  const local = sql`(${day} * ${integer(DAY_SECONDS)} + ${part(layout.hour)} * 3600 + ${part(layout.minute)} * 60 + ${part(layout.second)})`;
  return dialect.once(local, "shown", (shown) => {
    const inZone = sql`(${shown} - ${dialect.stepped(shown, byLocalTime(offsets))})`;
    if (layout.offset === null) return inZone;
    const digits = sql`replace(${group(layout.offset)}, ':', '')`;
    return dialect.once(digits, "ahead", (ahead) => {
      const size = sql`(${dialect.digits(sql`substr(${ahead}, 2, 2)`)} * 3600 + ${dialect.digits(sql`substr(${ahead}, 4, 2)`)} * 60)`;
      const sign = sql`CASE WHEN substr(${ahead}, 1, 1) = '-' THEN -1 ELSE 1 END`;
      return sql`CASE WHEN coalesce(${ahead}, '') <> '' THEN ${shown} - ${sign} * ${size} ELSE ${inZone} END`;
    });
  });
}

/** What a database stores as dates or times, by its names of types. */
export interface StoredAs {
  /** As a DATE. */
  readonly dates: Readonly<Record<string, ((raw: Fragment) => Fragment) | undefined>>;
  readonly times: Readonly<Record<string, ((raw: Fragment) => StoredTimes) | undefined>>;
}

/** How a dialect reads columns of dates: the periods of any, and `datesWithin`. `text`: the column as a text, or null. */
export const datesReader = (dialect: TimesDialect, { dates, times }: StoredAs) => ({
  periods: (raw: Fragment, column: Column, storage: string, text: Fragment | null): Fragment =>
    isTimestamp(column)
      ? storedTimes(dialect, times[storage]?.(raw) ?? { text: text ?? undefined }, column)
      : storedPeriods(dialect, { date: dates[storage]?.(raw) ?? null, text }, column),
  within(raw: Fragment, column: Column, storage: string, range: PeriodRange): Within | null {
    if (isTimestamp(column)) return timesWithin(dialect, times[storage]?.(raw) ?? {}, column, range);
    const date = dates[storage]?.(raw);
    return date === undefined ? null : storedWithin(dialect, date, column, range);
  },
});
