import { MAX_KEY_LENGTH, mostRowsOf } from "../declaration/most.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import { cellsPerGroup, type TablesTask, type Task } from "../plan/task.ts";
import { isRanked, taskKindOf } from "../plan/task-kinds.ts";
import { answerBins, definitionOf } from "../statistics/registry.ts";
import type { Statistic } from "../statistics/statistic.ts";
import { MAX_TABLE_CELLS } from "../statistics/tables/tables-task.ts";
import { wholeSteps } from "../statistics/tables/whole.ts";
import { zeroSteps } from "../statistics/tables/zeros.ts";

/** Integers one statistic may release: every cell is noised, drawn and stored. */
export const MAX_CELLS = 200_000;
export { MAX_TABLE_CELLS };
/** Sets of tables are read in one pass, so they may have more. */
export const mostCells = ({ kind }: Pick<Task, "kind">): number => (kind === "tables" ? MAX_TABLE_CELLS : MAX_CELLS);

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

/**
 * Bytes that the process which measures takes, at most, for the values that a plan may find: of each its number of units, its place and the
 * row that brought it, and its text; of each cell of one, its integers. Measured on texts as long as a key may be; see `bench/` [M210].
 */
export function foundBytesOf({ statistics, declaration }: BoundedPlan): number {
  const rows = mostRowsOf(declaration);
  return statistics.reduce((sum, statistic) => {
    const { keys, task } = statistic;
    if (keys === undefined) return sum;
    const key = KEY_BYTES + (keys.among === "text" ? 4 * MAX_KEY_LENGTH : 0);
    const cell = CELL_BYTES + INTEGER_BYTES * definitionOf(statistic).aggregates(task).length;
    return sum + keys.most * key + foundCellsOf(statistic, rows) * cell;
  }, 0);
}

const KEY_BYTES = 450;
const CELL_BYTES = 460;
const INTEGER_BYTES = 40;

/**
 * Bytes that bounded rows of people take until they are counted, in memory or on the disk, at most: of each the group and its numbers. Where each
 * row is a unit none is kept.
 */
export const boundedBytesOf = ({ statistics, declaration }: BoundedPlan): number =>
  declaration.privacyUnit === "row"
    ? 0
    : mostRowsOf(declaration) * Math.max(0, ...statistics.map((one) => BOUNDED_BYTES + NUMBER_BYTES * keptOf(one)));

/** Numbers of a bounded row: of tables its cells alone, which are counted in pairs only later. */
function keptOf(statistic: BoundedStatistic): number {
  const task: Task = statistic.task;
  if (task.kind === "tables") return task.columns.length + (task.ticks === undefined ? 0 : 1);
  return task.kind === "table" ? task.columns.length : sumsOf(statistic);
}

const BOUNDED_BYTES = 32;
const NUMBER_BYTES = 16;

/** What is counted and added up of each row. */
export function sumsOf(statistic: BoundedStatistic): number {
  const task: Task = statistic.task;
  if (task.kind === "tables") return task.counted.length;
  return task.kind === "table"
    ? task.columns.length + task.pairs.length
    : definitionOf(statistic).aggregates(task).length;
}

/** Cells, at most, of the values that a statistic may find: no more than it has rows, and none where the units are the answer. */
export const foundCellsOf = ({ keys, task }: BoundedStatistic, rows: number): number =>
  keys === undefined || keys.counts ? 0 : Math.min(rows, keys.most * cellsPerGroup({ task }));

/** What reading tables takes, as leaves: the fit of whole numbers, and multiplications in units of a leaf. */
const readingOf = (task: TablesTask): number => wholeSteps(task) + zeroSteps(task) / STEPS_OF_A_LEAF;
const STEPS_OF_A_LEAF = 32;

export function workOf(statistic: BoundedStatistic, groups: number): Work {
  const { task, groupBy } = statistic;
  const { leafDraws, searches } = taskKindOf(statistic);
  // Of tables far more is drawn and read than is counted.
  const isTables = task.kind === "tables";
  const cells = groups * (isTables ? task.answers : cellsPerGroup(statistic));
  return {
    cells,
    // Each answer names a value of every column that it is of, where it is made, sent and received.
    leaves:
      cells * (leafDraws(task) + 2 * (isTables ? task.columns.length : groupBy.length)) +
      (isTables ? readingOf(task) : 0),
    searches: groups * searches(definitionOf(statistic).width(task)),
  };
}

export const plannedIntegers = ({ statistics }: BoundedPlan): number =>
  statistics.reduce((sum, statistic) => sum + releasedIntegers(statistic), 0);

export function releasedIntegers(statistic: BoundedStatistic): number {
  const { task, groups } = statistic;
  const cells = isRanked(statistic) ? Math.max(1, answerBins(statistic).length) : cellsOf(task);
  return Math.max(1, groups.length) * cells * definitionOf(statistic).width(task);
}
