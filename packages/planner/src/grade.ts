import type { Declaration } from "@dosimeter/query/declaration";
import type { BoundedStatistic } from "@dosimeter/query/plan";
import { type Bias, biasMost, biasOf, isBiased, scaleOf } from "@dosimeter/query/quote";
import { type PlanDraft, type PlanRow, shareOf } from "./draft.ts";
import { boundedRow, errorAt, peopleOf } from "./price.ts";

/** `unknown`: what capping changes is not known, and the noise alone would do. */
type Grade = "met" | "missed" | "good" | "fair" | "poor" | "useless" | "unknown";

export interface Fitness {
  readonly grade: Grade;
  /** Error ÷ target where there is one, else error ÷ reference. */
  readonly ratio: number;
  /** Of the noise, and the most that capping adds where that is known. */
  readonly error: number;
}

/** Part of the useless error below which an answer is good. */
export const GOOD = 0.1;
/** Part of it below which it is fair: enough to be of use. */
export const FAIR = 0.35;

export interface Yardstick {
  readonly target: number | undefined;
  /** The error from which on the answer is useless; null where that is not known. */
  readonly useless: number | null;
  /** What capping changes; undefined where nothing is capped, null where it is not known [M350]. */
  readonly bias?: Bias | null | undefined;
}

/**
 * Grades the error of an answer, with what capping changes, against its target, or against the error from which on such an answer is
 * useless. Null while the row has no error or no reference.
 */
export function fitnessOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): Fitness | null {
  if (shareOf(row).units <= 0n) return null;
  const error = errorAt(row, draft, declaration);
  return error === null
    ? null
    : gradeOf(error, yardstickOf(row, boundedRow(row, draft, declaration), peopleOf(draft, declaration)));
}

export function yardstickOf(
  { target, known }: PlanRow,
  statistic: BoundedStatistic | null,
  people: number | null,
): Yardstick {
  if (statistic === null) return { target, useless: null };
  const useless = scaleOf(statistic, people, known)?.useless ?? null;
  if (statistic.noOne !== undefined) return { target: undefined, useless };
  return { target, useless, bias: isBiased(statistic) ? biasOf(statistic, known?.tails) : undefined };
}

/** The grade of an error; one that capping may make any larger is never better than unknown. */
export function gradeOf(noise: number, { target, useless, bias }: Yardstick): Fitness | null {
  const reference = target ?? useless;
  if (reference === null) return null;
  const error = noise + (bias == null ? 0 : biasMost(bias));
  const ratio = error / reference;
  const grade = gradeAt(ratio, target !== undefined);
  return { grade: bias === null && grade !== "missed" && grade !== "useless" ? "unknown" : grade, ratio, error };
}

function gradeAt(ratio: number, isTarget: boolean): Grade {
  if (isTarget) return ratio <= 1 ? "met" : "missed";
  return ratio <= GOOD ? "good" : ratio <= FAIR ? "fair" : ratio < 1 ? "poor" : "useless";
}

/** The reference for an error without a target, in the answer's unit. */
export function referenceOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): number | null {
  return yardstickOf(row, boundedRow(row, draft, declaration), peopleOf(draft, declaration)).useless;
}
