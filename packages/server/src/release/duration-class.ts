import { type BoundedPlan, measuredCells, workOf } from "@dosimeter/query";

/** The shortest class of durations; each next one is twice as long. */
export const CLASS_MS = 100;

/**
 * What measuring takes, in milliseconds: one statistic, one row of the declared size, one cell, one value of a column whose
 * values are not declared, one leaf that a choice goes through, and the interval of one mean. Public constants; see bench/.
 */
const STATISTIC_MS = 20;
const ROW_MS = 5e-4;
const CELL_MS = 2e-3;
const FOUND_MS = 4e-3;
const LEAF_MS = 4e-4;
const SEARCH_MS = 0.1;

const endOf = (elapsed: number, shortest: number): number =>
  shortest * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(elapsed, 1) / shortest)));

/** The end of the class of durations of `elapsed` ms: 100, 200, 400 … A caller sees only these. */
export const classEnd = (elapsed: number): number => endOf(elapsed, CLASS_MS);

/** Resolves at the end of the class of `elapsed`. */
export const settledAfter = (elapsed: number, shortest = CLASS_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, endOf(elapsed, shortest) - elapsed));

/**
 * When the answers of a plan appear, in milliseconds: the end of a class that depends on its shape and the declared size alone.
 * Values that are not declared count as if each row had its own.
 */
export function deadlineOf({ statistics, declaration: { size } }: BoundedPlan): number {
  const rows = size === undefined ? 0 : "public" in size ? size.public : size.assumed;
  const took = statistics.reduce((sum, statistic) => {
    const isFinding = statistic.keys !== undefined && statistic.keys.from === null;
    const { leaves, searches } = workOf(statistic, rows);
    const drawing = measuredCells(statistic) * CELL_MS + leaves * LEAF_MS + searches * SEARCH_MS;
    return sum + STATISTIC_MS + rows * (ROW_MS + (isFinding ? FOUND_MS : 0)) + drawing;
  }, 0);
  return classEnd(took);
}

/** The outcome of measuring a plan, at its deadline. What takes longer, or fails later, appears at the end of the next class. */
export async function inDurationClass<T>(plan: BoundedPlan, work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    await settledAfter(performance.now() - started, deadlineOf(plan));
  }
}
