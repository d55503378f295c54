import { normalCdf, normalQuantileUpper } from "@dosimeter/core/internal";

/** Σ w²σ² of rounded Gaussian noise, of normal noise with moments that are no smaller, and of what rounding adds [M376]. */
export interface RoundedNoise {
  readonly normal: number;
  readonly whole: number;
  readonly rounding: number;
}

/** Σ wᵢRᵢ of draws with one σ, with Σ wᵢ² = `squares`. */
export const roundedNoise = (sigma: number, squares: number): RoundedNoise => ({
  normal: squares * sigma ** 2,
  whole: squares * (Math.max(sigma, 1 / 2) ** 2 + 1 / 10),
  rounding: squares / 12,
});

export const sumOfRounded = (parts: readonly RoundedNoise[]): RoundedNoise =>
  parts.reduce(
    (sum, { normal, whole, rounding }) => ({
      ...{ normal: sum.normal + normal, whole: sum.whole + whole, rounding: sum.rounding + rounding },
    }),
    { normal: 0, whole: 0, rounding: 0 },
  );

/** Parts of the failure probability for what rounding adds. */
const SHARES = [1e-1, 1e-2, 1e-3] as const;

/** x at which sub-Gaussian noise of a variance is further off with at most a chance. */
const moments = (variance: number, chance: number): number => Math.sqrt(2 * variance * Math.log(2 / chance));

/** x with P(|Σ wᵢRᵢ| > x) ≤ failureProbability, rounded up [M376]. */
export function roundedHalfWidth({ normal, whole, rounding }: RoundedNoise, failureProbability: number): number {
  const split = SHARES.map(
    (share) =>
      Math.sqrt(normal) * normalQuantileUpper(((1 - share) * failureProbability) / 2) +
      moments(rounding, share * failureProbability),
  );
  return Math.min(moments(whole, failureProbability), ...split) * (1 + 1e-12);
}

/** An upper bound on P(|Σ wᵢRᵢ| > x) [M376]. */
export function roundedTail({ normal, whole, rounding }: RoundedNoise, x: number): number {
  const chance = Math.min(1, 2 * Math.exp(-(x ** 2) / (2 * whole)));
  if (chance < Number.MIN_VALUE * 1e4) return chance;
  const split = SHARES.map((share) => {
    const beyond = Math.max(0, x - moments(rounding, share * chance));
    return share * chance + 2 * normalCdf(-beyond / Math.sqrt(normal));
  });
  return Math.min(chance, ...split) * (1 + 1e-12);
}
