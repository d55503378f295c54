import type { Interval } from "@dosimeter/core/accounting";
import { asLower, asUpper, type ComposedDirection, expUp } from "@dosimeter/core/internal";
import type { GaussianBound, Shape, TradeoffPoint } from "./curve.ts";
import { SupportTable } from "./support-table.ts";

interface Bounded {
  readonly t: number;
  readonly low: number;
  readonly high: number;
}

/**
 * A lower bound on the least value of a function that is convex in t, from bounds at x and on both sides of it. The two
 * sides are as close to x as they can be while the bounds prove that the least value lies between them; −∞ where no
 * distance proves it. Between two of the points a convex
 * function lies above the line through the other two [M72].
 */
function convexFloor(at: (x: number) => Bounded, x: number, width: number): number {
  const middle = at(x);
  for (let i = 0, reach = width; i < 9; i++, reach *= 5) {
    const [left, right] = [at(x - reach), at(x + reach)];
    if (!(middle.high <= left.low && middle.high <= right.low)) continue;
    const [before, after] = [Math.abs(middle.t - left.t), Math.abs(right.t - middle.t)];
    const drop = Math.max(((right.high - middle.low) * before) / after, ((left.high - middle.low) * after) / before);
    return middle.low - drop * (1 + 1e-12);
  }
  return Number.NEGATIVE_INFINITY;
}

/** The privacy loss distributions of T(P, Q) and of T(Q, P). */
export interface ComposedPair {
  readonly there: SupportTable;
  readonly back: SupportTable;
  readonly isSymmetric: boolean;
}

export function composedPair(there: ComposedDirection, back: ComposedDirection | null): ComposedPair {
  const first = new SupportTable(there);
  return { there: first, back: back === null ? first : new SupportTable(back), isSymmetric: back === null };
}

/**
 * The curve of a composed privacy loss distribution [M72]: every x bounds the power at α by δ(x) + e^x·α with the
 * certified upper end of δ, so no choice of x can make the curve too high; the one used is where the bound is least.
 */
export function composedShape(pair: ComposedPair, gaussian: GaussianBound): Shape {
  const { there, back, isSymmetric } = pair;
  const power = (alpha: number): number => {
    if (alpha === 0) return there.lost;
    if (alpha > there.diagonal) return 1 - beta(alpha);
    let least = 1;
    for (const x of [there.supportOf(alpha), there.end]) {
      least = Math.min(least, there.delta(x).upper + Math.exp(x + Math.log(alpha)));
    }
    return Math.max(alpha, least);
  };
  const beta = (alpha: number): number => {
    if (alpha <= there.diagonal) return Math.min(1 - alpha, 1 - power(alpha));
    const room = 1 - alpha;
    let most = 0;
    for (const y of [back.supportOfRest(room), back.end]) {
      most = Math.max(most, (room - back.delta(y).upper) * Math.exp(-y));
    }
    return Math.min(room, most);
  };
  return {
    isSymmetric,
    gaussian,
    beta,
    power,
    ...lines(pair),
    divergence: (x) => Math.min(1, profileAt(pair, x).upper),
    vertices: () => corners(pair, beta),
  };
}

/** A curve that the true one lies on or below: the same with the lower ends of δ, and room for every x between those used. */
export function composedUpperShape(pair: ComposedPair): Shape {
  const { there, back, isSymmetric } = pair;
  const power = (alpha: number): number => {
    if (alpha === 0) return there.delta(there.end).lower;
    if (alpha > there.diagonal) return Math.max(alpha, 1 - beta(alpha));
    const at = there.supportOf(alpha);
    const floor = convexFloor(
      (x) => {
        const { upper, lower } = profileAt(pair, x);
        const line = Math.exp(x + Math.log(alpha));
        return { t: Math.exp(x - at), low: lower + line, high: upper + line };
      },
      at,
      there.width,
    );
    return Math.max(alpha, floor);
  };
  const beta = (alpha: number): number => {
    const room = 1 - alpha;
    if (alpha <= there.diagonal) return Math.min(room, 1 - power(alpha));
    const at = back.supportOfRest(room);
    const exchangedPair = exchanged(pair);
    const floor = convexFloor(
      (y) => {
        const { upper, lower } = profileAt(exchangedPair, y);
        const t = Math.exp(at - y);
        return { t, low: (lower - room) * t, high: (upper - room) * t };
      },
      at,
      back.width,
    );
    // In logarithms: where no distance proves a floor, e^−at may underflow, and ∞·0 is no bound.
    return floor >= 0 ? 0 : Math.min(room, asUpper(expUp(Math.log(-floor) - at), 4 + at));
  };
  return {
    isSymmetric,
    beta,
    power,
    ...lines(pair),
    divergence: (x) => Math.max(0, profileAt(pair, x).lower),
    vertices: () => corners(pair, beta),
    invert: () => composedUpperShape(exchanged(pair)),
  };
}

/** The pair of the inverse curve. */
export const exchanged = ({ there, back, isSymmetric }: ComposedPair): ComposedPair => ({
  there: back,
  back: there,
  isSymmetric,
});

/** δ(x) of T(P, Q) at any real x: below 0 it is 1 − e^x + e^x·δ′(−x) with δ′ of T(Q, P). */
function profileAt({ there, back }: ComposedPair, x: number): Interval {
  if (x >= 0) return there.delta(x);
  const { upper, lower } = back.delta(-x);
  const [start, shrink] = [-Math.expm1(x), Math.exp(x)];
  return { upper: asUpper(start + shrink * upper, 3), lower: asLower(start + shrink * lower, 3) };
}

/** Slopes and the points where lines touch. */
function lines({ there, back }: ComposedPair): Pick<Shape, "logSlope" | "touch"> {
  return {
    logSlope(alpha) {
      if (alpha === 1) return Number.NEGATIVE_INFINITY;
      if (alpha === 0) return there.largest;
      return alpha <= there.diagonal ? there.supportOf(alpha) : -back.supportOfRest(1 - alpha);
    },
    touch: (x) => (x >= 0 ? there.touch(x) : 1 - back.restAt(-x)),
  };
}

function corners({ there, back }: ComposedPair, beta: (alpha: number) => number): readonly TradeoffPoint[] {
  const alphas = [0, ...there.corners().map(({ touch }) => touch), ...back.corners().map(({ rest }) => 1 - rest), 1];
  const rising = [...new Set(alphas.filter((alpha) => alpha >= 0 && alpha <= 1))].sort((a, b) => a - b);
  return rising.map((alpha) => ({ alpha, beta: beta(alpha) }));
}
