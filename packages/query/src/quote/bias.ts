import { errorText } from "@dosimeter/core/internal";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { binsOf, type ChoiceTask, type Range, rangeOf } from "../plan/task.ts";
import { taskKindOf } from "../plan/task-kinds.ts";
import type { Interval } from "../statistics/cell.ts";

/** What share of the rows of a group lies above places of a column, each between two ends, as one earlier answer tells [M350]. Plain JSON. */
export interface Tails {
  /** What that answer is called. */
  readonly from: string;
  /** By rising place; they hold for every group at once. */
  readonly points: readonly { readonly at: number; readonly least: number; readonly most: number }[];
  /** The rows of the smallest group at least, and of the largest at most. */
  readonly rows: Interval;
  /** That of all points, and the rows, together. */
  readonly failureProbability: number;
}

/** What is known of a row of a plan from answers that its asker has read, and whose caps have counted them. Plain JSON. */
export interface Known {
  readonly tails?: Tails | undefined;
  /** How many people have rows that are left out [M378]. */
  readonly cut?: { readonly people: Interval; readonly from: string } | undefined;
  /** How many rows the smallest group has at least, by which earlier count; it may also count rows without a value [M386]. */
  readonly group?: { readonly rows: number; readonly from: string } | undefined;
  /** How large each answer is at least, and on average; by which earlier answer. */
  readonly expected?: { readonly size: number; readonly sizes: readonly number[]; readonly from: string } | undefined;
}

/** Whether rows of a person may be left out of an answer. */
export const cutsRows = (statistic: BoundedStatistic): boolean => {
  const { rows, groups, rowsPerGroup } = statistic.contribution.bound;
  const isOfRows = !taskKindOf(statistic).isOfUnits && statistic.task.kind !== "values";
  return isOfRows && (rows !== null || groups !== null || rowsPerGroup !== null);
};

/** How much capping changes an answer, at least and at most, in the unit of its error: negative where it lowers it. */
export type Bias = Interval;

/** Whether the caps of a row change its answers, and not only what the bins at the ends hold. */
export const isBiased = (statistic: BoundedStatistic): boolean =>
  statistic.caps !== undefined && binsOf(statistic).length === 0 && statistic.task.kind !== "curve";

/** Whether what lies above places of its column says more of a row. */
export const usesTails = (statistic: BoundedStatistic): boolean =>
  isBiased(statistic) || statistic.task.kind === "sums";

/** The change by capping of a mean, sum, variance or rank; null where no earlier answer tells, or the column has no bounds [M350, M375]. */
export function biasOf(statistic: BoundedStatistic, tails: Tails | undefined): Bias | null {
  const { caps, task } = statistic;
  const range = rangeOf(statistic);
  if (caps === undefined || range === undefined || tails === undefined) return null;
  const { lower, upper } = caps.declared;
  if (lower === null || upper === null) return null;
  if (task.kind === "choice") return rankBias(task, tails);
  const cut = { lower, upper, range };
  const [least, most] = meanBias(tails, cut);
  switch (statistic.statistic) {
    case "mean":
      return [least, most];
    case "sum": {
      const of = (change: number, isLeast: boolean): number => change * tails.rows[change < 0 === isLeast ? 1 : 0];
      return [of(least, true), of(most, false)];
    }
    case "variance":
      return varianceBias(tails, cut).bias;
    case "standardDeviation": {
      const { bias, square } = varianceBias(tails, cut);
      return [-Math.sqrt(Math.min(-bias[0], square)), 0];
    }
    default:
      return null;
  }
}

interface Cut {
  readonly lower: number;
  readonly upper: number;
  readonly range: Range;
}

/** What lies beyond either bound on average, of a power of its distance. */
function beyond(tails: Tails, { lower, upper, range }: Cut, power: 1 | 2): readonly [below: Interval, above: Interval] {
  const above = areaAbove(tails, range.upper, upper, (t) => (t - range.upper) ** power);
  // What lies below a place is the rest of what lies above it.
  const all = Math.max(0, range.lower - lower) ** power;
  const [least, most] = areaAbove(tails, lower, range.lower, (t) => -((range.lower - t) ** power));
  return [[all - most, all - least], above];
}

