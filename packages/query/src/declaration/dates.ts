import { type CalendarUnit, calendarUnits, formatPeriod, invalid, parsePeriod, readPeriod } from "@dosimeter/core";
import { type Fields, list, oneOf, own, text } from "../input/check.ts";
import { isScaled } from "./decimals.ts";
import type { Column, Declaration } from "./declaration.ts";
import { ISO_PATTERN, readLayout } from "./layout.ts";

/** What only a date column declares. */
export const DATE_KEYS = ["pattern", "pivot", "missing"] as const;

const MAX_MISSING = 20;
const EXAMPLES: Readonly<Record<CalendarUnit, string>> = {
  day: "2024-03-15",
  week: "2024-W11",
  month: "2024-03",
  quarter: "2024-Q1",
  year: "2024",
};

export const unitOfDates = ({ calendar = "day" }: Pick<Column, "calendar">): CalendarUnit => calendar;

/** A date as people write it, as the period of its column. A day is no month: of a month column nothing lies between two days. */
export function checkPeriod(value: unknown, column: Pick<Column, "calendar">, path: string): number {
  const read = typeof value === "string" ? readPeriod(value) : null;
  return read?.unit === unitOfDates(column) ? read.period : refusePeriod(value, column, path);
}

/** A bound: a day stands for the month that holds it. */
function checkBound(value: unknown, column: Pick<Column, "calendar">, path: string): number {
  const period = typeof value === "string" ? parsePeriod(value, unitOfDates(column)) : null;
  return period ?? refusePeriod(value, column, path);
}

function refusePeriod(value: unknown, column: Pick<Column, "calendar">, path: string): never {
  const unit = unitOfDates(column);
  return invalid(path, value, `a ${unit === "day" ? "date" : unit} such as '${EXAMPLES[unit]}'`);
}

/** A bound of a request as a number, a date by its period; undefined where it is none. */
export function boundNumber(
  bound: number | string | undefined,
  column: Pick<Column, "calendar"> = {},
): number | undefined {
  if (typeof bound !== "string") return bound;
  return parsePeriod(bound, unitOfDates(column)) ?? undefined;
}

/** Bounds, periods, pattern and missing markers of a date column. */
export function checkDates(given: Fields, path: string): Partial<Column> {
  const granularity = own(given, "granularity");
  const calendar = oneOf(granularity ?? "day", `${path}.granularity`, calendarUnits);
  const pattern = own(given, "pattern");
  const pivot = own(given, "pivot");
  if (pivot !== undefined && (typeof pivot !== "number" || !Number.isSafeInteger(pivot) || pivot < 1 || pivot > 9900))
    return invalid(`${path}.pivot`, pivot, "a year from 1 to 9900");
  const layout =
    pattern === undefined && pivot === undefined
      ? {}
      : { pattern: pattern === undefined ? ISO_PATTERN : text(pattern, `${path}.pattern`, 40) };
  if (layout.pattern !== undefined) readLayout(layout.pattern, pivot as number | undefined, path);
  return {
    ...checkDateBounds(given, path, calendar),
    calendar,
    ...layout,
    ...(pivot === undefined ? {} : { pivot: pivot as number }),
    ...checkMissing(own(given, "missing"), `${path}.missing`),
  };
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
  const [low, high] = [checkBound(lower, column, `${path}.lower`), checkBound(upper, column, `${path}.upper`)];
  if (low >= high) return invalid(`${path}.lower`, lower, `before ${path}.upper (${String(upper)})`);
  return { lower: low, upper: high };
}

function checkMissing(json: unknown, path: string): Pick<Column, "missing"> {
  if (json === undefined) return {};
  const markers = list(json, path);
  if (markers.length > MAX_MISSING) invalid(path, markers.length, `at most ${MAX_MISSING} markers`);
  return { missing: markers.map((marker, index) => text(marker, `${path}[${index}]`, 40).normalize("NFC")) };
}

/** A declaration as JSON, which `checkDeclaration` reads: dates are texts there. */
export function declarationJson({ columns, ...rest }: Declaration): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    columns: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnJson(column)])),
  };
}

/** A column as JSON. */
export function columnJson({ lower, upper, calendar, ...column }: Column): Readonly<Record<string, unknown>> {
  const bound = (value: number): number | string =>
    column.type === "date" ? formatPeriod(value, calendar ?? "day") : value;
  return {
    ...column,
    ...(isScaled(column) ? { type: "decimal" } : {}),
    ...(lower === undefined ? {} : { lower: bound(lower) }),
    ...(upper === undefined ? {} : { upper: bound(upper) }),
    ...(calendar === undefined || calendar === "day" ? {} : { granularity: calendar }),
  };
}
