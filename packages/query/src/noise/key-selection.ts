import {
  type DeltaAmount,
  deltaNumber,
  type EpsilonAmount,
  largestMu2,
  type Random,
  type Rational,
  rational,
  toDouble,
} from "@dosimeter/core";
import {
  gaussianSampler,
  laplaceSampler,
  leastIndex,
  logNormalCdf,
  normalCdf,
  normalQuantileUpper,
} from "@dosimeter/core/internal";
import type { KeyRule } from "../plan/bounded.ts";
import { gaussianNoise } from "./noise-at.ts";

const UNITS = 10n ** 12n;
const MAX_THRESHOLD = 2 ** 52;

/** What a rule must hide: how many keys' counts one neighbour can change, each by one. */
export type Changes = number;

/** (ε, δ), divided evenly among the changes. Null where the threshold would be beyond any count. */
export function truncatedRule(epsilon: EpsilonAmount, delta: DeltaAmount, changes: Changes): KeyRule | null {
  const scale = rational(BigInt(changes) * UNITS, epsilon);
  const each = toDouble(rational(epsilon, BigInt(changes) * UNITS), "down");
  const deltaEach = (deltaNumber(delta, "down") / changes) * (1 - 1e-15);
  if (!(deltaEach > 0)) return null;
  // P(Z = k) ≤ δ/changes: qᵏ·(1 − q + 2δq) ≤ δ(1 + q), in logarithms with a margin for rounding
  const q = Math.exp(-each);
  const need = Math.log(deltaEach) + Math.log1p(q) - Math.log(-Math.expm1(-each) + 2 * deltaEach * q);
  const holds = (k: number): boolean => -k * each <= need - 1e-12 * (1 + Math.abs(need));
  const start = Math.max(0, Math.ceil(-need / each));
  if (!(start <= MAX_THRESHOLD)) return null;
  let threshold = Math.max(1, start - 1);
  while (!holds(threshold)) threshold += 1 + Math.floor(threshold * 1e-13);
  return { kind: "truncated", scale, threshold };
}

/** The least whole T with P(1 + Z > T) ≤ 1 − (1 − δ)^(1/changes), from the exact law of the rounded noise Z. */
export function gaussianRule(sigma: Rational, delta: DeltaAmount, changes: Changes): KeyRule | null {
  const width = toDouble(sigma, "up");
  const each = -Math.expm1(Math.log1p(-deltaNumber(delta, "down")) / changes) * (1 - 1e-15);
  if (!(each > 0) || !(width < MAX_THRESHOLD / 100)) return null;
  const need = Math.log(each);
  const holds = (k: number): boolean => {
    const tail = logNormalCdf(-(k - 0.5) / width);
    return tail <= need - 1e-14 * (1 + Math.abs(tail));
  };
  let threshold = Math.max(1, Math.floor(width * normalQuantileUpper(each) - 1));
  while (!holds(threshold)) threshold += 1;
  return { kind: "gaussian", sigma, threshold };
}

/** Gaussian noise paid in ε: half of δ makes the noise (ε, δ/2), half is for the threshold. */
function gaussianRuleFor(epsilon: EpsilonAmount, delta: DeltaAmount, changes: Changes): KeyRule | null {
  const half = (delta / 2n) as DeltaAmount;
  const mu2 = largestMu2(epsilon, half);
  return mu2 < 1n ? null : gaussianRule(gaussianSigma(mu2, changes), half, changes);
}

export function gaussianSigma(mu2: Parameters<typeof gaussianNoise>[0], changes: Changes): Rational {
  const noise = gaussianNoise(mu2, { l1: BigInt(changes), l2Squared: BigInt(changes), linf: 1n });
  if (noise.kind !== "gaussian") throw new RangeError("gaussian noise is gaussian");
  return noise.sigma;
}

/** Of both rules the one that publishes a key shared by fewer units with probability ½; null where neither can. */
export function bestRule(epsilon: EpsilonAmount, delta: DeltaAmount, changes: Changes): KeyRule | null {
  const rules = [truncatedRule(epsilon, delta, changes), gaussianRuleFor(epsilon, delta, changes)].filter(
    (rule) => rule !== null,
  );
  return rules.reduce<KeyRule | null>(
    (best, rule) => (best === null || unitsToPublish(rule, 0.5) < unitsToPublish(best, 0.5) ? rule : best),
    null,
  );
}

/** Pr[a key shared by n units is published], n ≥ 0. */
export function publishedProbability(rule: KeyRule, units: number): number {
  if (units <= 0) return 0;
  const { threshold: k } = rule;
  if (rule.kind === "gaussian") return normalCdf((units - k - 0.5) / toDouble(rule.sigma, "up"));
  const each = 1 / toDouble(rule.scale, "up");
  const power = (z: number): number => Math.exp(-each * z);
  const all = 1 + power(1) - 2 * power(k + 1);
  if (units > 2 * k) return 1;
  return units <= k ? (power(k - units + 1) - power(k + 1)) / all : 1 - (power(units - k) - power(k + 1)) / all;
}

/** The fewest units that share a key published with at least this probability. */
export function unitsToPublish(rule: KeyRule, probability: number): number {
  const isLikely = (units: number): boolean => !(publishedProbability(rule, units) < probability);
  let [low, high] = [0, 1];
  while (!isLikely(high)) [low, high] = [high, 2 * high];
  return leastIndex(isLikely, low, high);
}

/** Draws for one key after another: the noisy number of units of a published key, null for one that stays hidden. */
export function keySelector(rule: KeyRule): (units: bigint, random: Random) => bigint | null {
  const threshold = BigInt(rule.threshold);
  const draw = rule.kind === "gaussian" ? gaussianSampler(rule.sigma) : within(rule.scale, threshold);
  return (units, random) => {
    if (units <= 0n) return null;
    const noisy = units + draw(random);
    return noisy > threshold ? noisy : null;
  };
}

/** Discrete Laplace noise, drawn again while it is beyond ±most. */
function within(scale: Rational, most: bigint): (random: Random) => bigint {
  const draw = laplaceSampler(scale);
  return (random) => {
    for (;;) {
      const noise = draw(random);
      if (noise <= most && -noise <= most) return noise;
    }
  };
}
