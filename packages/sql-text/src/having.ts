import { type Calendar, formatPeriod, isCalendarUnit, readInstant, readPeriod, wholePeriod } from "@dosimeter/core";
import type { Formula, Key, Operation } from "@dosimeter/query/declaration";
import { op } from "./conditions.ts";
import type { SqlQuery } from "./query.ts";
import { refuseAt } from "./refusal.ts";

/** What the values of a column of the result are: dates of one unit, instants, or several values in each row. */
export type Kind = "number" | "text" | "boolean" | "list" | Calendar;

/** A part of HAVING, bound to columns of the result. */
export interface Bound {
  readonly formula: Formula;
  readonly kind: Kind;
}

export const calendarOf = (kind: Kind): Calendar | null =>
  kind === "number" || kind === "text" || kind === "boolean" || kind === "list" ? null : kind;
const isDate = (kind: Kind): kind is Calendar => calendarOf(kind) !== null;
/** Whether the values are instants, whose texts do not sort where the clocks go back. */
export const isClock = (kind: Kind): boolean => isDate(kind) && !isCalendarUnit(kind);
const ARITHMETIC = new Set<Operation>(["+", "-", "*", "/", "abs"]);
const ORDERED = new Set<Operation>(["<", "<=", ">", ">="]);
const EQUAL = new Set<Operation>(["=", "!=", "in"]);

/** HAVING, whose comparisons are of values of one kind; `bound` is what a column, an aggregate or a group is. */
export function boundCondition(
  { formula, at }: { readonly formula: Formula; readonly at: number },
  query: Pick<SqlQuery, "source" | "totals">,
  bound: (formula: Formula, at: number) => Bound | null,
): Formula {
  const refuse = (message: string): never => refuseAt(query.source, at, message);
  const operation = (name: Operation, of: readonly Formula[]): Bound => {
    if (name === "date")
      return { formula: of[0] ?? { value: "" }, kind: dateKind(of[0]) ?? refuse("this is not a date") };
    const parts = of.map(placed);
    const made = (kind: Kind): Bound => ({ formula: op(name, ...parts.map((part) => part.formula)), kind });
    if (name === "isNull") return made("boolean");
    if (name === "and" || name === "or" || name === "not") {
      if (parts.some(({ kind }) => kind !== "boolean")) refuse(`${name.toUpperCase()} joins conditions`);
      return made("boolean");
    }
    if (ARITHMETIC.has(name)) {
      if (parts.some(({ kind }) => kind !== "number")) refuse(`${name} is of numbers`);
      return made("number");
    }
    if (!ORDERED.has(name) && !EQUAL.has(name)) return refuse(`${name} is not read over answers; compare them`);
    const kind = parts.find((part) => isDate(part.kind))?.kind ?? parts[0]?.kind ?? "number";
    if (isClock(kind))
      return { formula: op(name, ...parts.map((part) => inZone(part, kind, refuse))), kind: "boolean" };
    for (const part of parts)
      if (part.kind !== kind && !(isDate(kind) && dateKind(part.formula) === kind))
        refuse(`a ${kind} is compared with a ${kind} alone; this is a ${part.kind}`);
    if (ORDERED.has(name) && kind !== "number" && !isDate(kind)) refuse(`a ${kind} is compared with =, <> or IN`);
    return made("boolean");
  };
  const placed = (each: Formula): Bound => {
    const found = bound(each, at);
    if (found !== null) return found;
    if ("value" in each)
      return { formula: each, kind: typeof each.value === "string" ? "text" : kindOfValue(each.value) };
    if ("column" in each) return refuse("this is not a column of the result");
    const made = operation(each.op, each.of);
    return query.totals.has(each) ? { ...made, formula: op("not", op("not", made.formula)) } : made;
  };
  const whole = placed(formula);
  return whole.kind === "boolean" ? whole.formula : refuse("HAVING takes a condition, such as COUNT(*) > 100");
}

const kindOfValue = (value: number | boolean): Kind => (typeof value === "number" ? "number" : "boolean");

/** The unit of a date that is written as a text. */
const dateKind = (formula: Formula | undefined): Kind | null =>
  formula !== undefined && "value" in formula ? (readPeriod(String(formula.value))?.unit ?? null) : null;

/** Next to instants: another one, or a text as the instant that it names, with its offset. */
function inZone({ formula, kind: own }: Bound, kind: Kind, refuse: (message: string) => never): Formula {
  if (own === kind) return formula;
  const calendar = calendarOf(kind);
  const period = "value" in formula && calendar !== null ? wholePeriod(String(formula.value), calendar) : null;
  if (period === null || calendar === null) return refuse("a time is compared with one such as '2024-03-15 10:30:00'");
  return { value: formatPeriod(period, calendar) };
}

/** What sorts like the instant that a text names. */
export const instantOrder = (value: Key): Key =>
  typeof value === "string" && value.includes("T") ? (readInstant(value, "UTC") ?? value) : value;

type Scalar = Key | null;

/** A condition over one row of the result: true, false, or null where a missing value leaves it open. */
export function computedOver(formula: Formula, cellAt: (place: number) => Scalar): Scalar {
  if ("value" in formula) return formula.value;
  if ("column" in formula) return cellAt(Number(formula.column));
  const of = formula.of.map((part) => computedOver(part, cellAt));
  const [a = null, b = null] = of;
  switch (formula.op) {
    case "and":
      return of.includes(false) ? false : of.includes(null) ? null : true;
    case "or":
      return of.includes(true) ? true : of.includes(null) ? null : false;
    case "not":
      return a !== true;
    case "isNull":
      return a === null;
    case "in":
      return a === null ? null : of.slice(1).includes(a) ? true : of.slice(1).includes(null) ? null : false;
    default:
      return a === null || (b === null && of.length > 1) ? null : computed(formula.op, a, b);
  }
}

/** Of two values of one kind. Dates are texts, which sort like their periods. */
function computed(name: Operation, a: Key, b: Scalar): Scalar {
  if (name === "=") return a === b;
  if (name === "!=") return a !== b;
  if (b !== null && ORDERED.has(name)) return inOrder(name, instantOrder(a), instantOrder(b));
  if (typeof a !== "number") return null;
  if (name === "abs") return Math.abs(a);
  if (typeof b !== "number") return name === "-" ? -a : null;
  switch (name) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    default:
      return b === 0 ? null : a / b;
  }
}

function inOrder(name: Operation, a: Key, b: Key): boolean {
  if (name === "<") return a < b;
  if (name === "<=") return a <= b;
  return name === ">" ? a > b : a >= b;
}
