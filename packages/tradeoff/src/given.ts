import { invalid } from "@dosimeter/core";
import { leastAt, normalCdf } from "@dosimeter/core/internal";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { TOLERANCE } from "./points.ts";
import { invertingRates } from "./rate-search.ts";

export interface FunctionOptions {
  readonly label?: string;
  /** 1 − f(α), more accurate than the difference: the curve is then read down to α = 1e-300 instead of 1e-10. */
  readonly power?: (alpha: number) => number;
  readonly isSymmetric?: boolean;
  /** How far a value may be off by rounding; default 2⁻²⁶. */
  readonly tolerance?: number;
}

/**
 * A trade-off function from a program. It is checked at 383 α from 0 to 1, many near both ends: where it leaves [0, 1 −
 * α], rises, or is not convex, the error names the α and the size. Between these α it is trusted. Slopes and estimates
 * read it down to α = 1e-10, since doubles do not give 1 − f more accurately; with `power` they read it down to 1e-300.
 */
export function fromFunction(beta: (alpha: number) => number, options: FunctionOptions = {}): TradeoffFunction {
  if (typeof beta !== "function") invalid("function", beta, "a function of alpha");
  const { label = beta.name || "function", tolerance = TOLERANCE, isSymmetric = false } = options;
  checkValues(beta, tolerance);
  const power = options.power ?? ((alpha: number) => 1 - beta(alpha));
  return tradeoffFunction(
    numericShape({ beta, power, isSymmetric, smallestStep: options.power === undefined ? MIN_STEP : 0 }),
    { label, definition: { given: label } },
  );
}

const samples: readonly number[] = [
  0,
  ...Array.from({ length: 192 }, (_, i) => 10 ** (-24 + i / 8)),
  ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
  ...Array.from({ length: 92 }, (_, i) => 1 - 10 ** (-3 - i / 8)),
  1,
]
  .sort((a, b) => a - b)
  .filter((alpha, i, all) => alpha !== all[i - 1]);

function checkValues(beta: (alpha: number) => number, tolerance: number): void {
  let last: { readonly alpha: number; readonly beta: number } | undefined;
  let slope = Number.NEGATIVE_INFINITY;
  for (const alpha of samples) {
    const value = beta(alpha);
    const at = `beta(${alpha})`;
    if (typeof value !== "number" || !(value >= -tolerance && value <= 1 + tolerance))
      invalid(at, value, "a number in [0, 1]");
    const excess = value - (1 - alpha);
    if (excess > tolerance) invalid(at, value, `at most 1 - alpha; it is above by ${excess.toPrecision(3)}`);
    if (last !== undefined) {
      const rise = value - last.beta;
      if (rise > tolerance)
        invalid(at, value, `at most beta(${last.alpha}) = ${last.beta}; it rises by ${rise.toPrecision(3)}`);
      const next = rise / (alpha - last.alpha);
      const bend = (slope - next) * (alpha - last.alpha);
      if (bend > tolerance)
        invalid(at, value, `convex; it lies ${bend.toPrecision(3)} below the line of the values before it`);
      slope = next;
    }
    last = { alpha, beta: value };
  }
}

interface NumericCurve {
  readonly beta: (alpha: number) => number;
  readonly power: (alpha: number) => number;
  readonly isSymmetric: boolean;
  /** The function is neither read nor certified below this α. */
  readonly smallestStep: number;
}

/** Functions of β alone are read down to this α. */
const MIN_STEP = 1e-10;

/** A shape from values alone: slopes by differences, supports by search over the normal scale. */
function numericShape({ beta, power, isSymmetric, smallestStep }: NumericCurve): Shape {
  const clamped = (alpha: number) => Math.min(1 - alpha, Math.max(0, beta(alpha)));
  const logSlope = (alpha: number) => {
    if (alpha === 1) return Number.NEGATIVE_INFINITY;
    // 1 − β is known to 1e-16, so slopes near 0 need a step of at least this size.
    const step = alpha < 0.5 ? Math.max(alpha * 1e-5, smallestStep, 1e-305) : (1 - alpha) * 1e-5;
    const fall = alpha < 0.5 ? power(alpha + step) - power(alpha) : beta(alpha) - beta(alpha + step);
    return Math.log(Math.max(0, fall)) - Math.log(step);
  };
  const touch = (x: number) => {
    // ln of what a line of slope −e^x gains is unimodal over the normal scale of α.
    const gain = (z: number) => Math.exp(x) * normalCdf(z) - power(normalCdf(z));
    let [best, at] = [Math.min(0, -power(0)), Number.NEGATIVE_INFINITY];
    for (let z = -37; z <= 8; z += 0.5) {
      const value = gain(z);
      if (value < best) [best, at] = [value, z];
    }
    return at === Number.NEGATIVE_INFINITY ? 0 : normalCdf(leastAt(gain, at - 0.5, at + 0.5));
  };
  const rootBeta = (value: number) => invertingRates((alpha) => clamped(alpha) <= value);
  const shape: Shape = {
    isSymmetric,
    beta: clamped,
    power: (alpha) => Math.min(1, Math.max(alpha, power(alpha))),
    logSlope,
    divergence(x) {
      const alpha = touch(x);
      const end = -Math.expm1(x);
      return Math.min(1, Math.max(0, end, power(0), power(alpha) - Math.exp(x) * alpha));
    },
    touch,
    vertices: () => Array.from({ length: 101 }, (_, i) => ({ alpha: i / 100, beta: clamped(i / 100) })),
    invert: () => ({
      ...numericShape({ beta: rootBeta, power: (b) => 1 - rootBeta(b), isSymmetric, smallestStep: MIN_STEP }),
      invert: () => shape,
    }),
  };
  return shape;
}

/** Two samples of attack scores, higher meaning "the person is in the data": every threshold is a test [M68]. */
export function scorePoints(
  absent: readonly number[],
  present: readonly number[],
): readonly { readonly alpha: number; readonly beta: number }[] {
  const [out, inside] = [sortedScores(absent, "absent"), sortedScores(present, "present")];
  const points = [{ alpha: 0, beta: 1 }];
  let [i, j] = [out.length, inside.length];
  while (i > 0 || j > 0) {
    const threshold = Math.max(out[i - 1] ?? Number.NEGATIVE_INFINITY, inside[j - 1] ?? Number.NEGATIVE_INFINITY);
    while (i > 0 && (out[i - 1] ?? 0) >= threshold) i--;
    while (j > 0 && (inside[j - 1] ?? 0) >= threshold) j--;
    points.push({ alpha: (out.length - i) / out.length, beta: j / inside.length });
  }
  return points;
}

function sortedScores(scores: readonly number[], name: string): Float64Array {
  if (!Array.isArray(scores) || scores.length === 0) invalid(name, scores, "a list of scores");
  for (const [i, score] of scores.entries()) {
    if (typeof score !== "number" || Number.isNaN(score)) invalid(`${name}[${i}]`, score, "a number");
  }
  return Float64Array.from(scores).sort();
}
