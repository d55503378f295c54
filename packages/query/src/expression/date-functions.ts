import {
  type Calendar,
  type CalendarUnit,
  type ClockPart,
  type ClockUnit,
  calendarUnits,
  clockOf,
  clockParts,
  clockSeconds,
  clockUnits,
  DAY_SECONDS,
  type DatePart,
  datePart,
  dateParts,
  dayPeriod,
  invalid,
  isCalendarUnit,
  offsetFrom,
  periodOfDay,
  periodsOf,
  periodUnit,
  rational,
  readPeriod,
  wholePeriod,
  type ZoneOffsets,
} from "@dosimeter/core";
import { floorDivide } from "@dosimeter/core/internal";
import type { Code } from "../declaration/code.ts";
import { periodWanted, unitOfDates } from "../declaration/dates.ts";
import type { Column } from "../declaration/declaration.ts";
import { formulaText, type Operation } from "../declaration/formula.ts";
import { areWhole, offsetsWithin } from "../declaration/offsets.ts";
import {
  type DateNode,
  datesAlike,
  larger,
  type Node,
  type NumberNode,
  number,
  type Place,
  shared,
  smaller,
} from "./node.ts";

const UNIT = rational(1n);
const whole = (value: bigint): Code => ({ do: "constant", value, type: "number" });
const add = (a: Code, b: Code): Code => ({ do: "add", a, b });
const times = (a: Code, factor: bigint): Code => ({ do: "multiply", a, b: whole(factor) });

/** A declared date: clamped to its bounds, or missing. */
export function dateColumn(name: string, column: Column, path: string): DateNode {
  const { lower, upper, required } = column;
  if (lower === undefined || upper === undefined)
    return invalid(path, name, "a column with declared bounds: dates are capped before anything is computed");
  const code: Code = { do: "whole", column: name, lower, upper };
  return date(code, unitOfDates(column), [BigInt(lower), BigInt(upper)], required !== true);
}

const date = (
  code: Code,
  unit: Calendar,
  [least, largest]: readonly [bigint, bigint],
  nullable: boolean,
): DateNode => ({
  type: "date",
  unit,
  code,
  least,
  largest,
  nullable,
});

/** What an operation makes of dates; null where none of its parts is a date and it makes none. */
export function dateOperation(op: Operation, given: readonly Node[], place: Place): Node | null {
  const parts = op === "-" || op === "least" || op === "greatest" ? besideInstants(given, place) : given;
  const [first, second] = parts;
  if (op === "date") return literal(parts, place);
  const time = clockParts.find((each) => each === op);
  if (time !== undefined)
    return parts.length === 1 ? timeOf(first, time, place) : refuse(place, `${op}(…) of one timestamp`);
  const part = dateParts.find((each) => each === op);
  if (part !== undefined)
    return parts.length === 1 ? partOf(dayAt(first, place), part) : refuse(place, `${op}(…) of one date`);
  if (op === "age")
    return parts.length === 2 ? age(dayAt(first, place), dayAt(second, place)) : refuse(place, "age(birth, day)");
  if (first?.type !== "date" && second?.type !== "date") return null;
  switch (op) {
    case "cut":
      return first?.type === "date" && parts.length === 2 ? cut(first, second, place) : null;
    case "-":
      if (parts.length !== 2) return refuse(place, "a date less another, or less a number of days");
      return first?.type === "date" && second?.type === "date"
        ? between(first, second, place)
        : moved(first, second, -1n, place);
    case "+":
      return parts.length === 2 ? moved(first, second, 1n, place) : refuse(place, "a date and a number of days");
    case "least":
    case "greatest":
      return outer(op, datesAlike(parts, place));
    default:
      return null;
  }
}

const refuse = (place: Place, want: string): never => invalid(place.path, formulaText(place.formula), want);

/** A text such as '2024-03-15' or '2024-03': its form says of which unit it is. */
function literal([text, ...rest]: readonly Node[], place: Place): DateNode {
  const value = text?.code.do === "constant" ? text.code.value : null;
  const read = rest.length === 0 && typeof value === "string" ? readPeriod(value) : null;
  if (read === null) return refuse(place, "a date such as date '2024-03-15' or date '2024-03'");
  const period = BigInt(read.period);
  return date(whole(period), read.unit, [period, period], false);
}

/** A date by the day: of an instant the day in its zone. */
function dayAt(node: Node | undefined, place: Place): DateNode {
  if (node?.type !== "date") return refuse(place, "a date");
  if (node.unit === "day") return node;
  if (isCalendarUnit(node.unit)) return refuse(place, `dates by the day: these are ${node.unit}s`);
  const local = localOf(node, place);
  return date(
    floored(local, DAY_SECONDS),
    "day",
    [local.least, local.largest].map((each) => floorDivide(each, BigInt(DAY_SECONDS))) as [bigint, bigint],
    node.nullable,
  );
}

