import { type Random, type Rational, rational } from "@dosimeter/core";
import { laplaceSampler, memoized } from "@dosimeter/core/internal";
import type { Selection, TreeShape } from "../../plan/task.ts";
import { chernoff, shapeOf } from "../curve/cdf.ts";
import { isotonic, prefixSums, prefixVariances, treeCounts } from "../curve/tree.ts";
import { rankHalfWidth } from "./quantile.ts";

/** Fewer shares are always chosen one by one. */
const FEW = 3;
/** What is promised of a choice is seldom reached, and of noise often: noise is taken where it promises this much less. */
const LESS = 2 / 3;
/** The failure probability to compare at, as the draw does not know that of the answer. */
const SOME = 0.05;
/** Noisy counts are read as doubles; covers their rounding. */
const DIGIT = 1e-3;
const SLICE = 256;

const shape = (leaves: number): TreeShape => shapeOf(leaves, "laplace");

/** The largest variance of rows up to a leaf, and of rows beyond one. */
const largestVariance = memoized((leaves: number): number =>
  [0, 1].flatMap((less) => [...prefixVariances(shape(leaves), less)]).reduce((a, b) => Math.max(a, b), 0),
);

/** Rows that all quantiles read off a noisy tree are off by at most, whichever shares they are [M406]; `unit` is K/ε. */
function treeHalfWidth(leaves: number, unit: number, failureProbability: number): number {
  const spread = unit * shape(leaves).sizes.length;
  return Math.ceil(spread * chernoff(largestVariance(leaves), failureProbability / (2 * leaves)) + DIGIT);
}

/** Whether the shares are read off a noisy tree, which depends on how many there are and on the leaves [M407]. */
export const isReadOff = memoized(
  (selection: Selection): boolean =>
    !selection.extreme &&
    selection.targets.length >= FEW &&
    treeHalfWidth(selection.leaves, 1, SOME) < LESS * rankHalfWidth(selection, 1, SOME),
  new WeakMap(),
);

/** Rows that all answers together are off by at most. */
export const ranksHalfWidth = (selection: Selection, unit: number, failureProbability: number): number =>
  isReadOff(selection)
    ? treeHalfWidth(selection.leaves, unit, failureProbability)
    : rankHalfWidth(selection, unit, failureProbability);

/** One leaf for each share, in order: where a curve of noisy counts reaches that share of the noisy number of rows [M406]. */
export function* readQuantiles(
  counts: readonly bigint[],
  { targets, leaves }: Selection,
  scale: Rational,
  random: Random,
): Generator<void, readonly bigint[]> {
  const tree = shape(leaves);
  const draw = laplaceSampler(rational(scale.numerator * BigInt(tree.sizes.length), scale.denominator));
  const noisy: number[] = [];
  for (const count of treeCounts(tree, counts)) {
    if (noisy.length % SLICE === 0) yield;
    noisy.push(Number(count + draw(random)));
  }
  const sums = prefixSums(tree, noisy);
  const rising = isotonic(sums);
  const rows = sums.at(-1) ?? 0;
  return targets.map(({ share }) => {
    const leaf = rising.findIndex((upTo) => upTo >= share * rows);
    return BigInt(leaf < 0 ? leaves - 1 : leaf);
  });
}
