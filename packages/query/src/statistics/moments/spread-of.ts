import { type Form, halfWidthOf, less, numberOf, sumOf, tailOf } from "../../noise/form.ts";
import type { Bounded } from "../../noise/ratio.ts";
import { MAX_VARIANCE, notRefutedVariances } from "./variance.ts";

/** Share of the failure probability for the mean, whose error enters squared. */
const MEAN_SHARE = 0.1;

/**
 * The variance of values in [0, 1] from n, Σy and Σy², which may come from different answers: every v that the noise of
 * Σ((y − m)² − v) does not refute for some mean m that is not refuted itself, as M91 does for one triple [M144].
 */
export function varianceOfForms(rows: Form, y: Form, squares: Form, failureProbability: number): Bounded {
  const total = numberOf(rows);
  if (!(total > 0)) return { value: MAX_VARIANCE / 2, interval: [0, MAX_VARIANCE] };
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

/**
 * Half-width to be expected of the variance of values in [0, 1] of a number of people; the noise of the forms decides it,
 * as M91 does for one triple.
 */
export function varianceExpected(
  { rows, y, squares }: { readonly rows: Form; readonly y: Form; readonly squares: Form },
  failureProbability: number,
  people: number,
): number {
  const fewest = people - halfWidthOf(rows, 0.2 * failureProbability);
  if (!(fewest > 0)) return MAX_VARIANCE;
  const widest = (forms: readonly Form[], share: number): number =>
    Math.max(...forms.map((form) => halfWidthOf(form, share * failureProbability))) / fewest;
  const square = widest([squares, less(less(squares, 2, y), -1, rows)], 0.8);
  const mean = widest([y, less(y, 1, rows)], MEAN_SHARE);
  return Math.min(MAX_VARIANCE, square + mean * mean);
}

const clamp = (value: number): number => Math.min(MAX_VARIANCE, Math.max(0, value));
