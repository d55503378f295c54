import { MOST_VARIANCE } from "../variance.ts";
import { type Form, numberOf, sumOf, tailOf } from "./form.ts";
import type { Bounded } from "./ratio.ts";

const GRID = 64;
const STEPS = 12;
const BISECTIONS = 40;
/** Share of the failure probability that goes to knowing the mean: its error enters squared. */
const MEAN_SHARE = 0.1;

/**
 * The variance of values in [0, 1] from n, Σy and Σy², whatever answers they come from: every v that the noise of
 * Σ((y − m)² − v) does not refute for some mean m that is not refuted itself, as M91 does for one triple [M144].
 */
export function varianceOfForms(rows: Form, y: Form, squares: Form, failureProbability: number): Bounded {
  const total = numberOf(rows);
  if (!(total > 0)) return { value: MOST_VARIANCE / 2, interval: [0, MOST_VARIANCE], reliable: false };
  const mean = numberOf(y) / total;
  const value = clamp(numberOf(squares) / total - mean * mean);
  const notRefuted = (form: Form, failure: number): boolean => tailOf(form, Math.abs(numberOf(form))) > failure;
  const meanHolds = (m: number): boolean =>
    notRefuted(
      sumOf([
        [1, y],
        [-m, rows],
      ]),
      MEAN_SHARE * failureProbability,
    );
  const about = (m: number, v: number): Form =>
    sumOf([
      [1, squares],
      [-2 * m, y],
      [m * m - v, rows],
    ]);
  const holds = (m: number, v: number): boolean => notRefuted(about(m, v), (1 - MEAN_SHARE) * failureProbability);
  const nearest = Math.min(1, Math.max(0, mean));
  const grid = Array.from({ length: GRID + 1 }, (_, i) => i / GRID).filter(meanHolds);
  const from = limit(Math.max(0, Math.min(nearest, ...grid) - 1 / GRID), nearest, meanHolds);
  const to = limit(Math.min(1, Math.max(nearest, ...grid) + 1 / GRID), nearest, meanHolds);
  let [least, most] = [MOST_VARIANCE, 0];
  for (const m of [nearest, ...Array.from({ length: STEPS + 1 }, (_, i) => from + ((to - from) * i) / STEPS)]) {
    const centre = clamp(numberOf(about(m, 0)) / total);
    if (!holds(m, centre)) continue;
    least = Math.min(
      least,
      limit(0, centre, (v) => holds(m, v)),
    );
    most = Math.max(
      most,
      limit(MOST_VARIANCE, centre, (v) => holds(m, v)),
    );
  }
  // Between two means of the grid the centre moves by the square of half their distance.
  const gap = ((to - from) / STEPS / 2) ** 2;
  if (least > most) return { value, interval: [0, MOST_VARIANCE], reliable: false };
  const interval = [
    Math.max(0, Math.min(least - gap, value)),
    Math.min(MOST_VARIANCE, Math.max(most + gap, value)),
  ] as const;
  return { value, interval, reliable: interval[1] - interval[0] < MOST_VARIANCE };
}

const clamp = (value: number): number => Math.min(MOST_VARIANCE, Math.max(0, value));

function limit(outside: number, inside: number, accepted: (x: number) => boolean): number {
  if (accepted(outside)) return outside;
  let [out, within] = [outside, inside];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (out + within) / 2;
    if (accepted(middle)) within = middle;
    else out = middle;
  }
  return out;
}
