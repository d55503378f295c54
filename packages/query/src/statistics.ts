import { toDouble } from "@dosimeter/core";
import { combinationHalfWidth } from "./combination.ts";
import type { ContributionBound } from "./declaration.ts";
import { meanPositions } from "./fieller.ts";
import type { Bin, BoundedStatistic, Contribution, Ticks } from "./plan.ts";
import { rankHalfWidth } from "./quantile.ts";
import { type RowVector, rowContribution, unitContribution } from "./sensitivity.ts";
import { noiseHalfWidth, pairHalfWidth, spread, sumHalfWidth } from "./tail.ts";
import { MOST_VARIANCE, readVariance, varianceHalfWidth } from "./variance.ts";

/** What SQL adds up in each cell. `ticks` counts from the lower bound, `signedTicks` from zero. */
export type Aggregate = "rows" | "units" | "ticks" | "signedTicks" | "squares";
export type Interval = readonly [number, number];

/** One cell, after noise. */
export interface Reading {
  readonly value: number;
  readonly interval: Interval;
  /** How many rows the same noisy integers say there are: free. */
  readonly rows?: { readonly value: number; readonly interval: Interval };
  /** The noise swamped the data; the value is a placeholder inside the bounds. */
  /** Rows between the value and the truth, at most; the interval then is all that is possible. */
  readonly rank?: number;
  readonly unreliable?: true;
}

/** One row of the table: everything that differs between two statistics. */
export interface Statistic {
  readonly label: string;
  readonly help: string;
  /** Which column it reads: none, one with numeric bounds, or one with bins. */
  readonly column: "none" | "numeric" | "binned";
  readonly aggregates: readonly Aggregate[];
  readonly contribution: (bound: ContributionBound, unit: "row" | "column", groups: number) => Contribution;
  /** Integers that one row adds to its cell. */
  readonly row: (ticks: Ticks | null, unitTicks: BoundedStatistic["unitTicks"]) => Pick<RowVector, "least" | "largest">;
  /** A unit's rows are first added up in each group, and the total clamped [M95]. */
  readonly byUnit?: true;
  /** A choice instead of noise: the shares to choose, or null where the request names them. */
  readonly selects?: readonly number[] | null;
  /** Most steps between the bounds: products of ticks must fit 64 bits [M91]. */
  readonly mostSteps?: bigint;
  /** Integers released for one cell; several share one noise call. */
  readonly integers: (aggregates: readonly bigint[], statistic: BoundedStatistic) => readonly bigint[];
  readonly width: (statistic: Pick<BoundedStatistic, "publicRows">) => number;
  /** Half-width of the interval around one answer, in the answer's unit; `rows` per group where the error depends on it. */
  readonly accuracy: (statistic: BoundedStatistic, failureProbability: number, rows: number | null) => number | null;
  readonly read: (noisy: readonly bigint[], statistic: BoundedStatistic, failureProbability: number) => Reading;
  readonly needsRows: (statistic: Pick<BoundedStatistic, "publicRows">) => boolean;
  /** Errors are in rows between the answer and the truth, not in the column's unit. */
  readonly byRank?: true;
  /** Length of the range of possible answers; an interval as long as it says nothing. Null: unbounded. */
  readonly extent?: (statistic: BoundedStatistic) => number | null;
}

const counting = {
  row: () => ({ least: 1n, largest: 1n }),
  integers: (aggregates) => aggregates,
  width: () => 1,
  accuracy: (statistic, failureProbability) => noiseHalfWidth(statistic.noise, failureProbability),
  read: ([noisy = 0n], statistic, failureProbability) => {
    const value = Number(noisy);
    const half = noiseHalfWidth(statistic.noise, failureProbability);
    return { value, interval: [Math.max(0, value - half), Math.max(0, value + half)] };
  },
  needsRows: () => false,
} as const satisfies Partial<Statistic>;

/** Ticks are refined to at least this many per range, so that noise within one tick is nothing beside it. */
const FINE = 1024n;
const fineness = ({ steps }: Ticks): bigint => (steps >= FINE ? 1n : (FINE + steps - 1n) / steps);

