import { combinationHalfWidth } from "../../noise/combination.ts";
import { type Form, sumOf } from "../../noise/form.ts";
import { selected } from "../../noise/selected.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { SumsTask, Ticks } from "../../plan/task.ts";
import { gridOfRow } from "../grid.ts";
import { endsOf, type FromSums, fromRows, nothing, selectedForm } from "../reuse.ts";
import type { Reading, Statistic } from "../statistic.ts";
import { SUMS } from "../sums/sums-task.ts";
import { nearRatio } from "../words.ts";
import { varianceExpected, varianceOfForms } from "./spread-of.ts";
import { CHEBYSHEV, MAX_VARIANCE, readVariance, squareForms, varianceHalfWidth } from "./variance.ts";

type Moments = BoundedStatistic<SumsTask>;

/** One row's T² is refined to at least this many, so that noise within one integer is negligible next to it. */
const FINE = 1024n;
/** Products of ticks must fit 64 bits [M91]. */
const MAX_STEPS = 3_000_000_000n;

/** Factor that makes one row's T² at least `FINE`. */
const squareFineness = ({ steps }: Ticks): bigint => (steps * steps >= FINE ? 1n : FINE / (steps * steps) + 1n);
const perSquare = (ticks: Ticks): bigint => squareFineness(ticks) * ticks.steps * ticks.steps;
const lengthOf = ({ task: { range } }: Moments): number => range.upper - range.lower;

function relativeVariance(statistic: Moments, failureProbability: number, rows: number): number {
  const total = Number(perSquare(statistic.task.ticks)) * rows;
  return varianceHalfWidth(statistic.noise, total, failureProbability, squareForms(statistic));
}

function readMoments(
  noisy: readonly bigint[],
  statistic: Moments,
  failureProbability: number,
  scaled: (variance: number) => number,
): Reading {
  const perRow = Number(perSquare(statistic.task.ticks));
  const forms = squareForms(statistic);
  const total = noisy.reduce((sum, each, i) => sum + Number(each) * (forms.one[i] ?? 0), 0);
  const halfWidth = (chance: number): number => combinationHalfWidth(statistic.noise, forms.one, chance);
  const terms = { failureProbability, answers: statistic.groups.length };
  const { isMarked, failureProbability: beta } = selected(total, halfWidth, terms);
  const { value, interval } = readVariance(noisy.map(Number), statistic.noise, beta, forms);
  const [from, to] = isMarked ? [0, MAX_VARIANCE] : interval;
  const [people, half] = [total / perRow, halfWidth(beta) / perRow];
  return {
    value: scaled(value),
    interval: [scaled(from), scaled(to)],
    rows: { value: people, interval: [Math.max(0, people - half), Math.max(0, people + half)] },
    ...(isMarked ? { unreliable: true } : {}),
  };
}

const fromMoments = (scaled: (variance: number, range: number) => number): FromSums => ({
  needs: ["rows", "sum", "squares"],
  read: ({ rows, sum, squares }, statistic, failureProbability) => {
    const { y, range } = positions(sum, rows, statistic);
    const { isMarked, failureProbability: beta } = selectedForm(rows, statistic, failureProbability);
    const { value, interval } = varianceOfForms(rows, y, squares, beta);
    const [from, to] = isMarked ? [0, MAX_VARIANCE] : interval;
    return {
      value: scaled(value, range),
      interval: [scaled(from, range), scaled(to, range)],
      rows: fromRows.read({ ...nothing, rows }, statistic, beta),
      ...(isMarked ? { unreliable: true } : {}),
    };
  },
  expected: ({ rows, sum, squares }, statistic, failureProbability, people) => {
    const { y, range } = positions(sum, rows, statistic);
    return scaled(varianceExpected({ rows, y, squares }, failureProbability, people), range);
  },
});

function positions(sum: Form, rows: Form, statistic: BoundedStatistic): { readonly y: Form; readonly range: number } {
  const [lower, upper] = endsOf(statistic);
  const range = upper - lower;
  return {
    y: sumOf([
      [1 / range, sum],
      [-lower / range, rows],
    ]),
    range,
  };
}

const squared = {
  column: "numeric",
  takes: [],
  task: (row) => ({ kind: "sums", ...gridOfRow(row, MAX_STEPS) }),
  aggregates: () => ["rows", "ticks", "squares"],
  contribution: rowContribution,
  row: ({ ticks }, family) => {
    const size = perSquare(ticks);
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
  integers: ([rows = 0n, sum = 0n, squares = 0n], { task: { ticks }, noise }) => {
    const fine = squareFineness(ticks);
    if (noise.kind === "gaussian") {
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
  doubts: (statistic, cells, failureProbability) => {
    const { column, noise, task } = statistic;
    const { one: all, y: part } = squareForms(statistic);
    return cells.flatMap(({ noisy, unreliable }) =>
      unreliable === true ? [] : nearRatio(column, task.range, { part, all, noisy, noise, failureProbability }),
    );
  },
  sample: "stays",
  shows: { chart: "number", value: "named" },
  errorScale: null,
} as const satisfies Partial<Statistic<SumsTask>>;

/** Variance and standard deviation. */
export const moments = {
  variance: {
    ...squared,
    label: "variance",
    help: "The mean squared distance from the mean, each value first capped at its bounds; the number of rows is included.",
    accuracy: (statistic, failureProbability, rows) =>
      rows === null ? null : lengthOf(statistic) ** 2 * relativeVariance(statistic, failureProbability, rows),
    read: (noisy, statistic, failureProbability) =>
      readMoments(noisy, statistic, failureProbability, (variance) => lengthOf(statistic) ** 2 * variance),
    extent: (statistic) => lengthOf(statistic) ** 2 * MAX_VARIANCE,
    reuse: {
      leavesOutMissing: true,
      from: fromMoments((variance, range) => variance * range * range),
      holds: "sums",
      near: SUMS,
      gives: ["count", "sum", "mean", "standardDeviation"],
    },
    audit: [{ asked: { column: "pay" }, by: "declared" }],
    noise: [
      { column: "pay", epsilon: 1 },
      { column: "pay", rho: 0.5 },
    ],
  },
  standardDeviation: {
    ...squared,
    label: "standard deviation",
    shows: { ...squared.shows, measures: "length" },
    help: "How far values typically are from their mean: the root of the variance.",
    // |√a − √b| ≤ √|a − b|, with equality when the values hardly differ.
    accuracy: (statistic, failureProbability, rows) =>
      rows === null ? null : lengthOf(statistic) * Math.sqrt(relativeVariance(statistic, failureProbability, rows)),
    read: (noisy, statistic, failureProbability) =>
      readMoments(noisy, statistic, failureProbability, (variance) => lengthOf(statistic) * Math.sqrt(variance)),
    extent: (statistic) => lengthOf(statistic) * Math.sqrt(MAX_VARIANCE),
    reuse: {
      leavesOutMissing: true,
      from: fromMoments((variance, range) => Math.sqrt(variance) * range),
      holds: "sums",
      near: SUMS,
      gives: ["count", "sum", "mean", "variance"],
    },
    audit: [{ asked: { column: "age" }, by: "declared", price: { rho: 1 } }],
    noise: { like: "variance" },
  },
} as const satisfies Record<string, Statistic<SumsTask>>;
