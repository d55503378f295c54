import { invalid } from "@dosimeter/core";
import { checkFinite, checkRate } from "./check.ts";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { numberLabel } from "./number-label.ts";

/**
 * Laplace noise cut off at ±A, A = ln(1 + (e^ε − 1)/2δ)/ε for sensitivity 1: (ε, δ)-DP and better than f_{ε,δ} [M72]
 * (Geng–Ding–Guo–Kumar 2020). ε > 0, δ in (0, ½].
 */
export function truncatedLaplace(epsilon: number, delta: number): TradeoffFunction {
  if (!(checkFinite(epsilon, "epsilon") > 0)) invalid("epsilon", epsilon, "a number > 0");
  if (!(checkRate(delta, "delta") > 0 && delta <= 0.5)) invalid("delta", delta, "a number in (0, 0.5]");
  return tradeoffFunction(shapeOf(epsilon, delta), {
    label: `truncated Laplace, ε = ${numberLabel(epsilon)}, δ = ${numberLabel(delta)}`,
    definition: { truncatedLaplace: [epsilon, delta] },
    text: `Truncated Laplace Trade-off Function\n  Parameters:\n    ε = ${numberLabel(epsilon)}\n    δ = ${numberLabel(delta)}`,
  });
}

function shapeOf(epsilon: number, delta: number): Shape {
  const shrink = Math.exp(-epsilon);
  const spread = -Math.expm1(-epsilon);
  /** e^(−εA), times half the untruncated mass that remains: both with e^ε divided out. */
  const cut = (2 * delta * shrink) / (2 * delta * shrink + spread);
  const half = (2 * delta * shrink + spread) / (2 * spread);
  const first = Math.max(0, half * (shrink - cut));
  const flatEnd = 1 - delta;
  const curved = (alpha: number) => half * (shrink / (alpha / half + cut) - cut);
  const beta = (alpha: number) => {
    if (alpha < first) return 1 - delta - alpha / shrink;
    return alpha < 0.5 ? curved(alpha) : Math.max(0, shrink * (flatEnd - alpha));
  };
  const divergence = (x: number): number => {
    if (x < 0) return -Math.expm1(x) + Math.exp(x) * divergence(-x);
    if (x >= epsilon) return delta;
    return -2 * half * Math.expm1((x - epsilon) / 2) + half * cut * Math.expm1(x);
  };
  return {
    isSymmetric: true,
    beta,
    power: (alpha) => (alpha < first ? delta + alpha / shrink : 1 - beta(alpha)),
    logSlope(alpha) {
      if (alpha >= flatEnd) return Number.NEGATIVE_INFINITY;
      if (alpha < first) return epsilon;
      return alpha < 0.5 ? -epsilon - 2 * Math.log(alpha / half + cut) : -epsilon;
    },
    divergence,
    touch(x) {
      if (x >= epsilon) return 0;
      return x < -epsilon ? flatEnd : half * (Math.exp(-(epsilon + x) / 2) - cut);
    },
    vertices() {
      const inside = Array.from({ length: 51 }, (_, i) => i / 100).filter((alpha) => alpha > first);
      return [0, first, ...inside, flatEnd, 1].map((alpha) => ({ alpha, beta: beta(alpha) }));
    },
  };
}
