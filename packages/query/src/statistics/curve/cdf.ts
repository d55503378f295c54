import { formatPeriod, invalid, toDouble } from "@dosimeter/core";
import { halved } from "@dosimeter/core/internal";
import { roundedHalfWidth, roundedNoise } from "../../noise/rounded.ts";
import { type Selected, selected } from "../../noise/selected.ts";
import { spread } from "../../noise/tail.ts";
import type { BoundedStatistic, Noise, NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { Bin, Curve, CurveTask, Ticks, TreeShape } from "../../plan/task.ts";
import type { Interval } from "../cell.ts";
import type { CellReading } from "../statistic.ts";
import { factorOf, MAX_MIXED, ofMixed } from "./factor.ts";
import { isotonic, prefixSums, prefixVariances, treeOver } from "./tree.ts";

const DEFAULT_LEAVES = 1024;
const MAX_LEAVES = 2 ** 16;
/** Released numbers of rows are rounded to this. */
const DIGIT = 1e-3;

/** Leaves of equal width over the ticks: as many as asked for, or fewer where there are not as many values. */
export function curveOf(ticks: Ticks, asked: unknown, family: NoiseFamily, path: string): Curve {
  const most = asked ?? DEFAULT_LEAVES;
  if (typeof most !== "number" || !Number.isSafeInteger(most) || most < 2 || most > MAX_LEAVES)
    return invalid(
      `${path}.bins`,
      asked,
      `a whole number from 2 to ${MAX_LEAVES}: how many steps the curve has at most`,
    );
  const ticksPerLeaf = ticks.steps / BigInt(most) + 1n;
  const leaves = Number(ticks.steps / ticksPerLeaf) + 1;
  return { leaves, ticksPerLeaf, shape: shapeOf(leaves, family) };
}

/** Children of a node, from which the one with the least error is taken; more levels cost Laplace noise more. Of a large tree the first. */
const FAN_OUTS = { gaussian: [3, 5], laplace: [12, 6, 8, 10, 16] } as const;
const LARGE = 4096;

/**
 * How the rows of the leaves are mixed: what leaves the least error of the whole curve at one price, whatever the price is. Of Gaussian noise
 * the square root of the matrix of running totals, for more leaves a tree; of Laplace noise always a tree [M377].
 */
function shapeOf(leaves: number, family: NoiseFamily): TreeShape {
  if (family === "gaussian" && leaves <= MAX_MIXED)
    return { fanOut: leaves, sizes: [leaves], factor: factorOf(family, leaves) };
  const name = `${family} ${leaves}`;
  const found = shapes.get(name);
  if (found !== undefined) return found;
  const errorOf = (shape: TreeShape): number => {
    const [levels, variance] = [shape.sizes.length, variancesOf({ leaves, shape }).largest];
    return family === "gaussian" ? levels * variance : levels * chernoff(variance, SOME / leaves);
  };
  const shape = FAN_OUTS[family]
    .slice(0, leaves > LARGE ? 1 : FAN_OUTS[family].length)
    .map((fanOut) => treeOver(leaves, fanOut))
    .reduce((a, b) => (errorOf(b) < errorOf(a) ? b : a));
  if (shapes.size >= MAX_KEPT) shapes.clear();
  shapes.set(name, shape);
  return shape;
}

/** A failure probability to compare trees at. */
const SOME = 0.05;
/** A search for a price asks for the same curve many times. */
const MAX_KEPT = 16;
const shapes = new Map<string, TreeShape>();

/** A row is in one node of each level, or mixed into those after it. */
export function ofTree(one: Sensitivity, { shape }: Pick<Curve, "shape">): Sensitivity {
  if (shape.factor !== undefined) return ofMixed(one, { factor: shape.factor });
  const levels = BigInt(shape.sizes.length);
  return { l1: levels * one.l1, l2Squared: levels * one.l2Squared, linf: one.linf };
}

let known: { readonly of: string; readonly variances: Float64Array; readonly largest: number } | null = null;

/** Keeps the last result, since a search for a price asks for one curve many times: 22 ms each for 1,024 leaves. */
function variancesOf({ leaves, shape }: Pick<Curve, "leaves" | "shape">): NonNullable<typeof known> {
  const of = `${leaves} ${shape.fanOut} ${shape.factor?.length}`;
  if (known?.of === of) return known;
  const variances = prefixVariances(shape);
  known = { of, variances, largest: variances.reduce((a, b) => Math.max(a, b), 0) };
  return known;
}

/** x with P(|Σ wᵢZᵢ| > x) ≤ failureProbability for weights with Σ wᵢ² = `squares`, and for Laplace noise |wᵢ| ≤ 1 [M303, M376]. */
export function weightedHalfWidth(noise: Noise, squares: number, failureProbability: number): number {
  const width = spread(noise);
  return noise.kind === "gaussian"
    ? roundedHalfWidth(roundedNoise(width, squares), failureProbability)
    : width * chernoff(squares, failureProbability);
}

/** For Laplace noise of scale 1. */
function chernoff(squares: number, failureProbability: number): number {
  // (L − V·ln(1 − s²))/s is least where 2V·s²/(1 − s²) + V·ln(1 − s²) = L; any s bounds the tail.
  const need = Math.log(2 / failureProbability);
  const isBeyond = (s: number): boolean => !((2 * squares * s * s) / (1 - s * s) + squares * Math.log1p(-s * s) < need);
  const [low, high] = halved(isBeyond, 0, 1, 40);
  const s = low === 0 ? high : low;
  return ((need - squares * Math.log1p(-s * s)) / s) * (1 + 1e-12);
}

/** The largest error of the whole curve, in rows, with probability 1 − failureProbability [M111]. */
export function curveHalfWidth(statistic: BoundedStatistic<CurveTask>, failureProbability: number): number {
  const { leaves } = statistic.task;
  return weightedHalfWidth(statistic.noise, variancesOf(statistic.task).largest, failureProbability / leaves) + DIGIT;
}

/** Whether a curve with this noisy number of rows is shown, and at which failure probability. [M352] */
function curveShown(rows: number, statistic: BoundedStatistic<CurveTask>, failureProbability: number): Selected {
  const variance = variancesOf(statistic.task).variances.at(-1) ?? 0;
  return selected(rows, (chance) => weightedHalfWidth(statistic.noise, variance, chance) + DIGIT, {
    failureProbability,
    answers: statistic.groups.length,
    atLeast: 2 * curveHalfWidth(statistic, failureProbability),
  });
}

/** The curve of one group with an error that all of it keeps. */
export function bandOf(
  integers: readonly bigint[],
  statistic: BoundedStatistic<CurveTask>,
  failureProbability: number,
): Band {
  const cells = curveCells(integers, statistic, failureProbability);
  const rows = prefixSums(statistic.task.shape, integers.map(Number)).at(-1) ?? 0;
  const { isMarked, failureProbability: beta } = curveShown(rows, statistic, failureProbability);
  const steps = cells.map(({ bin, value }) =>
    "lower" in bin ? { start: bin.lower, end: bin.upper, value } : { start: 0, end: 0, value },
  );
  return { steps, off: curveHalfWidth(statistic, beta), isMarked };
}

/**
 * The curve of one group: consistent, rising, from 0 to the number of rows. Each interval is that of the consistent count
 * before neighbours out of order were pooled, widened to hold the value.
 */
export function curveCells(
  integers: readonly bigint[],
  statistic: BoundedStatistic<CurveTask>,
  failureProbability: number,
): readonly (CellReading & { readonly bin: Bin })[] {
  const { leaves, shape } = statistic.task;
  const { variances } = variancesOf(statistic.task);
  const sums = prefixSums(shape, integers.map(Number));
  const rising = isotonic(sums);
  const most = Math.max(0, rising.at(-1) ?? 0);
  const rounded = (x: number): number => Math.round(x / DIGIT) / Math.round(1 / DIGIT);
  const nodes = nodesEndingAt(integers, shape);
  const { isMarked, failureProbability: beta } = curveShown(sums.at(-1) ?? 0, statistic, failureProbability);
  return Array.from({ length: leaves }, (_, leaf) => {
    const value = rounded(Math.min(most, Math.max(0, rising[leaf] ?? 0)));
    const half = weightedHalfWidth(statistic.noise, variances[leaf] ?? 0, beta) + DIGIT;
    const estimate = sums[leaf] ?? 0;
    return {
      bin: leafOf(statistic, leaf),
      value,
      interval: [Math.max(0, Math.min(value, estimate - half)), Math.max(value, estimate + half)],
      noisy: nodes[leaf] ?? [],
      ...(isMarked ? { unreliable: true as const } : {}),
    };
  });
}

/** Every noisy node once, at its last leaf, coarsest level first. */
function nodesEndingAt(integers: readonly bigint[], { sizes, fanOut }: TreeShape): readonly (readonly bigint[])[] {
  const leaves = sizes.at(-1) ?? 0;
  const ending: bigint[][] = Array.from({ length: leaves }, () => []);
  let at = 0;
  sizes.forEach((size, level) => {
    const width = fanOut ** (sizes.length - 1 - level);
    for (let node = 0; node < size; node++)
      ending[Math.min(leaves, (node + 1) * width) - 1]?.push(integers[at++] ?? 0n);
  });
  return ending;
}

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });

