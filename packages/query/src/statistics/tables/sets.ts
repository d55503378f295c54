import type { TablesTask } from "../../plan/task.ts";
import { type Side, sideOf } from "./lattice.ts";
import { type Columns, upFrom } from "./levels.ts";

/** A set of columns, as bits by their places. None lies within another: what a coarser one says, the finer one says too. */
export type ColumnSet = number;

export const setOf = (columns: readonly number[]): ColumnSet => columns.reduce((set, at) => set | (1 << at), 0);

// At most one for each set of 12 columns: it is asked for once for each pair of a table and a part of it.
const columnsOf: (readonly number[])[] = [];
export function columnsIn(set: ColumnSet): readonly number[] {
  const known = columnsOf[set];
  if (known !== undefined) return known;
  const found = Array.from({ length: 32 - Math.clz32(set) }, (_, at) => at).filter((at) => ((set >> at) & 1) === 1);
  columnsOf[set] = found;
  return found;
}

/** A set with all that its columns lie within. */
const upOf = (set: ColumnSet, columns: Columns): ColumnSet =>
  setOf(columnsIn(set).flatMap((at) => upFrom(columns, at)));
export const isWithin = (set: ColumnSet, other: ColumnSet, columns: Columns = []): boolean =>
  (set & ~upOf(other, columns)) === 0;

/** These columns without those that others of them lie within. */
export const finestOf = (set: ColumnSet, columns: Columns): ColumnSet =>
  set & ~setOf(columnsIn(set).flatMap((at) => upFrom(columns, at).slice(1)));

/** Every set within another one, the empty one too. */
export const within = (set: ColumnSet, columns: Columns = []): readonly ColumnSet[] =>
  columnsIn(set).reduce<readonly ColumnSet[]>(
    (all, at) => all.flatMap((part) => [part, ...upFrom(columns, at).map((level) => part | (1 << level))]),
    [0],
  );

export const inOrder = (a: ColumnSet, b: ColumnSet): number => {
  const [first, second] = [columnsIn(a), columnsIn(b)];
  const at = first.findIndex((column, place) => column !== second[place]);
  return first.length - second.length || (first[at] ?? 0) - (second[at] ?? 0);
};

/** All sets within any of these, the smaller ones first: every table that is answered. */
export const closureOf = (sets: readonly ColumnSet[], columns: Columns = []): readonly ColumnSet[] =>
  [...new Set(largestOf(sets, columns).flatMap((set) => within(set, columns)))].sort(inOrder);

export function largestOf(sets: readonly ColumnSet[], columns: Columns = []): readonly ColumnSet[] {
  const ups = sets.map((set) => upOf(set, columns));
  return sets.filter((set) => !sets.some((other, at) => other !== set && (set & ~(ups[at] ?? 0)) === 0));
}

export const sidesOf = (columns: Columns, set: ColumnSet): readonly Side[] =>
  columnsIn(set).map((at) => sideOf(columns, at));

const kept = new WeakMap<TablesTask, readonly ColumnSet[]>();

/** The tables of an answer, in its order. */
export function answeredOf(task: TablesTask): readonly ColumnSet[] {
  const known = kept.get(task) ?? closureOf(task.asked.map(setOf), task.columns);
  kept.set(task, known);
  return known;
}
