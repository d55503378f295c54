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

/** The drift of the loss in advanced composition: as the source prints it, or the tight one [M34]. */
type Drift = "printed" | "tight";

/**
 * √(2 ln(1/δ′)·Σεᵢ²) + Σ drift(εᵢ) with δ′ = δ − Σδᵢ [M34]. The printed drift is ε(e^ε − 1), the tight one ε·tanh(ε/2).
 * Infinity where δ ≤ Σδᵢ and something was spent. UNSUPPORTED_EVENT for an event without a pure ε.
 */
export function advancedEpsilon(spends: Spends, delta: number, drift: Drift): number {
  const slack = spends.deltaSum === 0 ? delta : (delta - spends.deltaSum) * (1 - 2 ** -51);
  return advancedAtSlack(spends, slack, drift);
}

/** The same for a given slack δ′ ≥ 0. */
function advancedAtSlack(spends: Spends, slack: number, drift: Drift): number {
  const { squares, mean } = advancedSums(spends, drift);
  if (slack < 0) return Number.POSITIVE_INFINITY;
  if (squares === 0) return 0;
  if (slack === 0) return Number.POSITIVE_INFINITY;
  const bits = slack >= 1 ? 0 : -Math.log(slack);
  return enlarge(Math.sqrt(2 * bits * squares) + mean, spends.classes.length + 6);
}

function advancedSums({ classes }: Spends, drift: Drift): { readonly squares: number; readonly mean: number } {
  let squares = 0;
  let mean = 0;
  for (const spend of classes) {
    const { facts, count } = spend;
    if (facts.epsilon === Number.POSITIVE_INFINITY && upper(facts.delta) < 1)
      throw cannotPrice(spend, "an event with a pure epsilon");
    squares += count * facts.epsilon * facts.epsilon;
    mean += count * facts.epsilon * (drift === "printed" ? Math.expm1(facts.epsilon) : Math.tanh(facts.epsilon / 2));
  }
  return { squares, mean };
}

/** The third form of Kairouz–Oh–Viswanath 3.5: the tight drift with ln(e + √(Σε²)/δ′) in place of ln(1/δ′) [M34]. */
export function advancedLogEpsilon(spends: Spends, delta: number): number {
  const slack = spends.deltaSum === 0 ? delta : delta - spends.deltaSum;
  const { squares, mean } = advancedSums(spends, "tight");
  if (squares === 0) return slack < 0 ? Number.POSITIVE_INFINITY : 0;
  if (slack <= 0) return Number.POSITIVE_INFINITY;
  return enlarge(
    mean + Math.sqrt(2 * squares * Math.log(Math.E + Math.sqrt(squares) / slack)),
    spends.classes.length + 8,
  );
}
