import {
  type Calendar,
  type CalendarUnit,
  type ClockUnit,
  calendarUnits,
  clockOf,
  clockUnits,
  DAY_SECONDS,
  dayPeriod,
  FIRST_DAY,
  firstDayOf,
  formatPeriod,
  invalid,
  isCalendarUnit,
  isZone,
  LAST_DAY,
  parsePeriod,
  periodsOf,
  periodUnit,
  readPeriod,
  wholePeriod,
} from "@dosimeter/core";
import { type Fields, oneOf, own, text } from "../input/check.ts";
import { isScaled } from "./decimals.ts";
import type { Column, Declaration } from "./declaration.ts";
import { ISO_PATTERN, readLayout } from "./layout.ts";
import { areWhole, offsetsWithin } from "./offsets.ts";

/** What only a date column declares. */
export const DATE_KEYS = ["pivot"] as const;

const EXAMPLES: Readonly<Record<CalendarUnit | ClockUnit, string>> = {
  second: "2024-03-15T10:30:00",
  minute: "2024-03-15T10:30",
  hour: "2024-03-15T10:00",
  day: "2024-03-15",
  week: "2024-W11",
  month: "2024-03",
  quarter: "2024-Q1",
  year: "2024",
};

export const unitOfDates = ({ calendar = "day" }: Pick<Column, "calendar">): Calendar => calendar;

/** Whether the column stores instants, and no dates. */
export const isTimestamp = (column: Pick<Column, "zone">): column is { readonly zone: string } =>
  column.zone !== undefined;

/** A period as people ask for it: `a date such as '2024-03-15'`. */
export function periodWanted(calendar: Calendar): string {
  const unit = periodUnit(calendar);
  const noun = unit === "day" ? "date" : isCalendarUnit(calendar) ? unit : unit === "second" ? "time" : `whole ${unit}`;
  return `a ${noun} such as '${EXAMPLES[unit]}'`;
}

/** A date as people write it, as the period of its column. A day is no month: of a month column nothing lies between two days. */
export function checkPeriod(value: unknown, column: Pick<Column, "calendar">, path: string): number {
  const read = typeof value === "string" ? wholePeriod(value, unitOfDates(column)) : null;
  return read ?? refusePeriod(value, column, path);
}

function checkBound(value: unknown, column: Pick<Column, "calendar">, path: string, isUpper: boolean): number {
  const period = typeof value === "string" ? boundOf(value, unitOfDates(column), isUpper) : null;
  return period ?? refusePeriod(value, column, path);
}

/** A bound: a day stands for the month that holds it, and of a clock for its first or last second. Null of a text that is none. */
function boundOf(text: string, calendar: Calendar, isUpper: boolean): number | null {
  const date = clockOf(calendar) === null ? null : readPeriod(text);
  if (date === null) return parsePeriod(text, calendar);
  const { unit, period } = date;
  const [first, last] = [firstDayOf(period, unit), firstDayOf(period + 1, unit)];
  if (first <= FIRST_DAY || last > LAST_DAY) return null;
  // The first and the last day of the calendar may begin before it, or end after it, where the zone is not UTC.
  const [least, most] = periodsOf(calendar);
  return isUpper ? Math.min(dayPeriod(last, calendar) - 1, most) : Math.max(dayPeriod(first, calendar), least);
}

const refusePeriod = (value: unknown, column: Pick<Column, "calendar">, path: string): never =>
  invalid(path, value, periodWanted(unitOfDates(column)));

/** A bound of a request as a number, a date by its period; undefined where it is none. */
export function boundNumber(
  bound: number | string | undefined,
  column: Pick<Column, "calendar"> = {},
  isUpper = false,
): number | undefined {
  if (typeof bound !== "string") return bound;
  return boundOf(bound, unitOfDates(column), isUpper) ?? undefined;
}

/** Bounds, periods and pattern of a date column. */
export function checkDates(given: Fields, path: string): Partial<Column> {
  const calendar = oneOf(own(given, "granularity") ?? "day", `${path}.granularity`, calendarUnits);
  const writing = checkWriting(given, path, false);
  const [part, units] = /WW/.test(writing.pattern ?? "") ? ["weeks", ["week"]] : ["quarters", ["quarter", "year"]];
  if (/Q|WW/.test(writing.pattern ?? "") && !units.includes(calendar))
    invalid(`${path}.granularity`, calendar, `${units.join(" or ")}: its texts name ${part}`);
  return { ...checkDateBounds(given, path, calendar), calendar, ...writing };
}

