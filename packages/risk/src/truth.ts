import { gaussianDelta, invalid } from "@dosimeter/core";
import { normalCdf, normalQuantile } from "@dosimeter/core/internal";
import { checkEpsilon, checkEpsilon0, checkPositive, checkShare, checkWhole } from "./check.ts";

/** What is true of the privacy loss L of one release at threshold ε ≥ 0, for the worst pair of neighbours. */
export interface LossFacts {
  /** P(L > ε): the power of the likelihood-ratio attack at slope e^ε. */
  readonly tail: number;
  /** P(|L| ≤ ε). */
  readonly within: number;
  /** The exact δ(ε) = E(1 − e^(ε−L))₊. */
  readonly delta: number;
}

/** One scalar Laplace release calibrated to ε₀, worst pair (for k > 1: one coordinate carries all). [M102] */
export function laplaceLoss({ epsilon0, epsilon }: { readonly epsilon0: number; readonly epsilon: number }): LossFacts {
  checkEpsilon0(epsilon0);
  checkEpsilon(epsilon);
  if (epsilon >= epsilon0) return { tail: 0, within: 1, delta: 0 };
  return {
    tail: 1 - 0.5 * Math.exp((epsilon - epsilon0) / 2),
    within: (Math.exp((epsilon - epsilon0) / 2) * -Math.expm1(-epsilon)) / 2,
    delta: -Math.expm1((epsilon - epsilon0) / 2),
  };
}

/** By what factor the published confidence overstates P(|L| ≤ ε) at k = 1: 2e^((ε₀−ε)/2)/(1 − e^−ε₀), always above 2. */
export function overstatement({ epsilon0, epsilon }: { readonly epsilon0: number; readonly epsilon: number }): number {
  checkEpsilon0(epsilon0);
  return (2 * Math.exp((epsilon0 - checkEpsilon(epsilon)) / 2)) / -Math.expm1(-epsilon0);
}

/** Mean, second moment and variance of L for one Laplace release (worst pair); series below 2, where the closed forms cancel. */
export function laplaceLossMoments(epsilon0: number): {
  readonly mean: number;
  readonly second: number;
  readonly variance: number;
} {
  const a = checkEpsilon0(epsilon0);
  const mean = a < 2 ? exponentialSeries(a, (n) => (n < 2 ? 0 : 1)) : a + Math.expm1(-a);
  const second =
    a < 2
      ? a * a + exponentialSeries(a, (n) => (n < 3 ? 0 : 2 * n - 4))
      : a * a - 2 * a + 4 - Math.exp(-a) * (2 * a + 4);
  return { mean, second, variance: second - mean * mean };
}

/** Σₙ coefficient(n)·(−a)ⁿ/n!; 40 terms are beyond a double's reach for a ≤ 2. */
function exponentialSeries(a: number, coefficient: (n: number) => number): number {
  let power = 1;
  let sum = 0;
  for (let n = 1; n <= 40; n++) {
    power *= -a / n;
    sum += coefficient(n) * power;
  }
  return sum;
}

/** Value-at-risk of one Laplace release: the least l with P(L ≤ l) ≥ level. At any level above ½ it is ε₀ itself. */
export function laplaceValueAtRisk({ epsilon0, level }: { readonly epsilon0: number; readonly level: number }): number {
  checkEpsilon0(epsilon0);
  checkShare("level", level);
  if (level > 0.5) return epsilon0;
  return level <= 0.5 * Math.exp(-epsilon0) ? -epsilon0 : epsilon0 + 2 * Math.log(2 * level);
}

/** Expected shortfall of one Laplace release: the mean of its worst 1 − level; ε₀ from level ½ on. */
export function laplaceShortfall({ epsilon0, level }: { readonly epsilon0: number; readonly level: number }): number {
  const valueAtRisk = laplaceValueAtRisk({ epsilon0, level });
  if (!(level < 1)) invalid("level", level, "0 or more and below 1");
  if (level >= 0.5) return epsilon0;
  const atom = 0.5 * Math.exp(-epsilon0);
  const area = (u: number): number => (epsilon0 - 2) * u + 2 * u * Math.log(2 * u);
  const bottom = Math.max(0, atom - level) * valueAtRisk;
  return (bottom + area(0.5) - area(Math.max(level, atom)) + 0.5 * epsilon0) / (1 - level);
}

