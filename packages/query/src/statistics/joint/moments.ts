import { boundaryBy } from "../../noise/boundary.ts";
import { combinationHalfWidth, combinationTail } from "../../noise/combination.ts";
import type { Noise } from "../../plan/bounded.ts";
import type { Design, Exponents } from "../../plan/task.ts";
import { formOf } from "./design.ts";

export interface Estimate {
  readonly value: number;
  readonly interval: readonly [number, number];
}

type Weights = readonly number[];
interface PairForms {
  readonly one: Weights;
  readonly x: Weights;
  readonly y: Weights;
  readonly xx: Weights;
  readonly xy: Weights;
  readonly yy: Weights;
}

/** For two columns scaled to [−1, 1] no variance is above 1 and no covariance outside ±1. */
export const MAX_COVARIANCE = 1;
/** The variance of values spread evenly over [−1, 1]. Quotes assume it when an error depends on the variance. */
export const EVEN_VARIANCE = 1 / 3;
const limit = boundaryBy(30);
/** Share of the failure probability for each nuisance parameter, whose error enters squared. */
const NUISANCE = 0.03;

export function pairForms(design: Design, x = 0, y = 1): PairForms {
  const at = (...columns: readonly number[]): Exponents =>
    design.axes.map((_, axis) => columns.filter((column) => column === axis).length);
  const form = (...columns: readonly number[]): Weights => formOf(design, at(...columns));
  return { one: form(), x: form(x), y: form(y), xx: form(x, x), xy: form(x, y), yy: form(y, y) };
}

const dot = (a: Weights, b: readonly number[]): number => a.reduce((sum, weight, i) => sum + weight * (b[i] ?? 0), 0);
const sum = (...parts: readonly (readonly [number, Weights])[]): Weights =>
  (parts[0]?.[1] ?? []).map((_, i) =>
    parts.reduce((total, [factor, weights]) => total + factor * (weights[i] ?? 0), 0),
  );

/** Weights of Σ(x − a)(y − b). */
const crossed = ({ one, x, y, xy }: PairForms, a: number, b: number): Weights =>
  sum([1, xy], [-a, y], [-b, x], [a * b, one]);
const squared = (one: Weights, x: Weights, xx: Weights, a: number): Weights => sum([1, xx], [-2 * a, x], [a * a, one]);

type Test = (weights: Weights, failure: number) => boolean;
const testOf =
  (s: readonly number[], noise: Noise): Test =>
  (weights, failure) =>
    combinationTail(noise, weights, Math.abs(dot(weights, s))) > failure;

const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value));

/** The means of a column that are not refuted: ends and middle. */
function meansOf(test: Test, one: Weights, x: Weights, s: readonly number[], failure: number): readonly number[] {
  const middle = clamp(dot(x, s) / dot(one, s), 1);
  const holds = (m: number): boolean => test(sum([1, x], [-m, one]), failure);
  return [limit(-1, middle, holds), middle, limit(1, middle, holds)];
}

/** The hull of the values that each nuisance value accepts around its own centre. */
function hullOf<T>(
  nuisances: readonly T[],
  most: number,
  centreOf: (nuisance: T) => number,
  accepted: (nuisance: T, value: number) => boolean,
): readonly [number, number] {
  let [least, largest] = [most, -most];
  for (const nuisance of nuisances) {
    const centre = clamp(centreOf(nuisance), most);
    if (!accepted(nuisance, centre)) continue;
    least = Math.min(
      least,
      limit(-most, centre, (value) => accepted(nuisance, value)),
    );
    largest = Math.max(
      largest,
      limit(most, centre, (value) => accepted(nuisance, value)),
    );
  }
  return least > largest ? [-most, most] : [least, largest];
}

const nothing = (most: number): Estimate => ({ value: 0, interval: [-most, most] });
const estimate = (value: number, [from, to]: readonly [number, number]): Estimate => ({
  value,
  interval: [Math.min(from, value), Math.max(to, value)],
});

