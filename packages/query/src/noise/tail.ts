import { gaussianAccuracy, laplaceAccuracy, toDouble } from "@dosimeter/core";
import { normalCdf, normalQuantileUpper } from "@dosimeter/core/internal";
import type { Noise, NoiseFamily } from "../plan/bounded.ts";

/** Scale of Laplace noise or σ of Gaussian noise, in ticks, rounded up. */
export const spread = (noise: Noise): number => toDouble(noise.kind === "laplace" ? noise.scale : noise.sigma, "up");

/** P(|N| > x) of a standard normal, kept in its small tail. */
const normalTail = (x: number): number => Math.min(1, 2 * normalCdf(-x));

/** Least whole k with P(|Z| > k) ≤ failureProbability for the integer noise Z [M85]. */
export const noiseHalfWidth = (noise: Noise, failureProbability: number): number =>
  noise.kind === "laplace"
    ? laplaceAccuracy(spread(noise), failureProbability)
    : gaussianAccuracy(spread(noise), failureProbability);

/** Around a noisy number of rows: no true one is below 0, and one that came out below stays inside. [M380] */
export const countInterval = (value: number, half: number): readonly [number, number] => [
  Math.min(value, Math.max(0, value - half)),
  Math.max(0, value + half),
];

/**
 * An upper bound on P(|(1−t)·Z1 − t·Z2| > x), 0 ≤ t ≤ 1, `width` a scale or σ [M87]. Discrete Laplace noise is within 1 of a real Laplace draw
 * of the same scale, rounded Gaussian noise within ½ of a real Gaussian one: hence the shift of x.
 */
export function pairTail(kind: NoiseFamily, width: number, t: number, x: number): number {
  if (kind === "gaussian") return normalTail(Math.max(0, x - 0.5) / (width * Math.hypot(1 - t, t)));
  const beyond = Math.max(0, x - 1);
  const p = (1 - t) * width;
  const q = t * width;
  if (Math.abs(p - q) < 1e-5 * width) {
    const middle = (p + q) / 2;
    return Math.min(1, (1 + beyond / (2 * middle)) * Math.exp(-beyond / middle));
  }
  const part = (scale: number): number => (scale === 0 ? 0 : scale * scale * Math.exp(-beyond / scale));
  return Math.min(1, (part(p) - part(q)) / (p * p - q * q));
}

/** x with P(|(1−t)·Z1 − t·Z2| > x) ≤ failureProbability whatever t is: the noise is widest at the ends of the range [M87]. */
export function pairHalfWidth(noise: Noise, failureProbability: number): number {
  const width = spread(noise);
  return noise.kind === "gaussian"
    ? width * normalQuantileUpper(failureProbability / 2) + 0.5
    : width * Math.log(1 / failureProbability) + 1;
}

/** x with P(|Z1 + Z2| > x) ≤ failureProbability: the noise of the number of rows, S1 + S2. */
export function sumHalfWidth(noise: Noise, failureProbability: number): number {
  const width = spread(noise);
  if (noise.kind === "gaussian") return width * Math.SQRT2 * normalQuantileUpper(failureProbability / 2) + 1;
  // (1 + u/2)·e^{−u} = failureProbability for u = x/λ: the tail is convex, so Newton climbs to the root from the left.
  let u = 0;
  for (let i = 0; i < 200; i++) {
    const step = ((1 + u / 2) * Math.exp(-u) - failureProbability) / ((0.5 + u / 2) * Math.exp(-u));
    if (!(step > 1e-14 * u)) break;
    u += step;
  }
  return width * u * (1 + 1e-12) + 2;
}