const ticksOf = ({ ticks, path }: BoundedStatistic): Ticks => {
  if (ticks === null) throw new RangeError(`${path} has no ticks`);
  return ticks;
};
const clampTo = (value: number, [lower, upper]: Interval): number => Math.min(upper, Math.max(lower, value));
const boundsOf = (statistic: BoundedStatistic): Interval => [statistic.lower ?? 0, statistic.upper ?? 0];

const summing = {
  column: "numeric",
  integers: (aggregates) => aggregates,
  width: () => 1,
  accuracy: (statistic, failureProbability) =>
    noiseHalfWidth(statistic.noise, failureProbability) * toDouble(ticksOf(statistic).step, "up"),
  read: ([noisy = 0n], statistic, failureProbability) => {
    const { numerator, denominator } = ticksOf(statistic).step;
    const scaled = (ticks: bigint): number => toDouble({ numerator: ticks * numerator, denominator }, "down");
    const half = BigInt(noiseHalfWidth(statistic.noise, failureProbability));
    return { value: scaled(noisy), interval: [scaled(noisy - half), scaled(noisy + half)] };
  },
  needsRows: () => false,
} as const satisfies Partial<Statistic>;

const rangeOf = (statistic: BoundedStatistic): number => {
  const [lower, upper] = boundsOf(statistic);
  return upper - lower;
};

/** Factor that makes one row's T² at least `FINE`. */
const squareFineness = ({ steps }: Ticks): bigint => (steps * steps >= FINE ? 1n : FINE / (steps * steps) + 1n);
const perSquare = (ticks: Ticks): bigint => squareFineness(ticks) * ticks.steps * ticks.steps;

const moments = {
  column: "numeric",
  aggregates: ["rows", "ticks", "squares"],
  contribution: rowContribution,
  mostSteps: 3_000_000_000n,
  row: (ticks) => ({ least: 0n, largest: ticks === null ? 0n : perSquare(ticks) }),
  /** f·Σ((T − t)², 2t(T − t), t²): non-negative, and one row's sum is always f·T² [M91]. */
  integers: ([rows = 0n, sum = 0n, squares = 0n], statistic) => {
    const ticks = ticksOf(statistic);
    const fine = squareFineness(ticks);
    const twice = 2n * (ticks.steps * sum - squares);
    return [fine * (rows * ticks.steps * ticks.steps - twice - squares), fine * twice, fine * squares];
  },
  width: () => 3,
  needsRows: () => true,
} as const satisfies Partial<Statistic>;

const choosing = {
  column: "numeric",
  aggregates: ["rows"],
  contribution: rowContribution,
  row: () => ({ least: 1n, largest: 1n }),
  integers: (aggregates) => aggregates,
  width: () => 1,
  accuracy: (statistic, failureProbability) => rankOf(statistic, failureProbability),
  read: ([leaf = 0n], statistic, failureProbability) => {
    const { step, first, steps } = ticksOf(statistic);
    const size = statistic.selection?.ticksPerLeaf ?? 1n;
    const middle = leaf * size + (size - 1n) / 2n;
    const tick = first + (middle < steps ? middle : steps);
    return {
      value: toDouble({ numerator: tick * step.numerator, denominator: step.denominator }, "down"),
      interval: boundsOf(statistic),
      rank: rankOf(statistic, failureProbability),
    };
  },
  needsRows: () => false,
  byRank: true,
} as const satisfies Partial<Statistic>;

function rankOf({ selection, noise, path }: BoundedStatistic, failureProbability: number): number {
  if (selection === null) throw new RangeError(`${path} chooses nothing`);
  return rankHalfWidth(selection, spread(noise), failureProbability);
}

