import { cellsIn } from "../../plan/task-kinds.ts";
import { type Columns, rootsOf, sharesIn, upFrom } from "./levels.ts";
import { type ColumnSet, columnsIn } from "./sets.ts";

/** Sums over all sets within a set, or over all that it is within, by one pass over each column in place of one over each pair of sets. */
export interface Passes {
  /** What a number of each set makes of every set that it is within [M408]. */
  spread(of: Float64Array): Float64Array;
  /** The transpose: what numbers of sets make of those within them. */
  gather(of: Float64Array): Float64Array;
}

const means = new WeakMap<readonly number[], number>();
function mean(values: readonly number[]): number {
  const found = means.get(values) ?? values.reduce((sum, value) => sum + value, 0) / values.length;
  means.set(values, found);
  return found;
}

/** What the variance of a part adds to the cells of a table on average, as a factor of each column [M397, M420]. */
export const meanShares =
  (columns: Columns) =>
  (at: number, level: number | null): number =>
    mean(sharesIn(columns, at, level));

/** The same of the cell to which it adds most. */
export const worstShares =
  (columns: Columns) =>
  (at: number, level: number | null): number =>
    Math.max(...sharesIn(columns, at, level));

/** Over sets with all that is within them; `factorOf` a column where the smaller set has this level of it, or null. */
export function passesOver(
  sets: readonly ColumnSet[],
  columns: Columns,
  factorOf: (at: number, level: number | null) => number,
): Passes {
  const places = new Map(sets.map((set, place) => [set, place]));
  // The coarsest level first: what comes to it from finer ones is not handed on.
  const steps = rootsOf(columns).flatMap((root) =>
    upFrom(columns, root)
      .toReversed()
      .flatMap((at) => {
        const own = factorOf(at, at);
        const others = [...upFrom(columns, at).slice(1), null].map((level) => ({ level, factor: factorOf(at, level) }));
        return sets.flatMap((set, to) => {
          if (((set >> at) & 1) === 0) return [];
          const rest = set & ~(1 << at);
          const coarser = others.map(({ level, factor }) => {
            const from = places.get(level === null ? rest : rest | (1 << level)) ?? 0;
            return { to, from, factor };
          });
          return [...coarser, { to, from: to, factor: own }];
        });
      }),
  );
  const isBack = steps.toReversed();
  return {
    spread(of) {
      const values = of.slice();
      for (const { to, from, factor } of isBack)
        values[to] = (to === from ? 0 : (values[to] ?? 0)) + factor * (values[from] ?? 0);
      return values;
    },
    gather(of) {
      const values = of.slice();
      for (const { to, from, factor } of steps)
        values[from] = (to === from ? 0 : (values[from] ?? 0)) + factor * (values[to] ?? 0);
      return values;
    },
  };
}

/** For each set the sum of a number of each that it is within, over its cells there: all that says something of it. */
export function precisionsOf(
  sets: readonly ColumnSet[],
  columns: Columns,
  of: (set: ColumnSet) => number,
): Float64Array {
  const cells = sets.map((set) => cellsIn(columns, columnsIn(set)));
  const sums = passesOver(sets, columns, () => 1).gather(
    Float64Array.from(sets, (set, place) => of(set) / (cells[place] ?? 1)),
  );
  return sums.map((sum, place) => sum * (cells[place] ?? 1));
}
