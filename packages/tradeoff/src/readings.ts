import { normalCdf } from "@dosimeter/core/internal";
import { checkRate } from "./check.ts";
import type { TradeoffFunction } from "./curve.ts";
import { gdp } from "./gdp.ts";
import { leastEpsilon, leastMu } from "./least.ts";
import { slide } from "./order.ts";
import { tangentAtoms } from "./profile.ts";

/** The most that true positives exceed false positives: total variation, δ(0) [M79]. */
export const advantage = (curve: TradeoffFunction): number => curve.divergence(0);

/** The best accuracy when a person is present with probability `prior`: 1 − min over α of (1 − π)α + π·f(α) [M79]. */
export function bayesAccuracy(curve: TradeoffFunction, prior: number): number {
  checkRate(prior, "prior");
  if (prior === 0 || prior === 1) return 1;
  return Math.min(1, 1 - prior + prior * curve.divergence(Math.log1p(-prior) - Math.log(prior)));
}

/** Pr[present | accused] of the best test at a false positive rate, for a prior [M79]. 1 − f′-limit at rate 0. */
export function precision(curve: TradeoffFunction, falsePositiveRate: number, prior: number): number {
  checkRate(prior, "prior");
  const ratio = likelihoodRatio(curve, falsePositiveRate);
  if (prior === 0) return 0;
  if (ratio === Number.POSITIVE_INFINITY || prior === 1) return 1;
  const odds = (ratio * prior) / (1 - prior);
  return odds / (1 + odds);
}

/**
 * (1 − f(α))/α; at α = 0 its limit −f′(0), the greatest value, ∞ where some outcome is distinguished with certainty
 * [M79].
 */
export function likelihoodRatio(curve: TradeoffFunction, falsePositiveRate: number): number {
  const alpha = checkRate(falsePositiveRate, "falsePositiveRate");
  if (alpha > 0) return curve.power(alpha) / alpha;
  return curve.power(0) > 0 ? Number.POSITIVE_INFINITY : Math.exp(curve.logSlope(0));
}

/**
 * f(α)/(1 − α): how much less likely a person is present after a negative test; 1 means that the test shows nothing
 * [M79].
 */
export function negativeLikelihoodRatio(curve: TradeoffFunction, falsePositiveRate: number): number {
  const alpha = checkRate(falsePositiveRate, "falsePositiveRate");
  if (alpha < 1) return curve.beta(alpha) / (1 - alpha);
  return curve.inverted().power(0) > 0 ? 0 : Math.exp(-curve.inverted().logSlope(0));
}

/** The area under the curve of true against false positives, 1 − ∫f: an upper bound where f is a lower one [M79]. */
export function areaUnderCurve(curve: TradeoffFunction): number {
  const { definition } = curve;
  if ("gdp" in definition) return normalCdf(definition.gdp / Math.SQRT2);
  if ("lap" in definition) return 1 - Math.exp(-definition.lap) * (0.5 + definition.lap / 4);
  if ("epsdelta" in definition) {
    const [epsilon, delta] = definition.epsdelta;
    return 1 - ((1 - delta) ** 2 * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
  }
  const { p, corners } = tangentAtoms(curve, 2048);
  let area = 0;
  for (let i = 0; i < p.length; i++) area += ((p[i] ?? 0) * ((corners.beta[i] ?? 0) + (corners.beta[i + 1] ?? 0))) / 2;
  return 1 - area;
}

/**
 * The greatest success of a reconstruction or attribute guess that succeeds with chance `baseline` without the release
 * [M79].
 */
export const reconstruction = (curve: TradeoffFunction, baseline: number): number =>
  curve.power(checkRate(baseline, "baseline"));

export interface RateReading {
  readonly falsePositiveRate: number;
  readonly truePositiveRate: number;
  readonly positiveLikelihoodRatio: number;
  readonly negativeLikelihoodRatio: number;
  /** Pr[present | accused]. */
  readonly precision: number;
  /** precision/prior. */
  readonly relativeRisk: number;
}

export interface Readings {
  readonly advantage: number;
  readonly balancedAccuracy: number;
  readonly auc: number;
  readonly prior: number;
  readonly bayesAccuracy: number;
  /** −f′(0). */
  readonly greatestLikelihoodRatio: number;
  readonly rates: readonly RateReading[];
}

const usualRates: readonly number[] = Object.freeze([1e-5, 1e-4, 1e-3, 0.01, 0.1]);

/** Everything an attacker can do, from one curve [M79]. */
export function readings(
  curve: TradeoffFunction,
  {
    falsePositiveRates = usualRates,
    prior = 0.5,
  }: { readonly falsePositiveRates?: readonly number[]; readonly prior?: number } = {},
): Readings {
  checkRate(prior, "prior");
  const most = advantage(curve);
  return Object.freeze({
    advantage: most,
    balancedAccuracy: (1 + most) / 2,
    auc: areaUnderCurve(curve),
    prior,
    bayesAccuracy: bayesAccuracy(curve, prior),
    greatestLikelihoodRatio: likelihoodRatio(curve, 0),
    rates: falsePositiveRates.map((alpha, i) => {
      checkRate(alpha, `fpr[${i}]`);
      const ppv = precision(curve, alpha, prior);
      return {
        falsePositiveRate: alpha,
        truePositiveRate: curve.power(alpha),
        positiveLikelihoodRatio: likelihoodRatio(curve, alpha),
        negativeLikelihoodRatio: negativeLikelihoodRatio(curve, alpha),
        precision: ppv,
        relativeRisk: prior === 0 ? likelihoodRatio(curve, alpha) : ppv / prior,
      };
    }),
  });
}

/** The nearest Gaussian guarantee and its regret Δ(f, G_μ), small where μ alone describes the curve well [M79]. */
export interface GaussianFit {
  readonly mu: number;
  readonly regret: number;
}

/** The least μ with G_μ ≤ f and its regret; where no μ is finite the regret is 1 [M79] (Gomez et al. 2025). */
export function gaussianFit(curve: TradeoffFunction): GaussianFit {
  const mu = leastMu(curve);
  return { mu, regret: Number.isFinite(mu) ? slide(curve, gdp(mu)) : slide(curve, gdp(Number.POSITIVE_INFINITY)) };
}

export interface ReportCard extends Readings {
  readonly label: string;
  /** True where the curve is the mechanism's own; false where it is a certified lower bound. */
  readonly isExact: boolean;
  readonly gaussian: GaussianFit;
  readonly guarantees: readonly { readonly epsilon: number; readonly delta: number }[];
  readonly reconstruction: readonly { readonly baseline: number; readonly success: number }[];
}

const BASELINES = [1e-6, 1e-4, 0.01, 0.1, 0.5];

/** One page on any curve: readings, μ with its regret, ε at the usual δ, reconstruction at the usual baselines. */
export function reportCard(
  curve: TradeoffFunction,
  options: {
    readonly falsePositiveRates?: readonly number[];
    readonly prior?: number;
    readonly deltas?: readonly number[];
  } = {},
): ReportCard {
  const { deltas = [1e-9, 1e-6, 1e-5, 1e-3], ...rest } = options;
  return Object.freeze({
    label: curve.label,
    isExact: curve.isExact,
    ...readings(curve, rest),
    gaussian: gaussianFit(curve),
    guarantees: deltas.map((delta) => ({ epsilon: leastEpsilon(curve, delta), delta })),
    reconstruction: BASELINES.map((baseline) => ({ baseline, success: reconstruction(curve, baseline) })),
  });
}
