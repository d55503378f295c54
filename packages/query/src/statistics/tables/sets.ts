import type { TableColumn, TablesTask } from "../../plan/task.ts";
import type { Sides } from "./lattice.ts";

/** A set of columns, as bits by their places. */
export type ColumnSet = number;

export const setOf = (columns: readonly number[]): ColumnSet => columns.reduce((set, at) => set | (1 << at), 0);
export const isWithin = (set: ColumnSet, other: ColumnSet): boolean => (set & ~other) === 0;
export const columnsIn = (set: ColumnSet): readonly number[] =>
  Array.from({ length: 32 - Math.clz32(set) }, (_, at) => at).filter((at) => ((set >> at) & 1) === 1);

/** Every set within another one, the empty one too. */
export function within(set: ColumnSet): readonly ColumnSet[] {
  const all: ColumnSet[] = [];
  for (let part = set; part > 0; part = (part - 1) & set) all.push(part);
  return [...all, 0];
}

export const inOrder = (a: ColumnSet, b: ColumnSet): number => {
  const [first, second] = [columnsIn(a), columnsIn(b)];
  const at = first.findIndex((column, place) => column !== second[place]);
  return first.length - second.length || (first[at] ?? 0) - (second[at] ?? 0);
};

/** All sets within any of these, the smaller ones first: every table that is answered. */
export const closureOf = (sets: readonly ColumnSet[]): readonly ColumnSet[] =>
  [...new Set(sets.flatMap(within))].sort(inOrder);

export const largestOf = (sets: readonly ColumnSet[]): readonly ColumnSet[] =>
  sets.filter((set) => !sets.some((other) => other !== set && isWithin(set, other)));

export const sidesOf = (columns: readonly Pick<TableColumn, "cells">[], set: ColumnSet): Sides =>
  columnsIn(set).map((at) => columns[at]?.cells ?? 1);

const kept = new WeakMap<TablesTask, readonly ColumnSet[]>();

/** The tables of an answer, in its order. */
export function answeredOf(task: TablesTask): readonly ColumnSet[] {
  const known = kept.get(task) ?? closureOf(task.counted.map(setOf));
  kept.set(task, known);
  return known;
}
