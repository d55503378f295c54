import type { BoundedStatistic } from "../plan/bounded.ts";
import { cellsPerGroup, type Task } from "../plan/task.ts";
import { isRanked, taskKindOf } from "../plan/task-kinds.ts";
import { answerBins, definitionOf } from "../statistics/index.ts";
import type { Statistic } from "../statistics/statistic.ts";

/** Integers one statistic may release: every cell is noised, drawn and stored. */
export const MAX_CELLS = 200_000;

/** Cells of one group before they are chosen among or added up. */
export const cellsOf = (task: Task): number => taskKindOf({ task }).noised(task);

/** Integers that share the noise of one group. */
export const integersOf = (task: Task, { width }: Statistic, groups: number): number =>
  taskKindOf({ task }).ranked(task) ?? Math.max(1, groups) * cellsOf(task) * width(task);

/** Integers that are drawn or chosen among, leaves that choices go through, and means whose interval is searched for. */
interface Work {
  readonly cells: number;
  readonly leaves: number;
  readonly searches: number;
}

/** What drawing and reading the answers of this number of groups takes. */
export function workOf(statistic: BoundedStatistic, groups: number): Work {
  const { leafDraws, searches } = taskKindOf(statistic);
  const cells = groups * cellsPerGroup(statistic);
  return {
    cells,
    leaves: cells * leafDraws(statistic.task),
    searches: groups * searches(definitionOf(statistic).width(statistic.task)),
  };
}

/** Integers that a statistic releases, all cells together. */
export function releasedIntegers(statistic: BoundedStatistic): number {
  const { task, groups } = statistic;
  const cells = isRanked(statistic) ? Math.max(1, answerBins(statistic).length) : cellsOf(task);
  return Math.max(1, groups.length) * cells * definitionOf(statistic).width(task);
}
