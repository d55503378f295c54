import { parseRational, type Random, type Rational, rational, toDouble } from "@dosimeter/core";
import { below, permuteAndFlip, type Run } from "@dosimeter/core/internal";
import { list, wanted } from "../../declaration/check.ts";
import type { Selection, Ticks } from "../../plan/task.ts";

const MOST_LEAVES = 2 ** 16;
const MOST_PARTS = 2 ** 10;
/** Leaves of all groups together, parts of leaves included. */
const MOST_CANDIDATES = 2 ** 18;
const MOST_QUANTILES = 99;
const MOST_DENOMINATOR = 10n ** 12n;

/** Which quantiles are asked for: shares from 0 to 1, in any order; sorted and each once. */
export function targetsOf(json: unknown, path: string): Pick<Selection, "targets" | "denominator"> {
  const given = list(json, path);
  if (given.length === 0 || given.length > MOST_QUANTILES)
    return wanted(path, given.length, `1 to ${MOST_QUANTILES} shares from 0 to 1`);
  const shares = given.map((share, index) => {
    const at = `${path}[${index}]`;
    if (typeof share !== "number" || !(share >= 0 && share <= 1)) return wanted(at, share, "a share from 0 to 1");
    return { share, exact: parseRational(share, at) };
  });
  const denominator = shares.reduce((least, { exact }) => commonMultiple(least, exact.denominator), 1n);
  if (denominator > MOST_DENOMINATOR) return wanted(path, given, "shares with at most 12 digits after the point");
  const sorted = shares
    .map(({ share, exact }) => ({ share, numerator: (exact.numerator * denominator) / exact.denominator }))
    .sort((a, b) => a.share - b.share);
  return { denominator, targets: sorted.filter(({ share }, index) => share !== sorted[index - 1]?.share) };
}

/** Leaves of equal width over the ticks, no more than 2¹⁶ and fewer where there are many groups. */
export function leavesOf(
  ticks: Ticks,
  groups: number,
  given: Pick<Selection, "targets" | "denominator">,
  path: string,
): Omit<Selection, "extreme"> {
  const most = Math.min(MOST_LEAVES, Math.floor(MOST_CANDIDATES / groups));
  if (most < 2) return wanted(path, groups, `at most ${MOST_CANDIDATES / 2} groups`);
  const ticksPerLeaf = ticks.steps / BigInt(most) + 1n;
  const leaves = Number(ticks.steps / ticksPerLeaf) + 1;
  const parts =
    given.targets.length === 1 ? 1 : Math.max(1, Math.min(MOST_PARTS, Math.floor(MOST_CANDIDATES / (groups * leaves))));
  return { ...given, leaves, ticksPerLeaf, parts };
}

/** Choices that one row can influence: half of the quantiles are settled by each. */
const levelsOf = ({ targets }: Pick<Selection, "targets">): number => Math.floor(Math.log2(targets.length)) + 1;

/** A choice among targets lowest … highest − 1, whose rows are the shares from `low` to `high` of all. */
interface Choice {
  readonly middle: number;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** The most that one row moves the score of one candidate, added or removed. */
  readonly perRow: bigint;
}

function choiceOf({ targets }: Selection, first: number, end: number, low: bigint, high: bigint): Choice {
  const middle = (first + end) >> 1;
  const numerator = (targets[middle]?.numerator ?? 0n) - low;
  const denominator = high - low;
  const above = denominator - numerator;
  return { middle, numerator, denominator, perRow: numerator > above ? numerator : above };
}

/**
 * One leaf for each quantile, in order [M93, M94]. The middle quantile is chosen by permute-and-flip, the lower ones among the rows
 * at or below it, the higher ones among the rows above: a row is in one choice of each level. `scale` is K/ε, in rows.
 */
