import { noiseHalfWidth, spread } from "../../noise/tail.ts";
import type { BoundedStatistic, Noise } from "../../plan/bounded.ts";
import type { TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { weightedHalfWidth } from "../curve/cdf.ts";
import { type Kinds, kindsOf } from "./kinds.ts";
import { addUp, latticeOf, placesOf, sizeOf } from "./lattice.ts";
import { precisionsOf } from "./passes.ts";
import { answeredOf, type ColumnSet, columnsIn, isWithin, largestOf, setOf, sidesOf, within } from "./sets.ts";
import { scaleOf } from "./strategy.ts";
import { agreeWithImpossible } from "./zeros.ts";

/** Released numbers of rows are rounded to this. */
const DIGIT = 1e-6;
const rounded = (x: number): number => Math.round(x / DIGIT) / Math.round(1 / DIGIT);

/** The places of a lattice over some columns that hold the table of a part of them. */
const placesIn = ({ columns }: TablesTask, table: ColumnSet, part: ColumnSet): readonly number[] =>
  placesOf(sidesOf(columns, table), part);

/** A list cut into pieces of these lengths. */
function cut<T>(all: readonly T[], lengths: readonly number[]): readonly (readonly T[])[] {
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return all.slice(from - length, from);
  });
}

/** The integers of each part. */
export function piecesOf(
  noisy: readonly bigint[],
  { columns, parts }: TablesTask,
): ReadonlyMap<ColumnSet, readonly bigint[]> {
  const pieces = cut(
    noisy,
    parts.map(({ columns: of }) => cellsIn(columns, of)),
  );
  return new Map(parts.map(({ columns: of }, at) => [setOf(of), pieces[at] ?? []]));
}

/** The integers that get noise, from the counted tables [M398]. */
export function partIntegers(counts: readonly bigint[], task: TablesTask): readonly bigint[] {
  const { columns, counted, parts, isResidual } = task;
  const tables = cut(
    counts,
    counted.map((table) => cellsIn(columns, table)),
  ).map((cells, at) => {
    const set = setOf(counted[at] ?? []);
    return { set, lattice: latticeOf(sidesOf(columns, set), cells, isResidual) };
  });
  return parts.flatMap(({ columns: of, times }) => {
    const part = setOf(of);
    const table = tables.find(({ set }) => isWithin(part, set, columns));
    if (table === undefined) throw new RangeError("every part is within a counted table");
    return placesIn(task, table.set, part).map((place) => times * (table.lattice[place] ?? 0n));
  });
}

/** How much a part says of what tables within it add: 1 over the variance there, in units of that of the noise. */
const precisionOf = ({ columns }: TablesTask, part: ColumnSet, times: bigint, of: ColumnSet): number =>
  Number(times) ** 2 / cellsIn(columns, columnsIn(part & ~of));

/** Every table of the answer, in its order, from the noisy integers: all agree [M397]. */
export function tablesFrom(noisy: readonly bigint[], task: TablesTask): readonly (readonly number[])[] {
  const { columns, asked, parts, isResidual } = task;
  const residuals = new Map<ColumnSet, { readonly sums: number[]; weight: number }>();
  const pieces = piecesOf(noisy, task);
  for (const { columns: of, times } of parts) {
    const part = setOf(of);
    const piece = pieces.get(part) ?? [];
    if (isResidual) {
      residuals.set(part, { sums: piece.map((value) => Number(value) / Number(times)), weight: 1 });
      continue;
    }
    const lattice = latticeOf(sidesOf(columns, part), piece, true);
    for (const set of within(part)) {
      const precision = precisionOf(task, part, times, set);
      const found = residuals.get(set) ?? { sums: [], weight: 0 };
      placesIn(task, part, set).forEach((place, cell) => {
        found.sums[cell] = (found.sums[cell] ?? 0) + (precision * Number(lattice[place])) / Number(times);
      });
      found.weight += precision;
      residuals.set(set, found);
    }
  }
  if (isResidual) agreeWithImpossible(task, residuals);
  const tables = new Map<ColumnSet, readonly number[]>();
  for (const table of largestOf(asked.map(setOf), columns)) {
    const sides = sidesOf(columns, table);
    const lattice = new Float64Array(sizeOf(sides));
    const parts = within(table, columns).map((set) => [set, placesIn(task, table, set)] as const);
    for (const [set, places] of parts) {
      const { sums = [], weight = 1 } = residuals.get(set) ?? {};
      places.forEach((place, cell) => {
        lattice[place] = (sums[cell] ?? 0) / weight;
      });
    }
    addUp(sides, lattice);
    for (const [set, places] of parts)
      if (!tables.has(set))
        tables.set(
          set,
          places.map((place) => rounded(lattice[place] ?? 0)),
        );
  }
  return answeredOf(task).map((set) => tables.get(set) ?? []);
}

