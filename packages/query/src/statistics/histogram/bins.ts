import { type CalendarUnit, calendarUnits, firstDayOf, formatPeriod, invalid, periodOfDay } from "@dosimeter/core";
import { checkPeriod, unitOfDates } from "../../declaration/dates.ts";
import type { Column } from "../../declaration/declaration.ts";
import { keysOf } from "../../plan/groups.ts";
import type { Bin, Range } from "../../plan/task.ts";

const MAX_BINS = 10_000;
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

/** Bins of dates: one for each period, a number of them, the calendar's own (`month`), or edges as dates. */
function dateBins(column: Column, bins: unknown, bounds: Range | null, path: string): readonly Bin[] {
  const unit = unitOfDates(column);
  if (bounds === null) return invalid(`${path}.lower`, undefined, "given, or declared for the column");
  const named = calendarUnits.find((each) => each === bins);
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
  const isNested = calendarUnits.indexOf(by) > calendarUnits.indexOf(unit) && (unit !== "week" || by === "week");
  if (!isNested) return invalid(`${path}.bins`, by, `coarser than a ${unit}, whose days all lie in one`);
  const periodOf = (value: number): number => periodOfDay(firstDayOf(value, unit), by);
  const [first, last] = [periodOf(lower), periodOf(upper)];
  if (last - first >= MAX_BINS) return invalid(`${path}.bins`, by, `coarser: at most ${MAX_BINS} bins`);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const from = periodOfDay(firstDayOf(first + index, by), unit);
    const next = periodOfDay(firstDayOf(first + index + 1, by), unit);
    return { label: formatPeriod(first + index, by), lower: Math.max(lower, from), upper: Math.min(upper, next - 1) };
  });
}

function edgesOf(
  bins: unknown,
  bounds: Range | null,
  integer: boolean,
  path: string,
  want = `a whole number from 1 to ${MAX_BINS}, or a list of edges`,
): readonly number[] {
  if (Array.isArray(bins)) return explicitEdges(bins, integer, path);
  if (bounds === null)
    return invalid(`${path}.lower`, undefined, "given, or declared for the column, or bins as a list of edges");
  const { lower, upper } = bounds;
  const values = upper - lower + 1;
  const count = bins === undefined && integer ? values : bins;
  if (count === undefined) return invalid(`${path}.bins`, undefined, "a number of bins or a list of edges");
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 1 || count > MAX_BINS)
    return invalid(`${path}.bins`, count, want);
  if (integer) {
    if (count > values) return invalid(`${path}.bins`, count, `at most ${values}: the column has no more values`);
    const starts = Array.from(
      { length: count },
      (_, index) => lower + Number((BigInt(index) * BigInt(values)) / BigInt(count)),
    );
    return [...starts, upper];
  }
  const edges = Array.from({ length: count + 1 }, (_, index) =>
    index === count ? upper : Number((lower + ((upper - lower) * index) / count).toPrecision(15)),
  );
  if (edges.some((edge, index) => index > 0 && edge <= (edges[index - 1] ?? edge)))
    return invalid(`${path}.bins`, count, "fewer: neighbouring edges are the same number");
  return edges;
}

function explicitEdges(bins: readonly unknown[], integer: boolean, path: string): readonly number[] {
  if (bins.length < 2 || bins.length > MAX_BINS + 1)
    return invalid(`${path}.bins`, bins.length, `2 to ${MAX_BINS + 1} edges`);
  return bins.map((edge, index) => {
    const at = `${path}.bins[${index}]`;
    if (typeof edge !== "number" || (integer ? !Number.isSafeInteger(edge) : !Number.isFinite(edge)))
      return invalid(at, edge, integer ? "a whole number" : "a finite number");
    const before = bins[index - 1];
    // The last whole number twice makes a bin of that number alone, as in the bins of a count.
    if (integer && index === bins.length - 1 && index > 1 && edge === before) return edge;
    if (typeof before === "number" && edge <= before) return invalid(at, edge, `> the edge before it (${before})`);
    return edge + 0;
  });
}
