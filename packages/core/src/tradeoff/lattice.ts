import { holds } from "../accounting/invariants.ts";
import { halved } from "../numeric/root.ts";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import type { TradeoffFunction } from "./curve.ts";
import { type FullPoint, tangentAt } from "./envelope.ts";

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

/** Doubles below it have fewer digits. */
const MIN_STEP = 2 ** -1022;

/** The step that cuts the useful range into about `cells`, a whole part of its steepest loss where that is finite. */
function stepOf(low: number, high: number, cells: number): number {
  const widest = Math.max(high, -low);
  return Math.max(MIN_STEP, widest / Math.max(1, Math.round(cells / (high / widest - low / widest))));
}

/** Losses step, 2·step, … the last of them the first that reaches `end`. */
const places = (end: number, step: number): readonly number[] =>
  Array.from({ length: Math.max(end > 0 ? 1 : 0, Math.ceil(end / step - 1e-9)) }, (_, i) => (i + 1) * step);

/** A lower bound of the curve on a lattice of losses [M69]. Its error is of second order in the step. */
export function latticeBelow(curve: TradeoffFunction, cells: number): Atoms {
  return piecesBelow(curve, usefulRange(curve), cells);
}

/**
 * Piecewise-linear lower bound of a curve, from upper bounds of δ alone: the chords of δ(ln t) between the dots t = e^(j·step) [M69],
 * which is convex in t. Right of t = 1 they come from δ of T(P, Q), left of it from that of T(Q, P), so that no tail loses digits.
 * Masses are chosen from the steepest loss down, each as large as the next dot needs: an error of one is not that of the next.
 */
export function piecesBelow(
  curve: TradeoffFunction,
  [low, high]: readonly [low: number, high: number],
  cells: number,
): Atoms {
  if (!(high > low)) return atomsOf([{ loss: 0, p: 1, q: 1 }]);
  const step = stepOf(low, high, cells);
  const above = dotted(curve, places(high, step));
  const below = curve.isSymmetric ? above : dotted(curve.inverted(), places(-low, step));
  const [there, back] = [raised(above, below.start), raised(below, above.start)];
  const middle = 1 - there.otherMass - back.mass;
  const pieces: Atom[] = [
    ...there.pieces.map(({ loss, mass }) => ({ loss, p: mass * Math.exp(-loss), q: mass })),
    ...back.pieces.map(({ loss, mass }) => ({ loss: -loss, p: mass, q: mass * Math.exp(-loss) })),
  ];
  if (middle >= 0) {
    return atomsOf([...pieces, { loss: 0, p: middle, q: middle }], there.infinite, back.infinite);
  }
  return withinOne(pieces, { jump: there.infinite, rest: back.infinite }, { excess: -middle, start: there.start });
}

/** One half of a pair: pieces of falling loss > 0 with their mass under the measure of the numerator. */
interface Half {
  readonly pieces: readonly { readonly loss: number; readonly mass: number }[];
  readonly infinite: number;
  /** δ(0). */
  readonly start: number;
  /** Σ mass, with that at infinity. */
  readonly mass: number;
  /** Σ mass·e^−loss: what the other measure has there. */
  readonly otherMass: number;
}

/** More than the relative error of a δ of closed form. */
const PAD = 4e-12;

function dotted(curve: TradeoffFunction, losses: readonly number[]): Half {
  // Every term below is positive: after n steps the sum is within 4n roundings of that of the masses.
  const pad = 1 + PAD + 4 * losses.length * 2 ** -53;
  const least = (x: number): number => Math.min(1, curve.divergence(x) * pad);
  const pieces: { readonly loss: number; readonly mass: number }[] = [];
  const infinite = least(losses.at(-1) ?? 0);
  let [delta, sum, other] = [infinite, infinite, 0];
  for (let j = losses.length - 1; j >= 0; j--) {
    const [loss, next] = [losses[j] ?? 0, losses[j - 1] ?? 0];
    const part = -Math.expm1(next - loss);
    const line = delta + other * Math.exp(loss) * part;
    const mass = Math.max(0, least(next) - line) / part;
    delta = line + mass * part;
    sum += mass;
    other += mass * Math.exp(-loss);
    if (mass > 0) pieces.push({ loss, mass });
  }
  return { pieces, infinite, start: delta, mass: sum, otherMass: other };
}

/** A half whose δ(0) is at least `start`: both halves of a pair have the same. */
function raised(half: Half, start: number): Half {
  const gap = start - half.start;
  if (!(gap > 0)) return half;
  const last = half.pieces.at(-1);
  if (last === undefined) {
    return { ...half, infinite: half.infinite + gap, mass: half.mass + gap, start };
  }
  const more = gap / -Math.expm1(-last.loss);
  return {
    pieces: [...half.pieces.slice(0, -1), { loss: last.loss, mass: last.mass + more }],
    infinite: half.infinite,
    start,
    mass: half.mass + more,
    otherMass: half.otherMass + more * Math.exp(-last.loss),
  };
}

/**
 * A pair whose masses exceed 1 by `excess`, which only rounding does: scaled to 1, with as much at infinity as keeps every δ where it
 * was, (1 − s)·δ/(1 + e) + s ≥ δ for s = 2e/(1 − δ(0)).
 */
function withinOne(
  pieces: readonly Atom[],
  { jump, rest }: Pick<Atoms, "jump" | "rest">,
  { excess, start }: { readonly excess: number; readonly start: number },
): Atoms {
  const share = Math.min(1, (2 * excess) / Math.max(0, 1 - start));
  if (!holds(excess <= 1e-6, "masses sum to one") || !(share < 1)) return atomsOf([], 1, 1);
  const scale = (1 - share) / (1 + excess);
  return atomsOf(
    pieces.map(({ loss, p, q }) => ({ loss, p: p * scale, q: q * scale })),
    jump * scale + share,
    rest * scale + share,
  );
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
