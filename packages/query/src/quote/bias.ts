import { errorText } from "@dosimeter/core/internal";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { binsOf, rangeOf } from "../plan/task.ts";
import type { Interval } from "../statistics/cell.ts";

/** What share of the rows of a group lies above places of a column, each between two ends, as one earlier answer tells [M350]. Plain JSON. */
export interface Tails {
  /** What that answer is called. */
  readonly from: string;
  /** By rising place; they hold for every group at once. */
  readonly points: readonly { readonly at: number; readonly least: number; readonly most: number }[];
  /** The rows of the smallest group at least, and of the largest at most. */
  readonly rows: Interval;
}

/** What is known of a row of a plan from answers that its asker has read, and whose caps have counted them. Plain JSON. */
export interface Known {
  readonly tails?: Tails | undefined;
  /** How large each answer is at least, and on average; by which earlier answer. */
  readonly expected?: { readonly size: number; readonly sizes: readonly number[]; readonly from: string } | undefined;
}

/** How much capping changes an answer, at least and at most, in its unit: negative where it lowers it. */
export type Bias = Interval;

/** Whether the caps of a row change its answers, and not only what the bins at the ends hold. */
export const isBiased = (statistic: BoundedStatistic): boolean =>
  statistic.caps !== undefined && binsOf(statistic).length === 0 && statistic.task.kind !== "curve";

/** The change by capping of a mean or a sum; null where no earlier answer tells, or the column has no bounds [M350]. */
export function biasOf(statistic: BoundedStatistic, tails: Tails | undefined): Bias | null {
  const { caps, task } = statistic;
  const range = rangeOf(statistic);
  if (caps === undefined || range === undefined || tails === undefined || task.kind !== "sums") return null;
  const { lower, upper } = caps.declared;
  if (lower === null || upper === null) return null;
  const above = areaAbove(tails, range.upper, upper);
  // What lies below a place is the rest of what lies above it.
  const length = Math.max(0, range.lower - lower);
  const [least, most] = areaAbove(tails, lower, range.lower);
  const below = [length - most, length - least] as const;
  const mean = [below[0] - above[1], below[1] - above[0]] as const;
  switch (statistic.statistic) {
    case "mean":
      return mean;
    case "sum": {
      const of = (change: number, isLeast: boolean): number => change * tails.rows[change < 0 === isLeast ? 1 : 0];
      return [of(mean[0], true), of(mean[1], false)];
    }
    default:
      return null;
  }
}

/** ∫ P(x > t) dt from one place to another, at least and at most: a share falls from one point to the next. */
function areaAbove({ points }: Tails, from: number, to: number): Interval {
  if (!(to > from)) return [0, 0];
  const inside = points.filter(({ at }) => at > from && at < to).map(({ at }) => at);
  const ends = [from, ...inside, to];
  let [least, most] = [0, 0];
  for (let i = 0; i + 1 < ends.length; i++) {
    const [start = from, end = to] = [ends[i], ends[i + 1]];
    const width = end - start;
    least += width * Math.max(0, ...points.filter(({ at }) => at >= end).map((point) => point.least));
    most += width * Math.min(1, ...points.filter(({ at }) => at <= start).map((point) => point.most));
  }
  return [least, most];
}

/** The largest error that bias adds. */
export const biasMost = ([least, most]: Bias): number => Math.max(Math.abs(least), Math.abs(most));

/** "capping − 16,000 to − 17,000", "capping unknown". */
export function biasText(bias: Bias | null, unit?: string | null): string {
  if (bias === null) return "capping unknown";
  const [least, most] = bias;
  if (least === 0 && most === 0) return "capping changes nothing";
  if (least < 0 && most > 0) return `capping − ${errorText(-least, unit)} to + ${errorText(most, unit)}`;
  const [near, far] = [Math.min(Math.abs(least), Math.abs(most)), biasMost(bias)];
  const sign = most <= 0 ? "−" : "+";
  return near === 0
    ? `capping ${sign} ${errorText(far, unit)} at most`
    : `capping ${sign} ${errorText(near < 10 ? Math.floor(near * 100) / 100 : Math.floor(near), unit)} to ${errorText(far, unit)}`;
}
