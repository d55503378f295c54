/** Bounds on a function at t. */
export interface Bounded {
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
export function convexFloor(at: (x: number) => Bounded, x: number, width: number): number {
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
