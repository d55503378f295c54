import {
  type CalendarUnit,
  calendarUnits,
  FIRST_DAY,
  firstDayOf,
  formatDate,
  LAST_DAY,
  parseDate,
  periodOfDay,
  readPeriod,
} from "./calendar.ts";
import { DAY_SECONDS, instantOf, offsetAt } from "./zones.ts";

/** The steps in which instants are counted, with their seconds. */
export const clockSeconds = { second: 1, minute: 60, hour: 3600 } as const;
export type ClockUnit = keyof typeof clockSeconds;
export const clockUnits = Object.keys(clockSeconds) as readonly ClockUnit[];

/** What is read from the time on a clock. */
export const clockParts = ["hour", "minute"] as const;
export type ClockPart = (typeof clockParts)[number];

/** Periods of UTC from 1970 on, shown as the time in a zone of the IANA database: `second Europe/Berlin`. */
export type Clock = `${ClockUnit} ${string}`;
/** How whole numbers stand for times: days, weeks, months …, or instants in a zone. */
export type Calendar = CalendarUnit | Clock;

/** Seconds of UTC: with any offset their local years are 1 to 9999. */
export const FIRST_SECOND = (FIRST_DAY + 1) * DAY_SECONDS;
export const LAST_SECOND = LAST_DAY * DAY_SECONDS - 1;

export interface ClockParts {
  readonly unit: ClockUnit;
  readonly zone: string;
  readonly seconds: number;
}

export const isCalendarUnit = (calendar: string): calendar is CalendarUnit =>
  calendarUnits.some((unit) => unit === calendar);

/** The unit and zone of a clock; null of a calendar of days, weeks, … */
export function clockOf(calendar: Calendar): ClockParts | null {
  if (isCalendarUnit(calendar)) return null;
  const [unit = "second", zone = "UTC"] = calendar.split(" ") as [ClockUnit, string];
  return { unit, zone, seconds: clockSeconds[unit] };
}

/** What one period is called: second, day. */
export const periodUnit = (calendar: Calendar): ClockUnit | CalendarUnit =>
  isCalendarUnit(calendar) ? calendar : (clockOf(calendar)?.unit ?? "second");

const floorBy = (value: number, by: number): number => Math.floor(value / by);

export function periodsOf(calendar: Calendar): readonly [number, number] {
  const clock = clockOf(calendar);
  if (clock === null) return [FIRST_DAY, LAST_DAY].map((day) => dayPeriod(day, calendar)) as [number, number];
  return [Math.ceil(FIRST_SECOND / clock.seconds), floorBy(LAST_SECOND, clock.seconds)];
}

/** The local day in which a period begins. */
export function dayOfPeriod(period: number, calendar: Calendar): number {
  if (isCalendarUnit(calendar)) return firstDayOf(period, calendar);
  const { zone, seconds } = clockOf(calendar) as ClockParts;
  return floorBy(period * seconds + offsetAt(zone, period * seconds), DAY_SECONDS);
}

/** The period that holds a day, or with which a day begins in the zone of a clock. */
export function dayPeriod(day: number, calendar: Calendar): number {
  if (isCalendarUnit(calendar)) return periodOfDay(day, calendar);
  const { zone, seconds } = clockOf(calendar) as ClockParts;
  return Math.ceil(instantOf(zone, day * DAY_SECONDS) / seconds);
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Of an offset in seconds: +01:00, and of times before standard time +00:17:30. */
function offsetText(offset: number): string {
  const size = Math.abs(offset);
  const seconds = size % 60 === 0 ? "" : `:${two(size % 60)}`;
  return `${offset < 0 ? "-" : "+"}${two(floorBy(size, 3600))}:${two(floorBy(size, 60) % 60)}${seconds}`;
}

/** A period as text, which `parsePeriod` reads back: `2024-03`, `2024-03-15T10:30:00+01:00`. */
export function formatPeriod(period: number, calendar: Calendar): string {
  if (isCalendarUnit(calendar)) return formatDate(period, calendar);
  const { unit, zone, seconds } = clockOf(calendar) as ClockParts;
  const offset = offsetAt(zone, period * seconds);
  const local = period * seconds + offset;
  const inDay = local - DAY_SECONDS * floorBy(local, DAY_SECONDS);
  const time = `${two(floorBy(inDay, 3600))}:${two(floorBy(inDay, 60) % 60)}${unit === "second" ? `:${two(inDay % 60)}` : ""}`;
  return `${formatDate(floorBy(local, DAY_SECONDS), "day")}T${time}${offsetText(offset)}`;
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?: ?(?:([Zz])|([+-])([01]\d|2[0-3])(?::?([0-5]\d)(?::([0-5]\d))?)?))?)?$/;

/**
 * The second from 1970 UTC on that a text of ISO 8601 names; without an offset it is the time in the zone, and a day alone its
 * beginning there. Parts of seconds are left out. Null for any other text, and outside of years 1 to 9999.
 */
export function readInstant(text: string, zone: string): number | null {
  const [, date = "", hour = "0", minute = "0", second = "0", utc, sign, hours = "0", minutes = "0", seconds = "0"] =
    INSTANT.exec(text) ?? [];
  const day = parseDate(date, "day");
  if (day === null) return null;
  const local = day * DAY_SECONDS + Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === "-" ? -1 : 1);
  const instant = utc !== undefined || sign !== undefined ? local - offset : instantOf(zone, local);
  return instant >= FIRST_SECOND && instant <= LAST_SECOND ? instant : null;
}

/** The period that a text names, or of a clock that holds the instant it names; null where it names none. */
export function parsePeriod(text: string, calendar: Calendar): number | null {
  if (isCalendarUnit(calendar)) return parseDate(text, calendar);
  const { zone, seconds } = clockOf(calendar) as ClockParts;
  const instant = readInstant(text, zone);
  return instant === null ? null : floorBy(instant, seconds);
}

/** The period that a text names as a whole: a month is no day, and half past ten no hour. Null where it names none. */
export function wholePeriod(text: string, calendar: Calendar): number | null {
  if (isCalendarUnit(calendar)) {
    const read = readPeriod(text);
    return read?.unit === calendar ? read.period : null;
  }
  const { zone, seconds } = clockOf(calendar) as ClockParts;
  const instant = readInstant(text, zone);
  return instant === null || instant % seconds !== 0 ? null : instant / seconds;
}

/** A number of periods that need not be whole, as the nearest one, or the next below or above it. */
export function periodText(value: number, calendar: Calendar, towards: "nearest" | "down" | "up" = "nearest"): string {
  if (!Number.isFinite(value)) return String(value);
  const round = { nearest: Math.round, down: Math.floor, up: Math.ceil }[towards];
  const [low, high] = periodsOf(calendar);
  return formatPeriod(Math.min(high, Math.max(low, round(value))), calendar);
}
