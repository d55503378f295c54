import { setTimeout } from "node:timers/promises";
import type { Answer } from "@dosimeter/query/answer";
import { foundCellsOf, workOf } from "@dosimeter/query/bind";
import { mostRowsOf } from "@dosimeter/query/declaration";
import { passesOf } from "@dosimeter/query/join";
import type { BoundedPlan } from "@dosimeter/query/plan";
import type { Log } from "../telemetry/log.ts";

/** The shortest class of durations; each next one is twice as long. */
export const CLASS_MS = 100;

/**
 * What measuring takes, in milliseconds: one statistic, one of the most rows, one cell, one leaf that a choice goes through, and the
 * interval of one mean. Public constants; see bench/.
 */
const STATISTIC_MS = 20;
const ROW_MS = 5e-4;
const CELL_MS = 2e-3;
/** One of the most rows of either table, each time that a join goes through them. */
const JOINED_MS = 1e-3;
/**
 * Where values are found: one more row to group, one of the most values, and one of its cells. The processor's time on public rows that take
 * most, texts of 128 characters that are all different (`bench/found-keys.bench.ts`); words take a fifth of it. Drawing takes as long whatever
 * is found, so that no more is set aside for it.
 */
const FOUND_ROW_MS = 2e-3;
const FOUND_MS = 1.2e-2;
const FOUND_CELL_MS = 8e-3;
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
 * When the answers of a plan appear, in milliseconds: the end of a class that depends on its shape, the most rows and values that its
 * declaration admits, and the number of published groups alone. All values that may be found count as if they were [M210].
 */
export function deadlineOf({ statistics, declaration }: BoundedPlan, answers: readonly Answer[] = []): number {
  const { joined } = declaration;
  const rows = mostRowsOf(declaration);
  const others = joined === undefined ? 0 : mostRowsOf(joined.declaration);
  const took = statistics.reduce((sum, statistic, index) => {
    const { keys } = statistic;
    const published = new Set(keys === undefined ? [] : answers[index]?.cells.map(({ group }) => group[keys.column]));
    const { cells, leaves, searches } = workOf(
      statistic,
      keys === undefined ? statistic.groups.length : published.size,
    );
    const found =
      keys === undefined
        ? 0
        : rows * FOUND_ROW_MS + keys.most * FOUND_MS + foundCellsOf(statistic, rows) * FOUND_CELL_MS;
    const joining = statistic.join === undefined ? 0 : passesOf(statistic.join) * (rows + others) * JOINED_MS;
    return (
      sum + STATISTIC_MS + joining + rows * ROW_MS + found + cells * CELL_MS + leaves * LEAF_MS + searches * SEARCH_MS
    );
  }, 0);
  return Math.min(classEnd(took), MAX_DEADLINE_MS);
}

/** Whether a plan is done within a moment by what is declared. */
export const isBrief = (plan: BoundedPlan): boolean => deadlineOf(plan) <= BRIEF_MS;

/** Counts departures that were missed, and says so in the log: how long such a release took depended on rows. */
export interface Departures {
  missed(): void;
  /** How many were, since the start. */
  count(): number;
}

export function openDepartures(log: Log): Departures {
  let count = 0;
  return {
    missed() {
      count += 1;
      log.error("a departure was missed", { count });
    },
    count: () => count,
  };
}

/**
 * The outcome of measuring a plan, at its deadline. What takes longer, or fails later, appears at the end of the next class, which is outside
 * of (ε, δ) [T1] and counted.
 */
export async function inDurationClass(
  plan: BoundedPlan,
  work: Promise<readonly Answer[]>,
  departures: Pick<Departures, "missed">,
  signal?: AbortSignal,
): Promise<readonly Answer[]> {
  const started = performance.now();
  const answers = await work.catch(() => []);
  const deadline = deadlineOf(plan, answers);
  if (performance.now() - started > deadline) departures.missed();
  await settledSince(started, deadline, signal);
  return work;
}
