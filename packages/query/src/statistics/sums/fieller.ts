import { boundaryBy } from "../../noise/boundary.ts";
import { pairTail, spread } from "../../noise/tail.ts";
import type { Noise } from "../../plan/bounded.ts";

const GRID = 128;
const edge = boundaryBy(60);

/**
 * All positions t ∈ [0, 1] of the mean that the noisy pair does not refute: {t : P(|(1−t)Z1 − tZ2| ≥ |(1−t)S1 − tS2|) >
 * failureProbability}, after Fieller 1954, as its hull widened to the next grid point and then bisected from outside [M87].
 * Covers the true position with probability ≥ 1 − failureProbability; [0, 1] when everything is refuted.
 */
export function meanPositions(
  s1: number,
  s2: number,
  noise: Noise,
  failureProbability: number,
): readonly [number, number] {
  const width = spread(noise);
  const accepted = (t: number): boolean =>
    pairTail(noise.kind, width, t, Math.abs((1 - t) * s1 - t * s2)) > failureProbability;
  const sum = s1 + s2;
  const best = sum > 0 ? Math.min(1, Math.max(0, s1 / sum)) : Number.NaN;
  const points = Array.from({ length: GRID + 1 }, (_, index) => index / GRID);
  const inside = points.filter(accepted);
  if (accepted(best)) inside.push(best);
  if (inside.length === 0) return [0, 1];
  const first = Math.min(...inside);
  const last = Math.max(...inside);
  return [
    edge(Math.max(0, (Math.ceil(first * GRID) - 1) / GRID), first, accepted),
    edge(Math.min(1, (Math.floor(last * GRID) + 1) / GRID), last, accepted),
  ];
}
