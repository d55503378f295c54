import { normalQuantileUpper } from "@dosimeter/core/internal";

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

/** Parts of the failure probability for what rounding adds. */
const SHARES = [1e-1, 1e-2, 1e-3] as const;

/** x with P(|Σ wᵢRᵢ| > x) ≤ failureProbability, rounded up [M376]. */
export function roundedHalfWidth({ normal, whole, rounding }: RoundedNoise, failureProbability: number): number {
  const moments = (variance: number, chance: number): number => Math.sqrt(2 * variance * Math.log(2 / chance));
  const split = SHARES.map(
    (share) =>
      Math.sqrt(normal) * normalQuantileUpper(((1 - share) * failureProbability) / 2) +
      moments(rounding, share * failureProbability),
  );
  return Math.min(moments(whole, failureProbability), ...split) * (1 + 1e-12);
}
