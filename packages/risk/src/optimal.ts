import { binomialDelta, bisect, fallingRoot } from "@dosimeter/core/internal";
import { differenceLaw } from "./difference.ts";

/** The optimal composition of `count` ε₀-DP mechanisms (Kairouz, Oh and Viswanath) at this δ, rounded up. [M47] */
export function optimalEpsilon(options: {
  readonly epsilon0: number;
  readonly count: number;
  readonly delta: number;
}): number {
  const { epsilon0, count, delta } = options;
  const over = (epsilon: number): number => binomialDelta(epsilon0, count, epsilon).upper - delta;
  if (over(0) <= 0) return 0;
  return Math.min(count * epsilon0, fallingRoot(over, 0, count * epsilon0));
}

/**
 * The largest ε₀ up to which 1 − confidence of Theorem 4.1 is at least the exact δ(ε) of Laplace noise for every ε ≤ ε₀, so that reading it
 * as the δ of (ε, δ) claims too little nowhere: f_k(ε₀)/F_k(ε₀) = ½; ln 3 at k = 1 [M109]. Above it that reading is false near ε₀.
 */
export function dominationThreshold(k = 1): number {
  const law = differenceLaw(k);
  return bisect((epsilon0) => 0.5 * law.cdf(epsilon0) - law.density(epsilon0), 1e-9, 10);
}

/** The same for any ε₀-DP mechanism, and for counts with discrete Laplace noise, at k = 1: ln(1 + √2). Above it pages show a red note. */
export const GENERIC_DOMINATION_THRESHOLD = Math.log1p(Math.SQRT2);
