import type { EventAdjacency } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { NoiseFamily, Sensitivity } from "../../plan/bounded.ts";
import type { TablePart, TablesTask } from "../../plan/task.ts";
import { errorsOf } from "./kinds.ts";
import { type Columns, levelOf, overLines, rootsOf, upFrom } from "./levels.ts";
import { meanShares, type Passes, passesOver, precisionsOf, worstShares } from "./passes.ts";
import { type ColumnSet, closureOf, columnsIn, inOrder } from "./sets.ts";

/** One number for each set of columns. */
type BySet = ReadonlyMap<ColumnSet, number>;

/** How much an asked table matters; `largest`: as much as makes the largest variance least. */
export type Weights = BySet | "largest";

/** The least part is multiplied by about this, so that whole numbers are as good as real ones. */
const FINE = 2 ** 16;
const COARSE = 2 ** 8;
const ROUNDS = 200;
/** Balanced enough for cells of unlike errors, each of which is worked out in every round: the largest variance over the mean by weights. */
const BALANCED = 1.002;
/** So that a weight never becomes 0. */
const MIN_WEIGHT = 1e-30;

export const scaleOf = (columns: Columns, set: ColumnSet): number =>
  columnsIn(set).reduce((product, at) => product * levelOf(columns, at).scale, 1);
const leavesOf = (columns: Columns, set: ColumnSet): number =>
  columnsIn(set).reduce((product, at) => {
    const level = levelOf(columns, at);
    return (product * Number(overLines(level, squareIn))) / level.scale ** 2;
  }, 1);

interface Of {
  readonly columns: Columns;
}

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

/** What a unit of this number of rows moves the released integers by, each of 1 or of the ticks of its value [M395, M396, M399, M409]. */
export function movesBy(
  { columns, parts, isResidual, ticks }: Pick<TablesTask, "parts" | "isResidual" | "ticks"> & Of,
  rows: number,
  adjacency: EventAdjacency,
): Sensitivity {
  const [low, high] = ticks === undefined ? [1n, 1n] : [ticks.first, ticks.first + ticks.steps];
  const size = high > -low ? high : -low;
  const most = BigInt(rows) * size;
  // Two values of unlike signs in one cell: they are further apart than either is from 0.
  const span = BigInt(rows) * (adjacency === "replace" && low < 0n && high > 0n ? high - low : size);
  const [one = 0n, ...differing] = productsOf(columns, parts, isResidual);
  const between = differing.reduce((least, product) => (product < least ? product : least), one);
  const apart = 2n * (one - between);
  const unlike = span * span * one;
  const alike = most * most * (adjacency === "addRemove" || one > apart ? one : apart);
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
    l2Squared: alike > unlike ? alike : unlike,
    linf: (isResidual ? twice * most : span) * largest,
  };
}

/** Which integers are released of the asked tables, for the least weighted variance of their cells at any price. */
export function partsOf(
  columns: Columns,
  asked: readonly ColumnSet[],
  { weights, family, adjacency, ticks }: Terms,
): Pick<TablesTask, "parts" | "isResidual"> {
  if (family === "laplace") {
    const sizes = new Map(asked.map((set) => [set, weights === "largest" ? 1 : Math.cbrt(weights.get(set) ?? 1)]));
    return { parts: wholeParts(sizes, COARSE), isResidual: false };
  }
  const sets = closureOf(asked, columns);
  const isAsked = new Set(asked);
  const given = Float64Array.from(sets, (set) =>
    weights === "largest" ? Number(isAsked.has(set)) : (weights.get(set) ?? 0),
  );
  const passes = passesOver(sets, columns, meanShares(columns));
  const leaves = sets.map((set) => leavesOf(columns, set));
  // What least squares make of tables that are each released alone, at the best split of the price.
  const alone = new Map(sets.map((set, at) => [set, Math.sqrt(given[at] ?? 0)]));
  const eachAlone = precisionsOf(sets, columns, (set) => alone.get(set) ?? 0).map((precision) => 1 / precision);
  // Of a line of one county and a line of many the largest variances are balanced, not those on average [M411].
  const isUneven = weights === "largest" && columns.some(({ within }) => within !== undefined);
  const way = isUneven ? passesOver(sets, columns, worstShares(columns)) : passes;
  const worst = (variances: Float64Array): Float64Array => {
    if (!isUneven) return passes.spread(variances);
    const byNumber = new Float64Array(1 << columns.length);
    for (const [at, set] of sets.entries()) byNumber[set] = variances[at] ?? 0;
    return Float64Array.from(sets, (set) => (isAsked.has(set) ? Math.max(...errorsOf(columns, set, byNumber)) : 0));
  };
  const enough = isUneven ? BALANCED : 1;
  const best = optimum(way, leaves, weights === "largest" ? balanced(way, worst, { leaves, given, enough }) : given);
  const candidates = [best, eachAlone].map((variances) => {
    const sizes = new Map(sets.map((set, at) => [set, 1 / (scaleOf(columns, set) * Math.sqrt(variances[at] ?? 0))]));
    const found = { parts: wholeParts(sizes, FINE), isResidual: true };
    const moved = Number(movesBy({ columns, ...found, ...present({ ticks }) }, 1, adjacency).l2Squared);
    const fineness = found.parts.reduce((least, { times }) => Math.min(least, Number(times)), Infinity);
    const errors = worst(variances).map((variance, at) => variance * (given[at] ?? 0));
    const error = errors.reduce((all, each) => (weights === "largest" ? Math.max(all, each) : all + each), 0);
    return { found, error: error * moved * (Math.min(...sizes.values()) / fineness) ** 2 };
  });
  return candidates.reduce((best, other) => (other.error < best.error ? other : best)).found;
}

interface Terms {
  readonly weights: Weights;
  readonly family: NoiseFamily;
  readonly adjacency: EventAdjacency;
  readonly ticks?: TablesTask["ticks"];
}

/** The variances of parts that are best under add/remove: √(p/v), up to one factor [M397]. */
const optimum = (passes: Passes, leaves: readonly number[], weights: Float64Array): Float64Array =>
  passes.gather(weights).map((matters, part) => Math.sqrt((leaves[part] ?? 0) / matters));

/** Weights for the least largest variance: a table matters more where its variance is above the others', until those that matter are alike. */
function balanced(
  passes: Passes,
  worst: (variances: Float64Array) => Float64Array,
  {
    leaves,
    given,
    enough,
  }: { readonly leaves: readonly number[]; readonly given: Float64Array; readonly enough: number },
): Float64Array {
  let weights = given;
  for (let round = 0; round < ROUNDS; round++) {
    const variances = worst(optimum(passes, leaves, weights));
    const next = weights.map((weight, at) => weight * (variances[at] ?? 0));
    const all = next.reduce((sum, weight) => sum + weight, 0);
    const matter = weights.reduce((sum, weight) => sum + weight, 0);
    if (Math.max(...variances) * matter <= enough * all) break;
    weights = next.map((weight, at) => ((given[at] ?? 0) === 0 ? 0 : Math.max(weight / all, MIN_WEIGHT)));
  }
  return weights;
}

/** Sizes as whole numbers, all at least `least`; ones where they are alike. */
function wholeParts(sizes: BySet, least: number): readonly TablePart[] {
  const smallest = Math.min(...sizes.values());
  const isAlike = [...sizes.values()].every((size) => size === smallest);
  return [...sizes.keys()].sort(inOrder).map((set) => ({
    columns: columnsIn(set),
    times: isAlike ? 1n : BigInt(Math.round((least * (sizes.get(set) ?? 0)) / smallest)),
  }));
}
