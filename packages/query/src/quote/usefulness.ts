import { unitsToPublish } from "../noise/key-selection.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { binsOf, gridOf, leavesOf, rangeOf } from "../plan/task.ts";
import { taskKindOf } from "../plan/task-kinds.ts";
import { rowsPerGroup } from "../statistics/accuracy.ts";
import { answerBins, definitionOf } from "../statistics/registry.ts";
import type { Known } from "./bias.ts";

/** Cells of one group that share its rows. */
const sharing = (statistic: BoundedStatistic): number =>
  leavesOf(statistic) === undefined ? Math.max(1, answerBins(statistic).length) : 1;

/** The error from which on an answer is useless, in its unit, and what that is measured by. */
export interface Scale {
  readonly useless: number;
  readonly by: string;
}

/** No mean, spread or correlation of a column is known to a use by less than this part of what is possible. */
const PART_OF_RANGE = 20;

/**
 * What an error is compared with: the answer itself, where an earlier one tells how large it is. Else a twentieth of the declared range, an
 * average group or bin of the declared rows, half of all rows for most ranks and a curve. Null where that depends on a number of rows that
 * is not known. Nothing is of use where the filter fits no declared value.
 */
export function scaleOf(statistic: BoundedStatistic, rows: number | null, known: Known = {}): Scale | null {
  const { byRank, extent } = definitionOf(statistic);
  const { task, noOne } = statistic;
  const { expected } = known;
  if (noOne !== undefined) return { useless: 0, by: noOne };
  if (expected !== undefined && byRank === undefined && task.kind !== "curve")
    return { useless: expected.size, by: `the earlier answer to ${expected.from}` };
  if (extent !== undefined)
    return { useless: extent(statistic) / PART_OF_RANGE, by: "a twentieth of the declared range" };
  const each = rowsPerGroup(statistic, rows);
  if (each === null) return null;
  if (byRank !== undefined) return { useless: each * byRank(task), by: "the declared number of rows" };
  const inRows = taskKindOf(statistic).uselessFrom(task, rows, each);
  const isSummed = task.kind === "tables" && task.ticks !== undefined;
  if (inRows !== null && !isSummed) return { useless: inRows, by: "the declared number of rows" };
  const range = isCounted(statistic) ? undefined : rangeOf(statistic);
  const largest = range === undefined ? 0 : Math.max(Math.abs(range.lower), Math.abs(range.upper));
  return range === undefined
    ? { useless: each / sharing(statistic), by: "the declared number of rows ÷ groups and bins" }
    : { useless: ((inRows ?? each) * largest) / PART_OF_RANGE, by: "a twentieth of the largest possible total" };
}

/**
 * The largest group whose half is within this rank error, so that its answer says nothing; null for one group, or for errors that are no
 * ranks [M94].
 */
export function saysNothingOf(statistic: BoundedStatistic, rank: number): number | null {
  const { byRank } = definitionOf(statistic);
  const isGrouped = statistic.keys !== undefined || statistic.groups.length > 1;
  return byRank === undefined || !isGrouped ? null : Math.ceil(rank / byRank(statistic.task));
}

const isCounted = (statistic: BoundedStatistic): boolean =>
  gridOf(statistic) === undefined || binsOf(statistic).length > 0;

/** Whether no value of a column is likely to be published: even if all people had the same. */
export const hidesAll = ({ keys }: BoundedStatistic, rows: number | null): boolean =>
  rows !== null && keys !== undefined && keys.rule !== null && unitsToPublish(keys.rule, 0.5) + keys.atLeast - 1 > rows;

/** The most answers among which the rows could be shared so that this error still says something; null where fewer do not help. */
export function mostAnswers(statistic: BoundedStatistic, halfWidth: number, rows: number | null): number | null {
  const { extent, byRank } = definitionOf(statistic);
  const counts = extent === undefined && byRank === undefined;
  const cells = statistic.groups.length * sharing(statistic);
  if (rows === null || !counts || cells < 2 || statistic.keys !== undefined || gridOf(statistic) !== undefined)
    return null;
  const most = Math.ceil(rows / halfWidth) - 1;
  return most >= 1 && most < cells ? most : null;
}