/** Discrete Laplace noise on an integer answer that moves by `sensitivity` ≥ 1; at sensitivity 1 the loss is ±ε₀ with certainty. */
export function discreteLaplaceLoss(options: {
  readonly epsilon0: number;
  readonly sensitivity: number;
  readonly epsilon: number;
}): LossFacts & { readonly informative: boolean } {
  const epsilon0 = checkEpsilon0(options.epsilon0);
  const epsilon = checkEpsilon(options.epsilon);
  const d = checkWhole("sensitivity", options.sensitivity);
  if (d > 10_000_000) {
    invalid("sensitivity", d, "at most 10000000 steps of the grid");
  }
  let [tail, within, delta] = [0, 0, 0];
  const ratio = epsilon0 / d;
  const whole = 1 + Math.exp(-ratio);
  const add = (loss: number, probability: number): void => {
    if (loss > epsilon) {
      tail += probability;
      delta -= probability * Math.expm1(epsilon - loss);
    }
    if (Math.abs(loss) <= epsilon) within += probability;
  };
  add(-epsilon0, Math.exp(-epsilon0) / whole);
  for (let z = d - 1; z >= 1; z--)
    add((epsilon0 * (d - 2 * z)) / d, (-Math.expm1(-ratio) * Math.exp(-ratio * z)) / whole);
  add(epsilon0, 1 / whole);
  return { tail, within: Math.min(within, 1), delta, informative: d > 1 };
}

/** μ of `count` Gaussian releases together, each with μ = Δ₂/σ: the composition of Gaussians is Gaussian, exactly. */
export const composedMu = ({ mu, count }: { readonly mu: number; readonly count: number }): number =>
  checkPositive("mu", mu) * Math.sqrt(checkWhole("count", count));

/** Gaussian noise with μ = Δ₂/σ (n releases: μ√n): L ~ N(μ²/2, μ²), so a probabilistic reading says something here. */
export function gaussianLoss({ mu, epsilon }: { readonly mu: number; readonly epsilon: number }): LossFacts {
  checkPositive("mu", mu);
  checkEpsilon(epsilon);
  const upper = epsilon / mu - mu / 2;
  const lower = epsilon / mu + mu / 2;
  const tail = normalCdf(-upper);
  return {
    tail,
    within: tail < 0.25 ? 1 - tail - normalCdf(-lower) : normalCdf(upper) - normalCdf(-lower),
    delta: gaussianDelta(epsilon, mu * mu),
  };
}

/** Value-at-risk and expected shortfall of a Gaussian release at `level` in (0, 1). */
export function gaussianShortfall({ mu, level }: { readonly mu: number; readonly level: number }): {
  readonly valueAtRisk: number;
  readonly expectedShortfall: number;
} {
  checkPositive("mu", mu);
  if (!(level > 0 && level < 1)) invalid("level", level, "between 0 and 1");
  const z = normalQuantile(level);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return { valueAtRisk: (mu * mu) / 2 + mu * z, expectedShortfall: (mu * mu) / 2 + (mu * density) / (1 - level) };
}

/**
 * The largest g such that the worst Laplace pair is a g-mixture of an ε-DP pair and an ε₀-DP pair [M103]:
 * what "with probability g the mechanism behaved like an ε-DP one" may honestly mean. 1 from ε₀ on.
 */
export function simulationWeight({
  epsilon0,
  epsilon,
}: {
  readonly epsilon0: number;
  readonly epsilon: number;
}): number {
  checkEpsilon0(epsilon0);
  if (checkEpsilon(epsilon) >= epsilon0) return 1;
  // e^(−ε₀/2)·sinh((ε₀+ε)/4)/cosh((ε₀−ε)/4) with the growing exponentials cancelled by hand.
  return (
    (Math.exp((epsilon - epsilon0) / 2) * -Math.expm1(-(epsilon0 + epsilon) / 2)) /
    (1 + Math.exp((epsilon - epsilon0) / 2))
  );
}

/** Accuracy of the best guess between two neighbours with equal odds after one Laplace release: 1 − ½e^(−ε₀/2). */
export const attackAccuracy = (epsilon0: number): number => 1 - 0.5 * Math.exp(-checkEpsilon0(epsilon0) / 2);

/** After thresholding the noisy value at the midpoint: the loss of the one bit is ± this, surely. */
export function midpointLoss(epsilon0: number): number {
  const miss = 0.5 * Math.exp(-checkEpsilon0(epsilon0) / 2);
  return Math.log1p(-miss) - Math.log(miss);
}

/** Overlap ∫ min of the densities Lap(1/ε₀) and Lap(1/ε), ε ≤ ε₀: the ingredient of the paper's appendix. */
export function laplaceOverlap({ epsilon0, epsilon }: { readonly epsilon0: number; readonly epsilon: number }): number {
  checkPositive("epsilon0", epsilon0);
  checkPositive("epsilon", epsilon);
  const [high, low] = epsilon0 >= epsilon ? [epsilon0, epsilon] : [epsilon, epsilon0];
  if (high === low) return 1;
  const mu = Math.log1p((high - low) / low) / (high - low);
  return 1 + Math.exp(-mu * low) * Math.expm1(-mu * (high - low));
}
