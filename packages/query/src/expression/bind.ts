import { invalid, parseRational, type Rational, rational } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Code } from "../declaration/code.ts";
import type { Column } from "../declaration/declaration.ts";
import { type Formula, formulaText, type Operation } from "../declaration/formula.ts";
import type { Key } from "../declaration/key.ts";
import { ticksOf } from "../plan/ticks.ts";
import { choose, compare, constantOf, plus, positive, product, ratio, scaled, stepped, within } from "./arithmetic.ts";
import { dateColumn, dateOperation } from "./date-functions.ts";
import { bucket, joined, MAX_JOINED, MAX_LABELS, mapped } from "./labels.ts";
import {
  alike,
  fitted,
  inverse,
  type Lookup,
  MAX,
  MAX_PARTS,
  merged,
  NOTHING,
  type Node,
  type NumberNode,
  number,
  numberAt,
  type Place,
  shared,
  size,
  truthAt,
} from "./node.ts";

const MAX_DEPTH = 32;

/**
 * Checks a formula against declared columns and gives it types, static bounds and total operations. Errors carry the
 * path.
 */
export function bindFormula(formula: Formula, lookup: Lookup, path: string, depth = 0): Node {
  if (depth > MAX_DEPTH) return invalid(path, "deeper", `at most ${MAX_DEPTH} levels deep`);
  if ("column" in formula) return lookup(formula.column, path);
  if ("value" in formula) return constant(formula.value, path);
  if (formula.of.length > MAX_PARTS) return invalid(path, formula.of.length, `at most ${MAX_PARTS} parts`);
  const parts = formula.of.map((part, index) => bindFormula(part, lookup, `${path}.of[${index}]`, depth + 1));
  return operate(formula.op, parts, { path, formula });
}

function constant(value: Key, path: string): Node {
  if (typeof value === "boolean")
    return { type: "boolean", code: { do: "constant", value, type: "boolean" }, nullable: false };
  if (typeof value === "string") {
    const text = value.normalize("NFC");
    const code: Code = { do: "constant", value: text, type: "text" };
    return { type: "text", code, values: [text], nullable: false, stored: 0 };
  }
  if (!Number.isFinite(value)) return invalid(path, value, "a finite number");
  const exact = parseRational(value, path);
  const step = rational(1n, exact.denominator);
  if (size(exact.numerator) > MAX || exact.denominator > MAX) return invalid(path, value, "at most 15 digits");
  return number(
    { do: "constant", value: exact.numerator, type: "number" },
    step,
    exact.numerator,
    exact.numerator,
    false,
  );
}

/** A declared column: clamped to its bounds, or missing. */
export function columnNode(name: string, column: Column, path: string): Node {
  const nullable = column.required !== true;
  switch (column.type) {
    case "boolean":
      return { type: "boolean", code: { do: "truth", column: name }, nullable };
    case "text":
      return { type: "text", code: { do: "text", column: name }, values: null, nullable, stored: 1 };
    case "category": {
      const values = column.categories ?? [];
      if (values.every((value) => typeof value === "string"))
        return { type: "text", code: { do: "text", column: name }, values, nullable, stored: 1 };
      const numbers = values.filter((value) => typeof value === "number");
      if (!numbers.every(Number.isSafeInteger) || numbers.length > MAX_PARTS)
        return invalid(path, name, `a category of at most ${MAX_PARTS} whole numbers, or of texts`);
      const sorted = numbers.toSorted((a, b) => a - b);
      const code: Code = { do: "member", column: name, values: sorted };
      const [least = 0, largest = 0] = [sorted[0], sorted.at(-1)];
      return fitted(number(code, rational(1n), BigInt(least), BigInt(largest), true), {
        path,
        formula: { column: name },
      });
    }
    case "date":
      return dateColumn(name, column, path);
    case "integer":
    case "number": {
      const { lower, upper } = column;
      if (lower === undefined || upper === undefined)
        return invalid(path, name, "a column with declared bounds: numbers are capped before anything is computed");
      if (column.type === "integer") {
        const code: Code = { do: "whole", column: name, lower, upper };
        return fitted(number(code, rational(1n), BigInt(lower), BigInt(upper), nullable), {
          path,
          formula: { column: name },
        });
      }
      const ticks = ticksOf({ lower, upper, granularity: column.granularity, integer: false }, path);
      const { step, first, steps } = ticks;
      const code: Code = {
        ...{ do: "grid", column: name, lower, upper, step, first, steps },
        ...present({ scale: column.scale }),
      };
      return fitted(number(code, step, first, first + steps, nullable), { path, formula: { column: name } });
    }
  }
}

