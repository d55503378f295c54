import { invalid, parseRational, type Random, type Rational, rational, toDouble } from "@dosimeter/core";
import { permuteAndFlip, type Run } from "@dosimeter/core/internal";
import { list } from "../../input/check.ts";
import type { Selection, Ticks } from "../../plan/task.ts";

const MAX_LEAVES = 2 ** 16;
/** Leaves of all groups together. */
const MAX_CANDIDATES = 2 ** 18;
const MAX_QUANTILES = 99;
const MAX_DENOMINATOR = 10n ** 12n;

/** Which quantiles are asked for: shares from 0 to 1, in any order; sorted and each once. */
export function targetsOf(json: unknown, path: string): Pick<Selection, "targets" | "denominator"> {
  const given = list(json, path);
  if (given.length === 0 || given.length > MAX_QUANTILES)
    return invalid(path, given.length, `1 to ${MAX_QUANTILES} shares from 0 to 1`);
  const shares = given.map((share, index) => {
    const at = `${path}[${index}]`;
    if (typeof share !== "number" || !(share >= 0 && share <= 1)) return invalid(at, share, "a share from 0 to 1");
    return { share, exact: parseRational(share, at) };
  });
  const denominator = shares.reduce((least, { exact }) => commonMultiple(least, exact.denominator), 1n);
  if (denominator > MAX_DENOMINATOR) return invalid(path, given, "shares with at most 12 digits after the point");
  const sorted = shares
    .map(({ share, exact }) => ({ share, numerator: (exact.numerator * denominator) / exact.denominator }))
    .sort((a, b) => a.share - b.share);
  return { denominator, targets: sorted.filter(({ share }, index) => share !== sorted[index - 1]?.share) };
}

/** Leaves of equal width over the ticks, no more than 2¹⁶ and fewer where there are many groups. */
export function leavesOf(ticks: Ticks, groups: number, path: string): Pick<Selection, "leaves" | "ticksPerLeaf"> {
  const most = Math.min(MAX_LEAVES, Math.floor(MAX_CANDIDATES / groups));
  if (most < 2) return invalid(path, groups, `at most ${MAX_CANDIDATES / 2} groups`);
  const ticksPerLeaf = ticks.steps / BigInt(most) + 1n;
  return { leaves: Number(ticks.steps / ticksPerLeaf) + 1, ticksPerLeaf };
}

/** How far one row can move the losses of all choices apart, in 1/denominator of a row [M94]. */
function movedByRow({ targets, denominator }: Selection): bigint {
  let [widest, low, high] = [0n, 0n, 0n];
  for (const { numerator } of targets) {
    const above = denominator - numerator;
    widest += larger(numerator, above);
    low += numerator;
    high += above;
  }
  return widest + larger(low, high);
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The scale of permute-and-flip in every choice; `scale` is K/ε, in rows [M94]. */
export const widthOf = (selection: Selection, scale: Rational): Rational =>
  rational(movedByRow(selection) * scale.numerator, scale.denominator);

/**
 * One leaf for each share, in order: each is chosen among all rows by permute-and-flip [M93, M94]. Stops before each choice, so
 * that long work can be done in slices.
 */
export function* selectQuantiles(
  counts: readonly bigint[],
  selection: Selection,
  scale: Rational,
  random: Random,
): Generator<void, readonly bigint[]> {
  const chosen: number[] = [];
  if (selection.extreme) chosen.push(selectExtreme(counts, selection, scale, random));
  else {
    const { targets, denominator } = selection;
    const rows = rowsIn(counts);
    const width = widthOf(selection, scale);
    for (const { numerator } of targets) {
      yield;
      chosen.push(permuteAndFlip(runsOf(counts, numerator * rows, denominator), width, random));
    }
  }
  return chosen.sort((a, b) => a - b).map(BigInt);
}

export const rowsIn = (counts: readonly bigint[]): bigint => counts.reduce((sum, here) => sum + here, 0n);

/** Chance that the rank aimed at lies beyond an end: public, and no promise of its own. */
const BEYOND = 0.05;

/** How many rows from an end the answer is aimed: far enough that the choice seldom misses all rows [M117]. */
const extremeRank = ({ leaves }: Selection, scale: number): number =>
  Math.ceil(2 * scale * Math.log(leaves / BEYOND) * (1 + 1e-12));

/** The leaf that holds the row this many rows from an end: |rows beyond − rank| moves by one with a row, wherever it is. */
function selectExtreme(counts: readonly bigint[], selection: Selection, scale: Rational, random: Random): number {
  const fromAbove = selection.targets[0]?.share === 1;
  const rank = BigInt(extremeRank(selection, toDouble(scale, "up")));
  const ordered = fromAbove ? counts.toReversed() : counts;
  const losses: { length: number; loss: bigint }[] = [];
  let before = 0n;
  for (const here of ordered) {
    const [over, under] = [before - rank, rank - before - here];
    const loss = over > 0n ? over : under > 0n ? under : 0n;
    const last = losses.at(-1);
    if (here === 0n && last !== undefined && last.loss === loss) last.length += 1;
    else losses.push({ length: 1, loss });
    before += here;
  }
  const least = losses.reduce((a, { loss }) => (loss < a ? loss : a), losses[0]?.loss ?? 0n);
  const width = rational(2n * scale.numerator, scale.denominator);
  const at = permuteAndFlip(
    losses.map(({ length, loss }) => ({ length, loss: loss - least })),
    width,
    random,
  );
  return fromAbove ? counts.length - 1 - at : at;
}

/** All leaves with the distance of the wanted rank from the ranks that they hold, both in 1/denominator of a row; empty neighbours as one. */
export function runsOf(counts: readonly bigint[], wantedRank: bigint, denominator: bigint): readonly Run[] {
  const runs: Run[] = [];
  let before = 0n;
  for (let at = 0; at < counts.length; ) {
    const here = counts[at] ?? 0n;
    let end = at + 1;
    if (here === 0n) while (end < counts.length && counts[end] === 0n) end += 1;
    const loss = larger(wantedRank - denominator * (before + here), denominator * before - wantedRank);
    runs.push({ length: end - at, loss: larger(loss, 0n) });
    before += here;
    at = end;
  }
  return runs;
}

/** Rows that all answers together are off by at most [M93], with probability 1 − failureProbability [M94]. [M302] */
export function rankHalfWidth(selection: Selection, scale: number, failureProbability: number): number {
  const { leaves, targets, denominator, extreme } = selection;
  if (extreme) return extremeRank(selection, scale) + Math.ceil(2 * scale * Math.log(leaves / failureProbability));
  const within = scale * Math.log((leaves * targets.length) / failureProbability);
  return Math.ceil(((within * Number(movedByRow(selection))) / Number(denominator)) * (1 + 1e-12));
}

function commonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
