import type { TradeoffFunction } from "./curve.ts";

/** A point of a curve with its distances from both ends. */
export interface FullPoint {
  readonly alpha: number;
  readonly power: number;
  readonly beta: number;
}

/** A line of slope −e^loss that supports a curve, and where it touches. */
export interface Tangent extends FullPoint {
  readonly loss: number;
}

export function tangentAt(curve: TradeoffFunction, loss: number): Tangent {
  const alpha = curve.touch(loss);
  return { loss, alpha, power: curve.power(alpha), beta: curve.beta(alpha) };
}

/**
 * Where two supporting lines meet, the left one steeper: a point on or below the curve [M69]. The corners of all
 * tangents in order are a piecewise-linear lower bound.
 */
export function meeting(left: Tangent, right: Tangent): FullPoint {
  const { alpha, power } = left;
  const width = right.alpha - alpha;
  const height = right.power - power;
  const steeper = Math.exp(left.loss);
  const flatter = Math.exp(right.loss);
  if (!(steeper > flatter)) return right;
  // Power gained beyond the flatter slope, divided by the difference of slopes; never beyond the right point.
  const extra = Math.min(Math.max(0, height - flatter * width), height);
  const step = Math.min(width, extra / (flatter * Math.expm1(left.loss - right.loss)));
  const rest = flatter * (width - step);
  return {
    alpha: alpha + step,
    power: Math.min(right.power, right.power - rest < right.power / 2 ? power + steeper * step : right.power - rest),
    beta: Math.max(right.beta, right.beta + rest),
  };
}

/** The steepest and flattest log-slopes of a curve inside (0, 1), cut at tests of size 1e-300. */
export function lossRange(curve: TradeoffFunction): readonly [low: number, high: number] {
  return [-steepest(curve.inverted()), steepest(curve)];
}

function steepest(curve: TradeoffFunction): number {
  const atZero = curve.logSlope(0);
  if (atZero !== Number.POSITIVE_INFINITY) return Math.max(atZero, 0);
  return Math.max(0, curve.logSlope(1e-300));
}
