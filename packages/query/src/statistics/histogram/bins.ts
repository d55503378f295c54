import {
  type Calendar,
  type CalendarUnit,
  type ClockUnit,
  calendarUnits,
  clockOf,
  clockSeconds,
  clockUnits,
  dayOfPeriod,
  dayPeriod,
  firstDayOf,
  formatPeriod,
  invalid,
  isCalendarUnit,
  periodOfDay,
  periodUnit,
} from "@dosimeter/core";
import { checkPeriod, secondsOf, unitOfDates } from "../../declaration/dates.ts";
import type { Column } from "../../declaration/declaration.ts";
import { areWhole, offsetsWithin } from "../../declaration/offsets.ts";
import { keysOf } from "../../plan/groups.ts";
import type { Bin, Range } from "../../plan/task.ts";
import { edgesOf, explicitEdges, MAX_BINS } from "./edges.ts";

/** The days of two months, the months of five years. */
export const READABLE = 62;
const UNITS: readonly (ClockUnit | CalendarUnit)[] = [...clockUnits, ...calendarUnits];

/** Bins of dates: the calendar's own (`month`), a number of them, or edges as dates; few enough to read when nothing is asked for. */
function dateBins(column: Column, bins: unknown, bounds: Range | null, path: string): readonly Bin[] {
  const unit = unitOfDates(column);
  if (bounds === null) return invalid(`${path}.lower`, undefined, "given, or declared for the column");
  const named = bins === undefined ? readable(unit, bounds) : unitsOf(unit).find((each) => each === bins);
  if (named !== undefined && named !== periodUnit(unit)) return calendarBins(unit, named, bounds, path);
  const asked = named !== undefined ? undefined : bins;
  const edges = Array.isArray(asked)
    ? explicitEdges(
        asked.map((edge, index) => checkPeriod(edge, column, `${path}.bins[${index}]`)),
        true,
        path,
      )
    : edgesOf(asked, bounds, true, path, `a whole number from 1 to ${MAX_BINS}, ${unitsOf(unit).join(", ")}, or dates`);
  const last = edges.length - 2;
  return edges.slice(0, -1).map((lower, index) => {
    const next = edges[index + 1] ?? lower;
    const upper = index === last ? next : next - 1;
    const [from, to] = [formatPeriod(lower, unit), formatPeriod(upper, unit)];
    return { label: from === to ? from : `${from} – ${to}`, lower, upper };
  });
}

const unitsOf = (calendar: Calendar): readonly (ClockUnit | CalendarUnit)[] =>
  isCalendarUnit(calendar) ? calendarUnits : UNITS;

/** The months, quarters or years between the bounds; the outer ones hold what of them lies within. Days are those of the zone. */
function calendarBins(
  calendar: Calendar,
  by: ClockUnit | CalendarUnit,
  { lower, upper }: Range,
  path: string,
): readonly Bin[] {
  if (!isNested(calendar, by))
    return invalid(`${path}.bins`, by, `coarser than a ${periodUnit(calendar)}, whose days all lie in one`);
  const bins = isCalendarUnit(by) ? ofDays(calendar, by) : ofClock(calendar, by, { lower, upper }, path);
  const [first, last] = [bins.at(lower), bins.at(upper)];
  if (last - first >= MAX_BINS) return invalid(`${path}.bins`, by, `coarser: at most ${MAX_BINS} bins`);
  const all = Array.from({ length: last - first + 1 }, (_, index): Bin & { lower: number; upper: number } => ({
    label: formatPeriod(first + index, bins.calendar),
    lower: Math.max(lower, bins.from(first + index)),
    upper: Math.min(upper, bins.from(first + index + 1) - 1),
  }));
  // A zone may skip a day: Samoa had no 30 December 2011.
  return all.filter((bin) => bin.lower <= bin.upper);
}

/** Bins as periods of a calendar: which one holds a value, and with which value one begins. */
interface CalendarBins {
  readonly calendar: Calendar;
  readonly at: (value: number) => number;
  readonly from: (bin: number) => number;
}

const ofDays = (calendar: Calendar, by: CalendarUnit): CalendarBins => ({
  calendar: by,
  at: (value) => periodOfDay(dayOfPeriod(value, calendar), by),
  from: (bin) => dayPeriod(firstDayOf(bin, by), calendar),
});

function ofClock(calendar: Calendar, by: ClockUnit, range: Range, path: string): CalendarBins {
  const { zone = "UTC", seconds = 1 } = clockOf(calendar) ?? {};
  if (!areWhole(offsetsWithin(zone, secondsOf({ ...range, calendar }), `${path}.bins`), by))
    return invalid(`${path}.bins`, by, `finer or days: ${zone} is not whole ${by}s ahead of UTC at all times`);
  const each = clockSeconds[by] / seconds;
  return { calendar: `${by} ${zone}`, at: (value) => Math.floor(value / each), from: (bin) => bin * each };
}

const isNested = (calendar: Calendar, by: ClockUnit | CalendarUnit): boolean =>
  UNITS.indexOf(by) > UNITS.indexOf(periodUnit(calendar)) && calendar !== "week";

const countOf = (calendar: Calendar, by: CalendarUnit, { lower, upper }: Range): number =>
  periodOfDay(dayOfPeriod(upper, calendar), by) - periodOfDay(dayOfPeriod(lower, calendar), by) + 1;

/** The finest periods of which there are few enough between the bounds; of a clock not finer than days. */
function readable(calendar: Calendar, bounds: Range): CalendarUnit {
  const nested = calendarUnits.filter((by) => by === calendar || (by !== "week" && isNested(calendar, by)));
  return nested.find((by) => countOf(calendar, by, bounds) <= READABLE) ?? nested.at(-1) ?? "day";
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

/**
 * The bins of a histogram. Numbers lie in [lower, upper), the last bin also takes its upper end; integers in
 * lower … upper; values outside the outer edges are counted in the nearest bin; categories and booleans are their own bins.
 */
export function histogramBins(column: Column, bins: unknown, bounds: Range | null, path: string): readonly Bin[] {
  if (column.type === "boolean" || column.type === "category") {
    if (bins !== undefined)
      invalid(`${path}.bins`, bins, `absent: the bins are the declared values of a ${column.type} column`);
    return keysOf(column, `${path}.column`).map((value) => ({ label: String(value), value }));
  }
  if (column.type === "date") return dateBins(column, bins, bounds, path);
  const integer = column.type === "integer";
  const edges = edgesOf(bins, bounds, integer, path);
  const last = edges.length - 2;
  return edges.slice(0, -1).map((lower, index) => {
    const next = edges[index + 1] ?? lower;
    if (!integer)
      return {
        label: `[${whole.format(lower)}, ${whole.format(next)}${index === last ? "]" : ")"}`,
        lower,
        upper: next,
      };
    const upper = index === last ? next : next - 1;
    return {
      label: lower === upper ? whole.format(lower) : `${whole.format(lower)}–${whole.format(upper)}`,
      lower,
      upper,
    };
  });
}
