import { toDouble } from "@dosimeter/core";
import { combinationHalfWidth } from "../noise/combination.ts";
import { noiseHalfWidth, pairHalfWidth, spread, sumHalfWidth } from "../noise/tail.ts";
import type { Bin, BoundedStatistic, NoiseChoice, Ticks } from "../plan/bounded.ts";
import { rowContribution, unitContribution } from "../plan/sensitivity.ts";
import { rankHalfWidth } from "./choice/quantile.ts";
import { counting } from "./counts/counting.ts";
import { distinct } from "./counts/distinct.ts";
import { losses } from "./counts/losses.ts";
import { powersOf } from "./joint/design.ts";
import { jointly } from "./joint/joint.ts";
import { distributions } from "./keys/distributions.ts";
import { CHEBYSHEV, MOST_VARIANCE, readVariance, squareForms, varianceHalfWidth } from "./moments/variance.ts";
import type { Aggregate, Interval, Reading, Statistic } from "./statistic.ts";
import { meanPositions } from "./sums/fieller.ts";

export type { Aggregate, CellReading, Interval, Reading, Statistic } from "./statistic.ts";

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
  row: (ticks, _, { family }) => {
    const size = ticks === null ? 0n : perSquare(ticks);
    if (family === "laplace") return { least: 0n, largest: size };
    const [one, u, uu] = CHEBYSHEV;
    const norms = {
      l1: (one + u + uu) * size,
      l2Squared: (one * one + u * u + uu * uu) * size * size,
      linf: one * size,
    };
    return { least: -norms.linf, largest: norms.linf, norms };
  },
  /**
   * f·Σ((T − t)², 2t(T − t), t²): non-negative, and one row's sum is always f·T² [M91]. With Gaussian noise, which is charged for
   * squares, f·(5nT², 5TΣc, 4Σ(2c² − T²)), c = 2t − T [M119].
   */
  integers: ([rows = 0n, sum = 0n, squares = 0n], statistic) => {
    const ticks = ticksOf(statistic);
    const fine = squareFineness(ticks);
    if (statistic.noise.kind === "gaussian") {
      const { steps } = ticks;
      const centred = 2n * sum - steps * rows;
      const centredSquares = 4n * (squares - steps * sum) + steps * steps * rows;
      const [one, u, uu] = CHEBYSHEV;
      return [
        fine * one * steps * steps * rows,
        fine * u * steps * centred,
        fine * uu * (2n * centredSquares - steps * steps * rows),
      ];
    }
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

const ends = {
  ...choosing,
  words: (_, rows) => `will have at most ${rows} rows beyond it`,
} as const satisfies Partial<Statistic>;

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
    help: "Values below which the given shares of the rows lie, 0.25 and 0.75 for the quartiles.",
    selects: null,
  },
  minimum: {
    ...ends,
    label: "least value",
    help: "About the least value: a few rows may lie below it, so that no single one is told.",
    selects: [0],
    extreme: "least",
  },
  maximum: {
    ...ends,
    label: "largest value",
    help: "About the largest value: a few rows may lie above it, so that no single one is told.",
    selects: [1],
    extreme: "largest",
  },
  histogram: {
    ...counting,
    label: "histogram",
    help: "How many rows fall in each bin; empty bins get noise too.",
    column: "binned",
    aggregates: ["rows"],
    contribution: rowContribution,
  },
  ...distributions,
  ...jointly,
  ...distinct,
  ...losses,
} as const satisfies Record<string, Statistic>;

export type StatisticName = keyof typeof statistics;
/** Which noise a caller may choose for it; none where answers are chosen. */
export const noiseChoicesOf = (name: StatisticName): readonly NoiseChoice[] =>
  statisticOf(name).selects === undefined ? ["auto", "laplace", "gaussian"] : [];
export const statisticNames = Object.keys(statistics) as readonly StatisticName[];

/** Cells whose integers an engine measures: every bin or leaf of every group. */
export const measuredCells = ({
  groups,
  keys,
  ...cells
}: Pick<BoundedStatistic, "groups" | "keys" | "bins" | "selection" | "curve">): number =>
  (keys === null ? groups.length : 1) * cellsPerGroup(cells);

export const cellsPerGroup = ({
  bins,
  selection,
  curve,
}: Pick<BoundedStatistic, "bins" | "selection" | "curve">): number =>
  (selection ?? curve)?.leaves ?? Math.max(1, bins.length);

/** What SQL adds up for this statistic. */
export const aggregatesOf = ({ statistic, design }: BoundedStatistic): readonly Aggregate[] =>
  design === null ? statisticOf(statistic).aggregates : powersOf(design).map((powers) => ({ powers }));

/** The bins of an answer: those of a histogram, the shares of quantiles, or the names of several answers in one. */
export const answerBins = (statistic: BoundedStatistic): readonly Bin[] =>
  statisticOf(statistic.statistic).outputs?.(statistic) ?? binsOf(statistic);

const binsOf = ({ bins, selection }: BoundedStatistic): readonly Bin[] =>
  selection === null || selection.extreme || (selection.targets.length === 1 && selection.targets[0]?.share === 0.5)
    ? bins
    : selection.targets.map(({ share }) => ({ label: `${percent.format(share)}`, value: share }));

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 10 });

/** The row of the table, without its literal types. */
export const statisticOf = (name: string): Statistic => statistics[name as StatisticName];

/** Bounded plans hold names of this table only. */
export const nameOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): StatisticName => statistic as StatisticName;

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
    // Without anybody to divide by nothing is known; a value is never outside its interval.
    interval: reliable ? [at(from), at(to)] : [at(0), at(1)],
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
  const total = Number(perSquare(ticksOf(statistic))) * rows;
  return varianceHalfWidth(statistic.noise, total, failureProbability, squareForms(statistic));
}

function readMoments(
  noisy: readonly bigint[],
  statistic: BoundedStatistic,
  failureProbability: number,
  scaled: (variance: number) => number,
): Reading {
  const perRow = Number(perSquare(ticksOf(statistic)));
  const forms = squareForms(statistic);
  const { value, interval, reliable } = readVariance(noisy.map(Number), statistic.noise, failureProbability, forms);
  const people = noisy.reduce((sum, each, i) => sum + Number(each) * (forms.one[i] ?? 0), 0) / perRow;
  const half = combinationHalfWidth(statistic.noise, forms.one, failureProbability) / perRow;
  return {
    value: scaled(value),
    interval: [scaled(interval[0]), scaled(interval[1])],
    rows: { value: people, interval: [Math.max(0, people - half), Math.max(0, people + half)] },
    ...(reliable ? {} : { unreliable: true }),
  };
}
