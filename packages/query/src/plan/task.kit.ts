import type { BoundedStatistic } from "./bounded.ts";
import { leavesOf } from "./task.ts";

/** Leaves of each group of a choice or a curve; 0 for everything else. */
export const leavesIn = (statistic: BoundedStatistic | undefined): number =>
  statistic === undefined ? 0 : (leavesOf(statistic)?.leaves ?? 0);

/** The number of integers that one row adds to: one for each level of a tree. */
export const levelsOf = ({ task }: BoundedStatistic): bigint =>
  BigInt(task.kind === "curve" ? task.shape.sizes.length : 1);
