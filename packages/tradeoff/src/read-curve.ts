import { invalid, parseEvent, unboundedWork, type Work } from "@dosimeter/core";
import { asUpper, isRecord } from "@dosimeter/core/internal";
import { fromPair, staircase } from "./atomic.ts";
import { type Atom, atomsOf } from "./atoms.ts";
import { boundedRange } from "./bounded-range.ts";
import { checkRate } from "./check.ts";
import { compose, selfCompose } from "./compose.ts";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { maximum, minimum, symmetrise } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { group } from "./group.ts";
import { lap } from "./lap.ts";
import { mechanismCurve } from "./mechanism.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";
import { fromPoints, type PointsInput } from "./points.ts";
import { fromProfile, tangentAtoms } from "./profile.ts";
import { fromRenyi, zcdp } from "./renyi.ts";
import { subsample, subsampleOneWay } from "./subsample.ts";
import { truncatedLaplace } from "./truncated-laplace.ts";

/**
 * One of several mechanisms, picked at random, with the choice published: δ(x) = Σ wᵢ·δᵢ(x) [M74]. Exact for
 * piecewise-linear curves, a lower bound from 4,096 tangents each otherwise; a mechanism that keeps the choice secret
 * is at least as private.
 */
export function mixture(
  parts: readonly { readonly weight: number; readonly curve: TradeoffFunction }[],
): TradeoffFunction {
  if (!Array.isArray(parts) || parts.length === 0) invalid("parts", parts, "at least one curve with its weight");
  const total = parts.reduce((sum, { weight }, i) => sum + checkRate(weight, `parts[${i}].weight`), 0);
  if (Math.abs(total - 1) > 1e-9) invalid("weights", total, "numbers that sum to 1");
  const list: Atom[] = [];
  let [jump, rest] = [0, 0];
  for (const { weight, curve } of parts) {
    const atoms = tangentAtoms(curve, 4096);
    for (let i = 0; i < atoms.loss.length; i++) {
      list.push({
        loss: atoms.loss[i] ?? 0,
        p: (weight * (atoms.p[i] ?? 0)) / total,
        q: (weight * (atoms.q[i] ?? 0)) / total,
      });
    }
    jump += (weight * atoms.jump) / total;
    rest += (weight * atoms.rest) / total;
  }
  const isSymmetric = parts.every(({ curve }) => curve.isSymmetric && curve.atoms !== null);
  // Every part lies above the Gaussian of the greatest μ, hence so does every mixture of them.
  const gaussian = {
    mu: asUpper(
      parts.reduce((most, { curve }) => Math.max(most, curve.gaussian.mu), 0),
      "of bounds",
    ),
    isLeast: false,
  };
  const shape = { ...piecewise(atomsOf(list, jump, rest), { isSymmetric }), gaussian };
  return tradeoffFunction(shape, {
    label: parts.map(({ weight, curve }) => `${numberLabel(weight)} of ${curve.label}`).join(" or "),
    definition: { mixture: parts.map(({ weight, curve }) => [weight, curve.definition] as const) },
    isExact: parts.every(({ curve }) => curve.isExact && curve.atoms !== null),
  });
}

/** Where a value stands, and what the curve of it is counted on for as long as it is asked. */
interface Place {
  readonly depth: number;
  readonly work: Work;
}

type Read = (value: unknown, path: string, place: Place) => TradeoffFunction;

const MAX_DEPTH = 50;

