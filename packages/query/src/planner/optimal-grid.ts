import { optimalProfile, readSpends } from "@dosimeter/core/accounting";

/** Up to this many sums the exact optimal composition is as fast as the grid. */
const MOST_EXACT = 2 ** 12;
/** Points of the grid from 0 to ε. */
const POINTS = 8192;

/** An upper bound on the δ of an optimal composition of pure ε's at a total of ε, never below the exact one. [M47, M97] */
export function optimalDelta(epsilons: readonly number[], total: number): number {
  const sum = epsilons.reduce((a, b) => a + b, 0);
  if (!(sum > total)) return 0;
  const counts = new Map<number, number>();
  for (const epsilon of epsilons) counts.set(epsilon, (counts.get(epsilon) ?? 0) + 1);
  const sums = [...counts.values()].reduce((product, count) => product * (count + 1), 1);
  if (counts.size === 1 || sums <= MOST_EXACT) {
    const events = [...counts].map(
      ([epsilon, count]) => ({ kind: "repeated", count, event: { kind: "pure", epsilon } }) as const,
    );
    return optimalProfile(readSpends(events)).delta(total).upper;
  }
  return gridDelta(epsilons, total);
}

/** Each ε rounded up to a multiple of ε_total/8192. [M97] */
export function gridDelta(epsilons: readonly number[], total: number): number {
  const step = total / POINTS;
  const steps = epsilons.map((epsilon) => Math.ceil((epsilon / step) * (1 + 4e-16)));
  return knapsackDelta(steps, step, total);
}

/**
 * δ at ε of mechanisms with ε's of whole numbers of steps: Σ over the sets S that fail of Πp·Πq·(1 − e^{ε − (T − 2Σ_S)}).
 * What has failed only grows, so only sets with a loss above ε are carried, and every term is positive. [M97]
 */
export function knapsackDelta(steps: readonly number[], step: number, total: number): number {
  const most = steps.reduce((a, b) => a + b, 0);
  const last = Math.ceil((most - total / step) / 2) - 1;
  if (last < 0) return 0;
  const mass = new Float64Array(last + 1);
  mass[0] = 1;
  let reached = 0;
  for (const size of [...steps].sort((a, b) => a - b)) {
    const success = 1 / (1 + Math.exp(-size * step));
    const failure = 1 / (1 + Math.exp(size * step));
    reached = Math.min(last, reached + size);
    for (let j = reached; j >= size; j--)
      mass[j] = (mass[j] as number) * success + (mass[j - size] as number) * failure;
    for (let j = Math.min(size - 1, reached); j >= 0; j--) mass[j] = (mass[j] as number) * success;
  }
  let delta = 0;
  for (let j = 0; j <= last; j++) delta += (mass[j] as number) * -Math.expm1(total - (most - 2 * j) * step);
  return Math.min(1, delta * (1 + 1e-12) + 1e-300);
}
