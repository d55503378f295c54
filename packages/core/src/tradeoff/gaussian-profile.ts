import { logNormalCdf, mills, millsSlope, normalCdf, normalDensity } from "../special.ts";
import { checkNonNegative, checkRate } from "./check.ts";
import { integrate } from "./quadrature.ts";
import { risingRoot } from "./root.ts";

/**
 * The privacy profile of μ-GDP: δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) for ε ≥ 0, relative error about 1e-14
 * also where it is tiny or μ is [M65] (Balle–Wang 2018, Theorem 8).
 */
export function gaussianDelta(mu: number, epsilon: number): number {
  if (mu === 0) return 0;
  if (epsilon === Number.POSITIVE_INFINITY) return 0;
  if (mu === Number.POSITIVE_INFINITY) return 1;
  const c = epsilon / mu - mu / 2;
  if (c > NOTHING) return 0;
  if (mu <= 1 || c >= mu) return normalDensity(c) * integrate(millsSlope, c, c + mu);
  return normalCdf(-c) - normalDensity(c) * mills(c + mu);
}

/** Φ(−40) is below the least double. */
const NOTHING = 40;

/** ln δ(ε) of μ-GDP, below the least double too. */
export function logGaussianDelta(mu: number, epsilon: number): number {
  const c = epsilon / mu - mu / 2;
  if (c > 1e150) return Number.NEGATIVE_INFINITY;
  if (c < 20) return Math.log(gaussianDelta(mu, epsilon));
  const share = mu <= 1 || c >= mu ? integrate(millsSlope, c, c + mu) : mills(c) - mills(c + mu);
  return logNormalCdf(-c) + Math.log(share / mills(c));
}

/** The least ε with δ(ε) ≤ delta for μ-GDP; ∞ at δ = 0, 0 where δ(0) ≤ delta already. */
export function gaussianEpsilon(mu: number, delta: number): number {
  checkNonNegative(mu, "mu");
  checkRate(delta, "delta");
  if (mu === 0 || delta >= gaussianDelta(mu, 0)) return 0;
  if (delta === 0 || mu === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const target = Math.log(delta);
  const enough = (mu * mu) / 2 + mu * Math.sqrt(-2 * target) + 1e-300;
  return risingRoot((epsilon) => target - logGaussianDelta(mu, epsilon), 0, enough);
}

/** The greatest μ whose Gaussian mechanism is (ε, δ)-DP: the analytic Gaussian mechanism; σ = Δ₂/μ. 0 at δ = 0, ∞ at δ = 1. */
export function gaussianMu(epsilon: number, delta: number): number {
  checkNonNegative(epsilon, "epsilon");
  checkRate(delta, "delta");
  if (delta === 0) return 0;
  if (delta === 1 || epsilon === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const target = Math.log(delta);
  let enough = 1;
  while (logGaussianDelta(enough, epsilon) < target) enough *= 2;
  let low = enough / 2;
  while (low > 1e-300 && logGaussianDelta(low, epsilon) > target) low /= 2;
  return risingRoot((mu) => logGaussianDelta(mu, epsilon) - target, low, enough);
}
