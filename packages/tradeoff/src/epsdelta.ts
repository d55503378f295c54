import { atomsOf } from "./atoms.ts";
import { checkNonNegative, checkRate } from "./check.ts";
import { type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { quantileRoom, upperQuantile, upperQuantileOfLog } from "./gdp.ts";
import { numberLabel } from "./number-label.ts";
import { total } from "./total.ts";
import { addTwofold, expTwofold, multiplyExactly, multiplyTwofold, sumExactly, type Twofold } from "./twofold.ts";

/**
 * (ε, δ)-DP: f(α) = max{0, 1 − δ − e^ε·α, e^−ε·(1 − δ − α)} [M63].
 * ε ≥ 0 (safe beyond 10⁶; Infinity is no privacy), δ in [0, 1] (safe down to 1e-300). Wasserman–Zhou 2010; Dong–Roth–Su 2022.
 */
export function epsdelta(epsilon: number, delta = 0): TradeoffFunction {
  checkNonNegative(epsilon, "epsilon");
  checkRate(delta, "delta");
  return tradeoffFunction(epsilon === Number.POSITIVE_INFINITY ? total : epsdeltaShape(epsilon, delta), {
    label: `(${numberLabel(epsilon)},${numberLabel(delta)})-DP`,
    definition: { epsdelta: [epsilon, delta] },
    text:
      "(ε, δ)-Differential Privacy Trade-off Function\n  Parameters:\n" +
      `    ε = ${numberLabel(epsilon)}\n    δ = ${numberLabel(delta)}`,
  });
}

/** The corner α = β = (1 − δ)/(1 + e^ε). */
const epsdeltaCorner = (epsilon: number, delta: number): number =>
  ((1 - delta) * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));

function epsdeltaShape(epsilon: number, delta: number): Shape {
  const corner = epsdeltaCorner(epsilon, delta);
  const upperLine = fallingLine(epsilon, delta);
  const shrink = Math.exp(-epsilon);
  const growth = Math.exp(epsilon);
  /** 1 − δ − α, rounded once. */
  const room = (alpha: number) => sumExactly(1, -delta, -alpha);
  const big = (1 - delta) / (1 + shrink);
  return {
    isSymmetric: true,
    gaussian: {
      mu: quantileRoom(
        delta > 0
          ? Number.POSITIVE_INFINITY
          : 2 * (epsilon > 600 ? upperQuantileOfLog(-epsilon) : upperQuantile(corner)),
      ),
      isLeast: true,
    },
    atoms: atomsOf(
      [
        { loss: epsilon, p: corner, q: big },
        { loss: -epsilon, p: big, q: corner },
      ],
      delta,
      delta,
    ),
    beta(alpha) {
      const left = room(alpha);
      if (left <= 0) return 0;
      return Math.max(shrink * left, upperLine(alpha));
    },
    power(alpha) {
      if (room(alpha) <= 0) return 1;
      const steep = alpha === 0 ? delta : delta + growth * alpha;
      return Math.min(1, steep, -Math.expm1(-epsilon) + shrink * (delta + alpha));
    },
    logPower(alpha) {
      if (room(alpha) <= 0) return 0;
      if (alpha === 0) return Math.log(delta);
      const steep = delta === 0 ? epsilon + Math.log(alpha) : Math.log(delta + growth * alpha);
      return Math.min(0, steep, Math.log(-Math.expm1(-epsilon) + shrink * (delta + alpha)));
    },
    logSlope: (alpha) =>
      alpha < corner ? epsilon : sumExactly(1, -delta, -alpha) > 0 ? -epsilon : Number.NEGATIVE_INFINITY,
    divergence(x) {
      if (x >= epsilon) return delta;
      if (x < -epsilon) return sumExactly(1, -Math.exp(x) * (1 - delta));
      return delta + ((1 - delta) * -Math.expm1(x - epsilon)) / (1 + shrink);
    },
    touch: (x) => (x >= epsilon ? 0 : x >= -epsilon ? corner : 1 - delta),
    vertices: () => {
      if (delta === 1) return [0, 1].map((alpha) => ({ alpha, beta: 0 }));
      const points = [
        { alpha: 0, beta: 1 - delta },
        { alpha: corner, beta: corner },
        { alpha: 1 - delta, beta: 0 },
      ];
      return delta === 0 || 1 - delta === 1 ? points : [...points, { alpha: 1, beta: 0 }];
    },
  };
}

/** α ↦ 1 − δ − e^ε·α to the last digit, for the α at which it can be the greater of the two lines. */
function fallingLine(epsilon: number, delta: number): (alpha: number) => number {
  const [shift, scale] = epsilon > 600 ? [400, 2 ** 577] : [0, 1];
  // Beyond 1400 e^ε·α > 1 for every double α > 0. Between, e^ε is kept as e^(ε−400)·e^400/2^577 times 2^577.
  if (epsilon > 1400) return (alpha) => (alpha === 0 ? 1 - delta : Number.NEGATIVE_INFINITY);
  const growth: Twofold =
    shift === 0
      ? expTwofold(epsilon)
      : multiplyTwofold(scaled(expTwofold(epsilon - shift), 1), scaled(expTwofold(shift), 1 / scale));
  return (alpha) => {
    if (alpha === 0) return 1 - delta;
    const part = alpha * scale;
    const rough = 1 - delta - part * growth.high;
    if (rough < -1e-6 || rough > 0.25) return rough;
    const product = multiplyExactly(part, growth.high);
    const grown = { high: product.high, low: product.low + part * growth.low };
    const room = addTwofold({ high: 1, low: 0 }, { high: -delta, low: 0 });
    const line = addTwofold(room, { high: -grown.high, low: -grown.low });
    return line.high + line.low;
  };
}

const scaled = ({ high, low }: Twofold, by: number): Twofold => ({ high: high * by, low: low * by });
