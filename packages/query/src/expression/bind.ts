import { parseRational, type Rational, rational, toDouble } from "@dosimeter/core";
import { wanted } from "../declaration/check.ts";
import type { Column } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import { ticksOf } from "../plan/ticks.ts";
import { type Code, JOINT, partOf } from "./code.ts";
import { type Formula, formulaText, type Operation } from "./formula.ts";

/** A number is value = ticks · step, ticks in least … largest. */
export interface NumberNode {
  readonly type: "number";
  readonly code: Code;
  readonly step: Rational;
  readonly least: bigint;
  readonly largest: bigint;
  readonly nullable: boolean;
  /** A few values of equal distance, meant as labels. */
  readonly labels: boolean;
}
interface TruthNode {
  readonly type: "boolean";
  readonly code: Code;
  readonly nullable: boolean;
}
interface TextNode {
  readonly type: "text";
  readonly code: Code;
  /** All values it can take; null: not declared. */
  readonly values: readonly string[] | null;
  readonly nullable: boolean;
  /** How many stored texts, at most, one value is made of. */
  readonly stored: number;
}
/** `coalesce` and `if` take their type from another part. */
interface NothingNode {
  readonly type: "nothing";
  readonly code: Code;
  readonly nullable: true;
}
export type Node = NumberNode | TruthNode | TextNode | NothingNode;
type Lookup = (name: string, path: string) => Node;

/** Whole numbers of steps stay within it: exact as a double, and decimals of them are read back exactly. */
const MOST = 10n ** 15n;
/** Intermediate numbers stay within it: sums of two of them fit 64 bits. */
const MOST_BETWEEN = 2n ** 61n;
const DEEPEST = 32;
const MOST_PARTS = 1000;
const MOST_LABELS = 10_000;
const MOST_JOINED = 8;
/** Stored texts in one joined text, however it is nested: a row's letters are never multiplied by more. [M123] */
const MOST_STORED = 8;
/** Digits that division by a number whose inverse is no decimal keeps. */
const DIGITS = 6;

const size = (x: bigint): bigint => (x < 0n ? -x : x);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const times = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.numerator, a.denominator * b.denominator);
const inverse = (a: Rational): Rational =>
  a.numerator < 0n ? rational(-a.denominator, -a.numerator) : rational(a.denominator, a.numerator);

/** Gives a formula its meaning over declared columns: types, static bounds, total operations. Throws with the path of the fault. */
export function bindFormula(formula: Formula, lookup: Lookup, path: string, depth = 0): Node {
  if (depth > DEEPEST) return wanted(path, "deeper", `at most ${DEEPEST} levels deep`);
  if ("column" in formula) return lookup(formula.column, path);
  if ("value" in formula) return constant(formula.value, path);
  if (formula.of.length > MOST_PARTS) return wanted(path, formula.of.length, `at most ${MOST_PARTS} parts`);
  const parts = formula.of.map((part, index) => bindFormula(part, lookup, `${path}.of[${index}]`, depth + 1));
  return operate(formula.op, parts, { path, formula });
}

interface Place {
  readonly path: string;
  readonly formula: Formula;
}

function constant(value: Key, path: string): Node {
  if (typeof value === "boolean")
    return { type: "boolean", code: { do: "constant", value, type: "boolean" }, nullable: false };
  if (typeof value === "string") {
    const text = value.normalize("NFC");
    const code: Code = { do: "constant", value: text, type: "text" };
    return { type: "text", code, values: [text], nullable: false, stored: 0 };
  }
  if (!Number.isFinite(value)) return wanted(path, value, "a finite number");
  const exact = parseRational(value, path);
  const step = rational(1n, exact.denominator);
  if (size(exact.numerator) > MOST || exact.denominator > MOST) return wanted(path, value, "at most 15 digits");
  return number(
    { do: "constant", value: exact.numerator, type: "number" },
    step,
    exact.numerator,
    exact.numerator,
    false,
  );
}

