import { type CalendarUnit, calendarUnits, firstDayOf, formatPeriod, invalid, periodOfDay } from "@dosimeter/core";
import { checkPeriod, unitOfDates } from "../../declaration/dates.ts";
import type { Column } from "../../declaration/declaration.ts";
import type { Bin, Range } from "../../plan/task.ts";
import { edgesOf, explicitEdges, MAX_BINS } from "./edges.ts";

/** The days of two months, the months of five years. */
const READABLE = 62;

/** Bins of dates: the calendar's own (`month`), a number of them, or edges as dates; few enough to read when nothing is asked for. */
export function dateBins(column: Column, bins: unknown, bounds: Range | null, path: string): readonly Bin[] {
  const unit = unitOfDates(column);
  if (bounds === null) return invalid(`${path}.lower`, undefined, "given, or declared for the column");
  const named = bins === undefined ? readable(unit, bounds) : calendarUnits.find((each) => each === bins);
  if (named !== undefined && named !== unit) return calendarBins(unit, named, bounds, path);
  const asked = named !== undefined ? undefined : bins;
  const edges = Array.isArray(asked)
    ? explicitEdges(
        asked.map((edge, index) => checkPeriod(edge, column, `${path}.bins[${index}]`)),
        true,
        path,
      )
    : edgesOf(asked, bounds, true, path, `a whole number from 1 to ${MAX_BINS}, ${calendarUnits.join(", ")}, or dates`);
  const last = edges.length - 2;
  return edges.slice(0, -1).map((lower, index) => {
    const next = edges[index + 1] ?? lower;
    const upper = index === last ? next : next - 1;
    const [from, to] = [formatPeriod(lower, unit), formatPeriod(upper, unit)];
    return { label: from === to ? from : `${from} – ${to}`, lower, upper };
  });
}

/** The months, quarters or years between the bounds; the outer ones hold what of them lies within. */
function calendarBins(unit: CalendarUnit, by: CalendarUnit, { lower, upper }: Range, path: string): readonly Bin[] {
  if (!isNested(unit, by)) return invalid(`${path}.bins`, by, `coarser than a ${unit}, whose days all lie in one`);
  const periodOf = (value: number): number => periodOfDay(firstDayOf(value, unit), by);
  const [first, last] = [periodOf(lower), periodOf(upper)];
  if (last - first >= MAX_BINS) return invalid(`${path}.bins`, by, `coarser: at most ${MAX_BINS} bins`);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const from = periodOfDay(firstDayOf(first + index, by), unit);
    const next = periodOfDay(firstDayOf(first + index + 1, by), unit);
    return { label: formatPeriod(first + index, by), lower: Math.max(lower, from), upper: Math.min(upper, next - 1) };
  });
}

/** Whether each period of one unit lies in one of the other. */
const isNested = (unit: CalendarUnit, by: CalendarUnit): boolean =>
  calendarUnits.indexOf(by) > calendarUnits.indexOf(unit) && unit !== "week";

const countOf = (unit: CalendarUnit, by: CalendarUnit, { lower, upper }: Range): number =>
  periodOfDay(firstDayOf(upper, unit), by) - periodOfDay(firstDayOf(lower, unit), by) + 1;

/** The finest periods of which there are few enough between the bounds. */
function readable(unit: CalendarUnit, bounds: Range): CalendarUnit {
  const nested = calendarUnits.filter((by) => by === unit || (by !== "week" && isNested(unit, by)));
  return nested.find((by) => countOf(unit, by, bounds) <= READABLE) ?? nested.at(-1) ?? unit;
}
