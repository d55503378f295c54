import { eachGaussPoint } from "../numeric/quadrature.ts";
import { logNormalDensity } from "../numeric/special.ts";
import type { Piece } from "./piece.ts";
import { CompensatedSum, type Profile } from "./profile.ts";
import { asLower, asUpper } from "./rounding.ts";

/** A normal distribution of deviation 1 in a mixture. */
export interface Part {
  readonly weight: number;
  readonly mean: number;
}

/** A mixture of Gaussians P against another Q, in which no mean is above one of P, and with which probability it is this pair. */
export interface MixturePair {
  readonly p: readonly Part[];
  readonly q: readonly Part[];
  readonly share: number;
}

/** The losses of mixtures of Gaussians, the pair being one of several and known [M241]. [M323] */
export function mixtureLosses(pairs: readonly MixturePair[]): {
  readonly pieces: readonly Piece[];
  readonly profile: Profile;
} {
  const parts = pairs.filter(({ share }) => share > 0).map((pair) => ({ share: pair.share, piece: pieceOf(pair) }));
  return {
    pieces: parts.map(({ piece }) => piece),
    profile: (epsilon) => {
      const sum = new CompensatedSum();
      for (const { piece, share } of parts) sum.add(deltaOf(piece, share, epsilon));
      return {
        upper: asUpper(
          sum.value > 0 ? Math.min(1, Math.max(Number.MIN_VALUE, sum.value * (1 + ROOM))) : MIN_DELTA,
          "one-sided",
        ),
        lower: asLower(sum.value * (1 - ROOM), "one-sided"),
      };
    },
  };
}

/** Room for the quadrature and its roundings. */
const ROOM = 1e-11;
/** An unbounded loss has a δ above 0 at every ε. */
const MIN_DELTA = Number.MIN_VALUE;

/** The noise in deviations, from the largest mean of P. */
function pieceOf({ p, q, share }: MixturePair): Piece {
  const origin = p.reduce((most, { mean }) => Math.max(most, mean), Number.NEGATIVE_INFINITY);
  const [above, below] = [moved(p, origin), moved(q, origin)];
  const slope = -below.reduce((least, { mean }) => Math.min(least, mean), 0);
  const apartAt = apartFrom(above, below);
  const loss = (x: number): number => {
    const bottom = logSum(below, x);
    const apart = apartAt(x, bottom);
    return Math.abs(apart) < 0.5 ? Math.log1p(apart) : logSum(above, x) - bottom;
  };
  const logShare = Math.log(share);
  const [low, high] = [-60 - 2 * slope, 60 + slope];
  // No mean of P is below the largest of Q: all terms of the difference are positive.
  const middle = below.reduce((most, { mean }) => Math.max(most, mean), Number.NEGATIVE_INFINITY);
  const slopeAt = (x: number): number => meanAt(above, x, middle) - meanAt(below, x, middle);
  return {
    from: Number.NEGATIVE_INFINITY,
    to: Number.POSITIVE_INFINITY,
    spread: 1,
    slope,
    logDensity: (x) => logNormalDensity(x) + logSum(above, x) + logShare,
    loss,
    inverse: inverseOf(loss, slopeAt, [low, high]),
    logSlope: (x) => Math.log(slopeAt(x)),
    isMixture: true,
  };
}

/**
 * P(x)/φ(x) − Q(x)/φ(x), divided by e^scale. Both have mass 1: what the mean that they share most has in P less in Q, as 1 − γ less 1, has
 * lost the digits of γ, and is what the others owe; so is the sum, as each other mean's difference from it.
 */
function apartFrom(p: readonly Part[], q: readonly Part[]): (x: number, scale: number) => number {
  const weightIn = (parts: readonly Part[], at: number): number => parts.find(({ mean }) => mean === at)?.weight ?? 0;
  const means = [...new Set([...p, ...q].map(({ mean }) => mean))];
  const both = means.map((mean) => ({ mean, inP: weightIn(p, mean), inQ: weightIn(q, mean) }));
  const shared = both.filter(({ inP, inQ }) => inP > 0 && inQ > 0);
  const share = ({ inP, inQ }: (typeof both)[number]): number => Math.min(inP, inQ) || Math.max(inP, inQ);
  const { mean: common } = (shared.length > 0 ? shared : both).reduce((most, one) =>
    share(one) > share(most) ? one : most,
  );
  const apart = both
    .filter(({ mean }) => mean !== common)
    .map(({ mean, inP, inQ }) => ({ mean, weight: inP - inQ }))
    .filter(({ weight }) => weight !== 0);
  return (x, scale) => {
    const origin = common * (x - common / 2);
    const atOrigin = Math.exp(origin - scale);
    let all = 0;
    for (const { mean, weight } of apart) {
      const further = (mean - common) * (x - (mean + common) / 2);
      const moved =
        Math.abs(further) < 1 ? Math.expm1(further) * atOrigin : Math.exp(origin + further - scale) - atOrigin;
      all += weight * moved;
    }
    return all;
  };
}