// long: one case for each operation, none of them long
function operate(op: Operation, parts: readonly Node[], place: Place): Node {
  const { path } = place;
  const dated = dateOperation(op, parts, place);
  if (dated !== null) return dated;
  const count = (least: number, most: number): void => {
    if (parts.length < least || parts.length > most)
      invalid(path, parts.length, least === most ? `${least} parts for ${op}` : `${least} to ${most} parts for ${op}`);
  };
  const numeric = (index: number): NumberNode => numberAt(parts[index], `${path}.of[${index}]`);
  const fixed = (index: number): Rational => constantOf(numeric(index), `${path}.of[${index}]`);
  const truth = (index: number): Code => truthAt(parts[index], `${path}.of[${index}]`);
  switch (op) {
    case "+":
      count(2, MAX_PARTS);
      return parts.map((_, index) => numeric(index)).reduce((a, b) => plus(a, b, place));
    case "-":
      count(1, 2);
      return parts.length === 1
        ? scaled(numeric(0), rational(-1n), place)
        : plus(numeric(0), scaled(numeric(1), rational(-1n), place), place);
    case "*":
      count(2, MAX_PARTS);
      return parts.map((_, index) => numeric(index)).reduce((a, b) => product(a, b, place));
    case "/": {
      count(2, 2);
      const divisor = fixed(1);
      if (divisor.numerator === 0n) invalid(`${path}.of[1]`, 0, "a number other than 0");
      return scaled(numeric(0), inverse(divisor), place);
    }
    case "ratio":
      count(3, 3);
      return ratio(numeric(0), numeric(1), positive(fixed(2), `${path}.of[2]`), place);
    case "abs": {
      count(1, 1);
      const a = numeric(0);
      return choose("greatest", [a, scaled(a, rational(-1n), place)], place, true);
    }
    case "least":
    case "greatest":
      count(2, MAX_PARTS);
      return choose(
        op,
        parts.map((_, index) => numeric(index)),
        place,
        false,
      );
    case "clamp": {
      count(3, 3);
      const [a, low, high] = shared([numeric(0), numeric(1), numeric(2)], place) as [
        NumberNode,
        NumberNode,
        NumberNode,
      ];
      constantOf(low, `${path}.of[1]`);
      constantOf(high, `${path}.of[2]`);
      if (low.least > high.least)
        invalid(`${path}.of[1]`, formulaText(place.formula), "a lower bound at most the upper one");
      return within(a, low.least, high.least);
    }
    case "floor":
    case "round": {
      count(1, 2);
      const step = parts.length === 1 ? rational(1n) : positive(fixed(1), `${path}.of[1]`);
      return stepped(numeric(0), step, op === "round", place);
    }
    case "cut": {
      count(2, 2);
      const whole = stepped(numeric(0), positive(fixed(1), `${path}.of[1]`), false, place);
      return { ...whole, labels: true };
    }
    case "bucket":
      count(2, MAX_PARTS);
      return bucket(
        numeric(0),
        parts.slice(1).map((_, index) => numeric(index + 1)),
        place,
      );
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      count(2, 2);
      return compare(op, parts as readonly [Node, Node], place);
    case "in": {
      count(2, MAX_PARTS);
      const [first, ...values] = parts as readonly [Node, ...Node[]];
      const of = values.map((value, index) => {
        if (value.code.do !== "constant") invalid(`${path}.of[${index + 1}]`, formulaText(place.formula), "a constant");
        return compare("=", [first, value], place).code;
      });
      return { type: "boolean", code: { do: "or", of }, nullable: false };
    }
    case "isNull": {
      count(1, 1);
      const a = parts[0]?.code ?? { do: "constant", value: null, type: "number" };
      return { type: "boolean", code: { do: "missing", a }, nullable: false };
    }
    case "and":
    case "or":
      count(1, MAX_PARTS);
      return { type: "boolean", code: { do: op, of: parts.map((_, index) => truth(index)) }, nullable: false };
    case "not":
      count(1, 1);
      return { type: "boolean", code: { do: "not", a: truth(0) }, nullable: false };
    case "if": {
      count(2, 3);
      const condition = truth(0);
      const branches = alike([parts[1] ?? NOTHING, parts[2] ?? NOTHING], place);
      const [yes = NOTHING, no = NOTHING] = branches;
      return merged(branches, { do: "if", condition, yes: yes.code, no: no.code }, yes.nullable || no.nullable);
    }
    case "coalesce": {
      count(1, MAX_PARTS);
      const branches = alike(parts, place);
      return merged(
        branches,
        { do: "first", of: branches.map(({ code }) => code) },
        branches.every(({ nullable }) => nullable),
      );
    }
    case "map":
      return mapped(parts, place);
    case "join":
      count(2, MAX_JOINED);
      return joined(parts, place);
    default:
      return invalid(path, op, "given dates");
  }
}

/** The derived column's declaration, which decides whether a request may group, sum or filter by the column. */
export function columnOf(node: Node, path: string, provenance: Column["provenance"]): Column {
  const common = {
    ...(node.nullable ? {} : { required: true as const }),
    ...(node.type === "number" && node.areYears ? { unit: "year" } : {}),
    provenance,
  };
  if (node.type === "nothing") return invalid(path, "nothing", "a number, a text or a truth value");
  if (node.type === "boolean") return { type: "boolean", ...common };
  if (node.type === "date") {
    const [lower, upper] = [Number(node.least), Number(node.largest)];
    // Bounds must differ, so a constant gets one period of room.
    const room = lower < upper ? { lower, upper } : { lower: lower - 1, upper };
    return { type: "date", ...room, calendar: node.unit, ...common };
  }
  if (node.type === "text") {
    if (node.values === null) return { type: "text", ...common };
    return { type: "category", categories: [...new Set(node.values)].filter((value) => value !== ""), ...common };
  }
  const { numerator, denominator } = node.step;
  // Correctly rounded, as in SQL, and so equal to the decimal that a person writes.
  const value = (ticks: bigint): number => Number(ticks * numerator) / Number(denominator);
  if (node.labels) {
    const count = node.largest - node.least + 1n;
    if (count > BigInt(MAX_LABELS))
      return invalid(path, String(count), `at most ${MAX_LABELS} different values: cut more coarsely`);
    const categories = Array.from({ length: Number(count) }, (_, index) => value(node.least + BigInt(index)));
    return { type: "category", categories, ...common };
  }
  const [lower, upper] = [value(node.least), value(node.largest)];
  // Bounds must differ, so a constant gets one step of room.
  const bounds = { lower, upper: lower === upper ? value(node.largest + 1n) : upper };
  const granularity = value(1n);
  if (node.step.denominator === 1n)
    return { type: "integer", ...bounds, ...(granularity === 1 ? {} : { granularity }), ...common };
  return { type: "number", ...bounds, granularity, ...common };
}
