import { answerBins, definitionOf } from "../statistics/index.ts";
import type { Statistic } from "../statistics/statistic.ts";
import { type BoundedStatistic, measuredCells } from "./bounded.ts";
import { unitsToPublish } from "./key-selection.ts";
import type { Task } from "./task.ts";
import { isRanked, taskKindOf } from "./task-kinds.ts";

/** Integers one statistic may release: every cell is noised, drawn and stored. */
export const MAX_CELLS = 200_000;

/** Cells of one group before they are chosen among or added up. */
export const cellsOf = (task: Task): number => taskKindOf({ task }).noised(task);

/** Integers that share the noise of one group. */
export const integersOf = (task: Task, { width }: Statistic, groups: number): number =>
  taskKindOf({ task }).ranked(task) ?? Math.max(1, groups) * cellsOf(task) * width(task);

/**
 * What choosing and reading the answers of a statistic takes, in public units: leaves gone through, and means whose interval is searched for.
 * Of groups that no one declared the leaves with rows are as many as rows, and the published groups no more than have enough of them.
 */
export function workOf(
  statistic: BoundedStatistic,
  rows: number,
): { readonly leaves: number; readonly searches: number } {
  const { task, keys, groups } = statistic;
  const { leafDraws, searches } = taskKindOf(statistic);
  const enough = keys === undefined || keys.rule === null ? 1 : Math.max(1, unitsToPublish(keys.rule, 0.5));
  const cells = keys === undefined ? measuredCells(statistic) : rows;
  return {
    leaves: cells * leafDraws(task),
    searches: (keys === undefined ? groups.length : rows / enough) * searches(definitionOf(statistic).width(task)),
  };
}

/** Integers that a statistic releases, all cells together. */
export function releasedIntegers(statistic: BoundedStatistic): number {
  const { task, groups } = statistic;
  const cells = isRanked(statistic) ? Math.max(1, answerBins(statistic).length) : cellsOf(task);
  return Math.max(1, groups.length) * cells * definitionOf(statistic).width(task);
}
