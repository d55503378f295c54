import { MAX_VARIANCE, notRefutedVariances } from "../statistics/moments/variance.ts";
import { type Form, numberOf, sumOf, tailOf } from "./form.ts";
import type { Bounded } from "./ratio.ts";

/** Share of the failure probability for the mean, whose error enters squared. */
const MEAN_SHARE = 0.1;

/**
 * The variance of values in [0, 1] from n, Σy and Σy², which may come from different answers: every v that the noise of
 * Σ((y − m)² − v) does not refute for some mean m that is not refuted itself, as M91 does for one triple [M144].
 */
export function varianceOfForms(rows: Form, y: Form, squares: Form, failureProbability: number): Bounded {
  const total = numberOf(rows);
  if (!(total > 0)) return { value: MAX_VARIANCE / 2, interval: [0, MAX_VARIANCE], reliable: false };
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
  return notRefutedVariances({ mean, value, meanHolds, holds, centre: (m) => numberOf(about(m, 0)) / total });
}

const clamp = (value: number): number => Math.min(MAX_VARIANCE, Math.max(0, value));
