import { type Calendar, invalid, type Rational, rational } from "@dosimeter/core";
import { multiply } from "@dosimeter/core/internal";
import type { Code } from "../declaration/code.ts";
import { type Formula, formulaText } from "../declaration/formula.ts";

/** A number is value = ticks · step, ticks in least … largest. */
export interface NumberNode {
  readonly type: "number";
  readonly code: Code;
  readonly step: Rational;
  readonly least: bigint;
  readonly largest: bigint;
  readonly nullable: boolean;
  /** Whether the values are few, equally spaced and used as labels. */
  readonly labels: boolean;
  /** Whether the values name years, as 1974 does. */
  readonly areYears?: true;
}

export interface TruthNode {
  readonly type: "boolean";
  readonly code: Code;
  readonly nullable: boolean;
}

export interface TextNode {
  readonly type: "text";
  readonly code: Code;
  /** All its possible values; null when they are not declared. */
  readonly values: readonly string[] | null;
  readonly nullable: boolean;
  /** The most stored texts that make up one value. */
  readonly stored: number;
}

/** A date: periods from 1970 on. */
export interface DateNode {
  readonly type: "date";
  readonly unit: Calendar;
  readonly code: Code;
  readonly least: bigint;
  readonly largest: bigint;
  readonly nullable: boolean;
}

/** A missing constant: `coalesce` and `if` take their type from another part. */
interface NothingNode {
  readonly type: "nothing";
  readonly code: Code;
  readonly nullable: true;
}

export type Node = NumberNode | DateNode | TruthNode | TextNode | NothingNode;

export type Lookup = (name: string, path: string) => Node;

/** The largest number of steps: a double holds it exactly, and its decimals are read back exactly. */
export const MAX = 10n ** 15n;

/** The largest intermediate number: the sum of two fits 64 bits. */
export const MAX_BETWEEN = 2n ** 61n;

export const MAX_PARTS = 1000;

export const size = (x: bigint): bigint => (x < 0n ? -x : x);

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const inverse = (a: Rational): Rational =>
  a.numerator < 0n ? rational(-a.denominator, -a.numerator) : rational(a.denominator, a.numerator);

export interface Place {
  readonly path: string;
  readonly formula: Formula;
}

export const number = (code: Code, step: Rational, least: bigint, largest: bigint, nullable: boolean): NumberNode => ({
  type: "number",
  code,
  step,
  least,
  largest,
  nullable,
  labels: false,
});

/** Clamps a number to the exact range; refuses one whose computation could overflow. */
export function fitted(node: NumberNode, { path, formula }: Place): NumberNode {
  if (size(node.least) > MAX_BETWEEN || size(node.largest) > MAX_BETWEEN)
    return invalid(path, formulaText(formula), "smaller, or on a coarser step: use clamp, floor or round");
  if (size(node.least) <= MAX && size(node.largest) <= MAX) return node;
  const least = larger(node.least, -MAX);
  const largest = smaller(node.largest, MAX);
  return { ...node, code: { do: "within", a: node.code, least, largest }, least, largest };
}

export const NOTHING: NothingNode = {
  type: "nothing",
  code: { do: "constant", value: null, type: "number" },
  nullable: true,
};

export function numberAt(node: Node | undefined, path: string): NumberNode {
  if (node?.type === "number") return node;
  return invalid(
    path,
    node?.type,
    node?.type === "date" ? "a number: year(…), month(…), or days between two dates" : "a number",
  );
}

export function truthAt(node: Node | undefined, path: string): Code {
  return node?.type === "boolean" ? node.code : invalid(path, node?.type, "true or false");
}

function greatestCommon(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** The numbers on one common step, the coarsest that holds each of them exactly. */
export function shared(nodes: readonly NumberNode[], place: Place): readonly NumberNode[] {
  const step = nodes
    .map((node) => node.step)
    .reduce((a, b) =>
      rational(greatestCommon(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator),
    );
  return nodes.map((node) => {
    const factor = multiply(node.step, inverse(step)).numerator;
    if (factor === 1n) return { ...node, labels: false };
    const [least, largest] = [node.least * factor, node.largest * factor];
    if (size(least) > MAX_BETWEEN || size(largest) > MAX_BETWEEN)
      return invalid(
        place.path,
        formulaText(place.formula),
        "numbers whose steps are not so far apart: use floor or round",
      );
    return number(by(node.code, factor), step, least, largest, node.nullable);
  });
}

export const by = (code: Code, factor: bigint): Code =>
  code.do === "constant" && typeof code.value === "bigint"
    ? { ...code, value: code.value * factor }
    : { do: "multiply", a: code, b: { do: "constant", value: factor, type: "number" } };

export function alike(nodes: readonly Node[], place: Place): readonly Node[] {
  const types = new Set(nodes.filter(({ type }) => type !== "nothing").map(({ type }) => type));
  const [type] = types;
  if (types.size !== 1 || type === undefined)
    return invalid(
      place.path,
      formulaText(place.formula),
      "parts of one type: all numbers, all dates, all texts or all truth values",
    );
  if (type === "date") return datesAlike(nodes, place);
  const given = nodes.map((node): Node => (node.type === "nothing" ? missing(type) : node));
  if (type !== "number") return given;
  const numbers = given.filter((node) => node.type === "number");
  const real = numbers.filter((node) => !isMissing(node));
  const common = shared(real, place);
  const [first] = common;
  let at = 0;
  return numbers.map((node) =>
    isMissing(node) && first !== undefined ? { ...first, code: node.code, nullable: true } : (common[at++] ?? node),
  );
}

/** Dates of one unit; a part that is always missing takes it. */
export function datesAlike(nodes: readonly Node[], place: Place): readonly DateNode[] {
  const dates = nodes.filter((node) => node.type === "date");
  const [first] = dates;
  if (first === undefined || dates.some(({ unit }) => unit !== first.unit))
    return invalid(
      place.path,
      formulaText(place.formula),
      `dates of one unit: ${[...new Set(dates.map(({ unit }) => unit))].join(", ")} differ`,
    );
  return nodes.map((node) => (node.type === "date" ? node : { ...first, code: node.code, nullable: true }));
}

const isMissing = ({ code }: Node): boolean => code.do === "constant" && code.value === null;

function missing(type: Exclude<Node["type"], "date">): Node {
  if (type === "boolean") return { type, code: { do: "constant", value: null, type }, nullable: true };
  if (type === "text")
    return { type, code: { do: "constant", value: null, type }, values: [], nullable: true, stored: 0 };
  return number({ do: "constant", value: null, type: "number" }, rational(1n), 0n, 0n, true);
}

export function merged(nodes: readonly Node[], code: Code, nullable: boolean): Node {
  const [first] = nodes;
  if (first?.type === "date") {
    const dates = nodes.filter((node) => node.type === "date");
    const [least, largest] = [
      dates.map((node) => node.least).reduce(smaller),
      dates.map((node) => node.largest).reduce(larger),
    ];
    return { ...first, code, least, largest, nullable };
  }
  if (first?.type === "number") {
    const numbers = nodes.filter((node) => node.type === "number");
    const least = numbers.map((node) => node.least).reduce(smaller);
    return number(code, first.step, least, numbers.map((node) => node.largest).reduce(larger), nullable);
  }
  if (first?.type === "text") {
    const texts = nodes.filter((node) => node.type === "text");
    const values = texts.some((node) => node.values === null)
      ? null
      : [...new Set(texts.flatMap((node) => node.values ?? []))];
    return { type: "text", code, values, nullable, stored: Math.max(...texts.map((node) => node.stored)) };
  }
  return { type: "boolean", code, nullable };
}
