import { type Columns, levelOf, upFrom } from "./levels.ts";

/**
 * A column of a table, in a lattice that holds the table and all that it adds up to: the places of its values, then those of each column that it
 * lies within, then one for all values together. The last side of a lattice runs fastest.
 */
export interface Side {
  readonly levels: readonly { readonly column: number | null; readonly from: number; readonly cells: number }[];
  /** From the finest level on: the places of values, and that of what they add up to. */
  readonly lines: readonly { readonly members: readonly number[]; readonly sum: number; readonly times: bigint }[];
  readonly size: number;
}

export function sideOf(columns: Columns, at: number): Side {
  let size = 0;
  const levels = [...upFrom(columns, at), null].map((column) => {
    const cells = column === null ? 1 : (columns[column]?.cells ?? 1);
    size += cells;
    return { column, from: size - cells, cells };
  });
  const lines = levels.flatMap(({ column, from }, place) =>
    column === null
      ? []
      : levelOf(columns, column).lines.map(({ cells, times }, line) => ({
          members: cells.map((cell) => from + cell),
          ...{ sum: (levels[place + 1]?.from ?? 0) + line, times },
        })),
  );
  return { levels, lines, size };
}

export const sizeOf = (sides: readonly Side[]): number => sides.reduce((product, { size }) => product * size, 1);

/** The places of a lattice that hold the table of a set of columns, in the order of its cells. */
export function placesOf(sides: readonly Side[], set: number): readonly number[] {
  return sides.reduce<readonly number[]>(
    (places, { levels, size }) => {
      const found = levels.find(({ column }) => column === null || ((set >> column) & 1) === 1);
      const { from = 0, cells = 0 } = found ?? {};
      return places.flatMap((place) => Array.from({ length: cells }, (_, value) => place * size + from + value));
    },
    [0],
  );
}

type Line = Side["lines"][number];

/** Every line along a side, from the finest level on or from the coarsest: its places are `at` + `step` · those of the line. */
function eachLine(
  sides: readonly Side[],
  side: number,
  visit: (line: Line, at: number, step: number) => void,
  isDown = false,
): void {
  const step = sizeOf(sides.slice(side + 1));
  const { size = 1, lines = [] } = sides[side] ?? {};
  const all = sizeOf(sides);
  for (const line of isDown ? lines.toReversed() : lines)
    for (let from = 0; from < all; from += step * size)
      for (let at = from; at < from + step; at++) visit(line, at, step);
}

/** Fills a lattice with the sums of the table that it holds. */
export function sumUp(sides: readonly Side[], lattice: Float64Array): void {
  sides.forEach((_, side) => {
    eachLine(sides, side, ({ members, sum }, at, step) => {
      let total = 0;
      for (const member of members) total += lattice[at + member * step] ?? 0;
      lattice[at + sum * step] = total;
    });
  });
}

/** Adds to every cell what stands at the sums that it is in: the transpose of `sumUp`. */
export function handDown(sides: readonly Side[], lattice: Float64Array): void {
  sides.forEach((_, side) => {
    const visit = ({ members, sum }: Line, at: number, step: number): void => {
      const above = lattice[at + sum * step] ?? 0;
      for (const member of members) lattice[at + member * step] = (lattice[at + member * step] ?? 0) + above;
    };
    eachLine(sides, side, visit, true);
  });
}

/**
 * The lattice of a table: its sums or, where `isResidual`, H_A·x of every set A of its columns: along each line of A a value times their number
 * less the sum, all others added up [M398].
 */
export function latticeOf(sides: readonly Side[], cells: readonly bigint[], isResidual: boolean): readonly bigint[] {
  const lattice = new Array<bigint>(sizeOf(sides)).fill(0n);
  placesOf(sides, -1).forEach((place, at) => {
    lattice[place] = cells[at] ?? 0n;
  });
  sides.forEach((_, side) => {
    eachLine(sides, side, ({ members, sum }, at, step) => {
      let total = 0n;
      for (const member of members) total += lattice[at + member * step] ?? 0n;
      lattice[at + sum * step] = total;
    });
    if (isResidual)
      eachLine(sides, side, ({ members, sum, times }, at, step) => {
        const [count, total = 0n] = [BigInt(members.length), lattice[at + sum * step]];
        for (const member of members)
          lattice[at + member * step] = times * (count * (lattice[at + member * step] ?? 0n) - total);
      });
  });
  return lattice;
}

/** Turns a lattice of sums that agree into that of residuals which `addUp` makes it of. */
export function takeApart(sides: readonly Side[], lattice: Float64Array): void {
  sides.forEach((_, side) => {
    eachLine(sides, side, ({ members, sum, times }, at, step) => {
      const total = lattice[at + sum * step] ?? 0;
      for (const member of members)
        lattice[at + member * step] = Number(times) * (members.length * (lattice[at + member * step] ?? 0) - total);
    });
  });
}

/** Turns a lattice of residuals, noisy or not, into one of sums that all agree: what of the noise lies outside of their range is dropped [M397]. */
export function addUp(sides: readonly Side[], lattice: Float64Array): void {
  sides.forEach((_, side) => {
    const visit = ({ members, sum, times }: Line, at: number, step: number): void => {
      const [count, by, total] = [members.length, Number(times), lattice[at + sum * step] ?? 0];
      let all = 0;
      for (const member of members) all += lattice[at + member * step] ?? 0;
      for (const member of members)
        lattice[at + member * step] = (((lattice[at + member * step] ?? 0) - all / count) / by + total) / count;
    };
    eachLine(sides, side, visit, true);
  });
}
