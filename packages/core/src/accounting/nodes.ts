import { eachGaussPoint } from "../numeric/quadrature.ts";
import { unboundedWork, type Work } from "../work.ts";
import { type LossDistribution, reach } from "./loss-distribution.ts";
import type { Piece } from "./piece.ts";
import type { Direction } from "./profile.ts";

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

/** See `TiltedNodes`. `direction` says which bound on the loss off the real axis holds. [M318] */
export function tiltedNodes(
  distribution: LossDistribution,
  theta: number,
  frequency: number,
  direction: Direction,
  work: Work = unboundedWork,
): TiltedNodes {
  const parts = distribution.pieces.map((piece) => ({ piece, nodes: nodesOf(piece, { theta, frequency, direction }) }));
  const most = parts.reduce((sum, { nodes }) => Math.max(sum, nodes.count), 0);
  if (most > MAX_NODES) {
    work.spend(SCAN_WORK * parts.length);
    return NO_NODES;
  }
  const size = parts.reduce((sum, { nodes }) => sum + nodes.count, distribution.atoms.length);
  work.spend(NODE_WORK * size + SCAN_WORK * parts.length);
  const loss = new Float64Array(size);
  const log = new Float64Array(size);
  const scale = -Math.log1p(-distribution.infinite);
  let held = 0;
  for (const atom of distribution.atoms) {
    if (atom.mass === 0) continue;
    loss[held] = atom.loss;
    log[held++] = Math.log(atom.mass) + theta * atom.loss + scale;
  }
  for (const { piece, nodes } of parts) {
    const { from, to, count } = nodes;
    const place = (x: number, weight: number): void => {
      const l = piece.loss(x);
      loss[held] = l;
      log[held++] = piece.logDensity(x) + Math.log(weight) + theta * l + scale;
    };
    if (!isWholeLine(piece)) eachGaussPoint(from, to, count / GAUSS_POINTS, place);
    else for (let i = 0, step = (to - from) / (count - 1); i < count; i++) place(from + i * step, step);
  }
  return normalise(loss.subarray(0, held), log.subarray(0, held));
}

/** Units of a point with its logarithms, and of the search for the part that matters. */
const NODE_WORK = 12;
const SCAN_WORK = 4000;

/** Most points of one piece: more would take seconds, for a δ far below the least double. */
const MAX_NODES = 2 ** 16;

/** No transform is known: every bound that is made of it is the trivial one. */
export const NO_NODES: TiltedNodes = {
  loss: new Float64Array(0),
  weight: new Float64Array(0),
  logMgf: Number.POSITIVE_INFINITY,
  error: Number.POSITIVE_INFINITY,
};

/** How many points the transform of a distribution takes at this tilt and frequency; ∞ where they are too many. */
export function countNodes(
  { atoms, pieces }: LossDistribution,
  tilt: { readonly theta: number; readonly frequency: number; readonly direction: Direction },
): number {
  const count = pieces.reduce((sum, piece) => sum + nodesOf(piece, tilt).count, atoms.length);
  return count > MAX_NODES ? Number.POSITIVE_INFINITY : count;
}

const isWholeLine = ({ from, to }: Piece): boolean => !Number.isFinite(from) && !Number.isFinite(to);

/** Points of the rule of `eachGaussPoint` in one panel. */
const GAUSS_POINTS = 8;

function normalise(loss: Float64Array, log: Float64Array): TiltedNodes {
  let high = Number.NEGATIVE_INFINITY;
  for (const value of log) if (value > high) high = value;
  let sum = 0;
  let lost = 0;
  let held = 0;
  for (let i = 0; i < log.length; i++) {
    const far = (log[i] as number) - high;
    const weight = Math.exp(far);
    const term = weight - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
    if (!(far > -DIGITS - 6)) continue;
    loss[held] = loss[i] as number;
    log[held++] = weight;
  }
  return {
    loss: loss.slice(0, held),
    weight: log.slice(0, held).map((weight) => weight / sum),
    logMgf: high + Math.log(sum),
    error: 4e-16,
  };
}

interface Nodes {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * Where the points of a piece lie. On a range with an end: panels of at most one radian, and half a spread. On the whole line: the
 * trapezoid rule, whose error is at most 2e^{−(2π/s − yμ)d + growth(d)} for every d within the strip of analyticity, |Im x| < π/μ;
 * the step s is the largest for which some d gives e^−DIGITS [M43].
 */
function nodesOf(
  piece: Piece,
  {
    theta,
    frequency,
    direction,
  }: { readonly theta: number; readonly frequency: number; readonly direction: Direction },
): Nodes {
  const range = heavyRange(piece, theta);
  if (range === null) return { from: 0, to: 0, count: Number.POSITIVE_INFINITY };
  const [from, to] = range;
  const { slope, spread } = piece;
  if (isWholeLine(piece)) {
    const step = (2 * Math.PI) / (frequency * slope + leastRate(slope, theta, direction));
    const [first, last] = [Math.floor(from / step), Math.ceil(to / step)];
    return { from: first * step, to: last * step, count: last - first + 1 };
  }
  const width = to - from;
  const turns = ((frequency + theta + 1) * (piece.slopeOn?.(from, to) ?? slope) * width) / 2;
  const smooth = Math.max(2 / spread, piece.slopeOn === undefined ? 0 : slope) * width;
  return { from, to, count: GAUSS_POINTS * Math.max(1, Math.ceil(turns), Math.ceil(smooth)) };
}

/**
 * The part of a piece where the tilted density is within e^−DIGITS of its largest value, found on ever finer grids; null where the first
 * would be too long.
 */
function heavyRange(piece: Piece, theta: number): readonly [number, number] | null {
  const exponent = (x: number): number => piece.logDensity(x) + theta * piece.loss(x);
  let [from, to] = reach(piece, theta);
  for (let round = 0; round < 60; round++) {
    const cells = Math.max(64, round > 0 ? 0 : Math.ceil((to - from) / SCAN));
    if (!(cells <= MAX_SCAN)) return null;
    const width = (to - from) / cells;
    const values = Array.from({ length: cells + 1 }, (_, i) => exponent(i === cells ? to : from + i * width));
    const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    const isHeavy = (value: number): boolean => value >= high - DIGITS - 4;
    const first = Math.max(0, values.findIndex(isHeavy) - 1);
    const last = Math.min(cells, values.findLastIndex(isHeavy) + 1);
    [from, to] = [from + first * width, last === cells ? to : from + last * width];
    if (2 * (last - first) > cells) break;
  }
  return [from, to];
}

/** Longest first grid: beyond it a δ is below e^−10⁷. */
const MAX_SCAN = 4000;

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
