import { type Random, rational } from "@dosimeter/core";
import { gaussianSampler, laplaceSampler, permuteAndFlip } from "@dosimeter/core/internal";
import { unitsOf } from "../../noise/noise-at.ts";
import { spread } from "../../noise/tail.ts";
import type { BoundedStatistic, Noise } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";
import { Forest } from "./forest.ts";
import { type Histogram, histogramsOf } from "./histograms.ts";
import { histogramNoise, mostPairs, oneHistogram, scoreNoise, stepUnits } from "./steps.ts";

/** The number of draws in one slice. */
const SLICE = 256;
const UNITS = 10n ** 12n;

type Slices<T> = Generator<void, T>;

/**
 * The three steps of a synthetic table [M202]: noisy counts of every column; a forest of pairs, chosen by how far their exact
 * counts are from what the noisy ones say if both columns were independent; noisy counts of the chosen pairs. Returns the counts of the
 * columns, the number of pairs, and for each its place among the candidates and its counts.
 */
export function* measureTable(
  counts: readonly bigint[],
  { task, noise, sensitivity }: BoundedStatistic<TableTask>,
  random: Random,
): Slices<readonly bigint[]> {
  const all = histogramsOf(task);
  const [columns, pairs] = [all.slice(0, task.columns.length), all.slice(task.columns.length)];
  const steps = stepUnits(unitsOf(noise), task);
  const one = oneHistogram(sensitivity, task);
  const family = noise.kind;
  const countsOf = ({ from, cells }: Histogram): readonly bigint[] => counts.slice(from, from + cells);
  const noisyColumns: (readonly bigint[])[] = [];
  const columnNoise = histogramNoise(family, steps.columns, columns.length, one);
  for (const column of columns) noisyColumns.push(yield* noised(countsOf(column), columnNoise, random));
  if (pairs.length === 0) return [...noisyColumns.flat(), 0n];
  const scores: bigint[] = [];
  for (const pair of pairs) {
    scores.push(scoreOf(countsOf(pair), pair, noisyColumns));
    yield;
  }
  const penalty = (cells: number, measured: number): bigint =>
    BigInt(Math.ceil(cells * meanSize(histogramNoise(family, steps.pairs, measured, one))));
  const asked = { task, scores, penalty, random, most: mostPairs(task) };
  const chosen =
    family === "gaussian"
      ? yield* byNoisyScores(asked, scoreNoise(steps.choice, pairs.length, one.l1))
      : yield* byRounds(asked, one.l1, steps.choice);
  const measured: bigint[] = [];
  if (chosen.length > 0) {
    const pairNoise = histogramNoise(family, steps.pairs, chosen.length, one);
    for (const at of chosen) {
      const pair = pairs[at];
      if (pair !== undefined) measured.push(BigInt(at), ...(yield* noised(countsOf(pair), pairNoise, random)));
    }
  }
  return [...noisyColumns.flat(), BigInt(chosen.length), ...measured];
}

/** The mean size of one draw: σ√(2/π) of Gaussian noise, the scale of Laplace noise. */
export const meanSize = (noise: Noise): number =>
  spread(noise) * (noise.kind === "gaussian" ? Math.sqrt(2 / Math.PI) : 1);

