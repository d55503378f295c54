import type { ReleasedTable } from "../released.ts";
import { Forest } from "./forest.ts";

/** Counts that are possible and agree: none is negative, and each measured pair adds up to the counts of its two columns. */
export interface EstimatedTable {
  /** The number of rows, as the noisy counts say. */
  readonly rows: number;
  readonly columns: readonly (readonly number[])[];
  /** Those that were measured, then those with impossible cells that close no circle with them. */
  readonly pairs: readonly { readonly columns: readonly [number, number]; readonly counts: readonly number[] }[];
}

/** Passes of proportional fitting along one pair. */
const PASSES = 64;
/** A pass that changes no sum by more than this share of the rows is the last. */
const CLOSE = 1e-9;
/** What every cell of a pair has before fitting, as a share of the rows: so that each sum can be reached. */
const MIN_CELL = 1e-9;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The released counts made possible and consistent [M203]. Only + − × ÷ and comparisons: the same on every machine. Counts of one column
 * come from its own and from every measured pair, weighted by the inverse of the variance of the noise.
 */
export function estimate({ columns, pairs, noise, impossible = [] }: ReleasedTable): EstimatedTable {
  const [ownVariance, pairVariance] = [noise.columns ** 2, noise.pairs ** 2];
  const estimates = columns.map(({ counts }, at) => {
    const others = pairs.flatMap((pair) => {
      const [a, b] = pair.columns;
      if (a !== at && b !== at) return [];
      const [cells, across] = [counts.length, pair.counts.length / counts.length];
      const along = Array.from({ length: cells }, (_, cell) =>
        sum(
          Array.from(
            { length: across },
            (__, other) => pair.counts[a === at ? cell * across + other : other * cells + cell] ?? 0,
          ),
        ),
      );
      return [{ counts: along, weight: 1 / (across * pairVariance) }];
    });
    const all = [{ counts, weight: 1 / ownVariance }, ...others];
    const weight = sum(all.map((each) => each.weight));
    return {
      weight,
      counts: counts.map((_, cell) => sum(all.map((each) => (each.counts[cell] ?? 0) * each.weight)) / weight),
    };
  });
  // The total of a column has a variance of its number of cells over its weight.
  const totals = estimates.map(({ counts, weight }) => ({ total: sum(counts), weight: weight / counts.length }));
  const weight = sum(totals.map((each) => each.weight));
  const rows = Math.max(1, Math.floor(sum(totals.map((each) => each.total * each.weight)) / weight + 0.5));
  const fitted = estimates.map(({ counts }) => onSimplex(counts, rows));
  const pairOf = ([a, b]: readonly [number, number], counts: readonly number[]): EstimatedTable["pairs"][number] => {
    const never = new Set(impossible.find(({ columns: of }) => of[0] === a && of[1] === b)?.cells);
    return { columns: [a, b], counts: proportional(counts, fitted[a] ?? [], fitted[b] ?? [], { rows, never }) };
  };
  const measured = pairs.map((pair) => pairOf(pair.columns, onSimplex(pair.counts, rows)));
  const forest = new Forest(columns.length);
  for (const pair of pairs) forest.join(pair.columns);
  // A pair that was not measured, but has cells that are impossible: as independent as these let it be.
  const inferred = impossible
    .filter((pair) => forest.join(pair.columns))
    .map(({ columns: [a, b] }) =>
      pairOf(
        [a, b],
        (fitted[a] ?? []).flatMap((first) => (fitted[b] ?? []).map((second) => (first * second) / rows)),
      ),
    );
  return { rows, columns: fitted, pairs: [...measured, ...inferred] };
}

/** The nearest point with non-negative coordinates and this sum. */
function onSimplex(point: readonly number[], total: number): readonly number[] {
  const falling = point.toSorted((a, b) => b - a);
  let [above, shift] = [0, 0];
  for (const [at, value] of falling.entries()) {
    above += value;
    const next = (above - total) / (at + 1);
    if (at > 0 && value <= next) break;
    shift = next;
  }
  return point.map((value) => Math.max(0, value - shift));
}

/** Scales rows and columns in turn until both have the sums asked for; cells of `never` stay at 0. */
function proportional(
  start: readonly number[],
  first: readonly number[],
  second: readonly number[],
  { rows, never }: { readonly rows: number; readonly never: ReadonlySet<number> },
): readonly number[] {
  const width = second.length;
  const cells = start.map((count, cell) => (never.has(cell) ? 0 : count + (MIN_CELL * rows) / start.length));
  for (let pass = 0; pass < PASSES; pass++) {
    let off = 0;
    first.forEach((want, i) => {
      const has = sum(cells.slice(i * width, (i + 1) * width));
      off = Math.max(off, Math.abs(want - has));
      for (let j = 0; j < width; j++) cells[i * width + j] = scaled(cells[i * width + j], want, has);
    });
    second.forEach((want, j) => {
      let has = 0;
      for (let i = 0; i < first.length; i++) has += cells[i * width + j] ?? 0;
      off = Math.max(off, Math.abs(want - has));
      for (let i = 0; i < first.length; i++) cells[i * width + j] = scaled(cells[i * width + j], want, has);
    });
    if (off <= CLOSE * rows) break;
  }
  return cells;
}

/** A line that was scaled to nothing stays so. */
const scaled = (cell: number | undefined, want: number, has: number): number =>
  has > 0 ? ((cell ?? 0) * want) / has : 0;