/** The time on the clocks of its zone, in seconds from their 1970-01-01 on. */
function localOf({ code, unit, least, largest }: DateNode, place: Place): Local {
  const { zone = "UTC", seconds = 1 } = clockOf(unit) ?? {};
  const [from, to] = [least, largest].map((each) => Number(each) * seconds) as [number, number];
  const offsets = offsetsWithin(zone, { from, to: to + seconds - 1 }, place.path);
  const instant = seconds === 1 ? code : times(code, BigInt(seconds));
  const local = (second: number): number => second + offsetFrom(offsets, second);
  // Between changes of the clocks their time rises.
  const changes = offsets.changes.map(({ at }) => at).filter((at) => at > from && at <= to);
  return {
    code: { do: "local", offsets, a: instant },
    least: BigInt(Math.min(...[from, ...changes].map(local))),
    largest: BigInt(Math.max(...[...changes.map((at) => at - 1), to].map(local))),
    offsets,
  };
}

interface Local {
  readonly code: Code;
  readonly least: bigint;
  readonly largest: bigint;
  readonly offsets: ZoneOffsets;
}

const floored = ({ code, least }: Pick<Local, "code" | "least">, by: number): Code => ({
  do: "floor",
  a: code,
  by: BigInt(by),
  least,
});

/** The hour or minute on the clock. */
function timeOf(node: Node | undefined, part: ClockPart, place: Place): NumberNode {
  if (node?.type !== "date" || isCalendarUnit(node.unit))
    return refuse(place, "a timestamp, whose values have a time of day");
  const local = localOf(node, place);
  const [by, count] = part === "hour" ? [3600, 24] : [60, 60];
  const rest: Code = { do: "rest", a: local.code, by: BigInt(by * count), least: local.least };
  return number(floored({ code: rest, least: 0n }, by), UNIT, 0n, BigInt(count - 1), node.nullable);
}

const MAX_PART: Readonly<Record<Exclude<DatePart, "year">, bigint>> = {
  quarter: 4n,
  month: 12n,
  week: 53n,
  day: 31n,
  weekday: 7n,
};

function partOf({ code, least, largest, nullable }: DateNode, part: DatePart): NumberNode {
  const year = (of: bigint): bigint => BigInt(datePart("year", Number(of)));
  const [low, high] = part === "year" ? [year(least), year(largest)] : [1n, MAX_PART[part]];
  const node = number({ do: "dayPart", part, a: code }, UNIT, low, high, nullable);
  return part === "year" ? { ...node, areYears: true } : node;
}

/** Full years from one day to another: one fewer before the birthday, which of 29 February is 1 March in other years. */
function age(birth: DateNode, day: DateNode): NumberNode {
  const years = (node: DateNode): Code => ({ do: "dayPart", part: "year", a: node.code });
  const inYear = ({ code }: DateNode): Code =>
    add(times({ do: "dayPart", part: "month", a: code }, 100n), { do: "dayPart", part: "day", a: code });
  const before: Code = {
    do: "if",
    condition: { do: "compare", op: "<", a: inYear(day), b: inYear(birth) },
    yes: whole(-1n),
    no: whole(0n),
  };
  const code = add(add(years(day), times(years(birth), -1n)), before);
  const year = (value: bigint): bigint => BigInt(datePart("year", Number(value)));
  const [least, largest] = [year(day.least) - year(birth.largest) - 1n, year(day.largest) - year(birth.least)];
  return number(code, UNIT, least, largest, birth.nullable || day.nullable);
}

/** The month, quarter or year of a date: a date in coarser periods, whose values can be groups. */
function cut(node: DateNode, text: Node | undefined, place: Place): DateNode {
  const named = text?.code.do === "constant" ? text.code.value : null;
  const clock = clockOf(node.unit);
  const units = clock === null ? calendarUnits : [...clockUnits, ...calendarUnits];
  const unit = units.find((each) => each === named);
  if (unit === undefined) return refuse(place, `one of ${units.map((each) => `'${each}'`).join(", ")}`);
  if (unit === periodUnit(node.unit)) return node;
  if (!isCalendarUnit(unit)) return clockCut(node, unit, place);
  if (!isCalendarUnit(node.unit)) return cut(dayAt(node, place), text, place);
  if (node.unit === "day") {
    const period = (day: bigint): bigint => BigInt(periodOfDay(Number(day), unit));
    return date({ do: "period", unit, a: node.code }, unit, [period(node.least), period(node.largest)], node.nullable);
  }
  const by = (
    { month: { quarter: 3n, year: 12n }, quarter: { year: 4n } } as Partial<
      Record<CalendarUnit, Partial<Record<CalendarUnit, bigint>>>
    >
  )[node.unit]?.[unit];
  if (by === undefined) return refuse(place, `a unit that holds whole ${node.unit}s`);
  const floor = (value: bigint): bigint => (value >= 0n ? value / by : -((-value + by - 1n) / by));
  const code: Code = { do: "floor", a: node.code, by, least: node.least };
  return date(code, unit, [floor(node.least), floor(node.largest)], node.nullable);
}