function* noised(counts: readonly bigint[], noise: Noise, random: Random): Slices<readonly bigint[]> {
  const draw = noise.kind === "laplace" ? laplaceSampler(noise.scale) : gaussianSampler(noise.sigma);
  const noisy: bigint[] = [];
  for (const [at, count] of counts.entries()) {
    noisy.push(count + draw(random));
    if (at % SLICE === 0) yield;
  }
  return noisy;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

/**
 * The rows that lie in another cell than the noisy counts of both columns say if they were independent, counted twice. What they say is made
 * whole and depends on released counts alone: so the score moves by no more than the counts of the pair do [M201].
 */
export function scoreOf(
  counts: readonly bigint[],
  { columns: [a = 0, b = a] }: Histogram,
  noisy: readonly (readonly bigint[])[],
): bigint {
  const [first, second] = [a, b].map((at) => (noisy[at] ?? []).map((count) => (count > 0n ? count : 0n)));
  const [rows = [], columns = []] = [first, second];
  const total = sum(columns) > 0n ? sum(columns) : 1n;
  let score = 0n;
  rows.forEach((row, i) => {
    columns.forEach((column, j) => {
      const off = (counts[i * columns.length + j] ?? 0n) - (row * column) / total;
      score += off < 0n ? -off : off;
    });
  });
  return score;
}

interface Candidates {
  readonly task: TableTask;
  readonly scores: readonly bigint[];
  /** What the noise of a pair's counts adds to its error, where this many are measured. */
  readonly penalty: (cells: number, measured: number) => bigint;
  readonly most: number;
  readonly random: Random;
}

const weightOf = ({ weights }: TableTask, at: number): bigint => BigInt(weights?.[at] ?? 1);
const cellsOf = ({ columns, pairs }: TableTask, at: number): number =>
  (pairs[at] ?? []).reduce((cells, column) => cells * (columns[column]?.cells ?? 0), 1);

/**
 * Gaussian noise on all scores at once; the forest of the largest ones, and how many pairs it has, follow from the noisy scores and the public
 * weights alone.
 */
export function* byNoisyScores(
  { task, scores, penalty, random, most }: Candidates,
  noise: Noise,
): Slices<readonly number[]> {
  if (noise.kind !== "gaussian") throw new RangeError("scores get Gaussian noise");
  const draw = gaussianSampler(noise.sigma);
  const noisy = scores.map((score) => score + draw(random));
  let best: { readonly gain: bigint; readonly chosen: readonly number[] } = { gain: 0n, chosen: [] };
  for (let count = 1; count <= most; count++) {
    const gains = noisy.map((score, at) => weightOf(task, at) * (score - penalty(cellsOf(task, at), count)));
    const forest = new Forest(task.columns.length);
    const chosen = [...gains.keys()]
      .filter((at) => (gains[at] ?? 0n) > 0n)
      .sort((a, b) => Number((gains[b] ?? 0n) - (gains[a] ?? 0n)))
      .filter((at) => forest.size < count && forest.join(task.pairs[at] ?? [0, 0]));
    const gain = sum(chosen.map((at) => gains[at] ?? 0n));
    if (gain > best.gain) best = { gain, chosen };
    yield;
  }
  return best.chosen;
}

/**
 * One pair after another by permute and flip, each for an equal part of ε, until *stop* is chosen or the forest is full. A unit moves a weighted
 * score by its weight times `move`: the noise is that of the largest weight.
 */
export function* byRounds(
  { task, scores, penalty, random, most }: Candidates,
  move: bigint,
  units: bigint,
): Slices<readonly number[]> {
  const heaviest = BigInt(Math.max(1, ...(task.weights ?? [])));
  const scale = rational(2n * heaviest * move * BigInt(most) * UNITS, units);
  const forest = new Forest(task.columns.length);
  const chosen: number[] = [];
  while (chosen.length < most) {
    const candidates = [...task.pairs.keys()].filter((at) => forest.isApart(task.pairs[at] ?? [0, 0]));
    const gains = candidates.map(
      (at) => weightOf(task, at) * ((scores[at] ?? 0n) - penalty(cellsOf(task, at), chosen.length + 1)),
    );
    const all = [0n, ...gains];
    const largest = all.reduce((a, b) => (a > b ? a : b));
    const taken = permuteAndFlip(
      all.map((gain) => ({ length: 1, loss: largest - gain })),
      scale,
      random,
    );
    const at = candidates[taken - 1];
    if (at === undefined) break;
    forest.join(task.pairs[at] ?? [0, 0]);
    chosen.push(at);
    yield;
  }
  return chosen;
}
