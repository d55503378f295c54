import { checkNonNegative } from "./check.ts";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { quantileRoom, upperQuantile, upperQuantileOfLog } from "./gdp.ts";
import { numberLabel } from "./number-label.ts";
import { total } from "./total.ts";

/**
 * μ-Laplace: the curve of Lap(0, 1) against Lap(μ, 1); Laplace noise of scale b on an answer of sensitivity Δ has
 * μ = Δ/b and is μ-DP [M66] (Dong–Roth–Su 2022, Appendix A). μ in [0, ∞].
 */
export function lap(mu = 1): TradeoffFunction {
  checkNonNegative(mu, "mu");
  return tradeoffFunction(mu === Number.POSITIVE_INFINITY ? total : lapShape(mu), {
    label: `${numberLabel(mu)}-Laplace`,
    definition: { lap: mu },
    text: `Laplace Differential Privacy Trade-off Function\n  Parameters:\n    μ = ${numberLabel(mu)}`,
  });
}

function lapShape(mu: number): Shape {
  const shrink = Math.exp(-mu);
  const corner = shrink / 2;
  const grow = (alpha: number) => (mu < 700 ? alpha * Math.exp(mu) : Math.exp(mu + Math.log(alpha)));
  const middle = (alpha: number) => (mu < 700 ? shrink / (4 * alpha) : Math.exp(-mu - Math.log(4 * alpha)));
  const beta = (alpha: number) => {
    if (alpha === 0) return 1;
    if (alpha < corner) return 1 - grow(alpha);
    return alpha <= 0.5 ? middle(alpha) : shrink * (1 - alpha);
  };
  return {
    isSymmetric: true,
    gaussian: {
      mu: quantileRoom(2 * (mu > 600 ? upperQuantileOfLog(-mu / 2 - Math.LN2) : upperQuantile(Math.exp(-mu / 2) / 2))),
      isLeast: true,
    },
    beta,
    power(alpha) {
      if (alpha === 0) return 0;
      if (alpha < corner) return grow(alpha);
      return alpha <= 0.5 ? 1 - middle(alpha) : -Math.expm1(-mu) + shrink * alpha;
    },
    logPower(alpha) {
      if (alpha === 0) return Number.NEGATIVE_INFINITY;
      if (alpha < corner) return mu + Math.log(alpha);
      return alpha <= 0.5 ? Math.log1p(-middle(alpha)) : Math.log1p(-shrink * (1 - alpha));
    },
    logSlope(alpha) {
      if (alpha === 1) return Number.NEGATIVE_INFINITY;
      if (alpha < corner || alpha === 0) return mu;
      return alpha < 0.5 ? Math.max(-mu, -mu - Math.log(4) - 2 * Math.log(alpha)) : -mu;
    },
    divergence(x) {
      if (x >= mu) return 0;
      return x < -mu ? -Math.expm1(x) : -Math.expm1((x - mu) / 2);
    },
    touch(x) {
      if (x >= mu) return 0;
      return x < -mu ? 1 : Math.exp(-(mu + x) / 2) / 2;
    },
    vertices: () => skeleton(shrink).map((alpha) => ({ alpha, beta: beta(alpha) })),
  };
}

/** 0, the ends of the curved part, hundredths inside it, 1: the α at which the R package draws the curve. */
function skeleton(shrink: number): readonly number[] {
  const start = Math.min(Math.floor((100 * shrink) / 2 + 1) / 100, 0.5);
  const steps = Math.floor((0.5 - start) / 0.01 + 1e-10);
  const inside = Array.from({ length: steps + 1 }, (_, i) => Math.min(start + i * 0.01, 0.5));
  return [...new Set([0, shrink / 2, ...inside, 1])];
}
