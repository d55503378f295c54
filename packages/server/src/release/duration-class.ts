import { setTimeout } from "node:timers/promises";
import { type Answer, type BoundedPlan, passesOf, workOf } from "@dosimeter/query";

/** The shortest class of durations; each next one is twice as long. */
export const CLASS_MS = 100;

/**
 * What measuring takes, in milliseconds: one statistic, one row of the declared size, one cell, one value of a column whose
 * values are not declared, one leaf that a choice goes through, and the interval of one mean. Public constants; see bench/.
 */
const STATISTIC_MS = 20;
const ROW_MS = 5e-4;
const CELL_MS = 2e-3;
/** One row of the declared size of either table, each time that a join goes through them. */
const JOINED_MS = 1e-3;
/** Four times the 6 µs that the engine and the noise took for each, on a busy machine: others measure at the same time. */
const FOUND_MS = 2.5e-2;
const LEAF_MS = 4e-4;
const SEARCH_MS = 0.1;

/** The longest that anyone waits for a release of another person while theirs is as brief. */
const BRIEF_MS = 800;

const endOf = (elapsed: number, shortest: number): number =>
  shortest * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(elapsed, 1) / shortest)));

/** The end of the class of durations of `elapsed` ms: 100, 200, 400 … A caller sees only these. */
export const classEnd = (elapsed: number): number => endOf(elapsed, CLASS_MS);

/**
 * No deadline is later, whatever size is declared: the measuring process is killed before that, so every outcome is there by then.
 */
const MAX_DEADLINE_MS = CLASS_MS * 2 ** 13;

/** Resolves at the end of the class of durations that now belongs to, counted from `started`; rejects when the signal aborts. */
export async function settledSince(started: number, shortest = CLASS_MS, signal?: AbortSignal): Promise<void> {
  const end = started + endOf(performance.now() - started, shortest);
  // A timer may end two milliseconds early: its time has no fractions, and it counts from the beginning of a turn.
  for (let rest = end - performance.now(); rest > 0; rest = end - performance.now())
    await setTimeout(Math.ceil(rest), undefined, signal === undefined ? {} : { signal });
}

/**
 * When the answers of a plan appear, in milliseconds: the end of a class that depends on its shape, the declared size and the number of
 * published groups alone. Values that are not declared count as if each row had its own.
 */
export function deadlineOf(
  { statistics, declaration: { size, joined } }: BoundedPlan,
  answers: readonly Answer[] = [],
): number {
  const rows = rowsIn(size);
  const others = rowsIn(joined?.declaration.size);
  const took = statistics.reduce((sum, statistic, index) => {
    const { keys } = statistic;
    const published = new Set(keys === undefined ? [] : answers[index]?.cells.map(({ group }) => group[keys.column]));
    const { cells, leaves, searches } = workOf(
      statistic,
      keys === undefined ? statistic.groups.length : published.size,
    );
    const found = keys !== undefined && keys.from === null ? rows * FOUND_MS : 0;
    const joining = statistic.join === undefined ? 0 : passesOf(statistic.join) * (rows + others) * JOINED_MS;
    return (
      sum + STATISTIC_MS + joining + rows * ROW_MS + found + cells * CELL_MS + leaves * LEAF_MS + searches * SEARCH_MS
    );
  }, 0);
  return Math.min(classEnd(took), MAX_DEADLINE_MS);
}

/** Whether a plan is done within a moment by what is declared: without a declared size nothing says so. */
export const isBrief = (plan: BoundedPlan): boolean =>
  [plan.declaration, ...(plan.declaration.joined === undefined ? [] : [plan.declaration.joined.declaration])].every(
    ({ size }) => size !== undefined,
  ) && deadlineOf(plan) <= BRIEF_MS;

const rowsIn = (size: BoundedPlan["declaration"]["size"]): number =>
  size === undefined ? 0 : "public" in size ? size.public : size.assumed;

/** The outcome of measuring a plan, at its deadline. What takes longer, or fails later, appears at the end of the next class. */
export async function inDurationClass(
  plan: BoundedPlan,
  work: Promise<readonly Answer[]>,
  signal?: AbortSignal,
): Promise<readonly Answer[]> {
  const started = performance.now();
  const answers = await work.catch(() => []);
  await settledSince(started, deadlineOf(plan, answers), signal);
  return work;
}
