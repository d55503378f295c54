import { eachGaussPoint, eachShortGaussPoint } from "../numeric/quadrature.ts";
import { holds, isOne } from "./invariants.ts";
import { type LossDistribution, reach } from "./loss-distribution.ts";
import type { Piece } from "./piece.ts";

/** A dominating distribution on the points offset + j·h: P-masses from j = `from` upwards [M46]. */
export interface LatticeDistribution {
  readonly from: number;
  readonly mass: Float64Array;
  readonly infinite: number;
  /** Whether some mass was split between two points, which makes the distribution strictly worse than the true one. */
  readonly isSplit: boolean;
  /** Largest amount by which a loss was moved down to meet a point it equals up to rounding. */
  readonly drift: number;
}

export interface LatticeGrid {
  readonly step: number;
  /** Where the point j = 0 lies. */
  readonly offset: number;
  /** P-mass that may be moved up to ∞, or up to the lowest point, on either side. */
  readonly negligible: number;
}

const ROUNDOFF = 2 ** -53;

/**
 * Connect-the-dots: the mass in each cell is split between its ends so that both its P- and its Q-mass are kept. The
 * result dominates the distribution and is the best on its points. All weights are positive integrals, never differences [M46].
 */
export function latticeDistribution(distribution: LossDistribution, grid: LatticeGrid): LatticeDistribution {
  const { step, offset } = grid;
  const pieces = distribution.pieces.map((piece) => ({ piece, range: tailRange(piece, grid.negligible) }));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const cover = (loss: number): void => {
    const j = (loss - offset) / step;
    low = Math.min(low, Math.floor(j) - 1);
    high = Math.max(high, Math.ceil(j) + 1);
  };
  for (const { loss } of distribution.atoms) cover(loss);
  for (const { piece, range } of pieces) {
    cover(piece.loss(range[0]));
    cover(piece.loss(range[1]));
  }
  const mass = new Float64Array(high - low + 1);
  let isSplit = false;
  let drift = 0;
  for (const { loss, mass: weight } of distribution.atoms) {
    const j = (loss - offset) / step;
    const nearest = Math.round(j);
    const gap = Math.abs(loss - offset - nearest * step);
    if (gap <= 64 * ROUNDOFF * Math.max(Math.abs(loss), Math.abs(offset), step)) {
      drift = Math.max(drift, gap);
      mass[nearest - low] = (mass[nearest - low] as number) + weight;
    } else {
      isSplit = true;
      split(mass, Math.floor(j) - low, { excess: loss - offset - Math.floor(j) * step, step, weight });
    }
  }
  let infinite = distribution.infinite;
  for (const { piece, range } of pieces) {
    isSplit = true;
    infinite += placePiece(mass, low, { piece, range, grid });
  }
  const total = mass.reduce((sum, weight) => sum + weight, infinite);
  // Without a number in it, no sum with this part is taken for a bound.
  if (!holds(isOne(total), "the masses of a loss are one"))
    return { from: low, mass: mass.fill(0), infinite: Number.NaN, isSplit, drift };
  return { from: low, mass, infinite, isSplit, drift };
}

function split(
  mass: Float64Array,
  cell: number,
  { excess, step, weight }: { excess: number; step: number; weight: number },
): void {
  const whole = Math.expm1(-step);
  const part = Math.expm1(-excess);
  mass[cell] = (mass[cell] as number) + weight * Math.max(0, (whole - part) / whole);
  mass[cell + 1] = (mass[cell + 1] as number) + weight * Math.max(0, part / whole);
}

/** Part of a density's scale below which three points integrate it to all digits. */
const NARROW = 0.02;

/** Places a piece cell by cell; returns the mass beyond its upper end, which counts as infinite. */
function placePiece(
  mass: Float64Array,
  low: number,
  { piece, range, grid }: { piece: Piece; range: readonly [number, number]; grid: LatticeGrid },
): number {
  const { step, offset, negligible } = grid;
  const [a, b] = [piece.loss(range[0]), piece.loss(range[1])];
  const [bottom, top] = [Math.min(a, b), Math.max(a, b)];
  const first = Math.floor((bottom - offset) / step);
  const last = Math.floor((top - offset) / step);
  let left = a < b ? range[0] : range[1];
  for (let j = first; j <= last; j++) {
    const edge = offset + (j + 1) * step;
    const right = edge >= top ? (a < b ? range[1] : range[0]) : clampTo(piece.inverse(edge), range);
    const [from, to] = left < right ? [left, right] : [right, left];
    if (to > from) {
      const place = (x: number, weight: number): void => {
        const excess = Math.min(step, Math.max(0, piece.loss(x) - offset - j * step));
        split(mass, j - low, { excess, step, weight: weight * Math.exp(piece.logDensity(x)) });
      };
      if (to - from < NARROW * piece.spread) eachShortGaussPoint(from, to, place);
      else eachGaussPoint(from, to, Math.max(1, Math.ceil((2 * (to - from)) / piece.spread)), place);
    }
    left = right;
  }
  const isCut = !Number.isFinite(piece.from) || !Number.isFinite(piece.to);
  return isCut ? negligible : 0;
}

const clampTo = (x: number, [from, to]: readonly [number, number]): number => Math.min(to, Math.max(from, x));

/** The range outside which the P-mass of a piece is negligible on either side, by its density at the edges. */
function tailRange(piece: Piece, negligible: number): readonly [number, number] {
  const [from, to] = reach(piece, 0);
  const floor = Math.log(negligible) - 3;
  let [a, b] = [from, to];
  if (!Number.isFinite(piece.from)) while (a < b && piece.logDensity(a) < floor) a += 0.25;
  if (!Number.isFinite(piece.to)) while (b > a && piece.logDensity(b) < floor) b -= 0.25;
  return [a === from ? a : a - 0.25, b === to ? b : b + 0.25];
}

/** The largest g of which all the values are whole multiples up to rounding; undefined if it would be below `least`. */
export function commonSpacing(values: readonly number[], least: number): number | undefined {
  let g = 0;
  for (const value of values) {
    let [a, b] = [Math.abs(value), g];
    const tiny = 1e-11 * Math.max(a, b);
    while (b > tiny) {
      const rest = a - Math.round(a / b) * b;
      [a, b] = [b, Math.abs(rest)];
    }
    if (a > tiny) g = a;
    if (g > 0 && g < least) return undefined;
  }
  if (g === 0) return undefined;
  const largest = values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const count = Math.round(largest / g);
  return count > 0 && largest > 0 ? largest / count : undefined;
}
