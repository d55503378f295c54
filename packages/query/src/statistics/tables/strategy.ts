import type { EventAdjacency } from "@dosimeter/core";
import type { NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TablePart, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { type Columns, levelOf, overLines, rootsOf, sharesIn, upFrom } from "./levels.ts";
import { type ColumnSet, columnsIn, inOrder, within } from "./sets.ts";

/** One number for each set of columns. */
type BySet = ReadonlyMap<ColumnSet, number>;

/** How much an asked table matters; `largest`: as much as makes the largest variance least. */
export type Weights = BySet | "largest";

/** The least part is multiplied by about this, so that whole numbers are as good as real ones. */
const FINE = 2 ** 16;
const COARSE = 2 ** 8;
const ROUNDS = 200;
/** So that a weight never becomes 0. */
const MIN_WEIGHT = 1e-30;

const means = new WeakMap<readonly number[], number>();
function mean(values: readonly number[]): number {
  const found = means.get(values) ?? values.reduce((sum, value) => sum + value, 0) / values.length;
  means.set(values, found);
  return found;
}

/** What the variance of a part adds to a cell of a table that holds it: on average, or to one of its cells [M397, M420]. */
export function shareOf(
  columns: Columns,
  table: ColumnSet,
  part: ColumnSet,
  of: (shares: readonly number[], side: number) => number = mean,
): number {
  return columnsIn(table).reduce((share, at, side) => {
    const level = upFrom(columns, at).find((each) => ((part >> each) & 1) === 1) ?? null;
    return share * of(sharesIn(columns, at, level), side);
  }, 1);
}

export const scaleOf = (columns: Columns, set: ColumnSet): number =>
  columnsIn(set).reduce((product, at) => product * levelOf(columns, at).scale, 1);
const leavesOf = (columns: Columns, set: ColumnSet): number =>
  columnsIn(set).reduce((product, at) => {
    const level = levelOf(columns, at);
    return (product * Number(overLines(level, squareIn))) / level.scale ** 2;
  }, 1);

interface LineSize {
  readonly length: bigint;
  readonly times: bigint;
}
/** Of one row's integers on a line that it is on: their square, and their product with those of another value there, less its sign. */
const squareIn = ({ length, times }: LineSize): bigint => times * times * length * (length - 1n);
const crossIn = ({ length, times }: LineSize): bigint => times * times * length;

/**
 * How two rows may lie in a column and those above it, each by what it makes of a product of their integers on every level, and of none: the same
 * value; or on one line of a level and apart below, on its longest or its shortest line [M396, M420].
 */
function relationsOf(columns: Columns, root: number, isResidual: boolean): readonly (readonly bigint[])[] {
  const levels = upFrom(columns, root).map((at) => levelOf(columns, at));
  const same = levels.map((level) => (isResidual ? overLines(level, squareIn) : 1n));
  const apart = levels.flatMap((level, at) => {
    const crosses = isResidual ? [overLines(level, crossIn), overLines(level, crossIn, false)] : [0n];
    return [...new Set(crosses)].map((cross) => [
      1n,
      ...same.map((each, of) => (of < at ? 0n : of === at ? -cross : each)),
    ]);
  });
  return [[1n, ...same], ...apart];
}

/** Bounds of the scalar products of the released integers of two rows, by how they lie to one another: the first is that of one with itself [M395, M396]. */
function productsOf(columns: Columns, parts: readonly TablePart[], isResidual: boolean): readonly bigint[] {
  const roots = rootsOf(columns);
  const sizes = roots.map((at) => upFrom(columns, at).length + 1);
  let products = new Array<bigint>(sizes.reduce((product, size) => product * size, 1)).fill(0n);
  for (const { columns: part, times } of parts) {
    const place = roots.reduce(
      (sum, root, side) =>
        sum * (sizes[side] ?? 1) + upFrom(columns, root).findIndex((level) => part.includes(level)) + 1,
      0,
    );
    products[place] = (products[place] ?? 0n) + times * times;
  }
  // The first column is turned from levels to relations, and its place is then the last one.
  for (const [side, root] of roots.entries()) {
    const [size, relations] = [sizes[side] ?? 1, relationsOf(columns, root, isResidual)];
    const rest = products.length / size;
    const next = new Array<bigint>(rest * relations.length).fill(0n);
    for (let at = 0; at < rest; at++)
      for (const [relation, factors] of relations.entries()) {
        let sum = 0n;
        for (let level = 0; level < size; level++) sum += (factors[level] ?? 0n) * (products[level * rest + at] ?? 0n);
        next[at * relations.length + relation] = sum;
      }
    products = next;
  }
  return products;
}

/** What a unit of this number of rows moves the released integers by [M395, M396, M399]. */
export function movesBy(
  { columns, parts, isResidual }: Pick<TablesTask, "parts" | "isResidual"> & { readonly columns: Columns },
  rows: number,
  adjacency: EventAdjacency,
): Sensitivity {
  const most = BigInt(rows);
  const [one = 0n, ...differing] = productsOf(columns, parts, isResidual);
  const between = differing.reduce((least, product) => (product < least ? product : least), one);
  const apart = 2n * (one - between);
  const l2 = adjacency === "addRemove" || one > apart ? one : apart;
  const entries = parts.map(({ columns: part, times }) => {
    const sizes = isResidual
      ? part.map((at) => overLines(levelOf(columns, at), (line) => line.times * (line.length - 1n)))
      : [];
    const of = (factor: bigint): bigint => sizes.reduce((product, size) => product * factor * size, times);
    return { sum: of(2n), largest: of(1n) };
  });
  const twice = adjacency === "addRemove" ? 1n : 2n;
  const [sum, largest] = [
    entries.reduce((all, entry) => all + entry.sum, 0n),
    entries.reduce((all, entry) => (entry.largest > all ? entry.largest : all), 0n),
  ];
  return {
    l1: twice * most * sum,
    l2Squared: most * most * l2,
    linf: (isResidual ? twice : 1n) * most * largest,
  };
}

/** Which integers are released of the asked tables, for the least weighted variance of their cells at any price. */
export function partsOf(
  columns: Columns,
  asked: readonly ColumnSet[],
  { weights, family, adjacency }: Terms,
): Pick<TablesTask, "parts" | "isResidual"> {
  const given: BySet = weights === "largest" ? new Map(asked.map((set) => [set, 1])) : weights;
  if (family === "laplace") {
    const sizes = new Map([...given].map(([set, weight]) => [set, Math.cbrt(weight)]));
    return { parts: wholeParts(sizes, COARSE), isResidual: false };
  }
  const shares = asked.map(
    (table): Shares => ({
      table,
      of: within(table, columns).map((part) => [part, shareOf(columns, table, part)] as const),
    }),
  );
  const optimal = weights === "largest" ? balanced(columns, shares) : optimum(columns, shares, given);
  const candidates = [optimal, asEachAlone(columns, shares, given)].map((variances) => {
    const sizes = new Map(
      [...variances].map(([set, variance]) => [set, 1 / (scaleOf(columns, set) * Math.sqrt(variance))]),
    );
    const found = { parts: wholeParts(sizes, FINE), isResidual: true };
    const moved = Number(movesBy({ columns, ...found }, 1, adjacency).l2Squared);
    const fineness = found.parts.reduce((least, { times }) => Math.min(least, Number(times)), Infinity);
    const errors = shares.map((each) => varianceOf(each, variances) * (given.get(each.table) ?? 1));
    const error = weights === "largest" ? Math.max(...errors) : errors.reduce((sum, each) => sum + each, 0);
    return { found, error: error * moved * (Math.min(...sizes.values()) / fineness) ** 2 };
  });
  return candidates.reduce((best, other) => (other.error < best.error ? other : best)).found;
}

interface Terms {
  readonly weights: Weights;
  readonly family: NoiseFamily;
  readonly adjacency: EventAdjacency;
}

/** What the parts of a table add to the variance of its cells. */
interface Shares {
  readonly table: ColumnSet;
  readonly of: readonly (readonly [part: ColumnSet, share: number])[];
}

const varianceOf = ({ of }: Shares, variances: BySet): number =>
  of.reduce((sum, [part, share]) => sum + (variances.get(part) ?? 0) * share, 0);

/** Adds up, for every part, something of each table that holds it. */
function gathered(shares: readonly Shares[], of: (table: ColumnSet, part: ColumnSet, share: number) => number): BySet {
  const sums = new Map<ColumnSet, number>();
  for (const { table, of: parts } of shares)
    for (const [part, share] of parts) sums.set(part, (sums.get(part) ?? 0) + of(table, part, share));
  return sums;
}

/** The variances of parts that are best under add/remove: √(p/v), up to one factor [M397]. */
const optimum = (columns: Columns, shares: readonly Shares[], weights: BySet): BySet =>
  new Map(
    [...gathered(shares, (table, _, share) => (weights.get(table) ?? 0) * share)].map(([part, matters]) => [
      part,
      Math.sqrt(leavesOf(columns, part) / matters),
    ]),
  );

/** The same for the least largest variance: a table matters more where its variance is above the others', until those that matter are alike. */
function balanced(columns: Columns, shares: readonly Shares[]): BySet {
  const places = new Map<ColumnSet, number>();
  for (const { of } of shares) for (const [part] of of) places.set(part, places.get(part) ?? places.size);
  const leaves = [...places.keys()].map((part) => leavesOf(columns, part));
  // Numbers in place of sets: all of them are gone through in every round.
  const tables = shares.map(({ of }) => of.map(([part, share]) => [places.get(part) ?? 0, share] as const));
  let weights = shares.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const matters = new Float64Array(leaves.length);
    for (const [at, of] of tables.entries())
      for (const [part, share] of of) matters[part] = (matters[part] ?? 0) + (weights[at] ?? 0) * share;
    const variances = matters.map((each, part) => Math.sqrt((leaves[part] ?? 0) / each));
    const next = tables.map((of, at) => {
      let variance = 0;
      for (const [part, share] of of) variance += (variances[part] ?? 0) * share;
      return (weights[at] ?? 0) * variance;
    });
    const all = next.reduce((sum, weight) => sum + weight, 0);
    weights = next.map((weight) => Math.max(weight / all, MIN_WEIGHT));
  }
  return optimum(columns, shares, new Map(shares.map(({ table }, at) => [table, weights[at] ?? 0])));
}

/** What least squares make of tables that are each released alone, at the best split of the price. */
const asEachAlone = (columns: Columns, shares: readonly Shares[], weights: BySet): BySet =>
  new Map(
    [
      ...gathered(
        shares,
        (table, part) =>
          (Math.sqrt(weights.get(table) ?? 0) * cellsIn(columns, columnsIn(part))) / cellsIn(columns, columnsIn(table)),
      ),
    ].map(([part, precision]) => [part, 1 / precision]),
  );

/** Sizes as whole numbers, all at least `least`; ones where they are alike. */
function wholeParts(sizes: BySet, least: number): readonly TablePart[] {
  const smallest = Math.min(...sizes.values());
  const isAlike = [...sizes.values()].every((size) => size === smallest);
  return [...sizes.keys()].sort(inOrder).map((set) => ({
    columns: columnsIn(set),
    times: isAlike ? 1n : BigInt(Math.round((least * (sizes.get(set) ?? 0)) / smallest)),
  }));
}