/** The leaf of a curve as a bin: `upper` is its largest value, with values rounded to the column's step. */
export function leafOf({ task }: BoundedStatistic<CurveTask>, leaf: number): Bin & { readonly upper: number } {
  const { step, first, steps } = task.ticks;
  const at = (tick: bigint): number =>
    toDouble({ numerator: (first + tick) * step.numerator, denominator: step.denominator }, "down");
  const from = BigInt(leaf) * task.ticksPerLeaf;
  const to = from + task.ticksPerLeaf - 1n;
  const upper = at(to < steps ? to : steps);
  const { calendar } = task.range;
  const shown = calendar === undefined ? number.format(upper) : formatPeriod(upper, calendar);
  return { label: `≤ ${shown}`, lower: at(from), upper };
}

/** A value below which a share of the rows lies, read from a released curve for free. */
export interface CurveQuantile {
  readonly value: number;
  /** Contains the quantile of the measured rows with the confidence of the answer, for all shares at once. */
  readonly interval: Interval;
  /** At most this many rows lie between the value and the quantile, with the same confidence. */
  readonly rank: number;
  readonly unreliable?: true;
}

/** A curve with an error of at most `off` rows at every step; `end` is the largest value of each step. */
export interface Band {
  readonly steps: readonly { readonly start: number; readonly end: number; readonly value: number }[];
  readonly off: number;
  readonly isMarked: boolean;
}

