import { invalid } from "@dosimeter/core";
import { checkEpsilon, checkPositive, checkShare, checkWhole } from "./check.ts";
import { composedFacts, jointLoss } from "./composed.ts";

/** The order statistic ⌈m·level⌉ of m draws, forgiving the last bits of a product such as 100 × 0.07. */
export function orderStatistic({ level, samples }: { readonly level: number; readonly samples: number }): number {
  checkShare("level", level);
  checkWhole("samples", samples);
  return Math.max(1, Math.ceil(samples * level * (1 - 4e-16)));
}

/** Samples for a DKW band of half-width `accuracy` to hold with probability `factor`: as published, ln(2/(1 − factor))/(2ρ²). */
export function sampleSize({ accuracy, factor }: { readonly accuracy: number; readonly factor: number }): {
  readonly published: number;
  readonly twoSided: number;
  readonly oneSided: number;
} {
  checkAccuracy(accuracy);
  if (!(factor > 0 && factor < 1)) invalid("factor", factor, "between 0 and 1");
  const published = Math.log(2 / (1 - factor)) / (2 * accuracy * accuracy);
  return {
    published,
    twoSided: Math.ceil(published),
    oneSided: Math.ceil(Math.log(1 / Math.min(0.5, 1 - factor)) / (2 * accuracy * accuracy)),
  };
}

/** What m sampled sensitivities say of the share of pairs below the order statistic ⌈m·level⌉. [M104] */
export interface CoverageBounds {
  readonly orderStatistic: number;
  /** Equation (5) as published; false in general, and at accuracy → 1 it "proves" the level itself. */
  readonly published: number;
  /** DKW done right: (level − ρ)₊·(1 − e^(−2mρ²)). */
  readonly corrected: number;
  /** P(a new pair lies below): j/(m + 1), equality for continuous sensitivities. */
  readonly marginal: number;
}

/** Bounds on the coverage of the sampled sensitivity; `accuracy` is the DKW half-width ρ. */
export function coverageBounds(options: {
  readonly level: number;
  readonly samples: number;
  readonly accuracy: number;
}): CoverageBounds {
  const { level, samples, accuracy } = options;
  const j = orderStatistic({ level, samples });
  checkAccuracy(accuracy);
  const miss = Math.exp(-2 * accuracy * accuracy * samples);
  return {
    orderStatistic: j,
    published: Math.max(0, level * (1 - 2 * miss)),
    corrected: Math.max(0, level - accuracy) * (1 - miss),
    marginal: j / (samples + 1),
  };
}

/** The fewest samples whose maximum covers a share `coverage` of all pairs with confidence 1 − failureProbability. */
export function samplesForMaximum(options: { readonly coverage: number; readonly failureProbability: number }): number {
  const { coverage, failureProbability } = checkLevels(options);
  return Math.ceil((Math.log(failureProbability) / Math.log(coverage)) * (1 - 4e-16));
}

/**
 * The smallest order statistic j of `samples` draws with P(F(S₍ⱼ₎) ≥ coverage) ≥ 1 − failureProbability,
 * i.e. P(Binomial(m, coverage) < j) ≥ 1 − failureProbability; undefined where even the maximum is not enough.
 */
export function toleranceOrder(options: {
  readonly samples: number;
  readonly coverage: number;
  readonly failureProbability: number;
}): number | undefined {
  const { coverage, failureProbability } = checkLevels(options);
  const m = checkWhole("samples", options.samples);
  const odds = Math.log(coverage) - Math.log1p(-coverage);
  let logTerm = m * Math.log(coverage);
  let above = Math.exp(logTerm); // P(Binomial ≥ m): the chance that even the maximum falls short
  if (above > failureProbability) return undefined;
  for (let j = m; j > 1; j--) {
    logTerm += Math.log(j) - Math.log(m - j + 1) - odds;
    above += Math.exp(logTerm);
    if (above > failureProbability) return j;
  }
  return 1;
}

/** Rubinstein and Aldà's sampler (ICML 2017): the samples and order statistic for a wanted risk of random differential privacy. */
export function samplerForRisk(risk: number): {
  readonly rho: number;
  readonly samples: number;
  readonly order: number;
} {
  if (!(risk > 0 && risk < 1)) invalid("risk", risk, "between 0 and 1");
  const rho = Math.exp(lowerLambert(-risk / (2 * Math.sqrt(Math.E))) + 0.5);
  const spread = Math.log(1 / rho) / 2;
  const samples = Math.ceil(spread / (risk - rho) ** 2);
  return {
    rho,
    samples,
    order: Math.min(samples, Math.ceil(samples * (1 - risk + rho + Math.sqrt(spread / samples)))),
  };
}

