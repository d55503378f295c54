import {
  type CalendarUnit,
  type DatePart,
  FIRST_DAY,
  firstDayOf,
  formatPeriod,
  isCalendarUnit,
  LAST_DAY,
  periodOfDay,
  readPeriod,
} from "@dosimeter/core";
import { sql } from "kysely";
import { unitOfDates } from "../declaration/dates.ts";
import type { Column } from "../declaration/declaration.ts";
import { ISO_PATTERN, type Layout, readLayout } from "../declaration/layout.ts";
import { type Dialect, type Fragment, integer, type PeriodRange, type Within } from "./dialect.ts";
import { isMarker } from "./markers-sql.ts";

/** What databases write differently about dates; all else about them is one SQL. */
export interface DatesDialect extends Pick<Dialect, "quotient" | "days"> {
  /** Whether parts of any date can be taken, infinite ones too: then they are taken of the few different dates that a file lists. */
  readonly takesAny: boolean;
  /** A text in ISO form as a DATE; NULL for any other text and for year 0. */
  readonly fromIso: (text: Fragment) => Fragment;
  /** The same for a text that the layout matches, or NULL. */
  readonly fromLayout: (text: Fragment, layout: Layout) => Fragment;
}

/** The unit of a column of dates, which has no clock. */
function dayUnit(column: Pick<Column, "calendar">): CalendarUnit {
  const calendar = unitOfDates(column);
  return isCalendarUnit(calendar) ? calendar : "day";
}

export interface StoredDates {
  readonly date: Fragment | null;
  readonly text: Fragment | null;
}

const [FIRST, LAST] = [sql`DATE '0001-01-01'`, sql`DATE '9999-12-31'`];

/**
 * A stored column in the periods of its declaration, as BIGINT; NULL where it holds no date or an infinite one. Dates before
 * year 1 or after year 9999 become periods before the first or after the last: bounds clamp them. [M190]
 */
export function storedPeriods(
  dialect: DatesDialect,
  { date, text }: StoredDates,
  column: Pick<Column, "calendar" | "pattern" | "pivot" | "missing">,
): Fragment {
  const unit = dayUnit(column);
  const { pattern = ISO_PATTERN, pivot, missing = [] } = column;
  if (date !== null) {
    const known = isDate(dialect, date, missing);
    if (unit === "day") return sql`CASE WHEN ${known} THEN ${periodsOf(dialect, date, unit)} END`;
    const [low, high] = [periodOfDay(FIRST_DAY, unit) - 1, periodOfDay(LAST_DAY, unit) + 1];
    return sql`CASE WHEN NOT ${known} THEN NULL WHEN ${date} < ${FIRST} THEN ${integer(low)} WHEN ${date} > ${LAST} THEN ${integer(high)} ELSE ${periodsOf(dialect, date, unit)} END`;
  }
  if (text === null) return sql`CAST(NULL AS BIGINT)`;
  const read =
    pattern === ISO_PATTERN ? dialect.fromIso(text) : dialect.fromLayout(text, readLayout(pattern, pivot, "columns"));
  const periods = periodsOf(dialect, read, unit);
  return missing.length === 0 ? periods : sql`CASE WHEN ${isMarker(text, missing)} THEN NULL ELSE ${periods} END`;
}

/** Whether a stored date is one: finite, and no marker of a missing one. Databases test it while they read. */
const isDate = ({ days }: DatesDialect, date: Fragment, missing: readonly string[]): Fragment =>
  sql`(${days.isFinite(date)}${noMarker(date, missing)})`;

function noMarker(date: Fragment, missing: readonly string[]): Fragment {
  const markers = missing.filter((marker) => readPeriod(marker)?.unit === "day");
  return sql.join(
    markers.map((marker) => sql` AND ${date} <> ${dateLiteral(marker)}`),
    sql``,
  );
}

const dateLiteral = (text: string): Fragment => sql`DATE ${sql.lit(text)}`;

