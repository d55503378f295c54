import type { EventAdjacency } from "@dosimeter/core";
import type { NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TableColumn, TablePart, TablesTask } from "../../plan/task.ts";
import { type ColumnSet, columnsIn, inOrder, setOf, sidesOf, within } from "./sets.ts";

type Columns = readonly Pick<TableColumn, "cells">[];
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

/** What the variance of the parts of a set adds to a cell of a table that holds it [M397]. */
export function shareOf(columns: Columns, table: ColumnSet, part: ColumnSet): number {
  return columnsIn(table).reduce((share, at) => {
    const size = columns[at]?.cells ?? 1;
    return share * (((part >> at) & 1) === 1 ? (size - 1) / size : 1 / size ** 2);
  }, 1);
}

const scaleOf = (columns: Columns, set: ColumnSet): number =>
  sidesOf(columns, set).reduce((product, size) => product * size, 1);
const leavesOf = (columns: Columns, set: ColumnSet): number =>
  sidesOf(columns, set).reduce((product, size) => (product * (size - 1)) / size, 1);

/** The scalar product of the released integers of two rows, by the set of columns in which they differ [M395, M396]. */
function productsOf(columns: Columns, parts: readonly TablePart[], isResidual: boolean): readonly bigint[] {
  const products = new Array<bigint>(1 << columns.length).fill(0n);
  for (const { columns: part, times } of parts) products[setOf(part)] = times * times;
  columns.forEach(({ cells }, at) => {
    const [size, bit] = [BigInt(cells), 1 << at];
    for (let set = 0; set < products.length; set++) {
      if ((set & bit) !== 0) continue;
      const [without = 0n, having = 0n] = [products[set], products[set | bit]];
      products[set] = without + (isResidual ? size * (size - 1n) : 1n) * having;
      products[set | bit] = isResidual ? without - size * having : without;
    }
  });
  return products;
}

/** What a unit of this number of rows moves the released integers by [M395, M396, M399]. */
export function movesBy(
  { columns, parts, isResidual }: Pick<TablesTask, "columns" | "parts" | "isResidual">,
  rows: number,
  adjacency: EventAdjacency,
): Sensitivity {
  const most = BigInt(rows);
  const [one = 0n, ...differing] = productsOf(columns, parts, isResidual);
  const between = differing.reduce((least, product) => (product < least ? product : least), one);
  const apart = 2n * (one - between);
  const l2 = adjacency === "addRemove" || one > apart ? one : apart;
  const entries = parts.map(({ columns: part, times }) => {
    const sizes = part.map((at) => BigInt((columns[at]?.cells ?? 1) - 1));
    const of = (factor: bigint): bigint =>
      isResidual ? sizes.reduce((product, size) => product * factor * size, times) : times;
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
  columns: readonly TableColumn[],
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
      of: within(table).map((part) => [part, shareOf(columns, table, part)] as const),
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
  let weights: BySet = new Map(shares.map(({ table }) => [table, 1]));
  for (let round = 0; round < ROUNDS; round++) {
    const variances = optimum(columns, shares, weights);
    const next = shares.map(
      (each) => [each.table, (weights.get(each.table) ?? 0) * varianceOf(each, variances)] as const,
    );
    const all = next.reduce((sum, [, weight]) => sum + weight, 0);
    weights = new Map(next.map(([table, weight]) => [table, Math.max(weight / all, MIN_WEIGHT)]));
  }
  return optimum(columns, shares, weights);
}

/** What least squares make of tables that are each released alone, at the best split of the price. */
const asEachAlone = (columns: Columns, shares: readonly Shares[], weights: BySet): BySet =>
  new Map(
    [...gathered(shares, (table, part) => Math.sqrt(weights.get(table) ?? 0) / scaleOf(columns, table & ~part))].map(
      ([part, precision]) => [part, 1 / precision],
    ),
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
