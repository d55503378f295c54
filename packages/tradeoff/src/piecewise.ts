import { asLower, asUpper } from "@dosimeter/core/internal";
import { type Atoms, invertAtoms } from "./atoms.ts";
import type { Shape, TradeoffPoint } from "./curve.ts";

export interface PiecewiseOptions {
  readonly isSymmetric?: boolean;
  /** β rounded down and power up by all that the masses may err by: of products, whose errors add up. */
  readonly isRounded?: boolean;
}

/** The piecewise-linear shape of a discrete pair [M62]. */
export function piecewise(atoms: Atoms, options: PiecewiseOptions = {}): Shape {
  const { loss, p, q, jump } = atoms;
  const room = options.isRounded ? atoms.error / 2 + 4 : 0;
  const count = loss.length;
  const { alpha, power, beta, coAlpha } = atoms.corners;

  /** The piece that holds α: the last i with alpha[i] ≤ α; count beyond the last corner. */
  const pieceAt = (a: number) => {
    if (a >= at(alpha, count)) return count;
    return lastAtMost(alpha, a);
  };
  const toRight = (a: number, i: number) => (a >= 0.5 ? 1 - a - at(coAlpha, i + 1) : at(alpha, i + 1) - a);

  return {
    isSymmetric: options.isSymmetric ?? false,
    atoms,
    beta(a) {
      if (a === 0) return at(beta, 0);
      const i = pieceAt(a);
      if (i >= count) return 0;
      const share = Math.min(1, Math.max(0, toRight(a, i)) / at(p, i));
      return asLower(Math.min(at(beta, i), at(beta, i + 1) + at(q, i) * share), room);
    },
    power(a) {
      if (a === 0) return jump;
      const i = pieceAt(a);
      if (i >= count) return 1;
      const share = Math.min(1, Math.max(0, a - at(alpha, i)) / at(p, i));
      return Math.min(1, asUpper(Math.min(at(power, i + 1), at(power, i) + at(q, i) * share), room));
    },
    logSlope(a) {
      const i = pieceAt(a);
      return i >= count ? Number.NEGATIVE_INFINITY : at(loss, i);
    },
    divergence: (x) => divergenceOf(atoms, x),
    touch: (x) => at(alpha, firstAtMost(loss, x)),
    vertices: () => {
      const points: TradeoffPoint[] = [];
      for (let i = 0; i <= count; i++)
        points.push({ alpha: at(alpha, i), beta: i === 0 ? at(beta, i) : asLower(at(beta, i), room) });
      if (at(alpha, count) < 1) points.push({ alpha: 1, beta: 0 });
      return points;
    },
    invert: () => piecewise(invertAtoms(atoms), options),
  };
}

/** Σ (qᵢ − e^x·pᵢ)₊ over the atoms of loss above x, without cancellation. */
function divergenceOf(atoms: Atoms, x: number): number {
  const { loss, q, jump, corners } = atoms;
  const i = firstAtMost(loss, x);
  const whole = at(corners.power, i);
  if (i === 0) return jump;
  const plain = whole - Math.exp(x) * at(corners.alpha, i);
  if (plain > 0.05 * whole) return Math.min(1, plain);
  let sum = jump;
  for (let j = i - 1; j >= 0; j--) sum += at(q, j) * -Math.expm1(x - at(loss, j));
  return Math.min(1, sum);
}

/** The first i with values[i] ≤ x in a falling array; its length when there is none. */
function firstAtMost(falling: Float64Array, x: number): number {
  let [low, high] = [0, falling.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(falling, middle) <= x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last i with values[i] ≤ x in a rising array whose first value is ≤ x. */
function lastAtMost(rising: Float64Array, x: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (at(rising, middle) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

const at = (values: Float64Array, i: number): number => values[i] ?? 0;
