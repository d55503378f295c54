import { formatEpsilon, formatMu2, type Mu2Amount } from "@dosimeter/core";
import { type Cost, gaussianNoise } from "@dosimeter/query/noise";
import type { BoundedStatistic } from "@dosimeter/query/plan";
import type { Earlier, Pool } from "./earlier.ts";

/** Gaussian draws of one statistic, each weighted by its μ²: precisions add up, and so do their prices [M146]. */
export function pooled(draws: readonly Earlier[]): Pool | null {
  const gaussian = draws.filter(({ statistic }) => statistic.noise.kind === "gaussian");
  const [first] = gaussian;
  const all = gaussian.reduce((sum, source) => sum + precisionOf(source), 0n);
  if (first === undefined || all === 0n) return null;
  return {
    statistic: first.statistic,
    draws: gaussian.map((source) => ({ source, weight: Number(precisionOf(source)) / Number(all) })),
  };
}

/** μ² in ledger units: 1/variance, in units of the sensitivity. */
const precisionOf = ({ statistic: { noise } }: Pick<Earlier, "statistic">): bigint =>
  noise.kind === "gaussian" ? noise.mu2 : 0n;

export const poolPrecision = ({ draws }: Pool): bigint =>
  draws.reduce((sum, { source }) => sum + precisionOf(source), 0n);

export interface TopUp {
  readonly rho: string;
  readonly cost: Cost;
  /** The statistic, priced at the difference. */
  readonly fresh: BoundedStatistic;
}

/**
 * The price of a fresh draw that makes the draw and the pool together as accurate as `wanted`: exactly the difference
 * of the two μ². Null for Laplace noise, whose precisions do not add up, and when the pool is accurate enough.
 */
export function topUp(wanted: BoundedStatistic, pool: Pool): TopUp | null {
  const { noise } = wanted;
  if (noise.kind !== "gaussian") return null;
  const missing = noise.mu2 - poolPrecision(pool);
  if (missing < 2n) return null;
  // ρ is half of μ², in the same units: an odd rest is rounded up, towards more accuracy and more cost.
  const rho = (missing + 1n) / 2n;
  const mu2 = (2n * rho) as Mu2Amount;
  const amount = formatEpsilon(rho);
  return {
    rho: amount,
    cost: { rho: amount, muSquared: formatMu2(mu2) },
    fresh: { ...wanted, noise: gaussianNoise(mu2, wanted.sensitivity) },
  };
}
