import { optimalProfile, readSpends } from "@dosimeter/core/accounting";

/** Up to this many sums the optimal composition is computed exactly (0.23 ms for 12 unequal ε; the grid takes 0.08). */
const MAX_EXACT = 2 ** 12;
/** Points of the grid from 0 to ε. */
const POINTS = 8192;

/**
 * An upper bound on the δ of an optimal composition of pure ε's at a total of ε, never below the exact one; lists that
 * round to the same grid are computed once. [M47, M97]
 */
export function optimalDelta(total: number): (epsilons: readonly number[]) => number {
  const known = new Map<string, number>();
  return (epsilons) => {
    const sum = epsilons.reduce((a, b) => a + b, 0);
    if (!(sum > total)) return 0;
    const counts = new Map<number, number>();
    for (const epsilon of epsilons) counts.set(epsilon, (counts.get(epsilon) ?? 0) + 1);
    const sums = [...counts.values()].reduce((product, count) => product * (count + 1), 1);
    if (counts.size === 1 || sums <= MAX_EXACT) {
      const events = [...counts].map(
        ([epsilon, count]) => ({ kind: "repeated", count, event: { kind: "pure", epsilon } }) as const,
      );
      return optimalProfile(readSpends(events)).delta(total).upper;
    }
    // Each ε rounded up to a multiple of ε_total/8192. [M97]
    const steps = epsilons.map((epsilon) => Math.ceil((epsilon / (total / POINTS)) * (1 + 4e-16)));
    const key = steps.join();
    const found = known.get(key) ?? knapsackDelta(steps, total / POINTS, total);
    known.set(key, found);
    return found;
  };
}

const ROUGH_POINTS = 512;

/** An approximation of `optimalDelta` on a coarser grid, rounded to the nearest; it is no bound. */
export function aboutDelta(epsilons: readonly number[], total: number): number {
  const step = total / ROUGH_POINTS;
  let carried = 0;
  const steps = epsilons.map((epsilon) => {
    const exact = (epsilon + total / (2 * POINTS)) / step + carried;
    carried = exact - Math.round(exact);
    return Math.round(exact);
  });
  return knapsackDelta(steps, step, total);
}

/** Rows after which the factored power is multiplied back: 2^±300 is far from the ends of a double. */
const RESCALED = 300;
/** A probability outside 2^±400 is kept as one within it times a power of two. */
const SCALED = 400;
/** Relative rounding error of a row: about ten operations. [M97] */
const ROUNDED = 4e-15;

/**
 * δ at ε of mechanisms with ε's of whole numbers of steps: Σ over the sets S that fail of Πp·Πq·(1 − e^{ε − (T − 2Σ_S)}).
 * Σ_S only grows, so only sets with a loss above ε are kept, and every term is positive. The most frequent size comes
 * first, as a binomial; each other row is a pass over m(j) + m(j − size)·e^{−size}, with Πp multiplied at the end.
 * [M97]
 */
export function knapsackDelta(steps: readonly number[], step: number, total: number): number {
  const most = steps.reduce((a, b) => a + b, 0);
  const last = Math.ceil((most - total / step) / 2) - 1;
  if (last < 0) return 0;
  const counts = new Map<number, number>();
  for (const size of steps) counts.set(size, (counts.get(size) ?? 0) + 1);
  let first = 0;
  for (const [size, count] of counts) if (size > 0 && count > (counts.get(first) ?? 0)) first = size;
  const rest = steps.filter((size) => size !== first && size > 0).sort((a, b) => a - b);
  const mass = new Float64Array(last + 1);
  const [written, exponent] = binomialInto(mass, first, counts.get(first) ?? 0, step);
  let reached = written;
  let factor = 1;
  for (const [index, size] of rest.entries()) {
    const ratio = Math.exp(-size * step);
    factor /= 1 + ratio;
    reached = Math.min(last, reached + size);
    for (let j = reached; j >= size; j--) mass[j] = (mass[j] as number) + (mass[j - size] as number) * ratio;
    if (index % RESCALED === RESCALED - 1) {
      for (let j = 0; j <= reached; j++) mass[j] = (mass[j] as number) * factor;
      factor = 1;
    }
  }
  let delta = 0;
  for (let j = 0; j <= last; j++) delta += (mass[j] as number) * -Math.expm1(total - (most - 2 * j) * step);
  return Math.min(1, delta * factor * 2 ** exponent * (1 + Math.max(4e-12, ROUNDED * steps.length)) + 1e-300);
}

/**
 * Writes the probability that i of `count` equal rows fail at the place i·size, times 2^−exponent, so that no relevant
 * term underflows for any count. Returns the last place written.
 */
function binomialInto(mass: Float64Array, size: number, count: number, step: number): readonly [number, number] {
  const ratio = Math.exp(-size * step);
  const most = size === 0 ? 0 : Math.min(count, Math.floor((mass.length - 1) / size));
  const scales = new Int32Array(most + 1);
  let [chance, scale, largest] = [1, 0, Number.NEGATIVE_INFINITY];
  const times = (factor: number): void => {
    chance *= factor;
    if (chance < 2 ** -SCALED) [chance, scale] = [chance * 2 ** SCALED, scale - SCALED];
    else if (chance > 2 ** SCALED) [chance, scale] = [chance * 2 ** -SCALED, scale + SCALED];
  };
  for (let left = count; left > 0; left -= RESCALED) times((1 + ratio) ** -Math.min(left, RESCALED));
  for (let i = 0; i <= most; i++) {
    if (i > 0) times((ratio * (count - i + 1)) / i);
    mass[i * size] = chance;
    scales[i] = scale;
    largest = Math.max(largest, scale);
  }
  for (let i = 0; i <= most; i++) mass[i * size] = (mass[i * size] as number) * 2 ** ((scales[i] as number) - largest);
  return [most * size, largest];
}
