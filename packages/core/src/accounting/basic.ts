import { gdpEpsilon } from "./gdp.ts";
import { rdpEpsilonOf } from "./rdp.ts";
import { decimalAtLeast, enlarge, exactSum, upper } from "./rounding.ts";
import { cannotPrice, type Spend, type Spends } from "./spends.ts";
import { zcdpEpsilon } from "./zcdp.ts";

/**
 * Σεᵢ at δ ≥ Σδᵢ, exact in decimals, or at δ ≥ 1 − Π(1 − δᵢ) where that is less [M30]. Each event without a pure ε gets
 * an equal part of the δ that is left. Infinity where δ is too small.
 */
export function basicEpsilon(spends: Spends, delta: number): number {
  if (delta < spends.deltaMass) return Number.POSITIVE_INFINITY;
  const priced = spends.classes.filter(({ facts }) => facts.epsilon < Number.POSITIVE_INFINITY);
  const other = spends.classes.filter(({ facts }) => facts.epsilon === Number.POSITIVE_INFINITY);
  const sum = exactSum(priced.map(({ facts, count }) => ({ value: facts.decimal ?? facts.epsilon, count })));
  const known = decimalAtLeast(sum);
  if (other.length === 0) return known;
  const times = other.reduce((total, { count }) => total + count, 0);
  const share = Math.max(0, ((delta - spends.deltaSum) / times) * (1 - 2 ** -50));
  const rest = other.reduce((total, spend) => total + spend.count * alone(spend, share), 0);
  return enlarge(known + rest, other.length + 2);
}

/** ε of one event without a pure ε, at its own δ. */
function alone({ facts, ...spend }: Spend, delta: number): number {
  const options = [gdpEpsilon(facts.muSquared, delta), zcdpEpsilon(facts.rho, delta), rdpEpsilonOf(facts.renyi, delta)];
  const least = Math.min(...options);
  if (Number.isNaN(least)) throw cannotPrice(spend, "an event with a known loss");
  return least;
}

/** The δ of basic composition: 1 − Π(1 − δᵢ), never above Σδᵢ. */
export const basicDelta = (spends: Spends): number => Math.min(1, upper(spends.deltaMass));
