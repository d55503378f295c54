import { datePart, offsetFrom, periodOfDay, rational, toDouble } from "@dosimeter/core";
import { floorDivide } from "@dosimeter/core/internal";
import { beginningOf, type Code, type CodeValue, JOINT, partOf } from "../declaration/code.ts";
import { codeFrom, factorOf } from "../declaration/decimals.ts";
import { size } from "./node.ts";

/** A stored value as its declared type: whole numbers as bigint or number, NaN and null are missing. */
export type Stored = bigint | number | string | boolean | null | undefined;

/** Computes in TypeScript what SQL computes: tests compare both databases with it. Never throws. */
// long: one case for each operation, none of them long
export function evaluate(code: Code, row: (column: string) => Stored): CodeValue {
  const numeric = (part: Code): bigint | null => evaluate(part, row) as bigint | null;
  switch (code.do) {
    case "whole": {
      const x = row(code.column);
      if (typeof x !== "bigint" && typeof x !== "number") return null;
      if (x < code.lower) return BigInt(code.lower);
      return x > code.upper ? BigInt(code.upper) : BigInt(x);
    }
    case "grid": {
      const x = row(code.column);
      return typeof x !== "number" || Number.isNaN(x) ? null : code.first + positionOf(x, code);
    }
    case "member": {
      const x = row(code.column);
      return typeof x === "number" && code.values.includes(x) ? BigInt(x) : null;
    }
    case "truth": {
      const x = row(code.column);
      return typeof x === "boolean" ? x : null;
    }
    case "text": {
      const x = row(code.column);
      return typeof x === "string" ? beginningOf(x).normalize("NFC") : null;
    }
    case "constant":
      return code.value;
    case "add":
    case "multiply": {
      const [a, b] = [numeric(code.a), numeric(code.b)];
      if (a === null || b === null) return null;
      return code.do === "add" ? a + b : a * b;
    }
    case "within": {
      const a = numeric(code.a);
      if (a === null) return null;
      if (a < code.least) return code.least;
      return a > code.largest ? code.largest : a;
    }
    case "floor": {
      const a = numeric(code.a);
      return a === null ? null : floorDivide(a, code.by);
    }
    case "quotient": {
      const [a, b] = [numeric(code.a), numeric(code.b)];
      if (a === null || b === null || b === 0n) return null;
      const [top, bottom] = [size(a) * code.times, size(b)];
      const rounded = (2n * top + bottom) / (2n * bottom);
      return a < 0n === b < 0n ? rounded : -rounded;
    }
    case "dayPart": {
      const a = numeric(code.a);
      return a === null ? null : BigInt(datePart(code.part, Number(a)));
    }
    case "period": {
      const a = numeric(code.a);
      return a === null ? null : BigInt(periodOfDay(Number(a), code.unit));
    }
    case "local": {
      const a = numeric(code.a);
      return a === null ? null : a + BigInt(offsetFrom(code.offsets, Number(a)));
    }
    case "rest": {
      const a = numeric(code.a);
      return a === null ? null : a - code.by * floorDivide(a, code.by);
    }
    case "compare":
      return compared(code.op, evaluate(code.a, row), evaluate(code.b, row));
    case "missing":
      return evaluate(code.a, row) === null;
    case "and":
      return code.of.every((part) => evaluate(part, row) === true);
    case "or":
      return code.of.some((part) => evaluate(part, row) === true);
    case "not":
      return evaluate(code.a, row) !== true;
    case "if":
      return evaluate(evaluate(code.condition, row) === true ? code.yes : code.no, row);
    case "digits": {
      const a = numeric(code.a);
      return a === null ? null : String(a * code.times);
    }
    case "part": {
      const text = evaluate(code.a, row);
      return typeof text === "string" ? partOf(text) : null;
    }
    case "join": {
      const texts = code.of.map((part) => evaluate(part, row));
      return texts.includes(null) ? null : texts.join(JOINT);
    }
    case "first":
      return code.of.reduce<CodeValue>((found, part) => found ?? evaluate(part, row), null);
  }
}

function compared(op: string, a: CodeValue, b: CodeValue): boolean {
  if (a === null || b === null) return false;
  switch (op) {
    case "=":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    default:
      return a >= b;
  }
}

/** As SQL computes it, in doubles: floor((x − lower)/step + ½) in 0 … steps [M84]. */
function positionOf(x: number, code: Code & { readonly do: "grid" }): bigint {
  const { lower, upper, step, steps } = code;
  if (code.scale !== undefined) {
    const { numerator: width } = rational(step.numerator * factorOf(code), step.denominator);
    const above = BigInt(Math.round(Math.min(upper, Math.max(lower, x)) * 10 ** code.scale)) - codeFrom(lower, code);
    return (2n * above + width) / (2n * width);
  }
  const isCoarse = step.numerator > step.denominator;
  const first = lower === 0 && isCoarse ? toDouble(step, "down") / 4 : lower;
  if (x <= first) return 0n;
  if (x >= upper) return steps;
  const above = lower === 0 ? x : x - lower;
  const inverse = toDouble({ numerator: step.denominator, denominator: step.numerator }, "down");
  const scaled = isCoarse
    ? above / toDouble(step, "down")
    : step.numerator < step.denominator
      ? above * inverse
      : above;
  const position = BigInt(Math.floor(scaled + 0.5));
  return position > steps ? steps : position;
}
