import { type Random, type Rational, rational } from "@dosimeter/core";
import { halved, laplaceSampler, memoized } from "@dosimeter/core/internal";
import type { Selection, TreeShape } from "../../plan/task.ts";
import { isotonic, prefixSums, prefixVariances, treeCounts, treeOver } from "../curve/tree.ts";
import { rankHalfWidth } from "./quantile.ts";

/** Fewer shares are always chosen one by one. */
const FEW = 3;
/** What is promised of a choice is reached more seldom than of noise: the promise has to be clearly less. */
const CLEARLY = 0.9;
/** Rows for each doubling of the leaves, below which no tree comes: a large one takes a quarter of a second to look at. */
const MIN_PER_DOUBLING = 4;
/** The failure probability to compare at, as the draw does not know that of the answer. */
const SOME = 0.05;
/** Noisy counts are read as doubles; covers their rounding. */
const DIGIT = 1e-3;
const SLICE = 256;

/** Children of a node, from the fewest levels on; more are taken where the error is clearly less. */
const FAN_OUTS = [40, 32, 20, 12] as const;
const BETTER = 0.98;

/** A tree, and the points of its curve by the variance of the rows up to them less the least, or the largest, share of all. */
interface Tree extends Points {
  /** As `errorOf`: an answer asks for it with each of its cells. */
  readonly error: (failureProbability: number) => number;
}
interface Points {
  readonly shape: TreeShape;
  readonly points: readonly (readonly [variance: number, many: number])[];
}

/** Variances are rounded up to parts of the largest. */
const PARTS = 256;

function treeWith(leaves: number, shares: readonly number[], fanOut: number): Points {
  const shape = treeOver(leaves, fanOut);
  const variances = shares.map((less) => prefixVariances(shape, less));
  const largest = variances.reduce((most, each) => each.reduce((a, b) => Math.max(a, b), most), 0);
  const many = new Array<number>(PARTS + 1).fill(0);
  for (const each of variances)
    for (let leaf = 0; leaf < leaves; leaf++) {
      const part = Math.ceil(((each[leaf] ?? 0) / largest) * PARTS);
      many[part] = (many[part] ?? 0) + 1;
    }
  const points = many.flatMap((here, part) =>
    here === 0 || part === 0 ? [] : [[(largest * part) / PARTS, here] as const],
  );
  return { shape, points };
}

/** Rows that are off by more with this probability at most, for K/ε = 1 [M406]. */
function errorOf({ shape, points }: Points, failureProbability: number): number {
  // Chernoff's bound for noise of scale 1, at the rate at which it is least.
  const beyond = (x: number): number =>
    points.reduce((sum, [variance, many]) => {
      const rate = (Math.hypot(variance, x) - variance) / x;
      return sum + 2 * many * Math.exp(-rate * x - variance * Math.log1p(-rate * rate));
    }, 0);
  const isEnough = (x: number): boolean => beyond(x) <= failureProbability;
  let high = 1;
  while (!isEnough(high)) high *= 2;
  return shape.sizes.length * halved(isEnough, high / 2, high, 40)[1] * (1 + 1e-12);
}

const MAX_KEPT = 64;
const kept = new Map<string, Tree>();

/** The tree with the least error for these shares: plans ask for it again and again. */
function treeOf({ leaves, targets }: Selection): Tree {
  const shares = [targets[0], targets.at(-1)].map((target) => target?.share ?? 0);
  const name = [leaves, ...shares].join(" ");
  const known = kept.get(name);
  if (known !== undefined) return known;
  const best = FAN_OUTS.map((fanOut) => treeWith(leaves, shares, fanOut)).reduce((a, b) =>
    errorOf(b, SOME) < BETTER * errorOf(a, SOME) ? b : a,
  );
  let last: readonly [failureProbability: number, rows: number] = [Number.NaN, 0];
  const error = (failureProbability: number): number => {
    if (last[0] !== failureProbability) last = [failureProbability, errorOf(best, failureProbability)];
    return last[1];
  };
  const tree = { ...best, error };
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(name, tree);
  return tree;
}

/** Rows that all quantiles read off a noisy tree are off by at most [M406]; `unit` is K/ε. */
const treeHalfWidth = (selection: Selection, unit: number, failureProbability: number): number =>
  Math.ceil(unit * treeOf(selection).error(failureProbability) + DIGIT);

/** Whether the shares are read off a noisy tree, as that promises less: it depends on their number and that of leaves [M407]. */
export const isReadOff = memoized((selection: Selection): boolean => {
  if (selection.extreme || selection.targets.length < FEW) return false;
  const apart = rankHalfWidth(selection, 1, SOME);
  return apart > MIN_PER_DOUBLING * Math.log2(selection.leaves) && treeHalfWidth(selection, 1, SOME) < CLEARLY * apart;
}, new WeakMap());

/** Rows that all answers together are off by at most. */
export const ranksHalfWidth = (selection: Selection, unit: number, failureProbability: number): number =>
  isReadOff(selection)
    ? treeHalfWidth(selection, unit, failureProbability)
    : rankHalfWidth(selection, unit, failureProbability);

/** The rows of each node, which get noise. */
export const nodesOf = (counts: readonly bigint[], selection: Selection): readonly bigint[] =>
  treeCounts(treeOf(selection).shape, counts);

/**
 * One leaf for each share, in order: where the curve of these noisy nodes reaches that share of the noisy number of rows. Below 0 rows a larger
 * share is reached earlier, so they are sorted.
 */
export function readAt(noisy: readonly number[], selection: Selection): readonly bigint[] {
  const { targets, leaves } = selection;
  const sums = prefixSums(treeOf(selection).shape, noisy);
  const rising = isotonic(sums);
  const rows = sums.at(-1) ?? 0;
  const reached = (wanted: number): number => {
    let [from, to] = [0, leaves - 1];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((rising[middle] ?? 0) >= wanted) to = middle;
      else from = middle + 1;
    }
    return from;
  };
  const found = targets.map(({ share }) => reached(share * rows));
  return found.sort((a, b) => a - b).map(BigInt);
}

/** The same of exact counts, whose noise is drawn in slices [M406]. */
export function* readQuantiles(
  counts: readonly bigint[],
  selection: Selection,
  scale: Rational,
  random: Random,
): Generator<void, readonly bigint[]> {
  const { shape } = treeOf(selection);
  const draw = laplaceSampler(rational(scale.numerator * BigInt(shape.sizes.length), scale.denominator));
  const noisy: number[] = [];
  for (const count of nodesOf(counts, selection)) {
    if (noisy.length % SLICE === 0) yield;
    noisy.push(Number(count + draw(random)));
  }
  return readAt(noisy, selection);
}