const number = (code: Code, step: Rational, least: bigint, largest: bigint, nullable: boolean): NumberNode => ({
  type: "number",
  code,
  step,
  least,
  largest,
  nullable,
  labels: false,
});

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
      if (!numbers.every(Number.isSafeInteger) || numbers.length > MOST_PARTS)
        return wanted(path, name, `a category of at most ${MOST_PARTS} whole numbers, or of texts`);
      const sorted = numbers.toSorted((a, b) => a - b);
      const code: Code = { do: "member", column: name, values: sorted };
      const [least = 0, largest = 0] = [sorted[0], sorted.at(-1)];
      return fitted(number(code, rational(1n), BigInt(least), BigInt(largest), true), {
        path,
        formula: { column: name },
      });
    }
    case "integer":
    case "number": {
      const { lower, upper } = column;
      if (lower === undefined || upper === undefined)
        return wanted(path, name, "a column with declared bounds: numbers are clamped before anything is computed");
      if (column.type === "integer") {
        const code: Code = { do: "whole", column: name, lower, upper };
        return fitted(number(code, rational(1n), BigInt(lower), BigInt(upper), nullable), {
          path,
          formula: { column: name },
        });
      }
      const ticks = ticksOf({ lower, upper, granularity: column.granularity, integer: false }, path);
      const { step, first, steps } = ticks;
      const code: Code = { do: "grid", column: name, lower, upper, step, first, steps };
      return fitted(number(code, step, first, first + steps, nullable), { path, formula: { column: name } });
    }
  }
}

/** Clamped to what is exact everywhere; refused where it could not even be computed. */
function fitted(node: NumberNode, { path, formula }: Place): NumberNode {
  if (size(node.least) > MOST_BETWEEN || size(node.largest) > MOST_BETWEEN)
    return wanted(path, formulaText(formula), "smaller, or on a coarser step: use clamp, floor or round");
  if (size(node.least) <= MOST && size(node.largest) <= MOST) return node;
  const least = larger(node.least, -MOST);
  const largest = smaller(node.largest, MOST);
  return { ...node, code: { do: "within", a: node.code, least, largest }, least, largest };
}

