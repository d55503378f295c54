import type { Declaration } from "../declaration.ts";
import type { PlanDraft, PlanRow } from "./draft.ts";
import { shareOf } from "./draft.ts";
import { boundedRow, errorAt, peopleOf } from "./price.ts";

export type Grade = "met" | "missed" | "good" | "fair" | "poor" | "useless";

export interface Fitness {
  readonly grade: Grade;
  /** Error ÷ target where there is one, else error ÷ reference. */
  readonly ratio: number;
  readonly error: number;
}

const GOOD = 0.1;
const FAIR = 0.35;

/**
 * Whether an answer would be of use: against its target, or against half the range of a mean, the average bin of a count
 * of n people in m bins. Null while it has no error, or nothing to compare it with.
 */
export function fitnessOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): Fitness | null {
  if (shareOf(row).units <= 0n) return null;
  const error = errorAt(row, draft, declaration);
  if (error === null) return null;
  if (row.target !== undefined) {
    const ratio = error / row.target;
    return { grade: ratio <= 1 ? "met" : "missed", ratio, error };
  }
  const reference = referenceOf(row, draft, declaration);
  if (reference === null) return null;
  const ratio = error / reference;
  return { grade: ratio <= GOOD ? "good" : ratio <= FAIR ? "fair" : ratio < 1 ? "poor" : "useless", ratio, error };
}

/** What an error is measured against where no target was given, in the answer's unit. */
export function referenceOf(row: PlanRow, draft: PlanDraft, declaration: Declaration): number | null {
  const statistic = boundedRow(row, draft.confidence, declaration);
  if (statistic === null) return null;
  const people = peopleOf(draft, declaration);
  const cells = statistic.groups.length * Math.max(1, statistic.bins.length);
  const isCounting = statistic.ticks === null || statistic.bins.length > 0;
  if (isCounting) return people === null ? null : people / cells;
  if (statistic.lower === null || statistic.upper === null) return null;
  const half = (statistic.upper - statistic.lower) / 2;
  if (statistic.statistic === "sum") return people === null ? null : (half * people) / statistic.groups.length;
  return half;
}
