import { toDouble } from "@dosimeter/core";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { SeriesTask } from "../../plan/task.ts";
import { weightedHalfWidth } from "../curve/cdf.ts";
import { squaresOf, weightsOf } from "../curve/factor.ts";
import { isotonic } from "../curve/tree.ts";
import type { CellReading } from "../statistic.ts";

/** Released numbers of rows are rounded to this. */
const DIGIT = 1e-3;
/** Doubles add up a few hundred roundings of 2⁻⁵³; this is far more. */
const SLACK = 1e-12;

const isCount = ({ ticks }: SeriesTask): boolean => ticks === undefined;
/** What one tick is worth: of rows, 1. */
const worth = ({ ticks }: SeriesTask): number => (ticks === undefined ? 1 : toDouble(ticks.step, "up"));
/** Whether no period can take anything away. */
const isRising = ({ ticks }: SeriesTask): boolean => ticks === undefined || ticks.first >= 0n;

const halfWidth = (
  { noise, task }: BoundedStatistic<SeriesTask>,
  squares: number,
  failureProbability: number,
): number => worth(task) * weightedHalfWidth(noise, squares, failureProbability) + (isCount(task) ? DIGIT : 0);

/** The half-width of the last total, which has the most noise [M208]. [M309] */
export const runningHalfWidth = (statistic: BoundedStatistic<SeriesTask>, failureProbability: number): number =>
  halfWidth(
    statistic,
    squaresOf(weightsOf(statistic.task, statistic.task.bins.length)).at(-1) ?? 0,
    failureProbability,
  );

/**
 * The totals to date of one group. Where no value is negative they never fall; each interval is that of the total before it was made so,
 * widened to hold the value.
 */
export function runningCells(
  integers: readonly bigint[],
  statistic: BoundedStatistic<SeriesTask>,
  failureProbability: number,
): readonly CellReading[] {
  const { task } = statistic;
  const weights = weightsOf(task, task.bins.length);
  const squares = squaresOf(weights);
  const noisy = integers.map(Number);
  const [unit, least] = [worth(task), isRising(task) ? 0 : Number.NEGATIVE_INFINITY];
  const sums = noisy.map((_, at) => {
    let [value, size] = [0, 0];
    for (let back = 0; back <= at; back++) {
      const term = (weights[back] ?? 0) * (noisy[at - back] ?? 0);
      value += term;
      size += Math.abs(term);
    }
    return { value: value * unit, off: size * unit * SLACK };
  });
  const values = isRising(task) ? isotonic(sums.map(({ value }) => value)) : sums.map(({ value }) => value);
  const shown = (value: number): number => (isCount(task) ? Math.round(value / DIGIT) / Math.round(1 / DIGIT) : value);
  return task.bins.map((bin, at) => {
    const value = shown(Math.max(least, values[at] ?? 0));
    const { value: sum, off } = sums[at] ?? { value: 0, off: 0 };
    const half = halfWidth(statistic, squares[at] ?? 0, failureProbability) + off;
    return {
      bin,
      value,
      interval: [Math.max(least, Math.min(value, sum - half)), Math.max(value, sum + half)],
      noisy: [integers[at] ?? 0n],
    };
  });
}