/** The x of a loss by Newton's method in a bracket, from the last answer: a lattice asks for its points in turn. */
function inverseOf(
  loss: (x: number) => number,
  slope: (x: number) => number,
  [low, high]: readonly [number, number],
): (l: number) => number {
  let last = { x: 0, l: loss(0), rate: slope(0) };
  const [least, most] = [loss(low), loss(high)];
  return (l) => {
    if (!(l > least)) return low;
    if (!(l < most)) return high;
    let [a, b] = [low, high];
    let { rate } = last;
    let x = last.x + (l - last.l) / rate;
    for (let i = 0; i < MAX_ROUNDS; i++) {
      if (!(x > a && x < b)) x = (a + b) / 2;
      const off = loss(x) - l;
      if (off > 0) b = x;
      else a = x;
      rate = slope(x);
      const step = off / rate;
      if (!(Math.abs(step) > NEAR * (1 + Math.abs(x)))) break;
      x -= step;
    }
    last = { x, l, rate };
    return x;
  };
}

/** Roundings of x that are not worth a round. */
const NEAR = 1e-15;
const MAX_ROUNDS = 100;

/** The mean of the part that x came from, less `middle`. */
function meanAt(parts: readonly Part[], x: number, middle: number): number {
  const [only, second] = parts;
  if (only !== undefined && second === undefined) return only.mean - middle;
  const scale = logSum(parts, x);
  let off = 0;
  for (const { weight, mean } of parts) off += weight * (mean - middle) * Math.exp(mean * (x - mean / 2) - scale);
  return off;
}

const moved = (parts: readonly Part[], origin: number): readonly Part[] => {
  const byMean = new Map<number, number>();
  for (const { weight, mean } of parts) byMean.set(mean - origin, (byMean.get(mean - origin) ?? 0) + weight);
  return [...byMean].filter(([, weight]) => weight > 0).map(([mean, weight]) => ({ mean, weight }));
};

/** ln Σ w·φ(x − a)/φ(x). */
function logSum(parts: readonly Part[], x: number): number {
  const [only, second] = parts;
  if (only !== undefined && second === undefined) return Math.log(only.weight) + only.mean * (x - only.mean / 2);
  let high = Number.NEGATIVE_INFINITY;
  for (const { mean } of parts) high = Math.max(high, mean * (x - mean / 2));
  return high + Math.log(sum(parts, x, high));
}

/** Σ w·φ(x − a)/φ(x), divided by e^scale. */
function sum(parts: readonly Part[], x: number, scale: number): number {
  let all = 0;
  for (const { weight, mean } of parts) all += weight * Math.exp(mean * (x - mean / 2) - scale);
  return all;
}

/** ∫(1 − e^{ε − l})₊ over the density: positive terms, from where the loss is ε to where the density is e^{−46} of that there. */
function deltaOf(piece: Piece, share: number, epsilon: number): number {
  if (epsilon === Number.POSITIVE_INFINITY) return 0;
  if (epsilon === Number.NEGATIVE_INFINITY) return share;
  const { slope } = piece;
  // Where every loss is above ε, all of P less e^ε of all of Q.
  if (piece.loss(-40 - slope) > epsilon) return share * -Math.expm1(epsilon);
  const from = Math.max(piece.inverse(epsilon), -40 - slope);
  const start = Math.max(from, 0);
  const to = start + Math.min(46 / Math.max(start, 1e-9), 10);
  const width = Math.min(0.5, 2 / (Math.max(Math.abs(from), to) + slope));
  const total = new CompensatedSum();
  eachGaussPoint(from, to, Math.ceil((to - from) / width), (x, weight) => {
    const l = piece.loss(x);
    if (l > epsilon) total.add(weight * Math.exp(piece.logDensity(x)) * -Math.expm1(epsilon - l));
  });
  return total.value;
}
