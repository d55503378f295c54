import { memoized } from "@dosimeter/core/internal";
import type { TableColumn } from "../../plan/task.ts";

/** Columns of tables: a finer one may lie within a coarser one, which its values then say too. */
export type Columns = readonly Pick<TableColumn, "cells" | "within">[];

/** A column, then all that it lies within, the coarsest last. */
export function upFrom(columns: Columns, at: number): readonly number[] {
  const above = columns[at]?.within;
  return above === undefined ? [at] : [at, ...upFrom(columns, above.column)];
}

/** The columns that no other lies within. */
export const rootsOf = (columns: Columns): readonly number[] =>
  columns.flatMap((_, at) => (columns.some(({ within }) => within?.column === at) ? [] : [at]));
/** The finest column that lies within this one, or it. */
export const rootOf = (columns: Columns, at: number): number =>
  rootsOf(columns).find((root) => upFrom(columns, root).includes(at)) ?? at;

/** The values of a column, in lines of those that one value above them, or nothing, holds [M420]. */
export interface Level {
  readonly lines: readonly { readonly cells: readonly number[]; readonly times: bigint }[];
  /** The line of each cell; that of a value above has its number. */
  readonly lineOf: readonly number[];
  /** `times` · cells of a line, at most: lines of unlike length are multiplied, so that their noise is about that of the others. */
  readonly scale: number;
}

/** Lines are as alike as whole numbers below this make them. */
const MAX_SCALE = 2 ** 20;
const FINE = 2 ** 10;
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const ONE: Columns[number] = { cells: 1 };
export const levelOf = (columns: Columns, at: number): Level => levelIn(columns[at] ?? ONE);

const levelIn = memoized(({ cells, within }: Columns[number]): Level => {
  const lineOf = within?.groups ?? new Array<number>(cells).fill(0);
  const lines: number[][] = [];
  lineOf.forEach((line, cell) => {
    const own = lines[line] ?? [];
    lines[line] = own;
    own.push(cell);
  });
  const lengths = lines.map(({ length }) => length);
  const most = lengths.reduce((all, each) => Math.max(all, each), 1);
  const exact = [...new Set(lengths)].reduce((all, each) => Math.min(MAX_SCALE + 1, (all * each) / gcd(all, each)), 1);
  const scale = exact <= MAX_SCALE ? exact : most * FINE;
  return {
    lines: lines.map((line) => ({ cells: line, times: BigInt(Math.floor(scale / line.length)) })),
    ...{ lineOf, scale },
  };
}, new WeakMap());

/** Over the lines of a level on which two values can be, the largest or least of a number of each. */
export const overLines = (
  { lines }: Level,
  of: (line: { readonly length: bigint; readonly times: bigint }) => bigint,
  isMost = true,
): bigint =>
  lines
    .flatMap(({ cells, times }) => (cells.length > 1 ? [of({ length: BigInt(cells.length), times })] : []))
    .reduce((best, each) => (each > best === isMost ? each : best));

/**
 * What noise on a level adds to the variance of each value of a column at or below it, in units of that noise over the level's scale; `level`
 * null: noise on all values together [M397, M420].
 */
export function sharesIn(columns: Columns, at: number, level: number | null): readonly number[] {
  const known = shares(columns);
  const name = `${at} ${level}`;
  const found = known.get(name) ?? sharesOf(columns, at, level);
  known.set(name, found);
  return found;
}

// Every set of columns asks for those of each of its columns.
const shares = memoized((_: Columns) => new Map<string, readonly number[]>(), new WeakMap());

function sharesOf(columns: Columns, at: number, level: number | null): readonly number[] {
  const { lines, lineOf, scale } = levelOf(columns, at);
  const ofLine = lines.map(({ cells: { length }, times }) =>
    at === level ? ((length - 1) / length) * (scale / (Number(times) * length)) ** 2 : 1 / length ** 2,
  );
  const above = columns[at]?.within;
  const rest = at === level || above === undefined ? null : sharesIn(columns, above.column, level);
  return lineOf.map((line) => (ofLine[line] ?? 0) * (rest?.[line] ?? 1));
}
