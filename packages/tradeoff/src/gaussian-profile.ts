import { deltaOfMu, logDeltaOfMu, risingRoot } from "@dosimeter/core/internal";
import { checkNonNegative, checkRate } from "./check.ts";

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
