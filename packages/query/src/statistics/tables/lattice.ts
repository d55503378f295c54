/**
 * How many values the columns of a table have. A lattice over it holds the table and all that it adds up to: each side has one place more,
 * the last, for all values of a column together. The last side runs fastest.
 */
export type Sides = readonly number[];

const sizeOf = (sides: Sides): number => sides.reduce((product, side) => product * (side + 1), 1);

/** The places of a lattice that hold the table of some of its columns, in the order of its cells. */
export function placesOf(sides: Sides, isIn: (side: number) => boolean): readonly number[] {
  return sides.reduce<readonly number[]>(
    (places, size, side) =>
      places.flatMap((place) =>
        isIn(side)
          ? Array.from({ length: size }, (_, value) => place * (size + 1) + value)
          : [place * (size + 1) + size],
      ),
    [0],
  );
}

/** Every line along a side: where it begins, and how far apart its places are. */
function eachLine(sides: Sides, side: number, visit: (from: number, step: number) => void): void {
  const step = sizeOf(sides.slice(side + 1));
  const block = step * ((sides[side] ?? 0) + 1);
  for (let from = 0; from < sizeOf(sides); from += block) for (let at = 0; at < step; at++) visit(from + at, step);
}

/**
 * The lattice of a table: its sums or, where `isResidual`, H_A·x of every set A of its columns: along each column of A a value times their
 * number less the sum, all others added up [M398].
 */
export function latticeOf(sides: Sides, cells: readonly bigint[], isResidual: boolean): readonly bigint[] {
  const lattice = new Array<bigint>(sizeOf(sides)).fill(0n);
  placesOf(sides, () => true).forEach((place, at) => {
    lattice[place] = cells[at] ?? 0n;
  });
  sides.forEach((size, side) => {
    eachLine(sides, side, (from, step) => {
      const end = from + size * step;
      let sum = 0n;
      for (let at = from; at < end; at += step) sum += lattice[at] ?? 0n;
      lattice[end] = sum;
      if (isResidual) for (let at = from; at < end; at += step) lattice[at] = BigInt(size) * (lattice[at] ?? 0n) - sum;
    });
  });
  return lattice;
}

/** Turns a lattice of residuals, noisy or not, into one of sums that all agree: what of the noise lies outside of their range is dropped [M397]. */
export function addUp(sides: Sides, lattice: Float64Array): void {
  sides.forEach((size, side) => {
    eachLine(sides, side, (from, step) => {
      const end = from + size * step;
      let sum = 0;
      for (let at = from; at < end; at += step) sum += lattice[at] ?? 0;
      const shift = (lattice[end] ?? 0) - sum / size;
      for (let at = from; at < end; at += step) lattice[at] = ((lattice[at] ?? 0) + shift) / size;
    });
  });
}
