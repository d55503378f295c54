import { calendarUnits, clockUnits } from "@dosimeter/core";
import type { Formula, Operation } from "@dosimeter/query/declaration";
import { isSmall } from "@dosimeter/query/expression";
import { constant, op } from "./conditions.ts";

interface SqlFunction {
  readonly usage: string;
  readonly make: (of: readonly Formula[]) => Formula | null;
}

const numberOf = (formula: Formula | undefined): number | null =>
  formula !== undefined && "value" in formula && typeof formula.value === "number" ? formula.value : null;

const counted = (usage: string, name: Operation, least: number, most = least): SqlFunction => ({
  usage,
  make: (of) => (of.length >= least && of.length <= most ? op(name, ...of) : null),
});
const never = (usage: string): SqlFunction => ({ usage, make: () => null });

/** The parts of what is rounded, which stands in the formula three times. */
const MAX_ROUNDED = 50;

/** To the nearest multiple of a step, halves away from 0, as SQL rounds; `round` of a formula rounds halves up. */
function rounded(of: Formula, step: Formula | null): Formula | null {
  if (!isSmall(of, MAX_ROUNDED)) return null;
  const round = (each: Formula): Formula => op("round", each, ...(step === null ? [] : [step]));
  return op("if", op(">=", of, constant(0)), round(of), op("-", round(op("-", of))));
}

/** Parts of dates as PostgreSQL names them, where its numbers are those of formulas. */
const PARTS: Readonly<Record<string, Operation>> = {
  year: "year",
  quarter: "quarter",
  month: "month",
  week: "week",
  day: "day",
  isodow: "weekday",
  hour: "hour",
  minute: "minute",
};

/** Functions of SQL that formulas do not have, or that mean something else there. */
export const SQL_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  round: {
    usage:
      "round(a) or round(a, 2) with the digits after the point, of fewer than 50 parts; to a step, halves up: round_to(a, 0.5)",
    make: ([a, digits, ...more]) => {
      if (a === undefined || more.length > 0) return null;
      if (digits === undefined) return rounded(a, null);
      const count = numberOf(digits);
      return count !== null && Number.isInteger(count) && Math.abs(count) <= 9
        ? rounded(a, constant(Number(`1e${-count}`)))
        : null;
    },
  },
  floor: {
    usage: "floor(a); to a step: floor_to(a, 10)",
    make: ([a, ...more]) => (a === undefined || more.length > 0 ? null : op("floor", a)),
  },
  round_to: counted("round_to(a, 0.5), halves up", "round", 1, 2),
  floor_to: counted("floor_to(a, 10)", "floor", 2),
  iff: counted("iff(condition, a, b)", "if", 3),
  ifnull: counted("ifnull(a, b)", "coalesce", 2),
  nvl: counted("nvl(a, b)", "coalesce", 2),
  date_trunc: {
    usage: `date_trunc('month', day), with ${[...calendarUnits, ...clockUnits].map((unit) => `'${unit}'`).join(", ")}`,
    make: ([unit, date, ...more]) =>
      unit !== undefined && "value" in unit && date !== undefined && more.length === 0
        ? op("cut", date, constant(String(unit.value).toLowerCase()))
        : null,
  },
  extract: {
    usage: "EXTRACT(YEAR FROM day), with YEAR, QUARTER, MONTH, WEEK, DAY, ISODOW, HOUR or MINUTE",
    make: ([part, date, ...more]) => {
      const name = part !== undefined && "column" in part ? PARTS[part.column.toLowerCase()] : undefined;
      return name === undefined || date === undefined || more.length > 0 ? null : op(name, date);
    },
  },
  full_years: counted("full_years(born, seen)", "age", 2),
  age: never("full_years(born, seen): AGE of PostgreSQL has the later date first"),
  week: never("EXTRACT(WEEK FROM day), the week of ISO 8601: WEEK of MySQL begins on Sunday"),
  weekday: never("EXTRACT(ISODOW FROM day), where Monday is 1: WEEKDAY of MySQL counts from 0"),
  width_bucket: {
    usage: "width_bucket(a, 0, 100, 10): two bounds, the lower one first, and 1 to 1000 buckets",
    make: ([a, ...bounds]) => {
      const [low = null, high = null, count = null] = bounds.map(numberOf);
      if (a === undefined || low === null || high === null || count === null || bounds.length > 3) return null;
      if (!(low < high) || !Number.isInteger(count) || count < 1 || count > 1000) return null;
      const width = (high - low) / count;
      const above = low === 0 ? a : op("-", a, constant(low));
      const bucket = op("+", op("/", op("floor", above, constant(width)), constant(width)), constant(1));
      return op("clamp", bucket, constant(0), constant(count + 1));
    },
  },
};
