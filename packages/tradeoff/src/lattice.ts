import { halved, holds } from "@dosimeter/core/internal";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import type { TradeoffFunction } from "./curve.ts";
import { type FullPoint, lossRange, tangentAt } from "./envelope.ts";

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
export function latticeBelow(curve: TradeoffFunction, cells: number): Masses {
  const { pieces, jump, rest } = piecesBelow(curve, usefulRange(curve), cells);
  // Either measure has at least 1: a rounding more only adds to δ.
  const room = 4 * pieces.length * 2 ** -53;
  return masses([...pieces, { loss: 0, p: room, q: room }], { jump, rest });
}

function masses(pieces: readonly Atom[], { jump, rest }: Pick<Masses, "jump" | "rest">): Masses {
  const column = (read: (atom: Atom) => number) => Float64Array.from(pieces, read);
  return { loss: column(({ loss }) => loss), p: column(({ p }) => p), q: column(({ q }) => q), jump, rest };
}

/** The same over all losses of a curve, as a curve. */
export function atomsBelow(curve: TradeoffFunction, cells: number): Atoms {
  const { pieces, jump, rest, excess, start } = piecesBelow(curve, lossRange(curve), cells);
  return excess > 0 ? withinOne(pieces, { jump, rest }, { excess, start }) : atomsOf(pieces, jump, rest);
}

/** A pair in pieces. What rounding adds to its masses only adds to δ, also where such pairs are composed: each δ̃(t) ≥ δ(t). */
interface Pieces {
  readonly pieces: Atom[];
  readonly jump: number;
  readonly rest: number;
  /** How far the masses are above 1. */
  readonly excess: number;
  /** δ(0). */
  readonly start: number;
}

/**
 * Piecewise-linear lower bound of a curve, from upper bounds of δ alone: the chords of δ(ln t) between the dots t = e^(j·step) [M69],
 * which is convex in t. Right of t = 1 they come from δ of T(P, Q), left of it from that of T(Q, P), so that no tail loses digits.
 * Masses are chosen from the steepest loss down, each as large as the next dot needs: an error of one is not that of the next.
 */
function piecesBelow(
  curve: TradeoffFunction,
  [low, high]: readonly [low: number, high: number],
  cells: number,
): Pieces {
  if (!(high > low)) return { pieces: [{ loss: 0, p: 1, q: 1 }], jump: 0, rest: 0, excess: 0, start: 0 };
  const step = stepOf(low, high, cells);
  const above = dotted(curve, places(high, step));
  const below = curve.isSymmetric ? above : dotted(curve.inverted(), places(-low, step));
  const [there, back] = [raised(above, below.start), raised(below, above.start)];
  const middle = 1 - there.otherMass - back.mass;
  const pieces: Atom[] = [
    ...there.pieces.map(({ loss, mass }) => ({ loss, p: mass * Math.exp(-loss), q: mass })),
    ...back.pieces.map(({ loss, mass }) => ({ loss: -loss, p: mass, q: mass * Math.exp(-loss) })),
  ];
  if (middle > 0) pieces.push({ loss: 0, p: middle, q: middle });
  const { infinite: jump, start } = there;
  return { pieces, jump, rest: back.infinite, excess: Math.max(0, -middle), start };
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
const PAD = 1e-13;

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

/** A chord that ends on the curve to within this share of its height ends on it. */
const ROUNDING = 1e-14;

/**
 * An upper bound of the curve on a lattice: chords of lattice slopes, from one end to the other, of a polygon inscribed in it, whose
 * corners are twice as dense [M69]. What is steeper than the last slope is a piece of its own.
 */
export function latticeAbove(curve: TradeoffFunction, cells: number): Masses {
  const [low, high] = usefulRange(curve);
  const step = stepOf(low, high, cells);
  const polygon = inscribed(curve, {
    from: Math.ceil((2 * high) / step),
    to: Math.floor((2 * low) / step),
    step: step / 2,
  });
  const [first, last] = [polygon[0] as FullPoint, polygon.at(-1) as FullPoint];
  const pieces: Atom[] = [];
  const add = (loss: number, p: number, q: number): void => {
    if (p > 0 && q > 0) pieces.push({ loss, p, q });
  };
  let [start, corner] = [first, 1];
  for (let j = Math.ceil(high / step); start.alpha < last.alpha; j--) {
    const growth = Math.exp(j * step);
    const rise = ({ alpha, power, beta }: FullPoint) => (alpha < 0.5 ? power - start.power : start.beta - beta);
    /** How far a point lies above the chord from `start` at this slope. */
    const excess = (end: FullPoint) => rise(end) * (1 + ROUNDING) - growth * (end.alpha - start.alpha);
    if (excess(last) >= 0) {
      const [width, height] = [last.alpha - start.alpha, rise(last)];
      add(Math.log(height / width), width, height * (1 - 2 * ROUNDING));
      break;
    }
    const before = corner;
    while (excess(polygon[corner] as FullPoint) >= 0) corner++;
    const from = corner === before ? start : (polygon[corner - 1] as FullPoint);
    const end = crossing(from, polygon[corner] as FullPoint, excess);
    const width = end.alpha - start.alpha;
    add(j * step, width, growth * width * (1 - 2 * ROUNDING));
    if (width > 0) start = end;
  }
  return masses(pieces, { jump: first.power, rest: 1 - last.alpha });
}

/** Points of the curve from one end to the other, in order: where lines of slope −e^(j·step) touch, j falling. */
function inscribed(
  curve: TradeoffFunction,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
): readonly FullPoint[] {
  const points: FullPoint[] = [{ alpha: 0, power: curve.power(0), beta: curve.beta(0) }];
  for (let j = from; j >= to; j--) {
    const point = tangentAt(curve, j * step);
    const before = points.at(-1) as FullPoint;
    if (point.alpha > before.alpha && point.power >= before.power && point.beta <= before.beta) points.push(point);
  }
  const last = { alpha: 1 - curve.inverted().power(0), power: 1, beta: 0 };
  while ((points.at(-1)?.alpha ?? 0) >= last.alpha && points.length > 1) points.pop();
  return [...points, last];
}

/** Where the chord meets the segment between a point on or above it and one below; on a convex curve the segment lies above the curve. */
function crossing(above: FullPoint, below: FullPoint, excess: (point: FullPoint) => number): FullPoint {
  const [over, under] = [Math.max(0, excess(above)), -excess(below)];
  const share = over + under > 0 ? over / (over + under) : 0;
  const between = (read: (point: FullPoint) => number) => read(above) + share * (read(below) - read(above));
  return { alpha: between((at) => at.alpha), power: between((at) => at.power), beta: between((at) => at.beta) };
}
