import { binomialDelta, fallingRoot } from "@dosimeter/core/internal";

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
