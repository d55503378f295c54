import { asUpper } from "../accounting/rounding.ts";
import { invalid } from "../error.ts";
import { isTradeoffFunction, type TradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { gdp } from "./gdp.ts";
import { atomsDeltaSlack, atomsEpsilon, atomsMu, isPoints, leastDelta, leastEpsilon, leastMu } from "./least.ts";
import { fromPoints, type PointsInput } from "./points.ts";
import { DIGITS, roundUp } from "./round-up.ts";

export interface EstimateOptions {
  /** Decimal places, 0 to 15; 2 when left out. */
  readonly digits?: number;
}

/** A guarantee and the curve that it draws. */
export interface GdpEstimate {
  readonly mu: number;
  readonly curve: TradeoffFunction;
}

export interface EpsdeltaEstimate {
  readonly epsilon: number;
  readonly delta: number;
  readonly curve: TradeoffFunction;
}

/**
 * The least μ, rounded up, with G_μ below the whole curve (or below the points) [M70] [M71]; ∞ where there is none.
 * A guarantee for a curve; for points of attacks see `fitGdp`.
 */
export function estGdp(x: TradeoffFunction | PointsInput, { digits = DIGITS }: EstimateOptions = {}): GdpEstimate {
  const curve = curveOf(x);
  const { value, slack } =
    isPoints(curve) && curve.atoms !== null
      ? atomsMu(curve.atoms)
      : // A closed form is right to a few ulp: 0.6-GDP ⊗ 0.8-GDP is 1-GDP.
        { value: leastMu(curve), slack: curve.gaussian.isLeast ? 4 * Number.EPSILON * curve.gaussian.mu : 0 };
  const isClosed = isPoints(curve) || curve.gaussian.isLeast;
  const mu = roundUp(asUpper(isClosed ? value : value * (1 + SPARE)), digits, slack);
  return Object.freeze({ mu, curve: gdp(mu) });
}

export type EpsdeltaTarget =
  | { readonly epsilon: number; readonly delta?: undefined }
  | { readonly epsilon?: undefined; readonly delta: number };

/**
 * The least ε for a given δ, or δ for a given ε, rounded up, with f_{ε,δ} below the whole curve (or the points) [M70].
 * The caller gives exactly one of the two. ∞ where no ε is enough.
 */
export function estEpsdelta(
  x: TradeoffFunction | PointsInput,
  options: EpsdeltaTarget & EstimateOptions,
): EpsdeltaEstimate {
  const { digits = DIGITS } = options ?? {};
  const { epsilon, delta } = options ?? {};
  if ((epsilon === undefined) === (delta === undefined)) {
    invalid("epsilon, delta", { epsilon, delta }, "exactly one of the two: the other is estimated");
  }
  const curve = curveOf(x);
  const answer =
    delta === undefined
      ? { epsilon: epsilon ?? 0, delta: upperDelta(curve, epsilon ?? 0, digits) }
      : { epsilon: upperEpsilon(curve, delta, digits), delta };
  return Object.freeze({ ...answer, curve: epsdelta(answer.epsilon, answer.delta) });
}

/** The (ε, δ) guarantee of μ-GDP at one ε; δ rounded up where `digits` is given. */
export function gdpToEpsdelta(mu: number, epsilon: number, { digits }: EstimateOptions = {}): EpsdeltaEstimate {
  const delta = leastDelta(gdp(mu), epsilon);
  const rounded = digits === undefined ? delta : roundUp(asUpper(delta * (1 + SPARE)), digits);
  return Object.freeze({ epsilon, delta: Math.min(1, rounded), curve: epsdelta(epsilon, Math.min(1, rounded)) });
}

/** Room for the rounding of a computed bound before it is rounded up. */
const SPARE = 1e-14;

function upperEpsilon(curve: TradeoffFunction, delta: number, digits: number): number {
  if (isPoints(curve) && curve.atoms !== null) {
    const { value, slack } = atomsEpsilon(curve.atoms, delta);
    return roundUp(asUpper(value), digits, slack);
  }
  const value = leastEpsilon(curve, delta);
  return roundUp(asUpper(isCertain(curve, value) ? value : value * (1 + SPARE)), digits);
}

function upperDelta(curve: TradeoffFunction, epsilon: number, digits: number): number {
  const value = leastDelta(curve, epsilon);
  if (isPoints(curve) && curve.atoms !== null) return roundUp(value, digits, atomsDeltaSlack(curve.atoms, epsilon));
  return Math.min(1, roundUp(asUpper(isCertain(curve, value) ? value : value * (1 + SPARE)), digits));
}

/** Whether a number is a bound already: of pieces it is, and a parameter of the curve is exact. */
function isCertain({ definition, atoms }: TradeoffFunction, value: number): boolean {
  if ("epsdelta" in definition) return definition.epsdelta.includes(value);
  if ("lap" in definition) return definition.lap === value;
  return atoms !== null || ("boundedRange" in definition && definition.boundedRange === value);
}

function curveOf(x: TradeoffFunction | PointsInput): TradeoffFunction {
  return isTradeoffFunction(x) ? x : fromPoints(x);
}
