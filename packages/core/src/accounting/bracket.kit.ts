import { normalCdf } from "../numeric/special.ts";
import type { Direction } from "./profile.ts";

/** Noise on a Poisson sample, `count` times. */
export interface SampledNoise {
  readonly kind: "gaussian" | "laplace";
  readonly multiplier: number;
  /** 1 for no sampling. */
  readonly rate: number;
  readonly count: number;
}

/** P(l < v), P(l = v) and P(l > v) of the loss l = ln(with/without) of the noise itself, under "without" (0) or "with" (1). */
type Tails = (v: number, under: 0 | 1) => readonly [below: number, at: number, above: number];

const noiseTails = ({ kind, multiplier }: SampledNoise): Tails => {
  const shift = 1 / multiplier;
  if (kind === "gaussian") {
    return (v, under) => {
      const z = v / shift + shift * (0.5 - under);
      return [normalCdf(z), 0, normalCdf(-z)];
    };
  }
  const below = (x: number): number => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2);
  return (v, under) => {
    const at = (x: number): number => below(x - under * shift);
    const after = (x: number): number => below(under * shift - x);
    if (Math.abs(v) > shift) return v < 0 ? [0, 0, 1] : [1, 0, 0];
    if (v === shift) return [at(shift), after(shift), 0];
    if (v === -shift) return [0, at(0), after(0)];
    return [at((v + shift) / 2), 0, after((v + shift) / 2)];
  };
};

/** P(L ≤ y) and P(L > y) of the loss of one spend. */
function tails(noise: SampledNoise, direction: Direction): (y: number) => readonly [number, number] {
  const { rate } = noise;
  const at = noiseTails(noise);
  const unmixed = (y: number): number => {
    if (rate === 1) return y;
    if (y > 600) return y - Math.log(rate);
    const grown = y < -1 ? Math.exp(y) - (1 - rate) : Math.expm1(y) + rate;
    return Math.log(Math.max(0, grown)) - Math.log(rate);
  };
  if (direction === "add") {
    return (y) => {
      const [below, equal, above] = at(unmixed(-y), 0);
      return [equal + above, below];
    };
  }
  return (y) => {
    const v = unmixed(y);
    const [out, inside] = [at(v, 0), at(v, 1)];
    const mix = (read: (of: readonly [number, number, number]) => number) =>
      (1 - rate) * read(out) + rate * read(inside);
    return [mix(([below, at]) => below + at), mix(([, , above]) => above)];
  };
}

/** Masses on the points j·step, −half ≤ j ≤ half, and what was moved up to ∞. */
interface Rounded {
  readonly mass: Float64Array;
  readonly lost: number;
}

interface Grid {
  readonly step: number;
  readonly half: number;
  /** Whether losses are rounded up: what lies beyond the top is lost, what lies below the bottom is at the bottom. */
  readonly up: boolean;
}

const put = (mass: Float64Array, at: number, more: number): void => {
  mass[at] = (mass[at] as number) + more;
};

function rounded(noise: SampledNoise, direction: Direction, { step, half, up }: Grid): Rounded {
  const at = tails(noise, direction);
  const mass = new Float64Array(2 * half + 1);
  let before = at(-half * step);
  if (up) put(mass, 0, before[0]);
  for (let j = -half; j < half; j++) {
    const after = at((j + 1) * step);
    put(mass, j + half + (up ? 1 : 0), Math.max(0, after[0] < 0.5 ? after[0] - before[0] : before[1] - after[1]));
    before = after;
  }
  if (!up) put(mass, 2 * half, before[1]);
  return { mass, lost: up ? before[1] : 0 };
}

function convolved(a: Rounded, b: Rounded, { half, up }: Grid): Rounded {
  const mass = new Float64Array(2 * half + 1);
  const top = mass.length - 1;
  let over = 0;
  a.mass.forEach((x, i) => {
    if (x === 0) return;
    for (let j = 0; j <= top; j++) {
      const k = i + j - half;
      const y = x * (b.mass[j] as number);
      if (k > top && up) over += y;
      else if (k >= 0 || up) put(mass, Math.min(top, Math.max(0, k)), y);
    }
  });
  return { mass, lost: 1 - (1 - a.lost) * (1 - b.lost) + over };
}

/** What Φ, exp and the sums may err by. */
const SLACK = 1e-11;

/**
 * A second, slow engine: brackets δ of a list by rounding every loss up, or down, to a grid of 2·`half` + 1 points on [−reach, reach], and
 * composing by plain sums of positive products. It shares Φ with the accountant and nothing else.
 */
export function bracketOf(list: readonly SampledNoise[], direction: Direction, reach: number, half = 150) {
  const sum = (up: boolean): Rounded => {
    const grid = { step: reach / half, half, up };
    let total: Rounded | undefined;
    for (const noise of list) {
      let power = rounded(noise, direction, grid);
      for (let rest = noise.count; rest > 0; rest = Math.floor(rest / 2)) {
        if (rest % 2 === 1) total = total === undefined ? power : convolved(total, power, grid);
        if (rest > 1) power = convolved(power, power, grid);
      }
    }
    return total ?? { mass: new Float64Array(2 * half + 1), lost: 0 };
  };
  const [high, low] = [sum(true), sum(false)];
  const read = ({ mass, lost }: Rounded, epsilon: number): number =>
    mass.reduce((value, m, j) => value + m * Math.max(0, -Math.expm1(epsilon - ((j - half) * reach) / half)), lost);
  return (epsilon: number) => ({
    upper: Math.min(1, read(high, epsilon) + SLACK),
    lower: Math.max(0, read(low, epsilon) - SLACK),
  });
}

/** A range of losses that holds nearly all of a list's, for its grid. */
export function reachOf(list: readonly SampledNoise[]): number {
  const reach = list.reduce((sum, { multiplier, rate, count }) => {
    const one = 1 / multiplier + 1 / (2 * multiplier * multiplier);
    return sum + Math.min(count * one, 6 * Math.sqrt(count) * one * Math.max(rate, 0.05));
  }, 0);
  return Math.max(1e-9, Math.min(2 * reach, 2000));
}
