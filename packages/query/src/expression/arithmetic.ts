import { invalid, type Rational, rational, toDouble } from "@dosimeter/core";
import { floorDivide, multiply } from "@dosimeter/core/internal";
import type { Code } from "../declaration/code.ts";
import { formulaText, type Operation } from "../declaration/formula.ts";
import { comparedDates } from "./date-functions.ts";
import {
  by,
  fitted,
  inverse,
  larger,
  MAX,
  MAX_BETWEEN,
  type Node,
  type NumberNode,
  number,
  type Place,
  shared,
  size,
  smaller,
  type TruthNode,
} from "./node.ts";

/** Digits kept when a number is divided by one whose inverse is no decimal. */
const DIGITS = 6;

export function constantOf(node: NumberNode, path: string): Rational {
  if (node.least !== node.largest || node.nullable) return invalid(path, "a column", "a constant");
  return multiply(rational(node.least), node.step);
}

export const positive = (value: Rational, path: string): Rational =>
  value.numerator > 0n ? value : invalid(path, toDouble(value, "down"), "a number > 0");

export function plus(left: NumberNode, right: NumberNode, place: Place): NumberNode {
  const [a, b] = shared([left, right], place) as [NumberNode, NumberNode];
  const code: Code = { do: "add", a: a.code, b: b.code };
  return fitted(number(code, a.step, a.least + b.least, a.largest + b.largest, a.nullable || b.nullable), place);
}

export function product(a: NumberNode, b: NumberNode, place: Place): NumberNode {
  const corners = [a.least * b.least, a.least * b.largest, a.largest * b.least, a.largest * b.largest];
  const code: Code = { do: "multiply", a: a.code, b: b.code };
  const node = number(
    code,
    multiply(a.step, b.step),
    corners.reduce(smaller),
    corners.reduce(larger),
    a.nullable || b.nullable,
  );
  return decimal(fitted(node, place), place);
}

/** Times a constant: the step changes, the ticks do not. */
export function scaled(node: NumberNode, factor: Rational, place: Place): NumberNode {
  if (factor.numerator === 0n)
    return { ...node, code: { do: "multiply", a: node.code, b: ZERO }, least: 0n, largest: 0n };
  const step = multiply(node.step, factor.numerator < 0n ? rational(-factor.numerator, factor.denominator) : factor);
  if (factor.numerator > 0n) return decimal({ ...node, step, labels: false }, place);
  const turned = number(by(node.code, -1n), step, -node.largest, -node.least, node.nullable);
  return decimal(turned, place);
}

const ZERO: Code = { do: "constant", value: 0n, type: "number" };

/**
 * Makes the step a decimal: rounds values to a grid at least a thousand times as fine as the step, or to DIGITS of the
 * range.
 */
function decimal(node: NumberNode, place: Place): NumberNode {
  let rest = node.step.denominator;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  if (rest === 1n && node.step.denominator <= MAX && node.step.numerator <= MAX) return node;
  const range = toDouble(multiply(rational(larger(1n, larger(size(node.least), size(node.largest)))), node.step), "up");
  const digits = Math.max(0, DIGITS - Math.floor(Math.log10(range)));
  return stepped({ ...node, labels: false }, rational(1n, 10n ** BigInt(Math.min(15, digits))), true, place);
}

/** The largest multiple of the step at most the number, or the nearest one, halves up. */
export function stepped(node: NumberNode, step: Rational, nearest: boolean, place: Place): NumberNode {
  // ticks·node.step/step = ticks·p/q, with ½ added for the nearest.
  const { numerator: p, denominator: q } = multiply(node.step, inverse(step));
  const up = (ticks: bigint): bigint => (nearest ? 2n * ticks * p + q : ticks * p);
  const divisor = nearest ? 2n * q : q;
  const [least, largest] = [up(node.least), up(node.largest)];
  if (size(least) > MAX_BETWEEN || size(largest) > MAX_BETWEEN || divisor > MAX_BETWEEN)
    return invalid(place.path, formulaText(place.formula), "a step closer to that of the number, or a smaller number");
  let code = nearest ? by(node.code, 2n * p) : p === 1n ? node.code : by(node.code, p);
  if (nearest) code = { do: "add", a: code, b: { do: "constant", value: q, type: "number" } };
  if (divisor !== 1n) code = { do: "floor", a: code, by: divisor, least };
  return fitted(number(code, step, floorDivide(least, divisor), floorDivide(largest, divisor), node.nullable), place);
}

