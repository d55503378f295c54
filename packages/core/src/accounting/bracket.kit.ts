import { normalCdf } from "../numeric/special.ts";

/**
 * A second, slow engine for tests: brackets δ of a composition by rounding every loss up, or down, to a grid, and adding them by plain
 * sums of positive products. It shares nothing with the product but Φ.
 */
export type NoiseKind = "gaussian" | "laplace";
export interface SampledNoise {
  readonly kind: NoiseKind;
  /** Noise multiplier. */
  readonly multiplier: number;
  /** Poisson sampling rate; 1 for none. */
  readonly rate: number;
  readonly count: number;
}
export type Way = "remove" | "add";

/** Beside the grid: what Φ, exp and the sums may err by. */
const SLACK = 1e-11;

/** P(L ≤ l) and P(L > l) of one spend. */
function tails({ kind, multiplier, rate }: SampledNoise, way: Way): (l: number) => readonly [number, number] {
  const s = 1 / multiplier;
  // [Φ, 1 − Φ] of the statistic under the sample without (0) and with (1) the person.
  const cdf = (x: number, shift: 0 | 1): readonly [number, number] => {
    if (kind === "gaussian") return [normalCdf(x - s * shift), normalCdf(s * shift - x)];
    const z = x - s * shift;
    return z < 0 ? [Math.exp(z) / 2, 1 - Math.exp(z) / 2] : [1 - Math.exp(-z) / 2, Math.exp(-z) / 2];
  };
  // The statistic at which the ratio with : without is e^l; the ratio rises with the statistic.
  const point = (l: number): number => {
    if (kind === "gaussian") return l / s + s / 2;
    if (l < -s) return Number.NEGATIVE_INFINITY;
    return l >= s ? Number.POSITIVE_INFINITY : (l + s) / 2;
  };
  const inner = (l: number): number => {
    if (rate === 1) return l;
    if (l > 600) return l - Math.log(rate);
    const grown = l < -1 ? Math.exp(l) - (1 - rate) : Math.expm1(l) + rate;
    return Math.log(Math.max(0, grown)) - Math.log(rate);
  };
  return (l) => {
    if (way === "remove") {
      const x = point(inner(l));
      const [a, b] = [cdf(x, 0), cdf(x, 1)];
      return [(1 - rate) * a[0] + rate * b[0], (1 - rate) * a[1] + rate * b[1]];
    }
    // L = −mixed loss under "without": L ≤ l where the mixed loss is at least −l. With an atom at the end, ≤ keeps it.
    const bound = inner(-l);
    const atEnd = kind === "laplace" && bound <= s && bound > s - 1e-15;
    const x = kind === "laplace" && bound >= s ? s : point(bound);
    if (kind === "laplace" && (bound > s || atEnd)) return bound > s ? [0, 1] : [cdf(s, 0)[1], cdf(s, 0)[0]];
    if (kind === "laplace" && bound < -s) return [1, 0];
    const at = cdf(x, 0);
    return [at[1], at[0]];
  };
}

interface Grid {
  readonly step: number;
  readonly half: number;
}
interface Rounded {
  readonly mass: Float64Array;
  lost: number;
}

/** Masses at j·step, |j| ≤ half, with each loss moved to the grid point above, or below. */
function rounded(noise: SampledNoise, way: Way, { step, half }: Grid, up: boolean): Rounded {
  const at = tails(noise, way);
  const mass = new Float64Array(2 * half + 1);
  let before = at(-half * step);
  mass[0] = up ? before[0] : 0;
  let lost = 0;
  for (let j = -half; j < half; j++) {
    const after = at((j + 1) * step);
    const inside = Math.max(0, after[0] < 0.5 ? after[0] - before[0] : before[1] - after[1]);
    mass[j + half + (up ? 1 : 0)] = (mass[j + half + (up ? 1 : 0)] as number) + inside;
    before = after;
  }
  if (up) lost = before[1];
  else mass[2 * half] = (mass[2 * half] as number) + before[1];
  return { mass, lost };
}

function convolve(a: Rounded, b: Rounded, half: number, up: boolean): Rounded {
  const mass = new Float64Array(2 * half + 1);
  let over = 0;
  const size = mass.length;
  for (let i = 0; i < size; i++) {
    const x = a.mass[i] as number;
    if (x === 0) continue;
    for (let j = 0; j < size; j++) {
      const k = i + j - half;
      const y = x * (b.mass[j] as number);
      if (k >= size) {
        if (up) over += y;
        else mass[size - 1] = (mass[size - 1] as number) + y;
      } else if (k >= 0) mass[k] = (mass[k] as number) + y;
      else if (up) mass[0] = (mass[0] as number) + y;
    }
  }
  return { mass, lost: 1 - (1 - a.lost) * (1 - b.lost) + over };
}

/** Bounds on δ of the list at an ε, with the person removed or added. */
export function bracket(list: readonly SampledNoise[], way: Way, { reach, half = 300 }: { reach: number; half?: number }) {
  const grid = { step: reach / half, half };
  const sum = (up: boolean): Rounded => {
    let total: Rounded | undefined;
    for (const noise of list) {
      let square = rounded(noise, way, grid, up);
      for (let rest = noise.count; rest > 0; rest = Math.floor(rest / 2)) {
        if (rest % 2 === 1) total = total === undefined ? square : convolve(total, square, half, up);
        if (rest > 1) square = convolve(square, square, half, up);
      }
    }
    return total ?? { mass: new Float64Array(2 * half + 1), lost: 0 };
  };
  const [high, low] = [sum(true), sum(false)];
  const read = ({ mass, lost }: Rounded, epsilon: number): number => {
    let value = lost;
    mass.forEach((m, j) => {
      const l = (j - half) * grid.step;
      if (l > epsilon) value += m * -Math.expm1(epsilon - l);
    });
    return value;
  };
  return (epsilon: number) => ({ upper: Math.min(1, read(high, epsilon) + SLACK), lower: Math.max(0, read(low, epsilon) - SLACK) });
}