/**
 * Covariance, in units of the columns scaled to [−1, 1]: {c : means a, b that the integers do not refute leave
 * Σ(x − a)(y − b) − c not refuted}, means at 3 % of the failure probability each [M121].
 */
export function readCovariance(
  s: readonly number[],
  design: Design,
  noise: Noise,
  failureProbability: number,
): Estimate {
  const forms = pairForms(design);
  const total = dot(forms.one, s);
  if (!(total > 0)) return nothing(MAX_COVARIANCE);
  const test = testOf(s, noise);
  const pairs = pairsOf(test, forms, s, failureProbability);
  const value = dot(crossed(forms, dot(forms.x, s) / total, dot(forms.y, s) / total), s) / total;
  const left = (1 - 2 * NUISANCE) * failureProbability;
  const interval = hullOf(
    pairs,
    MAX_COVARIANCE,
    ([a, b]) => dot(crossed(forms, a, b), s) / total,
    ([a, b], c) => test(sum([1, crossed(forms, a, b)], [-c, forms.one]), left),
  );
  return estimate(clamp(value, MAX_COVARIANCE), interval);
}

function pairsOf(
  test: Test,
  { one, x, y }: PairForms,
  s: readonly number[],
  failureProbability: number,
): readonly (readonly [number, number])[] {
  const [a1, a, a2] = meansOf(test, one, x, s, NUISANCE * failureProbability) as [number, number, number];
  const [b1, b, b2] = meansOf(test, one, y, s, NUISANCE * failureProbability) as [number, number, number];
  return [
    [a, b],
    [a1, b1],
    [a1, b2],
    [a2, b1],
    [a2, b2],
  ];
}

/** Correlation: Σ(x − a)(y − b) − r·½(l(x − a)² + (y − b)²/l) is 0 at the true means, ratio l of the deviations, and r [M121]. */
export function readCorrelation(
  s: readonly number[],
  design: Design,
  noise: Noise,
  failureProbability: number,
): Estimate {
  const forms = pairForms(design);
  const { one, x, y, xx, yy } = forms;
  const total = dot(one, s);
  if (!(total > 0)) return nothing(1);
  const test = testOf(s, noise);
  const variances = (a: number, b: number): [number, number] => [
    dot(squared(one, x, xx, a), s) / total,
    dot(squared(one, y, yy, b), s) / total,
  ];
  const [meanX, meanY] = [dot(x, s) / total, dot(y, s) / total];
  const [varianceX, varianceY] = variances(meanX, meanY);
  if (!(varianceX > 0 && varianceY > 0)) return nothing(1);
  const value = clamp(dot(crossed(forms, meanX, meanY), s) / total / Math.sqrt(varianceX * varianceY), 1);
  const pairs = pairsOf(test, forms, s, failureProbability);
  const middle = varianceY / varianceX;
  const ratioHolds = (share: number): boolean => {
    // The ratio as the tangent of an angle, so that 0 and infinity are ordinary ends.
    const [cos, sin] = [Math.cos(share), Math.sin(share)];
    return pairs.some(([a, b]) =>
      test(sum([cos, squared(one, y, yy, b)], [-sin, squared(one, x, xx, a)]), NUISANCE * failureProbability),
    );
  };
  const at = Math.atan(middle);
  const [low, high] = [limit(0, at, ratioHolds), limit(Math.PI / 2, at, ratioHolds)];
  if (low <= 0 || high >= Math.PI / 2) return { value, interval: [-1, 1] };
  const ratios = [low, at, high].map((share) => Math.sqrt(Math.tan(share)));
  const scale = (a: number, b: number, ratio: number): Weights =>
    sum([ratio / 2, squared(one, x, xx, a)], [1 / (2 * ratio), squared(one, y, yy, b)]);
  const left = (1 - 3 * NUISANCE) * failureProbability;
  const interval = hullOf(
    pairs.flatMap((pair) => ratios.map((ratio) => [pair, ratio] as const)),
    1,
    ([[a, b], ratio]) => dot(crossed(forms, a, b), s) / dot(scale(a, b, ratio), s),
    ([[a, b], ratio], r) => test(sum([1, crossed(forms, a, b)], [-r, scale(a, b, ratio)]), left),
  );
  return estimate(value, interval);
}

