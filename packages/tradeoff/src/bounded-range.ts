import { checkNonNegative } from "./check.ts";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { quantileRoom, upperQuantile, upperQuantileOfLog } from "./gdp.ts";
import { numberLabel } from "./number-label.ts";
import { identity, total } from "./total.ts";

/**
 * ε-bounded range, the guarantee of the exponential mechanism: f(α) = (1 − α)/(1 + (e^ε − 1)·α) [M67]
 * (worst pairs of Dong–Durfee–Rogers 2020). ε in [0, ∞].
 */
export function boundedRange(epsilon: number): TradeoffFunction {
  checkNonNegative(epsilon, "epsilon");
  const end = epsilon === 0 ? identity : epsilon === Number.POSITIVE_INFINITY ? total : null;
  return tradeoffFunction(end ?? boundedRangeShape(epsilon), {
    label: `${numberLabel(epsilon)}-bounded range`,
    definition: { boundedRange: epsilon },
    text: `Bounded-range Trade-off Function\n  Parameters:\n    ε = ${numberLabel(epsilon)}`,
  });
}

/** The α at which a plot draws a curved family by default. */
const hundredths: readonly number[] = Object.freeze(Array.from({ length: 101 }, (_, i) => i / 100));

function boundedRangeShape(epsilon: number): Shape {
  const shrink = Math.exp(-epsilon);
  /** 1/(1 + e^(ε/2)), where f(α) = α. */
  const fixedPoint = Math.exp(-epsilon / 2) / (1 + Math.exp(-epsilon / 2));
  /** e^−ε·(1 + (e^ε − 1)·α), safe for any ε. */
  const spread = (alpha: number) => shrink + -Math.expm1(-epsilon) * alpha;
  const beta = (alpha: number) => (alpha === 0 ? 1 : (shrink * (1 - alpha)) / spread(alpha));
  return {
    isSymmetric: true,
    gaussian: {
      mu: quantileRoom(2 * (epsilon > 600 ? upperQuantileOfLog(-epsilon / 2) : upperQuantile(fixedPoint))),
      isLeast: true,
    },
    beta,
    power: (alpha) => (alpha === 0 ? 0 : alpha / spread(alpha)),
    logPower: (alpha) => Math.log(alpha) - Math.log(spread(alpha)),
    logSlope(alpha) {
      if (alpha === 1) return Number.NEGATIVE_INFINITY;
      return alpha === 0 ? epsilon : -epsilon - 2 * Math.log(spread(alpha));
    },
    divergence(x) {
      if (x >= epsilon) return 0;
      if (x < -epsilon) return -Math.expm1(x);
      const rise = -Math.expm1((x - epsilon) / 2);
      return (rise * rise) / -Math.expm1(-epsilon);
    },
    touch(x) {
      if (x >= epsilon) return 0;
      if (x < -epsilon) return 1;
      return (Math.exp(-(epsilon + x) / 2) * -Math.expm1((x - epsilon) / 2)) / -Math.expm1(-epsilon);
    },
    vertices: () => hundredths.map((alpha) => ({ alpha, beta: beta(alpha) })),
  };
}
