import { eachGaussPoint } from "../numeric/quadrature.ts";
import { type Direction, type LossDistribution, type Piece, reach } from "./loss-distribution.ts";

/**
 * Losses and weights whose exponential sums are the moment generating function of a distribution tilted by θ: Σ w e^{iy l} is
 * M(θ + iy)/M(θ) to within `error` for every |y| ≤ the frequency asked for [M43]. Weights are positive with sum 1.
 */
export interface TiltedNodes {
  readonly loss: Float64Array;
  readonly weight: Float64Array;
  /** ln M(θ), of the finite part scaled to mass 1. */
  readonly logMgf: number;
  readonly error: number;
}

/** Truncation and quadrature errors are kept below e^−DIGITS. */
const DIGITS = 42;

/** See `TiltedNodes`. `direction` says which bound on the loss off the real axis holds. */
export function tiltedNodes(
  distribution: LossDistribution,
  theta: number,
  frequency: number,
  direction: Direction,
): TiltedNodes {
  const loss: number[] = [];
  const log: number[] = [];
  const scale = -Math.log1p(-distribution.infinite);
  for (const atom of distribution.atoms) {
    if (atom.mass === 0) continue;
    loss.push(atom.loss);
    log.push(Math.log(atom.mass) + theta * atom.loss + scale);
  }
  for (const piece of distribution.pieces) {
    const place = (x: number, weight: number): void => {
      const l = piece.loss(x);
      loss.push(l);
      log.push(piece.logDensity(x) + Math.log(weight) + theta * l + scale);
    };
    if (Number.isFinite(piece.from) || Number.isFinite(piece.to)) gaussNodes(piece, theta, frequency, place);
    else trapezoidNodes(piece, { theta, frequency, direction }, place);
  }
  return normalise(loss, log);
}

function normalise(loss: readonly number[], log: readonly number[]): TiltedNodes {
  let high = Number.NEGATIVE_INFINITY;
  for (const value of log) if (value > high) high = value;
  let sum = 0;
  let lost = 0;
  for (const value of log) {
    const term = Math.exp(value - high) - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
  }
  const kept: number[] = [];
  for (let i = 0; i < log.length; i++) if ((log[i] as number) - high > -DIGITS - 6) kept.push(i);
  return {
    loss: Float64Array.from(kept, (i) => loss[i] as number),
    weight: Float64Array.from(kept, (i) => Math.exp((log[i] as number) - high) / sum),
    logMgf: high + Math.log(sum),
    error: 4e-16,
  };
}

function gaussNodes(piece: Piece, theta: number, frequency: number, place: (x: number, weight: number) => void): void {
  const [from, to] = reach(piece, theta);
  if (!(to > from)) return;
  const isBounded = Number.isFinite(piece.from) && Number.isFinite(piece.to);
  const [low, high] = isBounded ? [from, to] : heavyRange(piece, theta, [from, to]);
  const turns = ((frequency + theta + 1) * piece.slope * (high - low)) / 2;
  eachGaussPoint(low, high, Math.max(1, Math.ceil(turns), Math.ceil((2 * (high - low)) / piece.spread)), place);
}

/** The part of a range where the tilted density is within e^−DIGITS of its largest value. */
function heavyRange(piece: Piece, theta: number, [from, to]: readonly [number, number]): readonly [number, number] {
  const exponent = (x: number): number => piece.logDensity(x) + theta * piece.loss(x);
  const count = Math.ceil((to - from) / SCAN);
  const width = (to - from) / count;
  const coarse = Array.from({ length: count + 1 }, (_, i) => exponent(from + i * width));
  const high = coarse.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const isHeavy = (value: number): boolean => value >= high - DIGITS - 4;
  return [
    from + Math.max(0, coarse.findIndex(isHeavy) - 1) * width,
    from + Math.min(count, coarse.findLastIndex(isHeavy) + 1) * width,
  ];
}

/**
 * The trapezoid rule on the whole line: its error is at most 2e^{−(2π/s − yμ)d + growth(d)} for every d within the
 * strip of analyticity, |Im x| < π/μ [M43]. The step s is the largest for which some d gives e^−DIGITS.
 */
function trapezoidNodes(
  piece: Piece,
  { theta, frequency, direction }: { theta: number; frequency: number; direction: Direction },
  place: (x: number, weight: number) => void,
): void {
  const step = (2 * Math.PI) / (frequency * piece.slope + leastRate(piece.slope, theta, direction));
  const [from, to] = reach(piece, theta);
  const exponent = (x: number): number => piece.logDensity(x) + theta * piece.loss(x);
  let high = Number.NEGATIVE_INFINITY;
  const coarse: number[] = [];
  for (let x = from; x <= to + SCAN; x += SCAN) {
    const value = exponent(x);
    coarse.push(value);
    high = Math.max(high, value);
  }
  const floor = high - DIGITS - 4;
  const low = from + (coarse.findIndex((value) => value >= floor) - 1) * SCAN;
  const end = from + (coarse.findLastIndex((value) => value >= floor) + 1) * SCAN;
  const first = Math.floor(low / step);
  const last = Math.ceil(end / step);
  for (let i = first; i <= last; i++) place(i * step, step);
}

/** Distance in standard deviations between the points that find where the integrand matters. */
const SCAN = 1.5;

function leastRate(slope: number, theta: number, direction: Direction): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 1; i < 24; i++) {
    const d = ((Math.PI / slope) * i) / 24;
    const turn = direction === "add" ? -theta * Math.log(Math.cos((slope * d) / 2)) : 0;
    least = Math.min(least, (DIGITS + (d * d) / 2 + turn) / d);
    const short = 9.2 * (i / 23);
    if (short < Math.PI / slope) {
      const bend = direction === "add" ? -theta * Math.log(Math.cos((slope * short) / 2)) : 0;
      least = Math.min(least, (DIGITS + (short * short) / 2 + bend) / short);
    }
  }
  return least;
}