function meanBias(tails: Tails, cut: Cut): Bias {
  const [below, above] = beyond(tails, cut, 1);
  return [below[0] - above[1], below[1] - above[0]];
}

/** Of the variance, and at most how large the square of what is cut off is on average. */
function varianceBias(tails: Tails, cut: Cut): { readonly bias: Bias; readonly square: number } {
  const [[v0, v1], [u0, u1]] = beyond(tails, cut, 1);
  const [below, above] = beyond(tails, cut, 2);
  const { lower, upper } = cut.range;
  const [y0, y1] = areaAbove(tails, lower, upper);
  const ends = [u0 - v1, u1 - v0].map((end) => end ** 2);
  const between = u0 > v1 || v0 > u1 ? Math.min(...ends) : 0;
  const square = below[1] + above[1];
  const most = square - between + 2 * (u1 * (upper - lower - y0) + v1 * y1);
  const least = below[0] + above[0] - Math.max(...ends) + 2 * (u0 * (upper - lower - y1) + v0 * y0);
  return { bias: [-most, -Math.max(0, least)], square };
}

/** Rows between the quantile of capped values and that of all, of the target with the most [M375]. */
function rankBias({ targets, range: { lower, upper } }: ChoiceTask, { points, rows }: Tails): Bias {
  const least = (holds: (at: number) => boolean): number =>
    Math.max(0, ...points.filter(({ at }) => holds(at)).map((point) => point.least));
  const most = (holds: (at: number) => boolean): number =>
    Math.min(1, ...points.filter(({ at }) => holds(at)).map((point) => point.most));
  const above = [least((at) => at > upper), most((at) => at <= upper)] as const;
  const below = [1 - most((at) => at < lower), 1 - least((at) => at >= lower)] as const;
  const biases = targets.map(({ share }): Bias => {
    const [a0, a1] = [above[0] - (1 - share), above[1] - (1 - share)].map((part) => Math.max(0, part)) as [
      number,
      number,
    ];
    const [b0, b1] = [below[0] - share, below[1] - share].map((part) => Math.max(0, part)) as [number, number];
    return [b0 * rows[0] - a1 * rows[1], b1 * rows[1] - a0 * rows[0]];
  });
  return [Math.min(...biases.map(([from]) => from)), Math.max(...biases.map(([, to]) => to))];
}

/** ∫ P(x > t) dF(t) from one place to another, at least and at most: a share falls from one point to the next. */
function areaAbove({ points }: Tails, from: number, to: number, weight = (t: number): number => t): Interval {
  if (!(to > from)) return [0, 0];
  const inside = points.filter(({ at }) => at > from && at < to).map(({ at }) => at);
  const ends = [from, ...inside, to];
  let [least, most] = [0, 0];
  for (let i = 0; i + 1 < ends.length; i++) {
    const [start = from, end = to] = [ends[i], ends[i + 1]];
    const width = weight(end) - weight(start);
    least += width * Math.max(0, ...points.filter(({ at }) => at >= end).map((point) => point.least));
    most += width * Math.min(1, ...points.filter(({ at }) => at <= start).map((point) => point.most));
  }
  return [least, most];
}

/** The largest error that bias adds. */
export const biasMost = ([least, most]: Bias): number => Math.max(Math.abs(least), Math.abs(most));

export function biasText(bias: Bias | null, unit?: string | null): string {
  if (bias === null) return "capping unknown";
  const [least, most] = bias;
  if (least === 0 && most === 0) return "capping changes nothing";
  if (least < 0 && most > 0) return `capping − ${errorText(-least, unit)} to + ${errorText(most, unit)}`;
  const [near, far] = [Math.min(Math.abs(least), Math.abs(most)), biasMost(bias)];
  const sign = most <= 0 ? "−" : "+";
  return near === 0
    ? `capping ${sign} ${errorText(far, unit)} at most`
    : `capping ${sign} ${errorText(near, unit, "down")} to ${errorText(far, unit)}`;
}
