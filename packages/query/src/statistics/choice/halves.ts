import { type Random, type Rational, rational } from "@dosimeter/core";
import { memoized, multiply, permuteAndFlip } from "@dosimeter/core/internal";
import type { Selection } from "../../plan/task.ts";
import { chooseCut, type Part, partOf, partsOf, reachOf } from "./cut.ts";
import { movedByRow, rankHalfWidth, rowsIn, runsOf } from "./quantile.ts";

/** Shares that are chosen in one part of the rows: apart from one another, or by a cut at the middle one and what is left on either side. */
export interface Half {
  readonly shares: readonly bigint[];
  /** Place of the first share in the answer. */
  readonly first: number;
  /** The shares at which the part begins and ends. */
  readonly low: bigint;
  readonly high: bigint;
  /** Of the price. */
  readonly spends: Rational;
  readonly cut: { readonly at: number; readonly left: Half | null; readonly right: Half | null } | null;
}

/** How many shares are left together at the end, and the weight of a cut, in halves, where such an end has 1. */
interface Manner {
  readonly together: number;
  readonly weight: number;
}
const MANNERS: readonly Manner[] = [1, 2, 3].flatMap((together) => [2, 3].map((weight) => ({ together, weight })));

/** With up to so many shares nothing is gained. */
const FEW = 2;

type Shares = Pick<Half, "shares" | "first" | "low" | "high">;

function halfOf({ shares, first, low, high }: Shares, manner: Manner, price: Rational): Half | null {
  const count = shares.length;
  if (count === 0) return null;
  const cuts = BigInt(manner.weight * cutsOf(count, manner));
  const spends = multiply(price, rational(2n, 2n + cuts));
  if (cuts === 0n) return { shares, first, low, high, spends, cut: null };
  const rest = multiply(price, rational(cuts, 2n + cuts));
  const at = (count - 1) >> 1;
  const middle = shares[at] ?? low;
  const left = halfOf({ shares: shares.slice(0, at), first, low, high: middle }, manner, rest);
  const right = halfOf({ shares: shares.slice(at + 1), first: first + at + 1, low: middle, high }, manner, rest);
  return { shares, first, low, high, spends, cut: { at, left, right } };
}

/** The most cuts that a row goes through. */
const cutsOf = (count: number, manner: Manner): number =>
  count <= manner.together ? 0 : 1 + cutsOf(count >> 1, manner);

export const treeOf = ({ targets, denominator }: Selection, manner: Manner): Half | null =>
  halfOf({ shares: targets.map(({ numerator }) => numerator), first: 0, low: 0n, high: denominator }, manner, rational(1n));

/** The shares of its own rows, and the scale of a choice among them. */
export function within({ shares, low, high, spends, cut }: Half): { readonly own: readonly Rational[]; readonly width: Rational } {
  const own = shares.map((share) => ({ numerator: share - low, denominator: high - low }));
  const chosen = cut === null ? own : own.slice(cut.at, cut.at + 1);
  const moved = movedByRow({ targets: chosen, denominator: high - low });
  return { own, width: rational(moved * spends.denominator, spends.numerator) };
}

/** One leaf for each share, in order: cut by cut [M408]. Stops before each choice. */
export function* selectByHalves(
  counts: readonly bigint[],
  selection: Selection,
  { half, scale, random }: { readonly half: Half; readonly scale: Rational; readonly random: Random },
): Generator<void, readonly bigint[]> {
  const chosen = new Array<bigint>(selection.targets.length).fill(0n);
  function* choose(part: Half, rows: Part, leaf: number): Generator<void, void> {
    const { shares, first, low, high, cut } = part;
    const { own, width: one } = within(part);
    const width = multiply(one, scale);
    const set = (at: number, among: number): void => void (chosen[first + at] = BigInt(leaf + among));
    if (rows.counts.length === 1) {
      for (const at of shares.keys()) set(at, 0);
    } else if (cut === null) {
      const all = rowsIn(rows.counts);
      const leaves: number[] = [];
      for (const { numerator } of own) {
        yield;
        leaves.push(permuteAndFlip(runsOf(rows.counts, numerator * all, high - low), width, random));
      }
      for (const [at, each] of leaves.sort((a, b) => a - b).entries()) set(at, each);
    } else {
      yield;
      const found = chooseCut(rows, own[cut.at] ?? { numerator: 0n, denominator: 1n }, width, random);
      set(cut.at, found.leaf);
      const [left, right] = partsOf(rows, found);
      if (cut.left !== null) yield* choose(cut.left, left, leaf);
      if (cut.right !== null) yield* choose(cut.right, right, leaf + found.leaf);
    }
  }
  yield* choose(half, partOf(counts), 0);
  return chosen;
}