/** a/b to the nearest multiple of the step, halves away from 0; missing where b is 0. */
export function ratio(a: NumberNode, b: NumberNode, step: Rational, place: Place): NumberNode {
  // ticks = a·(a.step/b.step/step)/b = a·p/(b·q)
  const { numerator: p, denominator: q } = multiply(multiply(a.step, inverse(b.step)), inverse(step));
  const widest = larger(size(a.least), size(a.largest));
  const lowest = b.least > 0n ? b.least : b.largest < 0n ? -b.largest : 1n;
  const [top, bottom] = [2n * widest * p, 2n * larger(size(b.least), size(b.largest)) * q];
  if (top > MAX_BETWEEN || bottom > MAX_BETWEEN)
    return invalid(place.path, formulaText(place.formula), "a coarser step, or smaller numbers");
  const most = widest === 0n ? 0n : (widest * p) / (lowest * q) + 1n;
  const code: Code = { do: "quotient", a: a.code, b: by(b.code, q), times: p };
  const isNegative = a.least < 0n || b.least < 0n;
  const nullable = a.nullable || b.nullable || (b.least <= 0n && b.largest >= 0n);
  return decimal(fitted(number(code, step, isNegative ? -most : 0n, most, nullable), place), place);
}

export function within(node: NumberNode, least: bigint, largest: bigint): NumberNode {
  const clampTo = (x: bigint): bigint => larger(least, smaller(largest, x));
  return {
    ...node,
    code: { do: "within", a: node.code, least, largest },
    least: clampTo(node.least),
    largest: clampTo(node.largest),
  };
}

/** Missing when any is missing. */
export function choose(
  op: "least" | "greatest",
  parts: readonly NumberNode[],
  place: Place,
  isSize: boolean,
): NumberNode {
  const nodes = shared(parts, place);
  return nodes.reduce((a, b) => {
    const first: Code = { do: "compare", op: op === "least" ? "<=" : ">=", a: a.code, b: b.code };
    const isMissing: Code = {
      do: "or",
      of: [
        { do: "missing", a: a.code },
        { do: "missing", a: b.code },
      ],
    };
    const nothing: Code = { do: "constant", value: null, type: "number" };
    const plain: Code = { do: "if", condition: first, yes: a.code, no: b.code };
    const nullable = a.nullable || b.nullable;
    // Also for required columns: a value that is missing in spite of the declaration must not leave the bounds.
    const code: Code = { do: "if", condition: isMissing, yes: nothing, no: plain };
    const pick = op === "least" ? smaller : larger;
    const least = pick(a.least, b.least);
    return number(code, a.step, isSize ? larger(0n, least) : least, pick(a.largest, b.largest), nullable);
  });
}

export function compare(
  op: Operation & ("=" | "!=" | "<" | "<=" | ">" | ">="),
  [left, right]: readonly [Node, Node],
  place: Place,
): TruthNode {
  const truth = (a: Code, b: Code): TruthNode => ({
    type: "boolean",
    code: { do: "compare", op, a, b },
    nullable: false,
  });
  const dates = comparedDates([left, right], place);
  if (dates !== null) return truth(dates[0], dates[1]);
  if (left.type === "number" && right.type === "number") {
    const [a, b] = shared([left, right], place) as [NumberNode, NumberNode];
    return truth(a.code, b.code);
  }
  if (left.type !== right.type || left.type === "nothing")
    return invalid(
      place.path,
      formulaText(place.formula),
      "two numbers, two dates, two texts, or two truth values to compare",
    );
  if (op !== "=" && op !== "!=") return invalid(place.path, op, "= or !=: only numbers and dates have an order");
  return truth(left.code, right.code);
}