/** Every statistic. A new one is a new row and its tests: plans, engines, answers, pages and docs read the table. */
export const statistics = {
  count: {
    ...counting,
    label: "count",
    help: "How many rows there are.",
    column: "none",
    aggregates: ["rows"],
    contribution: rowContribution,
  },
  distinctUnits: {
    ...counting,
    label: "number of people",
    help: "How many different privacy units there are.",
    column: "none",
    aggregates: ["units"],
    contribution: unitContribution,
  },
  sum: {
    ...summing,
    label: "sum",
    help: "The total of a column, each value first clamped to its bounds.",
    aggregates: ["signedTicks"],
    contribution: rowContribution,
    row: (ticks) =>
      ticks === null ? { least: 0n, largest: 0n } : { least: ticks.first, largest: ticks.first + ticks.steps },
  },
  unitSum: {
    ...summing,
    label: "sum by person",
    help: "The total of a column, each person's total first clamped: less error than a sum where people have many rows.",
    byUnit: true,
    aggregates: ["ticks"],
    contribution: unitContribution,
    row: (_, unitTicks) => unitTicks ?? { least: 0n, largest: 0n },
  },
  mean: {
    label: "mean",
    help: "The average of a column, each value first clamped to its bounds; the number of rows comes with it for free.",
    column: "numeric",
    aggregates: ["rows", "ticks"],
    contribution: rowContribution,
    row: (ticks) =>
      ticks === null ? { least: 0n, largest: 0n } : { least: 0n, largest: ticks.steps * fineness(ticks) },
    integers: ([rows = 0n, sum = 0n], statistic) => {
      const ticks = ticksOf(statistic);
      const fine = fineness(ticks);
      return statistic.publicRows === null ? [fine * sum, fine * (rows * ticks.steps - sum)] : [fine * sum];
    },
    width: ({ publicRows }) => (publicRows === null ? 2 : 1),
    accuracy: (statistic, failureProbability, rows) => {
      const ticks = ticksOf(statistic);
      const [lower, upper] = boundsOf(statistic);
      const perRow = Number(ticks.steps * fineness(ticks));
      if (statistic.publicRows !== null)
        return Math.min(
          upper - lower,
          ((upper - lower) * noiseHalfWidth(statistic.noise, failureProbability)) / (perRow * statistic.publicRows),
        );
      if (rows === null) return null;
      return Math.min(
        upper - lower,
        ((upper - lower) * pairHalfWidth(statistic.noise, failureProbability)) / (perRow * rows),
      );
    },
    read: (noisy, statistic, failureProbability) =>
      statistic.publicRows === null
        ? readPair(noisy, statistic, failureProbability)
        : readFixed(noisy, statistic, failureProbability, statistic.publicRows),
    needsRows: ({ publicRows }) => publicRows === null,
    extent: rangeOf,
  },
  variance: {
    ...moments,
    label: "variance",
    help: "The mean squared distance from the mean, each value first clamped to its bounds; the number of rows comes with it for free.",
    accuracy: (statistic, failureProbability, rows) =>
      rows === null ? null : rangeOf(statistic) ** 2 * relativeVariance(statistic, failureProbability, rows),
    read: (noisy, statistic, failureProbability) =>
      readMoments(noisy, statistic, failureProbability, (variance) => rangeOf(statistic) ** 2 * variance),
    extent: (statistic) => rangeOf(statistic) ** 2 * MOST_VARIANCE,
  },
  standardDeviation: {
    ...moments,
    label: "standard deviation",
    help: "How far values typically are from their mean: the root of the variance.",
    // |√a − √b| ≤ √|a − b|: reached when the values hardly differ.
    accuracy: (statistic, failureProbability, rows) =>
      rows === null ? null : rangeOf(statistic) * Math.sqrt(relativeVariance(statistic, failureProbability, rows)),
    read: (noisy, statistic, failureProbability) =>
      readMoments(noisy, statistic, failureProbability, (variance) => rangeOf(statistic) * Math.sqrt(variance)),
    extent: (statistic) => rangeOf(statistic) * Math.sqrt(MOST_VARIANCE),
  },
  median: {
    ...choosing,
    label: "median",
    help: "The value with half of the rows on either side.",
    selects: [0.5],
  },
  quantiles: {
    ...choosing,
    label: "quantiles",
    help: "Values below which the given shares of the rows lie, 0.25 and 0.75 for the quartiles; 0 and 1 for about the least and the largest.",
    selects: null,
  },
  histogram: {
    ...counting,
    label: "histogram",
    help: "How many rows fall in each bin; empty bins get noise too.",
    column: "binned",
    aggregates: ["rows"],
    contribution: rowContribution,
  },
} as const satisfies Record<string, Statistic>;