/** The error of the cells of one table, in units of the noise: Σ of the squared weights of the integers in one, at most, and the largest weight. */
interface Spread extends Kinds {
  readonly squares: number;
  readonly largest: number;
}

/** A number of rows as it is, of ticks in the unit of their column. */
export const inUnits = (value: number, { ticks }: TablesTask): number =>
  ticks === undefined ? value : (value * Number(ticks.step.numerator)) / Number(ticks.step.denominator);

const kept = new WeakMap<TablesTask, readonly Spread[]>();

/** The errors of all tables of an answer, in its order [M397]. */
export function spreadsOf(task: TablesTask): readonly Spread[] {
  const known = kept.get(task) ?? spreads(task);
  kept.set(task, known);
  return known;
}

function spreads(task: TablesTask): readonly Spread[] {
  const { columns, parts, isResidual } = task;
  const sets = answeredOf(task);
  // By the numbers of sets: each is looked up for every pair of them.
  const bySet = (): Float64Array => new Float64Array(1 << columns.length);
  const [timesOf, variances, squares, cells] = [bySet(), bySet(), bySet(), bySet()];
  for (const { columns: of, times } of parts) timesOf[setOf(of)] = Number(times);
  const own = (set: ColumnSet): number => timesOf[set] ?? 0;
  const precisions = isResidual
    ? sets.map((set) => (own(set) * scaleOf(columns, set)) ** 2)
    : precisionsOf(sets, columns, (set) => own(set) ** 2);
  sets.forEach((set, at) => {
    variances[set] = 1 / (precisions[at] ?? 1);
    cells[set] = cellsIn(columns, columnsIn(set));
  });
  const found = sets.map((table) => kindsOf(columns, table, variances));
  sets.forEach((table, at) => {
    squares[table] = Math.max(...(found[at]?.kinds ?? []));
  });
  // The largest weight of one integer of a part in the cell of a table that it is in [M408].
  const largestIn = (table: ColumnSet): number =>
    sets.reduce((most, part) => {
      const both = table & part;
      return Math.max(
        most,
        ((timesOf[part] ?? 0) * (squares[both] ?? 0) * (cells[both] ?? 1) ** 2) / (cells[part] ?? 1),
      );
    }, 0) / (cells[table] ?? 1);
  return sets.map((table, at) => ({
    squares: squares[table] ?? 0,
    largest: isResidual ? 0 : largestIn(table),
    ...(found[at] ?? { kinds: [], kindOf: [] }),
  }));
}

/** x with P(|noise of a cell| > x) ≤ failureProbability [M397, M410]. */
export function halfWidthAt(
  noise: Noise,
  { squares, largest }: Pick<Spread, "squares" | "largest">,
  failureProbability: number,
): number {
  if (noise.kind === "gaussian") return weightedHalfWidth(noise, squares, failureProbability) + DIGIT;
  const others = squares - largest ** 2;
  const isOne = others < 1e-12 * squares && Math.abs(largest - 1) < 1e-12;
  if (isOne) return noiseHalfWidth(noise, failureProbability);
  const all = largest * weightedHalfWidth(noise, squares / largest ** 2, failureProbability);
  const rest = Math.max(0, others) / largest ** 2;
  const scale = spread(noise);
  const one = Math.log(2 / ((1 + Math.exp(-1 / scale)) * failureProbability));
  return (rest < 1 ? Math.min(all, largest * scale * (one - Math.log1p(-rest))) : all) + DIGIT;
}

/** Half-widths of every table of an answer, in its order: that of the cell with the largest. */
export const halfWidthsOf = (
  { task, noise }: BoundedStatistic<TablesTask>,
  failureProbability: number,
): readonly number[] => spreadsOf(task).map((spread) => inUnits(halfWidthAt(noise, spread, failureProbability), task));

/** The largest of some tables. */
export function largestHalfWidth(
  { task, noise }: BoundedStatistic<TablesTask>,
  tables: readonly ColumnSet[],
  failureProbability: number,
): number {
  const isAsked = new Set(tables);
  const spread = spreadsOf(task).filter((_, at) => isAsked.has(answeredOf(task)[at] ?? -1));
  const most = Math.max(...spread.map(({ squares }) => squares));
  // It grows with the squares where nothing else matters, as a price is searched for by many of these.
  const alike = noise.kind === "gaussian" ? spread.filter(({ squares }) => squares === most).slice(0, 1) : spread;
  return inUnits(Math.max(...alike.map((each) => halfWidthAt(noise, each, failureProbability))), task);
}

/** The same of each cell of every table. */
export const cellHalfWidthsOf = (
  { task, noise }: BoundedStatistic<TablesTask>,
  failureProbability: number,
): readonly (readonly number[])[] =>
  spreadsOf(task).map(({ largest, kinds, kindOf }) => {
    const halves = kinds.map((squares) => inUnits(halfWidthAt(noise, { squares, largest }, failureProbability), task));
    return kindOf.map((kind) => halves[kind] ?? 0);
  });
