import { gathered, lowered } from "./losses-grid.ts";
import type { Atom } from "./piece.ts";
import type { Direction } from "./profile.ts";
import { asLower, asUpper, type Interval } from "./rounding.ts";

/** Above this many people the bound from above is that of as many: more people never lose more. */
const MAX_PEOPLE = 1e9;
/** Losses of the gathered distribution. */
const POINTS = 2 ** 14;
/** Masses below this go to the largest loss. */
const NOTHING = 1e-306;
/** Numbers of clones from which on neighbouring ones are taken as the least of `n/FINE`. */
const FINE = 1024;

/**
 * Losses of the pair that dominates people's shuffled ε₀-DP reports [M240]: C of Bin(n − 1, e^{−ε₀}) clones toss a fair coin, the person
 * one of odds e^{ε₀}, and the two counts are seen. Given C = c the loss at k of c + 1 is ln[(e^{ε₀}k + c + 1 − k)/(k + e^{ε₀}(c + 1 − k))].
 */
export function shuffledAtoms(epsilon: number, people: number): readonly Atom[] {
  const others = Math.min(people, MAX_PEOPLE) - 1;
  const clones = binomial(others, Math.exp(-epsilon));
  const odds = Math.expm1(epsilon);
  const lossAt = (ones: number, all: number): number =>
    Math.log1p((odds * (2 * ones - all)) / (all + odds * (all - ones)));
  const least = clones.from + 1;
  const widest = Math.ceil((least + BINOMIAL_DEVIATIONS * Math.sqrt(least)) / 2) + 1;
  const reach = widest >= least ? epsilon : lossAt(widest, least);
  return gathered({ most: epsilon, reach, points: POINTS }, (add) => {
    for (let i = 0; i < clones.mass.length; ) {
      const count = clones.from + i;
      const width = Math.max(1, Math.floor(count / FINE));
      let weight = 0;
      for (const end = Math.min(clones.mass.length, i + width); i < end; i++) weight += clones.mass[i] as number;
      const all = count + 1;
      const ones = binomial(all, 0.5, NOTHING / weight);
      const keep = 2 / (2 + odds);
      ones.mass.forEach((mass, j) => {
        const k = ones.from + j;
        add(lossAt(k, all), weight * mass * keep * (1 + (odds * k) / all));
      });
    }
  });
}

/** Losses of binary randomised response where all others hold 0, of the person's 1 to their 0 or the reverse: an instance [M240]. */
export function shuffledInstance(
  epsilon: number,
  people: number,
  direction: Direction,
): { readonly atoms: readonly Atom[] } | undefined {
  if (people > MAX_PEOPLE) return undefined;
  const ones = binomial(people, 1 / (1 + Math.exp(epsilon)));
  const atoms = Array.from(ones.mass, (mass, i) => {
    const share = (ones.from + i) / people;
    const loss = Math.log1p(Math.expm1(epsilon) * share + Math.expm1(-epsilon) * (1 - share));
    return direction === "add" ? { loss: -loss, mass } : { loss, mass: mass * Math.exp(loss) };
  });
  return { atoms: lowered(atoms, -epsilon) };
}

/** Standard deviations of a binomial that are kept: beyond them lies less than 10⁻³⁰⁰. */
const BINOMIAL_DEVIATIONS = 38;

/** Masses from a number of successes on. */
interface Binomial {
  readonly from: number;
  readonly mass: Float64Array;
}

/** The masses of Bin(n, p) of at least `least` of the largest, within `BINOMIAL_DEVIATIONS`: outwards from the mode, scaled to sum 1. */
function binomial(n: number, p: number, least = 0): Binomial {
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
