import { halved } from "../numeric/root.ts";
import type { Atoms } from "./atoms.ts";
import type { TradeoffFunction } from "./curve.ts";
import { type FullPoint, type Tangent, tangentAt } from "./envelope.ts";
import { atomsOfTangents } from "./profile.ts";

/** A pair on a lattice of losses, as `Atoms` without corners. */
type Masses = Pick<Atoms, "loss" | "p" | "q" | "jump" | "rest">;

/** The mass that may be cut off an infinite range of losses; it counts as distinguished with certainty. */
const CUT = 1e-40;
/** Losses beyond this, whose e^loss is near the greatest double, count as distinguished with certainty. */
const STEEPEST = 600;

/** The losses between which nearly all of a curve lies, in both directions. */
export function usefulRange(curve: TradeoffFunction): readonly [low: number, high: number] {
  return [-usefulEnd(curve.inverted()), usefulEnd(curve)];
}

function usefulEnd(curve: TradeoffFunction): number {
  const steepest = Math.max(0, curve.logSlope(0));
  if (steepest <= 64) return steepest;
  const outright = curve.power(0);
  const isSmall = (x: number): boolean => curve.divergence(x) <= outright * (1 + 1e-12) + CUT;
  return halved(isSmall, 0, Math.min(steepest, STEEPEST), 40)[1];
}

/** The step that cuts the useful range into about `cells`, a whole part of its steepest loss where that is finite. */
function stepOf(low: number, high: number, cells: number): number {
  const widest = Math.max(high, -low);
  return widest / Math.max(1, Math.round((cells * widest) / (high - low)));
}

/** A lower bound of the curve on a lattice: the envelope of its tangents there [M69]. Its error is of second order in the step. */
export function latticeBelow(curve: TradeoffFunction, cells: number): Masses {
  const [low, high] = usefulRange(curve);
  const step = stepOf(low, high, cells);
  const [bottom, top] = [Math.floor(low / step), Math.ceil(high / step)];
  const tangents: Tangent[] = [];
  for (let j = top; j >= bottom; j--) tangents.push(tangentAt(curve, j * step));
  return atomsOfTangents(tangents, (x) => curve.divergence(x));
}

/** A chord that ends on the curve to within this share of its height is taken to end on it. */
const ROUNDING = 1e-14;

/**
 * An upper bound of the curve on a lattice: a polygon inscribed in it whose chords have lattice slopes [M69]. Mass of Q
 * outside the chords is left out, which can only lower the loss.
 */
export function latticeAbove(curve: TradeoffFunction, cells: number): Masses {
  const [low, high] = usefulRange(curve);
  const step = stepOf(low, high, cells);
  const [bottom, top] = [Math.floor(low / step), Math.ceil(high / step)];
  const loss = Float64Array.from({ length: top - bottom + 1 }, (_, i) => (bottom + i) * step);
  const [p, q] = [new Float64Array(loss.length), new Float64Array(loss.length)];
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
    q[j - bottom] = growth * width;
    p[j - bottom] = width;
    point = end;
    from = Math.min(slope, steep);
  }
  // Mass outside the chords goes where it distinguishes nothing.
  const rest = 1 - last.alpha;
  const hidden = Math.max(0, Math.min(1 - rest - total(p), 1 - outright - total(q)));
  p[-bottom] = (p[-bottom] ?? 0) + hidden;
  q[-bottom] = (q[-bottom] ?? 0) + hidden;
  return { loss, p, q, jump: outright, rest };
}

const total = (masses: Float64Array): number => masses.reduce((sum, mass) => sum + mass, 0);
