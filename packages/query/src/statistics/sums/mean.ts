import { halfWidthOf, less } from "../../noise/form.ts";
import { meanOf } from "../../noise/ratio.ts";
import { selected } from "../../noise/selected.ts";
import { noiseHalfWidth, pairHalfWidth, sumHalfWidth } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { SumsTask, Ticks } from "../../plan/task.ts";
import type { Interval } from "../cell.ts";
import { endsOf, fromRows, nothing, selectedForm } from "../reuse.ts";
import type { Reading, Statistic } from "../statistic.ts";
import { nearMean, placesOf } from "../words.ts";
import { meanPositions } from "./fieller.ts";
import { SUMS, sumsTask } from "./sums-task.ts";

/** Ticks are refined to at least this many per range, so that noise within one tick is negligible next to it. */
const FINE = 1024n;
const fineness = ({ steps }: Ticks): bigint => (steps >= FINE ? 1n : (FINE + steps - 1n) / steps);
const perRow = ({ ticks }: SumsTask): number => Number(ticks.steps * fineness(ticks));
const clampTo = (value: number, [lower, upper]: Interval): number => Math.min(upper, Math.max(lower, value));

/** A position from 0 to 1 as a value between the bounds. */
const valueAt =
  ({ range: { lower, upper } }: SumsTask) =>
  (position: number): number =>
    clampTo(lower + (upper - lower) * position, [lower, upper]);

function readPair(
  [s1 = 0n, s2 = 0n]: readonly bigint[],
  { noise, task, groups }: BoundedStatistic<SumsTask>,
  failureProbability: number,
): Reading {
  const at = valueAt(task);
  const total = Number(s1 + s2);
  const terms = { failureProbability, answers: groups.length };
  const { isMarked, failureProbability: beta } = selected(total, (chance) => sumHalfWidth(noise, chance), terms);
  const [from, to] = isMarked ? [0, 1] : meanPositions(Number(s1), Number(s2), noise, beta);
  const people = total / perRow(task);
  const half = sumHalfWidth(noise, beta) / perRow(task);
  return {
    value: total > 0 ? at(Number(s1) / total) : at(0.5),
    interval: [at(from), at(to)],
    rows: { value: people, interval: [Math.max(0, people - half), Math.max(0, people + half)] },
    ...(isMarked ? { unreliable: true } : {}),
  };
}

function readFixed(
  [sum = 0n]: readonly bigint[],
  { noise, task }: BoundedStatistic<SumsTask>,
  failureProbability: number,
  rows: number,
): Reading {
  const total = perRow(task) * rows;
  const at = (sumOfTicks: number): number => valueAt(task)(sumOfTicks / total);
  const half = noiseHalfWidth(noise, failureProbability);
  return { value: at(Number(sum)), interval: [at(Number(sum) - half), at(Number(sum) + half)] };
}

/**
 * The sum of positions and the sum of distances to the upper bound; the first alone when the number of rows is public. [M300]
 */
export const mean = {
  label: "mean",
  help: "The average of a column, each value first capped at its bounds; the number of rows is included.",
  column: "numeric",
  takes: [],
  task: sumsTask,
  aggregates: () => ["rows", "ticks"],
  contribution: rowContribution,
  row: ({ ticks }) => ({ least: 0n, largest: ticks.steps * fineness(ticks) }),
  integers: ([rows = 0n, sum = 0n], { task: { ticks, publicRows } }) => {
    const fine = fineness(ticks);
    return publicRows === undefined ? [fine * sum, fine * (rows * ticks.steps - sum)] : [fine * sum];
  },
  width: ({ publicRows }) => (publicRows === undefined ? 2 : 1),
  accuracy: ({ noise, task }, failureProbability, rows) => {
    const { range, publicRows } = task;
    const length = range.upper - range.lower;
    if (publicRows !== undefined)
      return Math.min(length, (length * noiseHalfWidth(noise, failureProbability)) / (perRow(task) * publicRows));
    if (rows === null) return null;
    return Math.min(length, (length * pairHalfWidth(noise, failureProbability)) / (perRow(task) * rows));
  },
  read: (noisy, statistic, failureProbability) =>
    statistic.task.publicRows === undefined
      ? readPair(noisy, statistic, failureProbability)
      : readFixed(noisy, statistic, failureProbability, statistic.task.publicRows),
  doubts: ({ task: { range }, column }, cells) =>
    cells.flatMap(({ interval, unreliable }) =>
      unreliable === true ? [] : nearMean(column, range, ...placesOf(interval, range)),
    ),
  needsRows: ({ publicRows }) => publicRows === undefined,
  extent: ({ task: { range } }) => range.upper - range.lower,
  sample: "stays",
  shows: { chart: "number", value: "named", measures: "place" },
  errorScale: "range",
  reuse: {
    leavesOutMissing: true,
    from: {
      needs: ["sum", "rows"],
      read: ({ sum, rows }, statistic, failureProbability) => {
        const { isMarked, failureProbability: beta } = selectedForm(rows, statistic, failureProbability);
        const ends = endsOf(statistic);
        const read = meanOf(sum, rows, ends, beta);
        return {
          value: read.value,
          interval: isMarked ? [...ends] : [...read.interval],
          rows: fromRows.read({ ...nothing, rows }, statistic, beta),
          ...(isMarked ? { unreliable: true } : {}),
        };
      },
      // The noise is widest where the mean is at an end of the range, as in a quote.
      expected: ({ sum, rows }, statistic, failureProbability, people) => {
        const ends = endsOf(statistic);
        const widths = ends.map((end) => halfWidthOf(less(sum, end, rows), failureProbability));
        return Math.min(ends[1] - ends[0], Math.max(...widths) / people);
      },
    },
    holds: "sums",
    near: SUMS,
    gives: ["count", "sum"],
  },
  audit: [
    { asked: { column: "pay" }, by: "declared" },
    { asked: { column: "age" }, by: "found" },
  ],
  noise: [
    { column: "pay", epsilon: 1 },
    { column: "pay", rho: 0.5 },
  ],
} as const satisfies Statistic<SumsTask>;