/** With F within `off` of the curve, qN lies within (1 + q)·off of the value read for it [M181]. */
export function shareOf({ steps, off, isMarked }: Band, share: number): CurveQuantile {
  const rows = steps.at(-1)?.value ?? 0;
  const reach = (count: number, slack: number): number =>
    steps.findIndex(({ value }) => value + slack >= count && value + slack > 0);
  const last = steps.length - 1;
  const atOrLast = (at: number): number => (at < 0 ? last : at);
  const at = atOrLast(reach(share * rows, 0));
  const from = atOrLast(reach(share * Math.max(0, rows - off), off));
  const to = atOrLast(reach(share * (rows + off), -off));
  return {
    value: steps[at]?.end ?? 0,
    interval: [steps[from]?.start ?? 0, steps[to]?.end ?? 0],
    rank: Math.ceil((1 + share) * off + Math.max(0, (steps[at]?.value ?? 0) - share * rows)),
    ...(isMarked ? { unreliable: true } : {}),
  };
}

/** About the least or the largest value: the outermost step that certainly holds a row, or has one beyond it [M181]. */
export function endOf({ steps, off, isMarked }: Band, end: "least" | "largest"): CurveQuantile {
  const rows = steps.at(-1)?.value ?? 0;
  const [first, last] = [steps[0]?.start ?? 0, steps.at(-1)?.end ?? 0];
  const marked = isMarked ? { unreliable: true as const } : {};
  const before = (step: number): number => steps[step - 1]?.value ?? 0;
  if (end === "least") {
    const at = steps.findIndex(({ value }) => value > off);
    const { start, end: top } = steps[at] ?? { start: first, end: last };
    const rank = Math.ceil(at < 0 ? rows + off : at === 0 ? 0 : before(at) + off);
    return { value: start, interval: [first, top], rank, ...marked };
  }
  const at = steps.findLastIndex((_, step) => rows - before(step) > 2 * off);
  const { start, end: top } = steps[at] ?? { start: first, end: last };
  const beyond = rows - (steps[at]?.value ?? 0) + 2 * off;
  const rank = Math.ceil(at < 0 ? rows + off : at === steps.length - 1 ? 0 : beyond);
  return { value: top, interval: [start, last], rank, ...marked };
}
