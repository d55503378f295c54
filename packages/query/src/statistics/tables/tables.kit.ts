import { type Columns, sharesIn, upFrom } from "./levels.ts";
import { type ColumnSet, columnsIn } from "./sets.ts";

/** What the variance of a part adds to a cell of a table that holds it, on average: column by column, as M397 and M420 say. */
export const shareOf = (columns: Columns, table: ColumnSet, part: ColumnSet): number =>
  columnsIn(table).reduce((share, at) => {
    const level = upFrom(columns, at).find((each) => ((part >> each) & 1) === 1) ?? null;
    const shares = sharesIn(columns, at, level);
    return (share * shares.reduce((sum, each) => sum + each, 0)) / shares.length;
  }, 1);

/** Seconds of processor time. */
export const cpuOf = (work: () => unknown): number => {
  const start = process.cpuUsage().user;
  work();
  return (process.cpuUsage().user - start) / 1e6;
};

/** A fraction of whole numbers. */
export type Fraction = readonly [numerator: bigint, denominator: bigint];

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
export function fraction(numerator: bigint, denominator = 1n): Fraction {
  const divisor = (denominator < 0n ? -1n : 1n) * gcd(numerator, denominator);
  return [numerator / divisor, denominator / divisor];
}
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => fraction(a * d + c * b, b * d);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => fraction(a * c, b * d);
export const dot = (a: readonly Fraction[], b: readonly Fraction[]): Fraction =>
  a.reduce<Fraction>((sum, value, at) => plus(sum, times(value, b[at] ?? [0n, 1n])), [0n, 1n]);
export const toNumber = ([a, b]: Fraction): number => Number((a * 10n ** 30n) / b) / 1e30;

/** For each y some x with M·x = y, M symmetric and y in its range: elimination in exact fractions, free places 0. */
export function solved(
  matrix: readonly (readonly Fraction[])[],
  rights: readonly (readonly Fraction[])[],
): readonly (readonly Fraction[])[] {
  const work = matrix.map((row, at) => [...row, ...rights.map((right) => right[at] ?? [0n, 1n])] as Fraction[]);
  const pivots: number[] = [];
  for (let column = 0; column < matrix.length; column++) {
    const row = work.findIndex((each, at) => at >= pivots.length && each[column]?.[0] !== 0n);
    if (row < 0) continue;
    const top = pivots.length;
    const chosen = work[row] ?? [];
    work[row] = work[top] ?? [];
    const [numerator, denominator] = chosen[column] ?? [1n, 1n];
    const unit = chosen.map((value) => times(value, [denominator, numerator]));
    work[top] = unit.map(([a, b]) => fraction(a, b));
    work.forEach((each, at) => {
      const factor = each[column] ?? [0n, 1n];
      if (at !== top && factor[0] !== 0n)
        work[at] = each.map((value, place) =>
          plus(value, times([-factor[0], factor[1]], work[top]?.[place] ?? [0n, 1n])),
        );
    });
    pivots.push(column);
  }
  return rights.map((_, right) => {
    const found = new Array<Fraction>(matrix.length).fill([0n, 1n]);
    pivots.forEach((column, row) => {
      found[column] = work[row]?.[matrix.length + right] ?? [0n, 1n];
    });
    return found;
  });
}

/** The Kronecker product, the last factor fastest. */
export const kronecker = (factors: readonly (readonly (readonly bigint[])[])[]): readonly (readonly bigint[])[] =>
  factors.reduce<readonly (readonly bigint[])[]>(
    (all, factor) => all.flatMap((row) => factor.map((own) => row.flatMap((a) => own.map((b) => a * b)))),
    [[1n]],
  );

export const identity = (size: number, of: (i: number, j: number) => bigint = (i, j) => (i === j ? 1n : 0n)) =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (__, j) => of(i, j)));
