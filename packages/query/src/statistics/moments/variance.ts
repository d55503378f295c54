import { boundaryBy } from "../../noise/boundary.ts";
import { combinationHalfWidth, combinationTail } from "../../noise/combination.ts";
import type { Noise } from "../../plan/bounded.ts";

/** A variance of values in [0, 1] is at most this. */
export const MAX_VARIANCE = 1 / 4;

export interface VarianceReading {
  /** Mean of (y − ȳ)² for y in [0, 1]. */
  readonly value: number;
  readonly interval: readonly [number, number];
}

const GRID = 64;
const STEPS = 12;
const limit = boundaryBy(40);
/** Share of the failure probability for the mean, whose error enters squared. */
const MEAN_SHARE = 0.1;

/** Weights of the released integers: the sums of 1, y and y² over all rows, y in [0, 1], in integers per row. */
export interface SquareForms {
  readonly one: readonly number[];
  readonly y: readonly number[];
  readonly yy: readonly number[];
}

/** Released: Σ((1−y)², 2y(1−y), y²). */
export const bernsteinForms: SquareForms = { one: [1, 1, 1], y: [0, 0.5, 1], yy: [0, 0, 1] };

/** Weights of n, Σu and Σ(2u² − 1), u = 2y − 1, in the released triple [M119]. */
export const CHEBYSHEV = [5n, 5n, 4n] as const;
/** Released: 5n, 5Σu, 4Σ(2u² − 1), in integers per row. */
export const chebyshevForms: SquareForms = {
  one: [1 / 5, 0, 0],
  y: [1 / 10, 1 / 10, 0],
  yy: [3 / 40, 1 / 10, 1 / 32],
};

/** The triple that is released under a kind of noise. */
export const squareForms = ({ noise }: { readonly noise: Noise }): SquareForms =>
  noise.kind === "gaussian" ? chebyshevForms : bernsteinForms;

/** Weights of Σ((y − m)² − v). */
export const squareWeights = ({ one, y, yy }: SquareForms, m: number, v: number): readonly number[] =>
  one.map((weight, i) => (yy[i] ?? 0) - 2 * m * (y[i] ?? 0) + (m * m - v) * weight);

/**
 * Variance of values in [0, 1] from noisy sums. The interval is {v : a mean m that S does not refute has
 * P(|Σ(cᵢ(m) − v)Zᵢ| ≥ |Σ(cᵢ(m) − v)Sᵢ|) > β}: at the true m and v both sums are noise alone [M91, M119].
 */
export function readVariance(
  s: readonly number[],
  noise: Noise,
  failureProbability: number,
  forms: SquareForms = bernsteinForms,
): VarianceReading {
  const total = dot(forms.one, s);
  if (!(total > 0)) return { value: MAX_VARIANCE / 2, interval: [0, MAX_VARIANCE] };
  const mean = dot(forms.y, s) / total;
  const value = clamp(dot(forms.yy, s) / total - mean * mean, MAX_VARIANCE);
  const notRefuted = (weights: readonly number[], failure: number): boolean =>
    combinationTail(noise, weights, Math.abs(dot(weights, s))) > failure;
  const meanHolds = (m: number): boolean =>
    notRefuted(
      forms.y.map((weight, i) => weight - m * (forms.one[i] ?? 0)),
      MEAN_SHARE * failureProbability,
    );
  const holds = (m: number, v: number): boolean =>
    notRefuted(squareWeights(forms, m, v), (1 - MEAN_SHARE) * failureProbability);
  const centre = (m: number): number => dot(squareWeights(forms, m, 0), s) / total;
  return notRefutedVariances({ mean, value, meanHolds, holds, centre });
}

export interface Refuting {
  readonly mean: number;
  readonly value: number;
  /** Whether the noise does not refute this mean. */
  meanHolds(m: number): boolean;
  /** Whether it does not refute this variance at this mean. */
  holds(m: number, v: number): boolean;
  /** The variance at this mean that the noise refutes last. */
  centre(m: number): number;
}

/** Every variance of values in [0, 1] that is not refuted at some mean that is not refuted itself. [M91] */
export function notRefutedVariances({ mean, value, meanHolds, holds, centre }: Refuting): VarianceReading {
  const nearest = clamp(mean, 1);
  const grid = Array.from({ length: GRID + 1 }, (_, i) => i / GRID).filter(meanHolds);
  const from = limit(Math.max(0, Math.min(nearest, ...grid) - 1 / GRID), nearest, meanHolds);
  const to = limit(Math.min(1, Math.max(nearest, ...grid) + 1 / GRID), nearest, meanHolds);
  const means = [nearest, ...Array.from({ length: STEPS + 1 }, (_, i) => from + ((to - from) * i) / STEPS)];
  let [least, most] = [MAX_VARIANCE, 0];
  for (const m of means) {
    const inside = clamp(centre(m), MAX_VARIANCE);
    if (!holds(m, inside)) continue;
    least = Math.min(
      least,
      limit(0, inside, (v) => holds(m, v)),
    );
    most = Math.max(
      most,
      limit(MAX_VARIANCE, inside, (v) => holds(m, v)),
    );
  }
  // Between two means of the grid the centre moves by the square of half their distance.
  const gap = ((to - from) / STEPS / 2) ** 2;
  if (least > most) return { value, interval: [0, MAX_VARIANCE] };
  const interval = [
    Math.max(0, Math.min(least - gap, value)),
    Math.min(MAX_VARIANCE, Math.max(most + gap, value)),
  ] as const;
  return { value, interval };
}

/** Half-width of the released variance of values in [0, 1], from `total` = n·perRow; at most ¼. [M91, M119] [M322] */
export function varianceHalfWidth(
  noise: Noise,
  total: number,
  failureProbability: number,
  forms: SquareForms = bernsteinForms,
): number {
  const fewest = total - combinationHalfWidth(noise, forms.one, 0.2 * failureProbability);
  if (!(fewest > 0)) return MAX_VARIANCE;
  // Noise is widest at an end of the range, where all values are equal.
  const widest = squareWeights(forms, 1, 0);
  const ends = [forms.y, forms.y.map((weight, i) => weight - (forms.one[i] ?? 0))];
  const square = combinationHalfWidth(noise, widest, 0.8 * failureProbability) / fewest;
  const mean = Math.max(...ends.map((end) => combinationHalfWidth(noise, end, 0.1 * failureProbability))) / fewest;
  return Math.min(MAX_VARIANCE, square + mean * mean);
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
