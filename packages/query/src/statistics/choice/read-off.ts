import { type Random, type Rational, rational } from "@dosimeter/core";
import { halved, laplaceSampler, memoized } from "@dosimeter/core/internal";
import type { Selection, TreeShape } from "../../plan/task.ts";
import { shapeOf } from "../curve/cdf.ts";
import { isotonic, prefixSums, prefixVariances, treeCounts } from "../curve/tree.ts";
import { rankHalfWidth } from "./quantile.ts";

/** Fewer shares are always chosen one by one. */
const FEW = 3;
/** What is promised of a choice is reached more seldom than of noise: the promise has to be clearly less. */
const CLEARLY = 0.9;
/** The failure probability to compare at, as the draw does not know that of the answer. */
const SOME = 0.05;
/** Noisy counts are read as doubles; covers their rounding. */
const DIGIT = 1e-3;
const SLICE = 256;

const shape = (leaves: number): TreeShape => shapeOf(leaves, "laplace");

/** Points of a curve by the variance of the rows up to them less a share of all. */
type Points = readonly (readonly [variance: number, many: number])[];
const PARTS = 256;
const MAX_KEPT = 64;
const kept = new Map<string, Points>();

/** Of the least and the largest share asked for; variances are rounded up to parts of the largest. */
function pointsOf({ leaves, targets }: Selection): Points {
  const shares = [targets[0], targets.at(-1)].map((target) => target?.share ?? 0);
  const name = [leaves, ...shares].join(" ");
  const known = kept.get(name);
  if (known !== undefined) return known;
  const all = shares.map((less) => prefixVariances(shape(leaves), less));
  const largest = all.reduce((most, each) => each.reduce((a, b) => Math.max(a, b), most), 0);
  const many = new Array<number>(PARTS + 1).fill(0);
  for (const variance of all.flatMap((each) => [...each])) {
    const part = Math.ceil((variance / largest) * PARTS);
    many[part] = (many[part] ?? 0) + 1;
  }
  const points = many.flatMap((here, part) =>
    here === 0 || part === 0 ? [] : [[(largest * part) / PARTS, here] as const],
  );
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(name, points);
  return points;
}

/** Rows that all quantiles read off a noisy tree are off by at most [M406]; `unit` is K/ε. */
function treeHalfWidth(selection: Selection, unit: number, failureProbability: number): number {
  const points = pointsOf(selection);
  // Chernoff's bound for noise of scale 1, at the rate at which it is least.
  const beyond = (x: number): number =>
    points.reduce((sum, [variance, many]) => {
      const rate = (Math.hypot(variance, x) - variance) / x;
      return sum + 2 * many * Math.exp(-rate * x - variance * Math.log1p(-rate * rate));
    }, 0);
  const isEnough = (x: number): boolean => beyond(x) <= failureProbability;
  let high = 1;
  while (!isEnough(high)) high *= 2;
  const [, x] = halved(isEnough, high / 2, high, 40);
  return Math.ceil(unit * shape(selection.leaves).sizes.length * x * (1 + 1e-12) + DIGIT);
}

/** Whether the shares are read off a noisy tree, as that promises less: it depends on their number and that of leaves [M407]. */
export const isReadOff = memoized(
  (selection: Selection): boolean =>
    !selection.extreme &&
    selection.targets.length >= FEW &&
    treeHalfWidth(selection, 1, SOME) < CLEARLY * rankHalfWidth(selection, 1, SOME),
  new WeakMap(),
);

/** Rows that all answers together are off by at most. */
export const ranksHalfWidth = (selection: Selection, unit: number, failureProbability: number): number =>
  isReadOff(selection)
    ? treeHalfWidth(selection, unit, failureProbability)
    : rankHalfWidth(selection, unit, failureProbability);

/** One leaf for each share, in order: where the curve of these noisy nodes reaches that share of the noisy number of rows. */
export function readAt(noisy: readonly number[], { targets, leaves }: Selection): readonly bigint[] {
  const sums = prefixSums(shape(leaves), noisy);
  const rising = isotonic(sums);
  const rows = sums.at(-1) ?? 0;
  return targets.map(({ share }) => {
    const leaf = rising.findIndex((upTo) => upTo >= share * rows);
    return BigInt(leaf < 0 ? leaves - 1 : leaf);
  });
}

/** The same of exact counts, whose noise is drawn in slices [M406]. */
export function* readQuantiles(
  counts: readonly bigint[],
  selection: Selection,
  scale: Rational,
  random: Random,
): Generator<void, readonly bigint[]> {
  const tree = shape(selection.leaves);
  const draw = laplaceSampler(rational(scale.numerator * BigInt(tree.sizes.length), scale.denominator));
  const noisy: number[] = [];
  for (const count of treeCounts(tree, counts)) {
    if (noisy.length % SLICE === 0) yield;
    noisy.push(Number(count + draw(random)));
  }
  return readAt(noisy, selection);
}
