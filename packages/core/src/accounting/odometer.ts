import { basicEpsilon } from "./basic.ts";
import { odometerGrid } from "./orders.ts";
import { renyiTotalOf } from "./rdp.ts";
import { enlarge } from "./rounding.ts";
import { type Spends, slackDelta } from "./spends.ts";

/**
 * An ε that holds at δ at every moment at once, however queries and their parameters were chosen after earlier answers:
 * min over λ of K(λ)/λ + ln(1/(wδ′))/λ, and never above Σεᵢ [M51]. Infinity where δ is at most the mass already given up.
 */
export function odometerEpsilon(spends: Spends, delta: number): number {
  if (spends.classes.length === 0) return 0;
  if (delta < spends.deltaSum) return Number.POSITIVE_INFINITY;
  const pure = spends.classes.every(({ facts }) => facts.epsilon < Number.POSITIVE_INFINITY);
  const plain = pure ? basicEpsilon(spends, Math.max(delta, spends.deltaMass)) : Number.POSITIVE_INFINITY;
  const slack = spends.deltaSum === 0 ? delta : Math.min(slackDelta(spends, delta), delta - spends.deltaSum);
  if (!(slack > 0)) return plain;
  const bits = Math.log(odometerGrid.length) - Math.log(slack);
  const renyi = renyiTotalOf(spends);
  return odometerGrid.reduce((least, lambda) => Math.min(least, enlarge((renyi(lambda) + bits) / lambda, 4)), plain);
}