/** P(rows by which it misses > `rows` + `scale`·(`log` + x)) ≤ e^−x, whatever came before [M409]. */
interface Miss {
  readonly rows: number;
  readonly scale: number;
  readonly log: number;
}

function missOf({ cut, shares, low, high, ...half }: Half, leaves: number, unit: number): Miss {
  const { width } = within({ cut, shares, low, high, ...half });
  const scale = (unit * Number(width.numerator)) / Number(width.denominator) / Number(high - low);
  if (cut === null) return { rows: 0, scale, log: Math.log(leaves * shares.length) };
  const reach = reachOf(scale);
  const around = reach + scale + 4;
  const log = Math.log((8 * (leaves + 1) * around ** 2) / (Math.E * reach * Math.max(1, scale)));
  return { rows: 2, scale: (scale * around) / (around - scale), log };
}

/** Of each share what its own choice and those of the cuts around it miss, by how much each moves it. */
function* missesOf(half: Half, leaves: number, unit: number): Generator<readonly (Miss & { readonly by: number })[]> {
  function* visit(part: Half, low: readonly number[], high: readonly number[], cuts: readonly Miss[]): Generator<readonly (Miss & { by: number })[]> {
    const own = missOf(part, leaves, unit);
    const moved = ({ numerator, denominator }: Rational): readonly number[] => {
      const share = Number(numerator) / Number(denominator);
      return [...low.map((by, at) => (1 - share) * by + share * (high[at] ?? 0)), 1];
    };
    const { cut } = part;
    for (const [at, share] of within(part).own.entries()) {
      if (cut !== null && at !== cut.at) continue;
      const by = moved(share);
      yield [...cuts, own].map((miss, place) => ({ ...miss, by: by[place] ?? 0 }));
      if (cut === null) continue;
      const around = [...cuts, own];
      if (cut.left !== null) yield* visit(cut.left, [...low, 0], by, around);
      if (cut.right !== null) yield* visit(cut.right, by, [...high, 0], around);
    }
  }
  yield* visit(half, [], [], []);
}

/** Rows that all answers together are off by at most, with probability 1 − failureProbability; `unit` is K/ε [M410]. */
function halvesHalfWidth(half: Half, leaves: number, unit: number, failureProbability: number): number {
  const shares = [...missesOf(half, leaves, unit)];
  const most = shares.reduce((a, misses) => misses.reduce((b, { by, scale }) => Math.max(b, by * scale), a), 0);
  // Chernoff's bound; any rate below 1/most gives one.
  const at = (part: number): number => {
    const rate = part / most;
    const logs = shares.map((misses) =>
      misses.reduce((sum, { by, rows, scale, log }) => sum + rate * by * (rows + scale * log) - Math.log1p(-rate * by * scale), 0),
    );
    const largest = Math.max(...logs);
    const sum = logs.reduce((total, log) => total + Math.exp(log - largest), 0);
    return (largest + Math.log(sum / failureProbability)) / rate;
  };
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(a) < at(b)) high = b;
    else low = a;
  }
  return Math.ceil(at((low + high) / 2) * (1 + 1e-12));
}

/** The failure probability to compare ways of choosing at, as the draw does not know that of the answer. */
const SOME = 0.05;

/** The way with the least public error at this scale, K/ε; null where all shares are chosen among all rows. */
const bestWay = (selection: Selection, unit: number): Half | null => {
  const { targets, extreme, leaves } = selection;
  if (extreme || targets.length <= FEW) return null;
  let [best, least]: [Half | null, number] = [null, rankHalfWidth(selection, unit, SOME)];
  for (const manner of MANNERS) {
    const half = treeOf(selection, manner);
    const error = half === null ? least : halvesHalfWidth(half, leaves, unit, SOME);
    if (error < least) [best, least] = [half, error];
  }
  return best;
};

/** An answer asks for the error of each of its cells. */
const known = memoized(
  (selection: Selection) => ({
    way: memoized((unit: number) => bestWay(selection, unit)),
    error: memoized((unit: number) =>
      memoized((failureProbability: number) => {
        const half = halvesOf(selection, unit);
        return half === null
          ? rankHalfWidth(selection, unit, failureProbability)
          : halvesHalfWidth(half, selection.leaves, unit, failureProbability);
      }),
    ),
  }),
  new WeakMap(),
);

export const halvesOf = (selection: Selection, unit: number): Half | null => known(selection).way(unit);

/** Rows that all answers together are off by at most, chosen in the better way [M410]. */
export const ranksHalfWidth = (selection: Selection, unit: number, failureProbability: number): number =>
  known(selection).error(unit)(failureProbability);
