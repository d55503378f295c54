import { normalQuantile } from "@dosimeter/core/internal";

/**
 * A guess of the distribution, made without the data: log-normal through a typical value and one that 1 % of values
 * exceed.
 */
export interface Guess {
  readonly typical: number;
  readonly topPercent: number;
}

/** The effect of an upper bound on a mean: the bias of clipping, and the noise that grows with the bound. */
export interface ClippingPoint {
  readonly upper: number;
  /** The average amount that clipping cuts off, a positive number in the column's unit. */
  readonly bias: number;
  readonly noise: number;
}

/** z with P(Z > z) = 1 %. */
const TOP = 2.3263478740408408;

/** E[max(X − u, 0)] of the log-normal that the guess gives. */
export function cutOff({ typical, topPercent }: Guess, upper: number, normalCdf: (x: number) => number): number {
  const sigma = Math.log(topPercent / typical) / TOP;
  const depth = (Math.log(typical / upper) + sigma * sigma) / sigma;
  return typical * Math.exp((sigma * sigma) / 2) * normalCdf(depth) - upper * normalCdf(depth - sigma);
}

/** Bias and noise at 40 bounds, evenly spaced by ratio around the guess; `noisePerUnit` is the error per unit of upper bound. */
export function clippingCurve(
  guess: Guess,
  noisePerUnit: number,
  normalCdf: (x: number) => number,
): readonly ClippingPoint[] {
  const [low, high] = [guess.typical / 2, guess.topPercent * 4];
  return Array.from({ length: 41 }, (_, step) => {
    const upper = low * (high / low) ** (step / 40);
    return { upper, bias: Math.max(0, cutOff(guess, upper, normalCdf)), noise: noisePerUnit * upper };
  });
}

/** Bias and noise at 40 bounds for values from a public source. */
export function clippingOf(values: readonly number[], noisePerUnit: number): readonly ClippingPoint[] {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.max(sorted[Math.floor(sorted.length / 2)] ?? 0, (sorted.at(-1) ?? 0) / 1000);
  const [low, high] = [middle / 2, (sorted.at(-1) ?? 0) * 2];
  if (!(low > 0)) return [];
  return Array.from({ length: 41 }, (_, step) => {
    const upper = low * (high / low) ** (step / 40);
    return { upper, bias: cutOffOf(sorted, upper), noise: noisePerUnit * upper };
  });
}

/** The same for public values, without a guess. */
export const cutOffOf = (values: readonly number[], upper: number): number =>
  values.reduce((sum, value) => sum + Math.max(0, value - upper), 0) / Math.max(1, values.length);

/**
 * The quantile function of an answer's error: the offset below which the answer falls with a given probability, from
 * its half-width at `confidence`. It has the shape of one integer's noise, which is exact for one integer and
 * approximate for several.
 */
export function noiseSpread(
  kind: "laplace" | "gaussian" | "selection",
  { halfWidth, confidence }: { readonly halfWidth: number; readonly confidence: number },
): (share: number) => number {
  const unit = kind === "gaussian" ? normalQuantile : laplaceQuantile;
  const scale = halfWidth / unit((1 + confidence) / 2);
  return (share) => scale * unit(share);
}

const laplaceQuantile = (share: number): number =>
  share < 0.5 ? Math.log(2 * share) : share === 0.5 ? 0 : -Math.log(2 * (1 - share));
