import { toDouble } from "@dosimeter/core";
import { leastIndex, logNormalCdf } from "@dosimeter/core/internal";
import type { KeyRule, KeySelection } from "../plan/bounded.ts";

/**
 * An interval for the number of units n ≥ 1 of a published key from its noisy number: given that the key was published, it
 * misses n with at most this probability. It reaches far down where the noisy number is near the threshold. [M118]
 */
export function publishedInterval(rule: KeyRule, noisy: number, failureProbability: number): readonly [number, number] {
  const tail = logTailOf(rule);
  const least = Math.log((failureProbability / 2) * (1 - 1e-9));
  /** ln P(n + Z ≥ count | published). */
  const reaches = (n: number, count: number): number => tail(count - n) - tail(rule.threshold + 1 - n);
  /** Whether n units with noise are not too rarely at least as many as were seen. */
  const couldReach = (n: number): boolean => reaches(n, noisy) > least;
  /** Whether they are not too rarely at most as many. */
  const couldStayBelow = (n: number): boolean => Math.log(-Math.expm1(reaches(n, noisy + 1))) > least;
  const from = couldReach(1) ? 1 : leastIndex(couldReach, 1, noisy);
  let step = 1;
  while (couldStayBelow(noisy + step)) step *= 2;
  return [from, leastIndex((n) => !couldStayBelow(n), noisy, noisy + step) - 1];
}

/** An interval for the number of people who share a published key, from its released count [M118]. */
export function peopleOf(
  { rule, atLeast }: Pick<KeySelection, "rule" | "atLeast">,
  count: number,
  failureProbability: number,
): readonly [number, number] {
  if (rule === null) throw new RangeError("a selection of its own has a rule");
  const hidden = atLeast - 1;
  const [from, to] = publishedInterval(rule, count - hidden, failureProbability);
  return [from + hidden, to + hidden];
}

/** ln P(Z ≥ z) for the noise of a rule, up to a constant. */
function logTailOf(rule: KeyRule): (z: number) => number {
  if (rule.kind === "gaussian") {
    const sigma = toDouble(rule.sigma, "up");
    return (z) => logNormalCdf(-(z - 0.5) / sigma);
  }
  const each = 1 / toDouble(rule.scale, "up");
  const beyond = rule.threshold + 1;
  const power = (z: number): number => Math.exp(-each * z);
  return (z) => {
    if (z >= beyond) return Number.NEGATIVE_INFINITY;
    if (z >= 1) return -each * z + Math.log(-Math.expm1(-each * (beyond - z)));
    return Math.log(1 + power(1) - power(beyond) - power(1 - Math.max(z, 1 - beyond)));
  };
}