/** Every form of a curve as plain data. A new one is one row. */
const forms = {
  epsdelta: (value, path) => epsdelta(...oneOrTwo(value, path)),
  gdp: (value, path) => gdp(number(value, path)),
  lap: (value, path) => lap(number(value, path)),
  points: (value) => fromPoints(value as PointsInput),
  compose: (value, path, place) => compose(curves(value, path, place), place.work),
  selfCompose: (value, path, place) => selfCompose(...sized(value, path, place), place.work),
  subsample: (value, path, place) => subsample(...sized(value, path, place)),
  subsampleOneWay: (value, path, place) => subsampleOneWay(...sized(value, path, place)),
  group: (value, path, place) => group(...sized(value, path, place)),
  mechanism: (value, path, { work }) => mechanismCurve(parseEvent(value, path), work),
  symmetrise: (value, path, place) => symmetrise(read(value, path, place)),
  inverse: (value, path, place) => read(value, path, place).inverted(),
  max: (value, path, place) => maximum(curves(value, path, place)),
  min: (value, path, place) => minimum(curves(value, path, place)),
  mixture: (value, path, place) =>
    mixture(
      list(value, path).map((part, i) => {
        const [weight, curve] = sized(part, `${path}[${i}]`, place);
        return { weight, curve };
      }),
    ),
  pair: (value, path) => {
    const [p, q] = list(value, path, 2);
    return fromPair(numbers(p, `${path}[0]`), numbers(q, `${path}[1]`));
  },
  staircase: (value, path) => staircase(...two(value, path)),
  truncatedLaplace: (value, path) => truncatedLaplace(...two(value, path)),
  boundedRange: (value, path) => boundedRange(number(value, path)),
  profile: (value, path) =>
    fromProfile(list(value, path).map((row, i) => named(two(row, `${path}[${i}]`), "epsilon", "delta"))),
  rdp: (value, path) =>
    fromRenyi(list(value, path).map((row, i) => named(two(row, `${path}[${i}]`), "order", "epsilon"))),
  zcdp: (value, path) => zcdp(number(value, path)),
} as const satisfies Record<string, Read>;

const curveForms: readonly string[] = Object.freeze(Object.keys(forms));

/** The curve that plain data describes: `{"gdp": 1}`, `{"compose": [{"lap": 1}, {"epsdelta": [1, 0.01]}]}`, …. */
export function readCurve(json: unknown, path = "curve", work: Work = unboundedWork): TradeoffFunction {
  return read(json, path, { depth: 0, work });
}

function read(json: unknown, path: string, { depth, work }: Place): TradeoffFunction {
  if (depth > MAX_DEPTH) invalid(path, "…", `nested at most ${MAX_DEPTH} deep`);
  if (!isRecord(json)) {
    invalid(path, json, `an object with one of ${curveForms.join(", ")}`);
  }
  const entries = Object.entries(json);
  const [entry] = entries;
  if (entries.length !== 1 || entry === undefined || !Object.hasOwn(forms, entry[0])) {
    invalid(path, json, `an object with exactly one of ${curveForms.join(", ")}`);
  }
  const [form, value] = entry;
  return (
    (forms as Readonly<Record<string, Read>>)[form]?.(value, `${path}.${form}`, { depth: depth + 1, work }) ??
    invalid(path, json, "a curve")
  );
}

const nonFinite: ReadonlyMap<unknown, number> = new Map([
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function number(value: unknown, path: string): number {
  const x = nonFinite.get(value) ?? value;
  return typeof x === "number" && !Number.isNaN(x) ? x : invalid(path, value, "a number");
}

function list(value: unknown, path: string, length?: number): readonly unknown[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    invalid(path, value, length === undefined ? "a list" : `a list of ${length}`);
  }
  return value;
}

const numbers = (value: unknown, path: string): readonly number[] =>
  list(value, path).map((x, i) => number(x, `${path}[${i}]`));

function two(value: unknown, path: string): readonly [number, number] {
  const [a, b] = list(value, path, 2);
  return [number(a, `${path}[0]`), number(b, `${path}[1]`)];
}

function oneOrTwo(value: unknown, path: string): readonly [number, number] {
  if (!Array.isArray(value)) return [number(value, path), 0];
  return value.length === 1 ? [number(value[0], `${path}[0]`), 0] : two(value, path);
}

function sized(value: unknown, path: string, place: Place): readonly [number, TradeoffFunction] {
  const [size, curve] = list(value, path, 2);
  return [number(size, `${path}[0]`), read(curve, `${path}[1]`, place)];
}

const curves = (value: unknown, path: string, place: Place): readonly TradeoffFunction[] =>
  list(value, path).map((curve, i) => read(curve, `${path}[${i}]`, place));

const named = <A extends string, B extends string>([a, b]: readonly [number, number], first: A, second: B) =>
  ({ [first]: a, [second]: b }) as Readonly<Record<A | B, number>>;