/** An instant in whole minutes or hours, where those of UTC are those of its zone. */
function clockCut(node: DateNode, unit: ClockUnit, place: Place): DateNode {
  const { zone = "UTC", seconds = 1 } = clockOf(node.unit) ?? {};
  const by = clockSeconds[unit] / seconds;
  if (by < 1) return refuse(place, `a unit that holds whole ${periodUnit(node.unit)}s`);
  if (!areWhole(localOf(node, place).offsets, unit))
    return refuse(place, `a finer unit: ${zone} is not whole ${unit}s ahead of UTC at all times between the bounds`);
  const [least, largest] = [floorDivide(node.least, BigInt(by)), floorDivide(node.largest, BigInt(by))];
  return date(floored(node, by), `${unit} ${zone}`, [least, largest], node.nullable);
}

/** The number of periods from the second date to the first. */
function between(first: DateNode, second: DateNode, place: Place): NumberNode {
  const [a, b] = datesAlike([first, second], place) as readonly [DateNode, DateNode];
  return number(
    add(a.code, times(b.code, -1n)),
    UNIT,
    a.least - b.largest,
    a.largest - b.least,
    a.nullable || b.nullable,
  );
}

/** A date some whole periods later or earlier, never outside years 1 to 9999. */
function moved(a: Node | undefined, b: Node | undefined, sign: 1n | -1n, place: Place): DateNode {
  const [start, by] = a?.type === "date" ? [a, b] : sign === 1n && b?.type === "date" ? [b, a] : [null, null];
  if (start === null || by?.type !== "number" || by.step.denominator !== 1n)
    return refuse(place, "a date and a whole number of its periods, or two dates");
  const [steps] = shared([by, number(whole(0n), UNIT, 0n, 0n, false)], place);
  if (steps === undefined) return refuse(place, "a whole number");
  const [first, last] = periodsOf(start.unit).map(BigInt) as [bigint, bigint];
  const inside = (value: bigint): bigint => larger(first, smaller(last, value));
  const [low, high] = sign === 1n ? [steps.least, steps.largest] : [-steps.largest, -steps.least];
  const sum = add(start.code, sign === 1n ? steps.code : times(steps.code, -1n));
  const code: Code = { do: "within", a: sum, least: first, largest: last };
  return date(
    code,
    start.unit,
    [inside(start.least + low), inside(start.largest + high)],
    start.nullable || steps.nullable,
  );
}

/** The earliest or the latest; missing when any is missing. */
function outer(op: "least" | "greatest", dates: readonly DateNode[]): DateNode {
  return dates.reduce((a, b) => {
    const plain: Code = {
      do: "if",
      condition: { do: "compare", op: op === "least" ? "<=" : ">=", a: a.code, b: b.code },
      yes: a.code,
      no: b.code,
    };
    const isMissing: Code = { do: "or", of: [a, b].map(({ code }) => ({ do: "missing" as const, a: code })) };
    const nothing: Code = { do: "constant", value: null, type: "number" };
    const pick = op === "least" ? smaller : larger;
    const code: Code = { do: "if", condition: isMissing, yes: nothing, no: plain };
    return date(code, a.unit, [pick(a.least, b.least), pick(a.largest, b.largest)], a.nullable || b.nullable);
  });
}

/** Two dates to compare, of which one may be written as a text; null where neither is a date. */
export function comparedDates([a, b]: readonly [Node, Node], place: Place): readonly [Code, Code] | null {
  const dates = [a, b].filter((node) => node.type === "date");
  const known = dates.find(({ code }) => code.do !== "constant") ?? dates[0] ?? null;
  if (known === null) return null;
  const [left, right] = [a, b].map((node) => asWritten(node, known.unit, place)) as [Node, Node];
  if (left.type !== "date" || right.type !== "date") return refuse(place, "two dates to compare");
  const [x, y] = datesAlike([left, right], place) as readonly [DateNode, DateNode];
  return [x.code, y.code];
}

/** Parts of which some are instants, and constants next to them the instants that they name. */
function besideInstants(parts: readonly Node[], place: Place): readonly Node[] {
  const clock = parts.find((node) => node.type === "date" && !isCalendarUnit(node.unit));
  return clock?.type === "date" ? parts.map((node) => asWritten(node, clock.unit, place)) : parts;
}

function asWritten(node: Node, calendar: Calendar, place: Place): Node {
  const period = writtenPeriod(node, calendar, place);
  return period === null ? node : date(whole(period), calendar, [period, period], false);
}

/** A constant next to a date: a text, or next to an instant the day that begins with it. Null of anything else. */
function writtenPeriod(node: Node, calendar: Calendar, place: Place): bigint | null {
  if (node.type !== "text" && node.type !== "date") return null;
  if (node.code.do !== "constant" || node.code.value === null) return null;
  if (node.type === "date")
    return node.unit === "day" && !isCalendarUnit(calendar)
      ? BigInt(dayPeriod(Number(node.code.value), calendar))
      : null;
  const period = wholePeriod(String(node.code.value), calendar);
  return period === null ? refuse(place, periodWanted(calendar)) : BigInt(period);
}