/**
 * A stored date in periods from `lower` to `upper`: clamped to them, or with the rows outside left out. Where the parts of an infinite
 * date would fail it is clamped first, so that nothing fails in whatever order a database tests and computes.
 */
export function storedWithin(
  dialect: DatesDialect,
  date: Fragment,
  column: Pick<Column, "calendar" | "missing">,
  { lower, upper, outside }: PeriodRange,
): Within {
  const unit = dayUnit(column);
  const day = (number: number): Fragment => dateLiteral(formatPeriod(number, "day"));
  const first = day(Math.max(FIRST_DAY, firstDayOf(lower, unit)));
  const last = day(Math.min(LAST_DAY, firstDayOf(upper + 1, unit) - 1));
  const { missing = [] } = column;
  const inside = sql`least(greatest(${date}, ${first}), ${last})`;
  const clamped = periodsOf(dialect, inside, unit);
  if (outside === "clamped") return { value: clamped, kept: isDate(dialect, date, missing), date: inside };
  const kept = sql`(${date} BETWEEN ${first} AND ${last}${noMarker(date, missing)})`;
  return { value: dialect.takesAny ? periodsOf(dialect, date, unit) : clamped, kept };
}

/** What databases write of infinite dates, which count as missing. */
export const INFINITE = ["infinity", "-infinity"] as const;

const FIELDS: Readonly<Record<Exclude<DatePart, "weekday">, Fragment>> = {
  year: sql`year`,
  quarter: sql`quarter`,
  month: sql`month`,
  week: sql`week`,
  day: sql`day`,
};

/** What is written differently about the days of periods. */
type Calendar = Pick<Dialect, "quotient" | "days">;

/** A part of a DATE in years 1 to 9999: all databases follow the Gregorian calendar and ISO weeks. */
const partOf = ({ days }: Calendar, part: DatePart, date: Fragment): Fragment =>
  sql`CAST(extract(${part === "weekday" ? days.weekday : FIELDS[part]} FROM ${date}) AS BIGINT)`;

/** A DATE from year 1 to 9999 as a period. */
function periodsOf(dialect: Calendar, date: Fragment, unit: CalendarUnit): Fragment {
  const days = dialect.days.number(date);
  switch (unit) {
    case "day":
      return days;
    case "week": {
      // Databases agree on quotients of non-negative numbers only; 0001-01-01 is a Monday.
      const weeks = dialect.quotient(sql`(${days} + ${integer(-FIRST_DAY)})`, integer(7));
      return sql`(${weeks} - ${integer(-periodOfDay(FIRST_DAY, unit))})`;
    }
    case "month":
    case "quarter":
      return sql`(${partOf(dialect, "year", date)} * ${integer(unit === "month" ? 12 : 4)} + ${partOf(dialect, unit, date)} - ${integer(1970 * (unit === "month" ? 12 : 4) + 1)})`;
    case "year":
      return sql`(${partOf(dialect, "year", date)} - 1970)`;
  }
}

export const dayPartSql = (dialect: Calendar, part: DatePart, days: Fragment): Fragment =>
  partOf(dialect, part, dialect.days.at(days));

/** The periods that hold days given by their numbers. */
export const periodsOfDays = (dialect: Calendar, days: Fragment, unit: CalendarUnit): Fragment =>
  periodsOf(dialect, dialect.days.at(days), unit);

/** The texts that a layout matches, written in the order of ISO, without leading zeros. */
export const inIsoOrder = ({ year, month, day }: Layout): string =>
  `\\${year}-${month === null ? "1" : `\\${month}`}-${day === null ? "1" : `\\${day}`}`;

/** The first two digits of a year of which the last two are given. */
export function centuryOf(pivot: number, year: Fragment): Fragment {
  const [century, from] = [Math.floor(pivot / 100), pivot % 100];
  const digits = (value: number): Fragment => sql.lit(String(value).padStart(2, "0"));
  return sql`CASE WHEN ${year} >= ${digits(from)} THEN ${digits(century)} ELSE ${digits(century + 1)} END`;
}
