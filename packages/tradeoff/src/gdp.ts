import type { Upper } from "@dosimeter/core/accounting";
import {
  asUpper,
  deltaOfMu,
  logDeltaOfMu,
  logNormalQuantile,
  mills,
  normalCdf,
  normalQuantile,
  risingRoot,
} from "@dosimeter/core/internal";
import { checkNonNegative, checkRate } from "./check.ts";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { numberLabel } from "./number-label.ts";
import { total } from "./total.ts";

/**
 * The privacy profile of μ-GDP: δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) for ε ≥ 0, relative error about 1e-14
 * also where it is tiny or μ is [M65] (Balle–Wang 2018, Theorem 8).
 */
export const gaussianDelta = (mu: number, epsilon: number): number => deltaOfMu(epsilon, mu);

/** The least ε with δ(ε) ≤ delta for μ-GDP; ∞ at δ = 0, 0 where δ(0) ≤ delta already. */
export function gaussianEpsilon(mu: number, delta: number): number {
  checkNonNegative(mu, "mu");
  checkRate(delta, "delta");
  if (mu === 0 || delta >= gaussianDelta(mu, 0)) return 0;
  if (delta === 0 || mu === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const target = Math.log(delta);
  const enough = (mu * mu) / 2 + mu * Math.sqrt(-2 * target) + 1e-300;
  return risingRoot((epsilon) => target - logDeltaOfMu(epsilon, mu), 0, enough);
}

/** The greatest μ whose Gaussian mechanism is (ε, δ)-DP: the analytic Gaussian mechanism; σ = Δ₂/μ. 0 at δ = 0, ∞ at δ = 1. */
export function gaussianMu(epsilon: number, delta: number): number {
  checkNonNegative(epsilon, "epsilon");
  checkRate(delta, "delta");
  if (delta === 0) return 0;
  if (delta === 1 || epsilon === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const target = Math.log(delta);
  let enough = 1;
  while (logDeltaOfMu(epsilon, enough) < target) enough *= 2;
  let low = enough / 2;
  while (low > 1e-300 && logDeltaOfMu(epsilon, low) > target) low /= 2;
  return risingRoot((mu) => logDeltaOfMu(epsilon, mu) - target, low, enough);
}

/**
 * μ-Gaussian DP: G_μ(α) = Φ(z(α) − μ) with z(α) = −Φ⁻¹(α), the curve of N(0, 1) against N(μ, 1) [M64].
 * μ in [0, ∞]; ∞ is no privacy. Accurate for α down to 1e-300 (Dong–Roth–Su 2022, Definition 3).
 */
export function gdp(mu = 1): TradeoffFunction {
  checkNonNegative(mu, "mu");
  return tradeoffFunction(mu === Number.POSITIVE_INFINITY ? total : gdpShape(mu), {
    label: `${numberLabel(mu)}-GDP`,
    definition: { gdp: mu },
    text: `Gaussian Differential Privacy Trade-off Function\n  Parameters:\n    μ = ${numberLabel(mu)}`,
  });
}

/** The upper normal quantile z(α) = Φ⁻¹(1 − α), without losing the digits of a small α. */
export const upperQuantile = (alpha: number): number => -normalQuantile(alpha);

/** The same of e^logAlpha, below the least double too. */
export const upperQuantileOfLog = (logAlpha: number): number => -logNormalQuantile(logAlpha);

/** A μ computed from quantiles, from above. */
export const quantileRoom = (mu: number): Upper => asUpper(mu, 16);

/** 0, 0.01, …, 1. */
export const canonicalGrid: readonly number[] = Object.freeze(Array.from({ length: 101 }, (_, i) => i * 0.01));

function gdpShape(mu: number): Shape {
  const beta = (alpha: number) => {
    if (alpha === 0 || alpha === 1 || mu === 0) return 1 - alpha;
    const z = upperQuantile(alpha);
    if (z - mu > -1 || z > 0) return normalCdf(z - mu);
    return shiftedTail(1 - alpha, -z, mu);
  };
  const power = (alpha: number) => {
    if (alpha === 0 || alpha === 1 || mu === 0) return alpha;
    const z = upperQuantile(alpha);
    if (mu - z > -1 || z < 0) return normalCdf(mu - z);
    return shiftedTail(alpha, z, -mu);
  };
  return {
    isSymmetric: true,
    gaussian: { mu: asUpper(mu, "exact"), isLeast: true },
    beta,
    power,
    logSlope: (alpha) => {
      if (mu === 0) return alpha === 1 ? Number.NEGATIVE_INFINITY : 0;
      return mu * upperQuantile(alpha) - (mu * mu) / 2;
    },
    divergence(x) {
      if (x < 0) return x === Number.NEGATIVE_INFINITY ? 1 : -Math.expm1(x) + Math.exp(x) * gaussianDelta(mu, -x);
      return gaussianDelta(mu, x);
    },
    touch: (x) => (mu === 0 ? (x >= 0 ? 0 : 1) : normalCdf(-(x / mu + mu / 2))),
    vertices: () => canonicalGrid.map((alpha) => ({ alpha, beta: beta(alpha) })),
  };
}

/** Φ(−(t + shift)) from its unshifted tail Φ(−t), t > 0: no digit of the tail is lost to rounding t². */
function shiftedTail(tail: number, t: number, shift: number): number {
  return (tail * Math.exp(-shift * (t + shift / 2)) * mills(t + shift)) / mills(t);
}
