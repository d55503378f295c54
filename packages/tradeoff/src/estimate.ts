import { invalid } from "@dosimeter/core";
import type { Lower, Upper } from "@dosimeter/core/accounting";
import { asLower, asUpper } from "@dosimeter/core/internal";
import { isTradeoffFunction, type TradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { gdp } from "./gdp.ts";
import {
  atomsDeltaSlack,
  atomsEpsilon,
  atomsMu,
  type CornerMaximum,
  isPoints,
  leastDelta,
  leastEpsilon,
  leastMu,
} from "./least.ts";
import { fromPoints, type PointsInput } from "./points.ts";

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
  const mu = roundUp(isPoints(curve) && curve.atoms !== null ? measured(atomsMu(curve.atoms)) : leastMu(curve), digits);
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
  const rounded = digits === undefined ? delta : roundUp(delta, digits);
  return Object.freeze({ epsilon, delta: Math.min(1, rounded), curve: epsdelta(epsilon, Math.min(1, rounded)) });
}

/** What measured points say at least: the slack of their rounding is not theirs. */
const measured = ({ value, slack }: CornerMaximum): Upper => asUpper(value - slack, "measured");

function upperEpsilon(curve: TradeoffFunction, delta: number, digits: number): number {
  const isMeasured = isPoints(curve) && curve.atoms !== null;
  return roundUp(isMeasured ? measured(atomsEpsilon(curve.atoms, delta)) : leastEpsilon(curve, delta), digits);
}

function upperDelta(curve: TradeoffFunction, epsilon: number, digits: number): number {
  const value = leastDelta(curve, epsilon);
  const isMeasured = isPoints(curve) && curve.atoms !== null;
  const least = isMeasured ? measured({ value, slack: atomsDeltaSlack(curve.atoms, epsilon) }) : value;
  return Math.min(1, roundUp(least, digits));
}

function curveOf(x: TradeoffFunction | PointsInput): TradeoffFunction {
  return isTradeoffFunction(x) ? x : fromPoints(x);
}

/** Decimal places of an estimate; the R package calls them `dp`. */
export const DIGITS = 2;

/** The least multiple of 10^−digits that is ≥ value, as the nearest double; value itself where doubles are coarser. */
export function roundUp(value: Upper, digits: number): Upper {
  if (!Number.isSafeInteger(digits) || digits < 0 || digits > 15) invalid("digits", digits, "an integer from 0 to 15");
  if (!Number.isFinite(value) || value <= 0) return asUpper(Math.max(0, value), "of bounds");
  const scale = 10 ** digits;
  let steps = Math.ceil(value * scale);
  if (!Number.isSafeInteger(steps)) return value;
  while (steps > 0 && (steps - 1) / scale >= value) steps--;
  while (steps / scale < value) steps++;
  return asUpper(Math.max(0, steps / scale), "one-sided");
}

/** The same towards 0, for lower bounds on leakage. */
export function roundDown(value: Lower, digits: number): Lower {
  if (!Number.isSafeInteger(digits) || digits < 0 || digits > 15) invalid("digits", digits, "an integer from 0 to 15");
  if (!Number.isFinite(value) || value <= 0) return asLower(Math.max(0, value), "of bounds");
  const scale = 10 ** digits;
  let steps = Math.floor(value * scale);
  if (!Number.isSafeInteger(steps)) return value;
  while (steps / scale > value) steps--;
  while ((steps + 1) / scale <= value) steps++;
  return asLower(steps / scale, "one-sided");
}