function operate(op: Operation, parts: readonly Node[], place: Place): Node {
  const { path } = place;
  const count = (least: number, most: number): void => {
    if (parts.length < least || parts.length > most)
      wanted(path, parts.length, least === most ? `${least} parts for ${op}` : `${least} to ${most} parts for ${op}`);
  };
  const numeric = (index: number): NumberNode => numberAt(parts[index], `${path}.of[${index}]`);
  const fixed = (index: number): Rational => constantOf(numeric(index), `${path}.of[${index}]`);
  const truth = (index: number): Code => truthAt(parts[index], `${path}.of[${index}]`);
  switch (op) {
    case "+":
      count(2, MOST_PARTS);
      return parts.map((_, index) => numeric(index)).reduce((a, b) => plus(a, b, place));
    case "-":
      count(1, 2);
      return parts.length === 1
        ? scaled(numeric(0), rational(-1n), place)
        : plus(numeric(0), scaled(numeric(1), rational(-1n), place), place);
    case "*":
      count(2, MOST_PARTS);
      return parts.map((_, index) => numeric(index)).reduce((a, b) => product(a, b, place));
    case "/": {
      count(2, 2);
      const divisor = fixed(1);
      if (divisor.numerator === 0n) wanted(`${path}.of[1]`, 0, "a number other than 0");
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
      count(2, MOST_PARTS);
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
        wanted(`${path}.of[1]`, formulaText(place.formula), "a lower bound at most the upper one");
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
      count(2, MOST_PARTS);
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
      count(2, MOST_PARTS);
      const [first, ...values] = parts as readonly [Node, ...Node[]];
      const of = values.map((value, index) => {
        if (value.code.do !== "constant") wanted(`${path}.of[${index + 1}]`, formulaText(place.formula), "a constant");
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
      count(1, MOST_PARTS);
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
      count(1, MOST_PARTS);
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
      count(2, MOST_JOINED);
      return joined(parts, place);
  }
}

const NOTHING: NothingNode = { type: "nothing", code: { do: "constant", value: null, type: "number" }, nullable: true };

function numberAt(node: Node | undefined, path: string): NumberNode {
  if (node?.type === "number") return node;
  return wanted(path, node?.type, "a number");
}

function truthAt(node: Node | undefined, path: string): Code {
  return node?.type === "boolean" ? node.code : wanted(path, node?.type, "true or false");
}

function constantOf(node: NumberNode, path: string): Rational {
  if (node.least !== node.largest || node.nullable) return wanted(path, "a column", "a constant");
  return times(rational(node.least), node.step);
}

const positive = (value: Rational, path: string): Rational =>
  value.numerator > 0n ? value : wanted(path, toDouble(value, "down"), "a number > 0");

function greatestCommon(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** All on the coarsest step that holds every one exactly. */
function shared(nodes: readonly NumberNode[], place: Place): readonly NumberNode[] {
  const step = nodes
    .map((node) => node.step)
    .reduce((a, b) =>
      rational(greatestCommon(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator),
    );
  return nodes.map((node) => {
    const factor = times(node.step, inverse(step)).numerator;
    if (factor === 1n) return { ...node, labels: false };
    const [least, largest] = [node.least * factor, node.largest * factor];
    if (size(least) > MOST_BETWEEN || size(largest) > MOST_BETWEEN)
      return wanted(
        place.path,
        formulaText(place.formula),
        "numbers whose steps are not so far apart: use floor or round",
      );
    return number(by(node.code, factor), step, least, largest, node.nullable);
  });
}

const by = (code: Code, factor: bigint): Code =>
  code.do === "constant" && typeof code.value === "bigint"
    ? { ...code, value: code.value * factor }
    : { do: "multiply", a: code, b: { do: "constant", value: factor, type: "number" } };

function plus(left: NumberNode, right: NumberNode, place: Place): NumberNode {
  const [a, b] = shared([left, right], place) as [NumberNode, NumberNode];
  const code: Code = { do: "add", a: a.code, b: b.code };
  return fitted(number(code, a.step, a.least + b.least, a.largest + b.largest, a.nullable || b.nullable), place);
}

function product(a: NumberNode, b: NumberNode, place: Place): NumberNode {
  const corners = [a.least * b.least, a.least * b.largest, a.largest * b.least, a.largest * b.largest];
  const code: Code = { do: "multiply", a: a.code, b: b.code };
  const node = number(
    code,
    times(a.step, b.step),
    corners.reduce(smaller),
    corners.reduce(larger),
    a.nullable || b.nullable,
  );
  return decimal(fitted(node, place), place);
}

/** Times a constant: the step changes, the ticks do not. */
function scaled(node: NumberNode, factor: Rational, place: Place): NumberNode {
  if (factor.numerator === 0n)
    return { ...node, code: { do: "multiply", a: node.code, b: ZERO }, least: 0n, largest: 0n };
  const step = times(node.step, factor.numerator < 0n ? rational(-factor.numerator, factor.denominator) : factor);
  if (factor.numerator > 0n) return decimal({ ...node, step, labels: false }, place);
  const turned = number(by(node.code, -1n), step, -node.largest, -node.least, node.nullable);
  return decimal(turned, place);
}

const ZERO: Code = { do: "constant", value: 0n, type: "number" };

/** Steps are decimals: others are rounded to a grid at least a thousand times as fine as the step, or DIGITS of the range. */
function decimal(node: NumberNode, place: Place): NumberNode {
  let rest = node.step.denominator;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  if (rest === 1n && node.step.denominator <= MOST && node.step.numerator <= MOST) return node;
  const range = toDouble(times(rational(larger(1n, larger(size(node.least), size(node.largest)))), node.step), "up");
  const digits = Math.max(0, DIGITS - Math.floor(Math.log10(range)));
  return stepped({ ...node, labels: false }, rational(1n, 10n ** BigInt(Math.min(15, digits))), true, place);
}

/** Largest (nearest, halves up) multiple of the step at most the number. */
function stepped(node: NumberNode, step: Rational, nearest: boolean, place: Place): NumberNode {
  // ticks·node.step/step = ticks·p/q, with ½ added for the nearest.
  const { numerator: p, denominator: q } = times(node.step, inverse(step));
  const up = (ticks: bigint): bigint => (nearest ? 2n * ticks * p + q : ticks * p);
  const divisor = nearest ? 2n * q : q;
  const [least, largest] = [up(node.least), up(node.largest)];
  if (size(least) > MOST_BETWEEN || size(largest) > MOST_BETWEEN || divisor > MOST_BETWEEN)
    return wanted(place.path, formulaText(place.formula), "a step closer to that of the number, or a smaller number");
  let code = nearest ? by(node.code, 2n * p) : p === 1n ? node.code : by(node.code, p);
  if (nearest) code = { do: "add", a: code, b: { do: "constant", value: q, type: "number" } };
  if (divisor !== 1n) code = { do: "floor", a: code, by: divisor, least };
  return fitted(number(code, step, floorOf(least, divisor), floorOf(largest, divisor), node.nullable), place);
}

const floorOf = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b));

/** a/b to the nearest multiple of the step, halves away from 0; missing where b is 0. */
function ratio(a: NumberNode, b: NumberNode, step: Rational, place: Place): NumberNode {
  // ticks = a·(a.step/b.step/step)/b = a·p/(b·q)
  const { numerator: p, denominator: q } = times(times(a.step, inverse(b.step)), inverse(step));
  const widest = larger(size(a.least), size(a.largest));
  const lowest = b.least > 0n ? b.least : b.largest < 0n ? -b.largest : 1n;
  const [top, bottom] = [2n * widest * p, 2n * larger(size(b.least), size(b.largest)) * q];
  if (top > MOST_BETWEEN || bottom > MOST_BETWEEN)
    return wanted(place.path, formulaText(place.formula), "a coarser step, or smaller numbers");
  const most = widest === 0n ? 0n : (widest * p) / (lowest * q) + 1n;
  const code: Code = { do: "quotient", a: a.code, b: by(b.code, q), times: p };
  const isNegative = a.least < 0n || b.least < 0n;
  const nullable = a.nullable || b.nullable || (b.least <= 0n && b.largest >= 0n);
  return decimal(fitted(number(code, step, isNegative ? -most : 0n, most, nullable), place), place);
}

function within(node: NumberNode, least: bigint, largest: bigint): NumberNode {
  const clampTo = (x: bigint): bigint => larger(least, smaller(largest, x));
  return {
    ...node,
    code: { do: "within", a: node.code, least, largest },
    least: clampTo(node.least),
    largest: clampTo(node.largest),
  };
}

/** Missing when any is missing. */
function choose(op: "least" | "greatest", parts: readonly NumberNode[], place: Place, isSize: boolean): NumberNode {
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
    // Asked of required columns too: one that lacks a value all the same must not lead out of the bounds.
    const code: Code = { do: "if", condition: isMissing, yes: nothing, no: plain };
    const pick = op === "least" ? smaller : larger;
    const least = pick(a.least, b.least);
    return number(code, a.step, isSize ? larger(0n, least) : least, pick(a.largest, b.largest), nullable);
  });
}

function compare(
  op: Operation & ("=" | "!=" | "<" | "<=" | ">" | ">="),
  [left, right]: readonly [Node, Node],
  place: Place,
): TruthNode {
  const truth = (a: Code, b: Code): TruthNode => ({
    type: "boolean",
    code: { do: "compare", op, a, b },
    nullable: false,
  });
  if (left.type === "number" && right.type === "number") {
    const [a, b] = shared([left, right], place) as [NumberNode, NumberNode];
    return truth(a.code, b.code);
  }
  if (left.type !== right.type || left.type === "nothing")
    return wanted(place.path, formulaText(place.formula), "two numbers, two texts, or two truth values to compare");
  if (op !== "=" && op !== "!=") return wanted(place.path, op, "= or !=: only numbers have an order");
  return truth(left.code, right.code);
}

function alike(nodes: readonly Node[], place: Place): readonly Node[] {
  const types = new Set(nodes.filter(({ type }) => type !== "nothing").map(({ type }) => type));
  const [type] = types;
  if (types.size !== 1 || type === undefined)
    return wanted(
      place.path,
      formulaText(place.formula),
      "parts of one type: all numbers, all texts or all truth values",
    );
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

const isMissing = ({ code }: Node): boolean => code.do === "constant" && code.value === null;

function missing(type: "number" | "boolean" | "text" | "nothing"): Node {
  if (type === "boolean") return { type, code: { do: "constant", value: null, type }, nullable: true };
  if (type === "text")
    return { type, code: { do: "constant", value: null, type }, values: [], nullable: true, stored: 0 };
  return number({ do: "constant", value: null, type: "number" }, rational(1n), 0n, 0n, true);
}

function merged(nodes: readonly Node[], code: Code, nullable: boolean): Node {
  const [first] = nodes;
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

/** The index of the last edge at or below the number, as a text "18–29" or "[0.5, 1)"; all numbers are in one. */
function bucket(value: NumberNode, edges: readonly NumberNode[], place: Place): TextNode {
  const [node, ...starts] = shared([value, ...edges], place) as readonly [NumberNode, ...NumberNode[]];
  starts.forEach((edge, index) => {
    constantOf(edge, `${place.path}.of[${index + 1}]`);
    const before = starts[index - 1];
    if (before !== undefined && edge.least <= before.least)
      wanted(`${place.path}.of[${index + 1}]`, formulaText(place.formula), "edges in rising order");
  });
  const at = (edge: NumberNode): string =>
    String(Number(edge.least * edge.step.numerator) / Number(edge.step.denominator));
  const whole = node.step.denominator === 1n;
  const labels = starts.map((edge, index) => {
    const next = starts[index + 1];
    if (next === undefined) return `${at(edge)}+`;
    const last = { ...next, least: next.least - 1n };
    if (whole) return at(edge) === at(last) ? at(edge) : `${at(edge)}–${at(last)}`;
    return `[${at(edge)}, ${at(next)})`;
  });
  const values = [`under ${at(starts[0] ?? node)}`, ...labels];
  const text = (label: string): Code => ({ do: "constant", value: label, type: "text" });
  const code = starts.reduce<Code>(
    (rest, edge, index) => ({
      do: "if",
      condition: { do: "compare", op: ">=", a: node.code, b: edge.code },
      yes: text(labels[index] ?? ""),
      no: rest,
    }),
    text(values[0] ?? ""),
  );
  const whenMissing: Code = {
    do: "if",
    condition: { do: "missing", a: node.code },
    yes: { do: "constant", value: null, type: "text" },
    no: code,
  };
  return { type: "text", code: node.nullable ? whenMissing : code, values, nullable: node.nullable, stored: 0 };
}

/** map(column, from, to, from, to, …, otherwise): without the last one everything else is missing. */
function mapped(parts: readonly Node[], place: Place): Node {
  const { path } = place;
  const [value, ...rest] = parts;
  if (value === undefined || rest.length < 2)
    return wanted(path, parts.length, "a value and pairs of texts: map(region, 'a', 'north')");
  const pairs = Array.from(
    { length: Math.floor(rest.length / 2) },
    (_, index) => [rest[2 * index], rest[2 * index + 1]] as const,
  );
  const otherwise = rest.length % 2 === 1 ? rest.at(-1) : undefined;
  const results = alike([...pairs.map(([, to]) => to ?? NOTHING), otherwise ?? NOTHING], place);
  const last = results.at(-1) ?? NOTHING;
  const code = pairs.reduceRight<Code>((no, [from], index) => {
    if (from?.code.do !== "constant")
      return wanted(`${path}.of[${2 * index + 1}]`, formulaText(place.formula), "a constant");
    const condition = compare("=", [value, from], place).code;
    return { do: "if", condition, yes: results[index]?.code ?? last.code, no };
  }, last.code);
  return merged(
    results,
    code,
    results.some(({ nullable }) => nullable),
  );
}

/** Several values as one text: groups of several columns that are found together. Declared where all parts are, and few. */
function joined(parts: readonly Node[], place: Place): TextNode {
  const texts = parts.map((part, index) => asPart(part, `${place.path}.of[${index}]`));
  const stored = texts.reduce((sum, text) => sum + text.stored, 0);
  if (stored > MOST_STORED)
    wanted(
      place.path,
      formulaText(place.formula),
      `at most ${MOST_STORED} stored texts joined, those within parts too`,
    );
  const values = texts.reduce<readonly string[] | null>((heads, { values: tails }, index) => {
    if (heads === null || tails === null || heads.length * tails.length > MOST_PARTS) return null;
    return index === 0 ? tails : heads.flatMap((head) => tails.map((tail) => `${head}${JOINT}${tail}`));
  }, []);
  return {
    type: "text",
    code: { do: "join", of: texts.map(({ code }) => code) },
    values,
    nullable: texts.some(({ nullable }) => nullable),
    stored,
  };
}

/** Cut and without a bar that stands alone: different parts make different texts. */
function asPart(node: Node, path: string): TextNode {
  const { nullable } = node;
  switch (node.type) {
    case "text":
      return { ...node, code: { do: "part", a: node.code }, values: node.values?.map(partOf) ?? null };
    case "boolean": {
      const yes: Code = { do: "constant", value: "true", type: "text" };
      const no: Code = { do: "constant", value: "false", type: "text" };
      const code: Code = { do: "if", condition: node.code, yes, no };
      const none: Code = { do: "constant", value: null, type: "text" };
      const whole: Code = { do: "if", condition: { do: "missing", a: node.code }, yes: none, no: code };
      return { type: "text", code: nullable ? whole : code, values: ["false", "true"], nullable, stored: 0 };
    }
    case "number": {
      const { step, least, largest } = node;
      if (step.denominator !== 1n)
        return wanted(path, "a fraction", "a text, true or false, or whole numbers: use floor");
      const times = step.numerator;
      const count = largest - least + 1n;
      const values =
        count > BigInt(MOST_LABELS)
          ? null
          : Array.from({ length: Number(count) }, (_, at) => String((least + BigInt(at)) * times));
      return { type: "text", code: { do: "digits", a: node.code, times }, values, nullable, stored: 0 };
    }
    case "nothing":
      return wanted(path, "nothing", "a text, true or false, or a whole number");
  }
}

/** How the value stands among declared columns: what may be grouped, summed or filtered by it. */
export function columnOf(node: Node, path: string, provenance: Column["provenance"]): Column {
  const common = { ...(node.nullable ? {} : { required: true as const }), provenance };
  if (node.type === "nothing") return wanted(path, "nothing", "a number, a text or a truth value");
  if (node.type === "boolean") return { type: "boolean", ...common };
  if (node.type === "text") {
    if (node.values === null) return { type: "text", ...common };
    return { type: "category", categories: [...new Set(node.values)].filter((value) => value !== ""), ...common };
  }
  const { numerator, denominator } = node.step;
  // As SQL does it: correctly rounded, so equal to the decimal a person writes.
  const value = (ticks: bigint): number => Number(ticks * numerator) / Number(denominator);
  if (node.labels) {
    const count = node.largest - node.least + 1n;
    if (count > BigInt(MOST_LABELS))
      return wanted(path, String(count), `at most ${MOST_LABELS} different values: cut more coarsely`);
    const categories = Array.from({ length: Number(count) }, (_, index) => value(node.least + BigInt(index)));
    return { type: "category", categories, ...common };
  }
  const [lower, upper] = [value(node.least), value(node.largest)];
  // A constant has no range to clamp to: it gets one step of room.
  const bounds = { lower, upper: lower === upper ? value(node.largest + 1n) : upper };
  const granularity = value(1n);
  if (node.step.denominator === 1n)
    return { type: "integer", ...bounds, ...(granularity === 1 ? {} : { granularity }), ...common };
  return { type: "number", ...bounds, granularity, ...common };
}
