import type { Declaration } from "@dosimeter/query/declaration";
import { uselessFrom } from "@dosimeter/query/quote";
import { type PlanDraft, type PlanRow, shareOf } from "./draft.ts";
import { boundedRow, errorAt, peopleOf } from "./price.ts";

type Grade = "met" | "missed" | "good" | "fair" | "poor" | "useless";

export interface Fitness {
  readonly grade: Grade;
  /** Error ÷ target where there is one, else error ÷ reference. */
  readonly ratio: number;
  readonly error: number;
}

/** Part of the useless error below which an answer is good. */
export const GOOD = 0.1;
const FAIR = 0.35;

/**
 * Grades the error of an answer against its target, or against the error at which such an answer is useless: half the
 * range of a mean, the average bin of a count of n people in m bins, half of all rows for a rank. Null while the row
 * has no error or no reference.
 */
export function fitnessOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): Fitness | null {
  if (shareOf(row).units <= 0n) return null;
  const error = errorAt(row, draft, declaration);
  return error === null ? null : gradeOf(error, row.target, () => referenceOf(row, draft, declaration));
}

/** The grade of an error against a target, or else against the error at which the answer is useless. */
export function gradeOf(error: number, target: number | undefined, referenceNow: () => number | null): Fitness | null {
  if (target !== undefined) {
    const ratio = error / target;
    return { grade: ratio <= 1 ? "met" : "missed", ratio, error };
  }
  const reference = referenceNow();
  if (reference === null) return null;
  const ratio = error / reference;
  return { grade: ratio <= GOOD ? "good" : ratio <= FAIR ? "fair" : ratio < 1 ? "poor" : "useless", ratio, error };
}

/** The reference for an error without a target, in the answer's unit. */
export function referenceOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): number | null {
  const statistic = boundedRow(row, draft, declaration);
  return statistic === null ? null : uselessFrom(statistic, peopleOf(draft, declaration));
}
