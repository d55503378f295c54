import { pricedAt } from "../bind/pricing.ts";
import { unitsOf } from "../noise/noise-at.ts";
import type { BoundedStatistic, NoiseFamily } from "../plan/bounded.ts";

export const paidIn = ({ keys, noise }: BoundedStatistic): NoiseFamily => keys?.family ?? noise.kind;

export const paidUnits = ({ keys, noise }: BoundedStatistic): bigint => keys?.units ?? unitsOf(noise);

/** The same statistic at another price: ε units for Laplace noise, μ² units for Gaussian; null where it would select no group. */
export function repriced(statistic: BoundedStatistic, units: bigint): BoundedStatistic | null {
  const priced = pricedAt({ ...statistic, integers: 2 }, paidIn(statistic), units);
  return priced === null ? null : { ...statistic, ...priced };
}
