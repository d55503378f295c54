import { halved, normalCdf, normalQuantileUpper } from "@dosimeter/core/internal";
import type { Noise, NoiseFamily } from "../plan/bounded.ts";
import { spread } from "./tail.ts";

/** Scales closer than this are drawn apart, upwards: the tail can only grow, by about as much [M90]. */
const APART = 1.02;
/** Below this share of the largest a scale is raised to it, for the same reason. */
const MIN = 1e-3;
/** With more terms than this the exact sum cancels: its characteristic function is inverted then. */
const MAX_EXACT = 4;
/** Below this share of the largest a scale is raised to it before an inversion, which is then short. */
const MIN_INVERTED = 0.05;
/** Chernoff's bound is at most this where the density is wrapped round. */
const WRAPPED = 1e-14;
/** The first factor of the characteristic function that is not summed. */
const LEFT_OUT = 1e-11;

/**
 * x with P(|Σ aᵢZᵢ| > x) ≤ failureProbability for independent noise Zᵢ of one kind, rounded up [M90]. Weights may have any
 * sign; 0 when all are 0.
 */
export function combinationHalfWidth(noise: Noise, weights: readonly number[], failureProbability: number): number {
  return roundingOf(noise.kind, weights) + spread(noise) * unitHalfWidth(noise.kind, weights, failureProbability);
}

/** An upper bound on P(|Σ aᵢZᵢ| > x). [M301] */
export function combinationTail(noise: Noise, weights: readonly number[], x: number): number {
  return unitTailOf(noise.kind, weights)(Math.max(0, x - roundingOf(noise.kind, weights)) / spread(noise));
}

/** How far integer noise can be from the real noise it rounds: 1 for Laplace (M87), ½ for a rounded Gaussian. */
const roundingOf = (kind: NoiseFamily, weights: readonly number[]): number =>
  weights.reduce((sum, weight) => sum + Math.abs(weight), 0) * (kind === "gaussian" ? 0.5 : 1);

/** As `combinationHalfWidth`, for real Laplace or normal variables of spread 1. */
export function unitHalfWidth(kind: NoiseFamily, weights: readonly number[], failureProbability: number): number {
  const largest = Math.max(0, ...weights.map(Math.abs));
  if (largest === 0) return 0;
  if (kind === "gaussian") return Math.hypot(...weights) * normalQuantileUpper(failureProbability / 2) * (1 + 1e-12);
  const tail = unitTailOf(kind, weights);
  let [low, high] = [0, largest];
  while (tail(high) > failureProbability) [low, high] = [high, 2 * high];
  return halved((x) => !(tail(x) > failureProbability), low, high, 50)[1] * (1 + 1e-9);
}

/** An upper bound on P(|Σ aᵢZᵢ| > x) for real Laplace or normal variables of spread 1. */
export const unitTail = (kind: NoiseFamily, weights: readonly number[], x: number): number =>
  unitTailOf(kind, weights)(x);

/** The tail of Σ aᵢZᵢ as a function of x: what depends on the weights alone is computed once. */
function unitTailOf(kind: NoiseFamily, weights: readonly number[]): (x: number) => number {
  const given = weights.map(Math.abs).filter((weight) => weight > 0);
  if (given.length === 0) return () => 0;
  if (kind === "gaussian") {
    const norm = Math.hypot(...given);
    return (x) => Math.min(1, 2 * normalCdf(-x / norm));
  }
  const largest = Math.max(...given);
  const scales = given.map((weight) => weight / largest);
  if (scales.length <= MAX_EXACT) {
    const distinct = separated(scales);
    return (x) => exactLaplaceTail(distinct, x / largest);
  }
  const inverted = invertedTail(scales.map((scale) => Math.max(scale, MIN_INVERTED)));
  return (x) => inverted(x / largest);
}

/** Each scale at least 2 % above the one before it, and none below a thousandth of the largest. */
function separated(scales: readonly number[]): readonly number[] {
  let before = 0;
  return scales
    .map((scale) => Math.max(scale, MIN))
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

/**
 * P(|W| > x) = 1 − xh/π − (2/π)Σ sin(khx)/k·φ(kh), φ(t) = Π 1/(1 + t²sᵢ²), for W wrapped round a circle of 2π/h. Added: what
 * wrapping hides, the terms left out, and the rounding of the sum. Chernoff's bound where that is more than a tail [M90].
 */
function invertedTail(scales: readonly number[]): (x: number) => number {
  // Chernoff's bound at t = 0.9 is WRAPPED here.
  const far = scales.reduce((sum, scale) => sum - Math.log1p(-0.81 * scale * scale), Math.log(2 / WRAPPED)) / 0.9;
  const h = Math.PI / far;
  const squares = scales.map((scale) => (scale * h) ** 2);
  const terms: number[] = [];
  let last = 1;
  while (last > LEFT_OUT) {
    const k = terms.length + 1;
    last = 1;
    for (const square of squares) last /= 1 + k * k * square;
    terms.push(last / k);
  }
  return (x) => {
    if (x >= far) return chernoffTail(scales, x);
    // sin(kθ) from the two before it.
    const twice = 2 * Math.cos(h * x);
    let [before, now, inside] = [0, Math.sin(h * x), 0];
    for (const term of terms) {
      inside += now * term;
      [before, now] = [now, twice * now - before];
    }
    const tail = Math.max(0, 1 - (x * h) / Math.PI - (2 / Math.PI) * inside) + 4 * LEFT_OUT;
    return tail > 100 * LEFT_OUT ? tail : Math.min(tail, chernoffTail(scales, x));
  };
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
