import type { TradeoffFunction } from "./curve.ts";
import { type FullPoint, type Tangent, tangentAt } from "./envelope.ts";
import { atomsOfTangents } from "./profile.ts";

/** Q-masses at the losses first·step, (first + 1)·step, …; P has e^(−loss) as much. `jump` is the mass of Q at +∞. */
export interface Lattice {
  readonly step: number;
  readonly first: number;
  readonly masses: Float64Array;
  readonly jump: number;
}

/** What counts as nothing when an infinite range of losses is cut: it is charged as told apart outright. */
const CUT = 1e-40;
/** Losses beyond this, whose e^loss is near the greatest double, count as telling apart outright. */
const STEEPEST = 600;

/** The losses between which nearly all of a curve lies, in both directions. */
export function usefulRange(curve: TradeoffFunction): readonly [low: number, high: number] {
  return [-usefulEnd(curve.inverted()), usefulEnd(curve)];
}

function usefulEnd(curve: TradeoffFunction): number {
  const steepest = Math.max(0, curve.logSlope(0));
  if (steepest <= 64) return steepest;
  const outright = curve.power(0);
  let [low, high] = [0, Math.min(steepest, STEEPEST)];
  for (let i = 0; i < 40; i++) {
    const x = (low + high) / 2;
    if (curve.divergence(x) <= outright * (1 + 1e-12) + CUT) high = x;
    else low = x;
  }
  return high;
}

/** A lower bound of the curve on a lattice: the envelope of its tangents there [M69]. Its error is of second order in `step`. */
export function latticeBelow(curve: TradeoffFunction, step: number): Lattice {
  const [low, high] = usefulRange(curve);
  const [bottom, top] = [Math.floor(low / step), Math.ceil(high / step)];
  const tangents: Tangent[] = [];
  for (let j = top; j >= bottom; j--) tangents.push(tangentAt(curve, j * step));
  const { loss, q, jump } = atomsOfTangents(tangents, (x) => curve.divergence(x));
  const masses = new Float64Array(top - bottom + 1);
  for (let i = 0; i < loss.length; i++) masses[Math.round((loss[i] ?? 0) / step) - bottom] = q[i] ?? 0;
  return { step, first: bottom, masses, jump };
}

/** A chord that ends on the curve to within this share of its height is taken to end on it. */
const ROUNDING = 1e-14;

/**
 * An upper bound of the curve on a lattice: a polygon inscribed in it whose chords have lattice slopes [M69]. Mass of Q
 * that no chord holds is left out, which only hides loss.
 */
export function latticeAbove(curve: TradeoffFunction, step: number): Lattice {
  const [low, high] = usefulRange(curve);
  const [bottom, top] = [Math.floor(low / step), Math.ceil(high / step)];
  const masses = new Float64Array(top - bottom + 1);
  const last: FullPoint = { alpha: 1 - curve.inverted().power(0), power: 1, beta: 0 };
  const pointAt = (x: number): FullPoint => (x < low ? last : tangentAt(curve, x));
  let point: FullPoint = { alpha: 0, power: curve.power(0), beta: curve.beta(0) };
  const outright = point.power;
  let from = high + step;
  for (let j = top; j >= bottom && point.alpha < last.alpha; j--) {
    const slope = j * step;
    if (slope >= from) continue;
    const growth = Math.exp(slope);
    const start = point;
    /** How far the curve at x lies above the chord from `start` at this slope. */
    const excess = ({ alpha, power, beta }: FullPoint) => {
      const rise = alpha < 0.5 ? power - start.power : start.beta - beta;
      return rise * (1 + ROUNDING) - growth * (alpha - start.alpha);
    };
    let [steep, flat] = [slope, slope - 4 * step];
    while (flat >= low && excess(pointAt(flat)) >= 0) [steep, flat] = [flat, flat - 16 * step];
    if (excess(pointAt(flat)) >= 0) steep = flat;
    for (let i = 0; i < 26 && steep !== flat; i++) {
      const x = (steep + flat) / 2;
      if (excess(pointAt(x)) >= 0) steep = x;
      else flat = x;
    }
    const end = pointAt(steep);
    const width = end.alpha - start.alpha;
    if (!(width > 0)) continue;
    masses[j - bottom] = growth * width;
    point = end;
    from = Math.min(slope, steep);
  }
  return { step, first: bottom, masses, jump: outright };
}