export function selectQuantiles(
  counts: readonly bigint[],
  selection: Selection,
  scale: Rational,
  random: Random,
): readonly bigint[] {
  const { parts, targets, denominator } = selection;
  if (selection.extreme) return [BigInt(selectExtreme(counts, selection, scale, random))];
  const rows = parts === 1 ? counts.map(Number) : spreadOut(counts, parts, random);
  const chosen = targets.map(() => 0n);
  const levels = BigInt(levelsOf(selection));
  const choose = (first: number, end: number, from: number, to: number, low: bigint, high: bigint): void => {
    if (first >= end) return;
    const choice = choiceOf(selection, first, end, low, high);
    const width = { numerator: 2n * levels * choice.perRow * scale.numerator, denominator: scale.denominator };
    const at =
      from >= to || choice.denominator === 0n
        ? Math.min(from, to)
        : from + permuteAndFlip(runsOf(rows, from, to, choice), rational(width.numerator, width.denominator), random);
    chosen[choice.middle] = BigInt(Math.floor(at / parts));
    const split = targets[choice.middle]?.numerator ?? low;
    choose(first, choice.middle, from, at, low, split);
    choose(choice.middle + 1, end, Math.min(at + 1, to), to, split, high);
  };
  choose(0, targets.length, 0, rows.length - 1, 0n, denominator);
  return chosen;
}

/** Chance that the rank aimed at lies beyond an end: public, and no promise of its own. */
const BEYOND = 0.05;

/** How many rows from an end the answer is aimed: far enough that the choice seldom misses all rows [M117]. */
const extremeRank = ({ leaves }: Selection, scale: number): number =>
  Math.ceil(2 * scale * Math.log(leaves / BEYOND) * (1 + 1e-12));

/** The leaf that holds the row so many rows from an end: |rows beyond − rank| moves by one with a row, wherever it is. */
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

/** Every row to a part of its leaf, by chance: a heavy leaf can then be split between two quantiles. */
function spreadOut(counts: readonly bigint[], parts: number, random: Random): readonly number[] {
  const fine = new Array<number>(counts.length * parts).fill(0);
  counts.forEach((count, leaf) => {
    for (let row = 0; row < Number(count); row++) {
      const at = leaf * parts + below(parts, random);
      fine[at] = (fine[at] ?? 0) + 1;
    }
  });
  return fine;
}

/** Candidates from … to with the distance of the wanted rank from the ranks they hold, in 1/denominator of a row. */
function runsOf(rows: readonly number[], from: number, to: number, { numerator, denominator }: Choice): readonly Run[] {
  let all = 0;
  for (let at = from; at <= to; at++) all += rows[at] ?? 0;
  const wantedRank = numerator * BigInt(all);
  const runs: Run[] = [];
  let before = 0;
  for (let at = from; at <= to; ) {
    const here = rows[at] ?? 0;
    let end = at + 1;
    if (here === 0) while (end <= to && (rows[end] ?? 0) === 0) end += 1;
    const under = wantedRank - denominator * BigInt(before + here);
    const over = denominator * BigInt(before) - wantedRank;
    runs.push({ length: end - at, loss: under > 0n ? under : over > 0n ? over : 0n });
    before += here;
    at = end;
  }
  return runs;
}

/** Rows between an answer and the quantile asked for, at most, with probability 1 − failureProbability for each answer [M93, M94]. */
export function rankHalfWidth(selection: Selection, scale: number, failureProbability: number): number {
  if (selection.extreme)
    return extremeRank(selection, scale) + Math.ceil(2 * scale * Math.log(selection.leaves / failureProbability));
  const levels = levelsOf(selection);
  const candidates = selection.leaves * selection.parts;
  const each = 2 * levels * scale * Math.log((candidates * levels) / failureProbability);
  let worst = 0;
  const visit = (first: number, end: number, low: bigint, high: bigint, before: number): void => {
    if (first >= end) return;
    const { middle, denominator, perRow } = choiceOf(selection, first, end, low, high);
    const here = before + (denominator === 0n ? 0 : (each * Number(perRow)) / Number(denominator));
    worst = Math.max(worst, here);
    const split = selection.targets[middle]?.numerator ?? low;
    visit(first, middle, low, split, here);
    visit(middle + 1, end, split, high, here);
  };
  visit(0, selection.targets.length, 0n, selection.denominator, 0);
  return Math.ceil(worst * (1 + 1e-12));
}

function commonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
