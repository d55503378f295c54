import { boundaryBy } from "./boundary.ts";
import { type Form, numberOf, sumOf, tailOf } from "./form.ts";

const GRID = 128;
const edge = boundaryBy(50);

export interface Bounded {
  readonly value: number;
  readonly interval: readonly [number, number];
}

/**
 * sum/rows for values within bounds. The interval holds every mean m that the noise of Σ(x − m) does not refute, after Fieller
 * 1954, as its hull on a grid, widened by one step and bisected from outside [M144].
 */
export function meanOf(
  sum: Form,
  rows: Form,
  bounds: readonly [number, number],
  failureProbability: number,
): Bounded & { readonly rows: number } {
  const [lower, upper] = bounds;
  const range = upper - lower;
  const people = numberOf(rows);
  const at = (t: number): number => Math.min(upper, Math.max(lower, lower + range * t));
  if (!(people > 0)) return { value: at(0.5), interval: bounds, rows: people };
  const above = sumOf([
    [1, sum],
    [-lower, rows],
  ]);
  const accepted = (t: number): boolean => {
    const rest = sumOf([
      [1, above],
      [-t * range, rows],
    ]);
    return tailOf(rest, Math.abs(numberOf(rest))) > failureProbability;
  };
  const best = Math.min(1, Math.max(0, numberOf(above) / (range * people)));
  const inside = Array.from({ length: GRID + 1 }, (_, i) => i / GRID).filter(accepted);
  if (accepted(best)) inside.push(best);
  if (inside.length === 0) return { value: at(best), interval: bounds, rows: people };
  const [first, last] = [Math.min(...inside), Math.max(...inside)];
  const from = edge(Math.max(0, (Math.ceil(first * GRID) - 1) / GRID), first, accepted);
  const to = edge(Math.min(1, (Math.floor(last * GRID) + 1) / GRID), last, accepted);
  return { value: at(best), interval: [at(from), at(to)], rows: people };
}
