import { type Random, type Rational, toDouble } from "@dosimeter/core";
import { ceilDivide, chooseExponentially, leastIndex } from "@dosimeter/core/internal";
import type { Selection } from "../../plan/task.ts";

/** A leaf that is cut, and how many of its rows go left; the others go right, like all after it. */
export interface Cut {
  readonly leaf: number;
  readonly left: bigint;
}

/** Rows in each leaf of a part, and how many lie before each leaf, the end included. */
export interface Part {
  readonly counts: readonly bigint[];
  readonly before: readonly bigint[];
}

export function partOf(counts: readonly bigint[]): Part {
  let sum = 0n;
  return { counts, before: [0n, ...counts.map((here) => (sum += here))] };
}

/** Both parts have the leaf, so that either can answer with it. One row more in a part is one row more in one of the two. [M407] */
export function partsOf({ counts }: Part, { leaf, left }: Cut): readonly [Part, Part] {
  const rest = (counts[leaf] ?? 0n) - left;
  return [partOf([...counts.slice(0, leaf), left]), partOf([rest, ...counts.slice(leaf + 1)])];
}

/**
 * Candidates of one side of a leaf: so many codes, each for a number of rows from that edge that go with it, of which `reach` rows and more
 * have half of the codes, 2·`reach` and more a third, and so on.
 */
const CODES = 2n ** 100n;
const rowsOfCode = (code: bigint, reach: bigint): bigint => (reach * code) / (CODES - code);
const firstCode = (rows: bigint, reach: bigint): bigint =>
  rows <= 0n ? 0n : ceilDivide(rows * CODES, reach + rows);

/** The codes for which that number, cut at `here`, is `from` to `to`. */
function codesOf(here: bigint, [from, to]: readonly [bigint, bigint], reach: bigint): readonly [bigint, bigint] {
  if (from > here || to < 0n) return [0n, 0n];
  return [firstCode(from, reach), to >= here ? CODES : firstCode(to + 1n, reach)];
}

/** Rows that the error of a choice at this scale seldom exceeds. [M409] */
export const reachOf = (scale: number): number => 16 * Math.ceil(Math.max(1, scale));

const MOST_SETS = 64;

/**
 * Where to cut so that `share` of the rows go left: by the exponential mechanism, whose loss is the number of rows by which that is missed, in
 * parts of the denominator. `width`: its scale, in those. [M406, M407]
 */
export function chooseCut(
  { counts, before }: Part,
  { numerator, denominator }: Rational,
  width: Rational,
  random: Random,
): Cut {
  const reach = BigInt(reachOf(toDouble({ ...width, denominator: width.denominator * denominator }, "up")));
  const rows = before.at(-1) ?? 0n;
  const wanted = numerator * rows;
  const over = wanted % denominator;
  const least = over < denominator - over ? over : denominator - over;
  const step = ceilDivide(width.numerator, width.denominator);
  const sets = nearest(before, (set) => {
    if (set === MOST_SETS) return [0n, rows];
    const off = least + step * BigInt(set);
    const [from, to] = [ceilDivide(wanted - off, denominator), (wanted + off) / denominator];
    return [from > 0n ? from : 0n, to < rows ? to : rows];
  });
  const leafCodes = (leaf: number, [from, to]: readonly [bigint, bigint]): readonly (readonly [bigint, bigint])[] => {
    const [here, start] = [counts[leaf] ?? 0n, before[leaf] ?? 0n];
    const [low, high] = [from - start, to - start];
    return [codesOf(here, [low, high], reach), codesOf(here, [here - high, here - low], reach)];
  };
  const sizeOf = (leaf: number, ranks: readonly [bigint, bigint]): bigint =>
    leafCodes(leaf, ranks).reduce((sum, [from, to]) => sum + (to > from ? to - from : 0n), 0n);
  const inner = 2n * CODES;
  const sizes = sets.map(({ first, last, ranks }) =>
    first === last
      ? sizeOf(first, ranks)
      : sizeOf(first, ranks) + sizeOf(last, ranks) + BigInt(last - first - 1) * inner,
  );
  const pick = (set: number, position: bigint): { readonly candidate: Cut; readonly loss: bigint } => {
    const { first, last, ranks } = sets[set] ?? { first: 0, last: 0, ranks: [0n, rows] as const };
    const [size, between] = [sizeOf(first, ranks), BigInt(Math.max(0, last - first - 1)) * inner];
    const [leaf, at] =
      position < size
        ? [first, position]
        : position < size + between
          ? [first + 1 + Number((position - size) / inner), (position - size) % inner]
          : [last, position - size - between];
    const [near, far] = leafCodes(leaf, ranks);
    const [from = 0n, to = 0n] = near ?? [];
    const onNear = to > from ? to - from : 0n;
    const here = counts[leaf] ?? 0n;
    const away = rowsOfCode(at < onNear ? from + at : (far?.[0] ?? 0n) + at - onNear, reach);
    const moved = away < here ? away : here;
    const left = at < onNear ? moved : here - moved;
    const missed = denominator * ((before[leaf] ?? 0n) + left) - wanted;
    return { candidate: { leaf, left }, loss: (missed < 0n ? -missed : missed) - least };
  };
  return chooseExponentially({ step, sizes, pick }, width, random);
}

interface RankSet {
  readonly ranks: readonly [bigint, bigint];
  /** The leaves that hold such a rank, edges included: all between these two hold no other. */
  readonly first: number;
  readonly last: number;
}

/** Sets of ranks from the nearest on, up to the one that has all. */
function nearest(before: readonly bigint[], ranksOf: (set: number) => readonly [bigint, bigint]): readonly RankSet[] {
  const rows = before.at(-1) ?? 0n;
  const sets: RankSet[] = [];
  for (let set = 1; ; set++) {
    const ranks = ranksOf(set);
    const [from, to] = ranks;
    const first = leastIndex((at) => (before[at] ?? rows) >= from, 0, before.length - 1) - 1;
    const last = leastIndex((at) => (before[at] ?? rows) > to, 0, before.length - 1) - 1;
    sets.push({ ranks, first, last });
    if (from <= 0n && to >= rows) return sets;
  }
}