/** The risk that the maximum of `samples` draws achieves in the same scheme. */
export function samplerRisk(samples: number): { readonly rho: number; readonly risk: number } {
  checkWhole("samples", samples, 2);
  const rho = Math.exp(lowerLambert(-1 / (4 * samples)) / 2);
  return { rho, risk: rho + Math.sqrt(Math.log(1 / rho) / (2 * samples)) };
}

/** The branch W₋₁ of Lambert's function on (−1/e, 0), by Newton on w + ln(−w) = ln(−x). */
function lowerLambert(x: number): number {
  const target = Math.log(-x);
  let w = target - Math.log(-target);
  for (let step = 0; step < 100; step++) {
    const move = (w + Math.log(-w) - target) / (1 + 1 / w);
    w = Math.min(w - move, -1 - 1e-16);
    if (Math.abs(move) <= 4e-16 * Math.abs(w)) break;
  }
  return w;
}

/**
 * What both sources of randomness really give (k = 1): the mean of P(|L| ≤ ε) over the sampled pairs' own losses sᵢ, with a
 * Hoeffding half-width at 1 − failureProbability [M105]. It speaks of pairs drawn from the sampled distribution only.
 */
export function sampledConfidence(options: {
  readonly losses: readonly number[];
  readonly epsilon: number;
  readonly failureProbability: number;
}): { readonly estimate: number; readonly halfWidth: number; readonly tail: number } {
  const { losses, failureProbability } = options;
  const epsilon = checkEpsilon(options.epsilon);
  if (losses.length === 0) invalid("losses", 0, "at least one sampled pair");
  checkLevels({ coverage: 0.5, failureProbability });
  let [within, tail] = [0, 0];
  losses.forEach((s, index) => {
    if (!(s >= 0 && s < Number.POSITIVE_INFINITY)) {
      invalid(`losses[${index}]`, s, "a finite number, 0 or more");
    }
    if (s <= epsilon) within += 1;
    else {
      within += (Math.exp((epsilon - s) / 2) * -Math.expm1(-epsilon)) / 2;
      tail += 1 - 0.5 * Math.exp((epsilon - s) / 2);
    }
  });
  return {
    estimate: within / losses.length,
    halfWidth: Math.sqrt(Math.log(2 / failureProbability) / (2 * losses.length)),
    tail: tail / losses.length,
  };
}

/**
 * The same for vectors: pairs whose answers differ by differences[i][j] in coordinate j, noise of `scale` = Δ_S/ε₀ on each coordinate.
 * Each pair's loss is the joint one on a grid; a pair whose whole loss is within ε counts as 1.
 */
export function sampledVectorConfidence(options: {
  readonly differences: readonly (readonly number[])[];
  readonly scale: number;
  readonly epsilon: number;
  readonly failureProbability: number;
}): { readonly estimate: number; readonly halfWidth: number; readonly tail: number } {
  const { differences, failureProbability } = options;
  const scale = checkPositive("scale", options.scale);
  const epsilon = checkEpsilon(options.epsilon);
  if (differences.length === 0) invalid("differences", 0, "at least one sampled pair");
  checkLevels({ coverage: 0.5, failureProbability });
  let [within, tail] = [0, 0];
  for (const difference of differences) {
    const levels = difference.map((d) => Math.abs(d) / scale);
    if (levels.reduce((sum, level) => sum + level, 0) <= epsilon) within += 1;
    else {
      const facts = composedFacts(jointLoss({ levels }), epsilon);
      within += facts.within;
      tail += facts.tail;
    }
  }
  return {
    estimate: Math.min(1, within / differences.length),
    halfWidth: Math.sqrt(Math.log(2 / failureProbability) / (2 * differences.length)),
    tail: tail / differences.length,
  };
}

function checkAccuracy(accuracy: number): void {
  checkPositive("accuracy", accuracy);
  if (accuracy >= 1) invalid("accuracy", accuracy, "between 0 and 1");
}

function checkLevels<T extends { readonly coverage: number; readonly failureProbability: number }>(options: T): T {
  for (const name of ["coverage", "failureProbability"] as const) {
    if (!(options[name] > 0 && options[name] < 1)) {
      invalid(name, options[name], "between 0 and 1");
    }
  }
  return options;
}
