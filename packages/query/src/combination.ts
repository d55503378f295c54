import { normalCdf, normalQuantileUpper } from "@dosimeter/core";
import type { Noise, NoiseFamily } from "./plan.ts";
import { spread } from "./tail.ts";

/** Scales closer than this are drawn apart, upwards: the tail can only grow, by about as much [M90]. */
const APART = 1.02;
/** Below this share of the largest a scale is raised to it, for the same reason. */
const LEAST = 1e-3;
/** With more terms than this the exact sum cancels: Chernoff's bound then. */
const MOST_EXACT = 4;

/**
 * x with P(|Σ aᵢZᵢ| > x) ≤ failureProbability for independent noise Zᵢ of one kind, rounded up [M90]. Weights may have any
 * sign; 0 when all are 0.
 */
export function combinationHalfWidth(noise: Noise, weights: readonly number[], failureProbability: number): number {
  return roundingOf(noise.kind, weights) + spread(noise) * unitHalfWidth(noise.kind, weights, failureProbability);
}

/** An upper bound on P(|Σ aᵢZᵢ| > x). */
export function combinationTail(noise: Noise, weights: readonly number[], x: number): number {
  return unitTail(noise.kind, weights, Math.max(0, x - roundingOf(noise.kind, weights)) / spread(noise));
}

/** How far integer noise can be from the real noise it rounds: 1 for Laplace (M87), ½ for a rounded Gaussian. */
const roundingOf = (kind: NoiseFamily, weights: readonly number[]): number =>
  weights.reduce((sum, weight) => sum + Math.abs(weight), 0) * (kind === "gaussian" ? 0.5 : 1);

/** As `combinationHalfWidth`, for real Laplace or normal variables of spread 1. */
export function unitHalfWidth(kind: NoiseFamily, weights: readonly number[], failureProbability: number): number {
  const largest = Math.max(0, ...weights.map(Math.abs));
  if (largest === 0) return 0;
  if (kind === "gaussian") return Math.hypot(...weights) * normalQuantileUpper(failureProbability / 2) * (1 + 1e-12);
  let [low, high] = [0, largest];
  while (unitTail(kind, weights, high) > failureProbability) [low, high] = [high, 2 * high];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (unitTail(kind, weights, middle) > failureProbability) low = middle;
    else high = middle;
  }
  return high * (1 + 1e-9);
}

function unitTail(kind: NoiseFamily, weights: readonly number[], x: number): number {
  const given = weights.map(Math.abs).filter((weight) => weight > 0);
  if (given.length === 0) return 0;
  if (kind === "gaussian") return Math.min(1, 2 * normalCdf(-x / Math.hypot(...given)));
  const largest = Math.max(...given);
  const scales = given.map((weight) => weight / largest);
  return scales.length > MOST_EXACT
    ? chernoffTail(scales, x / largest)
    : exactLaplaceTail(separated(scales), x / largest);
}

/** Each scale at least 2 % above the one before it, and none below a thousandth of the largest. */
function separated(scales: readonly number[]): readonly number[] {
  let before = 0;
  return scales
    .map((scale) => Math.max(scale, LEAST))
    .sort((a, b) => a - b)
    .map((scale) => {
      before = Math.max(scale, before * APART);
      return before;
    });
}

/** Real Laplace variables of distinct scales: P(|W| > x) = Σ wᵢ·e^(−x/sᵢ), wᵢ = Π sᵢ²/(sᵢ² − sⱼ²). */
function exactLaplaceTail(scales: readonly number[], x: number): number {
  const part = (scale: number): number =>
    scales.reduce(
      (product, other) => (other === scale ? product : (product * scale * scale) / (scale * scale - other * other)),
      Math.exp(-x / scale),
    );
  return Math.min(
    1,
    Math.max(
      0,
      scales.reduce((sum, scale) => sum + part(scale), 0),
    ),
  );
}

/** 2·e^(−tx)/Π(1 − t²sᵢ²), least over t in (0, 1) as all scales are at most 1. */
function chernoffTail(scales: readonly number[], x: number): number {
  const log = (t: number): number => scales.reduce((sum, scale) => sum - Math.log1p(-((t * scale) ** 2)), -t * x);
  let [low, high] = [0, 1 - 1e-9];
  for (let i = 0; i < 60; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (log(a) < log(b)) high = b;
    else low = a;
  }
  return Math.min(1, 2 * Math.exp(log((low + high) / 2)));
}
