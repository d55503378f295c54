/** The steps in which dates are counted. A period is a whole number of them; the one that holds 1970-01-01 is 0. */
export const calendarUnits = ["day", "week", "month", "quarter", "year"] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

/** What is read from a day: ISO weeks begin on Monday, which is weekday 1. */
export const dateParts = ["year", "quarter", "month", "week", "day", "weekday"] as const;
export type DatePart = (typeof dateParts)[number];

/** Day numbers of 0001-01-01 and 9999-12-31: no date lies outside. */
export const FIRST_DAY = -719_162;
export const LAST_DAY = 2_932_896;
const MONTHS = 12;

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const floorBy = (value: number, by: number): number => Math.floor(value / by);
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Days from 1970-01-01 in the Gregorian calendar, which is also used for the time before it was introduced. */
function dayOf({ year, month, day }: CivilDate): number {
  // Years begin in March, so that a leap day is the last day of its year.
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  return 365 * y + floorBy(y, 4) - floorBy(y, 100) + floorBy(y, 400) + floorBy(153 * m + 2, 5) + day - 719_469;
}

function civilOf(dayNumber: number): CivilDate {
  const days = dayNumber + 719_468;
  const era = floorBy(days, 146_097);
  const inEra = days - era * 146_097;
  const yearOfEra = floorBy(inEra - floorBy(inEra, 1460) + floorBy(inEra, 36_524) - floorBy(inEra, 146_096), 365);
  const inYear = inEra - (365 * yearOfEra + floorBy(yearOfEra, 4) - floorBy(yearOfEra, 100));
  const m = floorBy(5 * inYear + 2, 153);
  const month = m < 10 ? m + 3 : m - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day: inYear - floorBy(153 * m + 2, 5) + 1 };
}

/** The Monday from which week 1 of an ISO year counts: its week holds 4 January. */
const firstMonday = (year: number): number => 7 * weekOfDay(dayOf({ year, month: 1, day: 4 })) - 3;
/** 1969-12-29, day −3, is a Monday. */
const weekOfDay = (day: number): number => floorBy(day + 3, 7);

function isoWeek(day: number): { readonly year: number; readonly week: number } {
  // A week belongs to the year of its Thursday.
  const { year } = civilOf(7 * weekOfDay(day));
  return { year, week: weekOfDay(day) - weekOfDay(firstMonday(year)) + 1 };
}

export function datePart(part: DatePart, day: number): number {
  const { year, month, day: inMonth } = civilOf(day);
  switch (part) {
    case "year":
      return year;
    case "quarter":
      return floorBy(month + 2, 3);
    case "month":
      return month;
    case "week":
      return isoWeek(day).week;
    case "day":
      return inMonth;
    case "weekday":
      return day + 4 - 7 * weekOfDay(day);
  }
}

export function periodOfDay(day: number, unit: CalendarUnit): number {
  if (unit === "day") return day;
  if (unit === "week") return weekOfDay(day);
  const { year, month } = civilOf(day);
  const months = MONTHS * (year - 1970) + month - 1;
  return unit === "month" ? months : floorBy(months, unit === "quarter" ? 3 : MONTHS);
}

export function firstDayOf(period: number, unit: CalendarUnit): number {
  if (unit === "day") return period;
  if (unit === "week") return 7 * period - 3;
  const months = period * (unit === "month" ? 1 : unit === "quarter" ? 3 : MONTHS);
  return dayOf({ year: 1970 + floorBy(months, MONTHS), month: months - MONTHS * floorBy(months, MONTHS) + 1, day: 1 });
}

const FORMS: readonly (readonly [unit: CalendarUnit, form: RegExp])[] = [
  ["day", /^(\d{4})-(\d{2})-(\d{2})$/],
  ["week", /^(\d{4})-W(\d{2})$/],
  ["month", /^(\d{4})-(\d{2})$/],
  ["quarter", /^(\d{4})-Q([1-4])$/],
  ["year", /^(\d{4})$/],
];

/** Reads `2024-03-15`, `2024-W11`, `2024-03`, `2024-Q1` or `2024`; null for any other text and for days that do not exist. */
export function readPeriod(text: string): { readonly unit: CalendarUnit; readonly period: number } | null {
  for (const [unit, form] of FORMS) {
    const [, year = 0, second = 1, day = 1] = (form.exec(text) ?? []).map(Number);
    if (year < 1) continue;
    if (unit === "week") {
      const period = weekOfDay(firstMonday(year)) + second - 1;
      return second >= 1 && isoWeek(firstDayOf(period, unit)).year === year ? { unit, period } : null;
    }
    const month = unit === "quarter" ? 3 * second - 2 : second;
    const longest = (LENGTHS[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);
    return day >= 1 && day <= longest ? { unit, period: periodOfDay(dayOf({ year, month, day }), unit) } : null;
  }
  return null;
}

/** The period of one unit that a text names; a day stands for the period that holds it. Null where it names none. */
export function parseDate(text: string, unit: CalendarUnit): number | null {
  const read = readPeriod(text);
  if (read === null) return null;
  if (read.unit === unit) return read.period;
  return read.unit === "day" ? periodOfDay(read.period, unit) : null;
}

const digits = (value: number, length: number): string =>
  `${value < 0 ? "-" : ""}${String(Math.abs(value)).padStart(length, "0")}`;

/** A period as text, which `parseDate` reads back. Texts of one unit sort like their periods. */
export function formatDate(period: number, unit: CalendarUnit): string {
  const first = firstDayOf(period, unit);
  const { year, month, day } = civilOf(first);
  switch (unit) {
    case "day":
      return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
    case "week":
      return `${digits(isoWeek(first).year, 4)}-W${digits(isoWeek(first).week, 2)}`;
    case "month":
      return `${digits(year, 4)}-${digits(month, 2)}`;
    case "quarter":
      return `${digits(year, 4)}-Q${floorBy(month + 2, 3)}`;
    case "year":
      return digits(year, 4);
  }
}