/**
 * Slope of the first column (y) on the second (x), after Fieller: Σ(x − a)(y − bx) is 0 at the true mean a and slope b [M121]. At most `most` in size: no slope
 * between points of the grid is steeper.
 */
export function readSlope(
  s: readonly number[],
  design: Design,
  noise: Noise,
  failureProbability: number,
  most: number,
): Estimate {
  const { one, x, y, xx, xy } = pairForms(design, 1, 0);
  const total = dot(one, s);
  if (!(total > 0)) return nothing(most);
  const test = testOf(s, noise);
  const means = meansOf(test, one, x, s, NUISANCE * failureProbability);
  const left = (1 - NUISANCE) * failureProbability;
  const cross = (a: number): Weights => sum([1, xy], [-a, y]);
  const square = (a: number): Weights => sum([1, xx], [-a, x]);
  const centreOf = (a: number): number => dot(cross(a), s) / dot(square(a), s);
  const middle = means[1] ?? 0;
  if (!(dot(square(middle), s) > 0)) return nothing(most);
  const interval = hullOf(means, most, centreOf, (a, b) => test(sum([1, cross(a)], [-b, square(a)]), left));
  return estimate(clamp(centreOf(middle), most), interval);
}

/** Half-widths known before there is data, of columns scaled to [−1, 1], for `rows` rows [M121]. */
export function covarianceHalfWidth(design: Design, noise: Noise, rows: number, failureProbability: number): number {
  const forms = pairForms(design);
  const fewest = rows - combinationHalfWidth(noise, forms.one, 0.2 * failureProbability);
  if (!(fewest > 0)) return MAX_COVARIANCE;
  const ends = [-1, 1];
  const widest = Math.max(
    ...ends.flatMap((b) =>
      ends.map((c) =>
        combinationHalfWidth(noise, sum([1, crossed(forms, 1, b)], [-c, forms.one]), 0.7 * failureProbability),
      ),
    ),
  );
  const mean = (x: Weights): number =>
    combinationHalfWidth(noise, sum([1, x], [1, forms.one]), 0.05 * failureProbability) / fewest;
  return Math.min(MAX_COVARIANCE, widest / fewest + mean(forms.x) * mean(forms.y));
}

/** Half-width of a correlation whose columns are spread evenly over their bounds: the widest over r in [−1, 1]. */
export function correlationHalfWidth(design: Design, noise: Noise, rows: number, failureProbability: number): number {
  const forms = pairForms(design);
  const scale = sum([0.5, forms.xx], [0.5, forms.yy]);
  return ratioHalfWidth(noise, rows, failureProbability, 1, (r) => sum([1, forms.xy], [-r, scale]), scale);
}

/** Half-width of a slope within ±1 on columns spread evenly over their bounds. */
export function slopeHalfWidth(
  design: Design,
  noise: Noise,
  rows: number,
  failureProbability: number,
  most: number,
): number {
  const forms = pairForms(design, 1, 0);
  return ratioHalfWidth(noise, rows, failureProbability, most, (b) => sum([1, forms.xy], [-b, forms.xx]), forms.xx);
}

/** |numerator − t·denominator| ≤ x gives |t̂ − t| ≤ x over the denominator less its own noise. */
function ratioHalfWidth(
  noise: Noise,
  rows: number,
  failureProbability: number,
  most: number,
  weights: (value: number) => Weights,
  denominator: Weights,
): number {
  const least = EVEN_VARIANCE * rows - combinationHalfWidth(noise, denominator, 0.1 * failureProbability);
  if (!(least > 0)) return most;
  const widest = Math.max(
    ...[-1, 0, 1].map((value) => combinationHalfWidth(noise, weights(value), 0.9 * failureProbability)),
  );
  return Math.min(most, widest / least);
}
