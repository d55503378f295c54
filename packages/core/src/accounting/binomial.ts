import { asLower, asUpper, type Interval } from "./rounding.ts";

/** Standard deviations of a binomial that are kept: beyond them lies less than 10⁻³⁰⁰. */
export const BINOMIAL_DEVIATIONS = 38;

/** Masses from a number of successes on. */
interface Binomial {
  readonly from: number;
  readonly mass: Float64Array;
}

/** The masses of Bin(n, p) of at least `least` of the largest, within `BINOMIAL_DEVIATIONS`: outwards from the mode, scaled to sum 1. */
export function binomial(n: number, p: number, least = 0): Binomial {
  if (p >= 1) return { from: n, mass: Float64Array.of(1) };
  const mode = Math.min(n, Math.floor((n + 1) * p));
  // Bernstein's bound also holds where the distribution is far from normal.
  const far = BINOMIAL_DEVIATIONS * Math.sqrt(n * p * (1 - p)) + (BINOMIAL_DEVIATIONS * BINOMIAL_DEVIATIONS) / 3;
  const [from, to] = [Math.max(0, Math.floor(mode - far)), Math.min(n, Math.ceil(mode + far))];
  const mass = new Float64Array(to - from + 1);
  const odds = p / (1 - p);
  let [low, high] = [mode, mode];
  for (let m = 1; high < to && m > least; mass[++high - from] = m) m *= ((n - high) / (high + 1)) * odds;
  for (let m = 1; low > from && m > least; mass[--low - from] = m) m *= low / ((n - low + 1) * odds);
  mass[mode - from] = 1;
  const held = mass.slice(low - from, high - from + 1);
  let sum = 0;
  for (const term of held) sum += term;
  return { from: low, mass: held.map((term) => term / sum) };
}

/** Room for the roundings of masses that are made one from the next. */
const ROOM = 1e-10;
const CUT = 1e-299;

/** The probability of at least `least` successes. */
export function binomialAbove(n: number, p: number, least: number): Interval {
  const { from, mass } = binomial(n, p);
  let sum = 0;
  for (let i = mass.length - 1; i >= Math.max(0, least - from); i--) sum += mass[i] as number;
  return {
    upper: asUpper(least > n ? 0 : Math.min(1, sum * (1 + ROOM) + CUT), "one-sided"),
    lower: asLower(sum * (1 - ROOM), "one-sided"),
  };
}

/** E min(N, batch)/n for N of Bin(n, p), rounded down: the chance to be among those kept of a sample. */
export function keptShare(n: number, p: number, batch: number): number {
  const { from, mass } = binomial(n, p);
  let sum = 0;
  mass.forEach((m, i) => {
    sum += m * Math.min(from + i, batch);
  });
  return (sum / n) * (1 - ROOM);
}