export type StatisticName = keyof typeof statistics;
export const statisticNames = Object.keys(statistics) as readonly StatisticName[];

/** Cells whose integers an engine measures: every bin or leaf of every group. */
export const measuredCells = ({
  groups,
  bins,
  selection,
}: Pick<BoundedStatistic, "groups" | "bins" | "selection">): number =>
  groups.length * (selection?.leaves ?? Math.max(1, bins.length));

/** The bins of an answer: those of a histogram, or the shares of quantiles. */
export const answerBins = ({ bins, selection }: Pick<BoundedStatistic, "bins" | "selection">): readonly Bin[] =>
  selection === null || (selection.targets.length === 1 && selection.targets[0]?.share === 0.5)
    ? bins
    : selection.targets.map(({ share }) => ({ label: `${percent.format(share)}`, value: share }));

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 10 });

/** The row of the table, without its literal types. */
export const statisticOf = (name: StatisticName): Statistic => statistics[name];

function readPair(
  [s1 = 0n, s2 = 0n]: readonly bigint[],
  statistic: BoundedStatistic,
  failureProbability: number,
): Reading {
  const ticks = ticksOf(statistic);
  const bounds = boundsOf(statistic);
  const perRow = Number(ticks.steps * fineness(ticks));
  const at = (position: number): number => clampTo(bounds[0] + (bounds[1] - bounds[0]) * position, bounds);
  const [from, to] = meanPositions(Number(s1), Number(s2), statistic.noise, failureProbability);
  const people = Number(s1 + s2) / perRow;
  const half = sumHalfWidth(statistic.noise, failureProbability) / perRow;
  const reliable = s1 + s2 > 0n;
  return {
    value: reliable ? at(Number(s1) / Number(s1 + s2)) : at(0.5),
    interval: [at(from), at(to)],
    rows: { value: people, interval: [Math.max(0, people - half), Math.max(0, people + half)] },
    ...(reliable && to - from < 1 ? {} : { unreliable: true }),
  };
}

function readFixed(
  [sum = 0n]: readonly bigint[],
  statistic: BoundedStatistic,
  failureProbability: number,
  rows: number,
): Reading {
  const ticks = ticksOf(statistic);
  const bounds = boundsOf(statistic);
  const total = Number(ticks.steps * fineness(ticks)) * rows;
  const at = (sumOfTicks: number): number =>
    clampTo(bounds[0] + (bounds[1] - bounds[0]) * (sumOfTicks / total), bounds);
  const half = noiseHalfWidth(statistic.noise, failureProbability);
  return { value: at(Number(sum)), interval: [at(Number(sum) - half), at(Number(sum) + half)] };
}

function relativeVariance(statistic: BoundedStatistic, failureProbability: number, rows: number): number {
  return varianceHalfWidth(statistic.noise, Number(perSquare(ticksOf(statistic))) * rows, failureProbability);
}

function readMoments(
  noisy: readonly bigint[],
  statistic: BoundedStatistic,
  failureProbability: number,
  scaled: (variance: number) => number,
): Reading {
  const perRow = Number(perSquare(ticksOf(statistic)));
  const { value, interval, reliable } = readVariance(noisy.map(Number), statistic.noise, failureProbability);
  const people = Number(noisy.reduce((a, b) => a + b, 0n)) / perRow;
  const half = combinationHalfWidth(statistic.noise, [1, 1, 1], failureProbability) / perRow;
  return {
    value: scaled(value),
    interval: [scaled(interval[0]), scaled(interval[1])],
    rows: { value: people, interval: [Math.max(0, people - half), Math.max(0, people + half)] },
    ...(reliable ? {} : { unreliable: true }),
  };
}