/** How stored texts write dates or times of day. */
function checkWriting(given: Fields, path: string, hasTime: boolean): Partial<Column> {
  const pattern = own(given, "pattern");
  const pivot = own(given, "pivot");
  if (pivot !== undefined && (typeof pivot !== "number" || !Number.isSafeInteger(pivot) || pivot < 1 || pivot > 9900))
    return invalid(`${path}.pivot`, pivot, "a year from 1 to 9900");
  const layout =
    pattern === undefined && pivot === undefined
      ? {}
      : { pattern: pattern === undefined ? ISO_PATTERN : text(pattern, `${path}.pattern`, 40) };
  if (layout.pattern !== undefined) readLayout(layout.pattern, pivot as number | undefined, path, hasTime);
  return {
    ...layout,
    ...(pivot === undefined ? {} : { pivot: pivot as number }),
  };
}

/** Of a column of instants: its zone, and what a date column says. Bounds are needed, as offsets are read between them. */
export function checkTimestamps(given: Fields, path: string): Partial<Column> {
  const zone = own(given, "zone");
  if (typeof zone !== "string" || !isZone(zone))
    return invalid(`${path}.zone`, zone, "a time zone such as 'Europe/Berlin' or 'UTC'");
  const unit = oneOf(own(given, "granularity") ?? "second", `${path}.granularity`, [...clockUnits, ...calendarUnits]);
  const calendar: Calendar = isCalendarUnit(unit) ? unit : `${unit} ${zone}`;
  const bounds = periodsPair(own(given, "lower"), own(given, "upper"), { calendar }, path);
  const offsets = offsetsWithin(zone, secondsOf({ ...bounds, calendar }), `${path}.zone`);
  if (!isCalendarUnit(unit) && !areWhole(offsets, unit))
    invalid(
      `${path}.granularity`,
      unit,
      `finer: ${zone} is not whole ${unit}s ahead of UTC at all times between the bounds`,
    );
  return { ...bounds, calendar, zone, ...checkWriting(given, path, true) };
}

/** The seconds of UTC between the bounds of a column. */
export function secondsOf({ lower = 0, upper = 0, calendar = "day" }: Pick<Column, "lower" | "upper" | "calendar">): {
  readonly from: number;
  readonly to: number;
} {
  const clock = clockOf(calendar);
  const by = clock?.seconds ?? DAY_SECONDS;
  const unit = isCalendarUnit(calendar) ? calendar : "day";
  return clock === null
    ? { from: firstDayOf(lower, unit) * by, to: firstDayOf(upper + 1, unit) * by - 1 }
    : { from: lower * by, to: (upper + 1) * by - 1 };
}

function checkDateBounds(given: Fields, path: string, calendar: CalendarUnit): Pick<Column, "lower" | "upper"> {
  const [lower, upper] = [own(given, "lower"), own(given, "upper")];
  if (lower === undefined && upper === undefined) return {};
  return periodsPair(lower, upper, { calendar }, path);
}

/** Both bounds of dates, in order. */
export function periodsPair(
  lower: unknown,
  upper: unknown,
  column: Pick<Column, "calendar">,
  path: string,
): { lower: number; upper: number } {
  const low = checkBound(lower, column, `${path}.lower`, false);
  const high = checkBound(upper, column, `${path}.upper`, true);
  if (low >= high) return invalid(`${path}.lower`, lower, `before ${path}.upper (${String(upper)})`);
  return { lower: low, upper: high };
}

/** A declaration as JSON, which `checkDeclaration` reads: dates are texts there. */
export function declarationJson({ columns, ...rest }: Declaration): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    columns: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnJson(column)])),
  };
}

/** A column as JSON. */
function columnJson({ lower, upper, calendar, ...column }: Column): Readonly<Record<string, unknown>> {
  const bound = (value: number): number | string =>
    column.type === "date" ? formatPeriod(value, calendar ?? "day") : value;
  return {
    ...column,
    ...(isScaled(column) ? { type: "decimal" } : {}),
    ...(isTimestamp(column) ? { type: "timestamp" } : {}),
    ...(lower === undefined ? {} : { lower: bound(lower) }),
    ...(upper === undefined ? {} : { upper: bound(upper) }),
    ...granularityJson(calendar, isTimestamp(column) ? "second" : "day"),
  };
}

function granularityJson(calendar: Calendar | undefined, usual: ClockUnit | CalendarUnit): Fields {
  const unit = calendar === undefined ? usual : periodUnit(calendar);
  return unit === usual ? {} : { granularity: unit };
}
