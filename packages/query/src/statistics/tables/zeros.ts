import { memoized } from "@dosimeter/core/internal";
import type { ImpossibleCells, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { addUp, placesOf, type Side, sizeOf, takeApart } from "./lattice.ts";
import { type Columns, rootOf, upFrom } from "./levels.ts";
import { answeredOf, type ColumnSet, columnsIn, setOf, sidesOf, within } from "./sets.ts";

/** Places of the lattice of all columns that facts are about: its square is held in memory. */
const MAX_PLACES = 800;
/** What is left of a cell's variance where the cells before it decide its number. */
const NOTHING = 1e-9;

type About = readonly Pick<ImpossibleCells, "columns">[];

const aboutIn = (columns: Columns, impossible: About): ColumnSet =>
  setOf(impossible.flatMap(({ columns: of }) => of.map((at) => rootOf(columns, at))));

export const isSmall = (columns: Columns, impossible: About): boolean =>
  sizeOf(sidesOf(columns, aboutIn(columns, impossible))) <= MAX_PLACES;

/** Multiplications, at most, that agreeing with impossible cells takes: a plan asks whenever it is priced, has its room or departs. */
export const zeroSteps = memoized((task: TablesTask): number => {
  const { columns, impossible = [] } = task;
  if (impossible.length === 0) return 0;
  const about = aboutIn(columns, impossible);
  const own = within(about, columns);
  const mask = setOf(own.flatMap(columnsIn));
  const size = sizeOf(sidesOf(columns, about));
  const zeros = own.reduce((sum, set) => sum + impossibleCellsOf(task, set).filter(Boolean).length, 0);
  return [...new Set(answeredOf(task).map((set) => set & ~mask))].reduce(
    (sum, others) => sum + size * (size + zeros * (zeros / 2 + cellsIn(columns, columnsIn(others)))),
    0,
  );
}, new WeakMap());

/** For each cell of a table whether no row can be in it. */
export function impossibleCellsOf(
  { columns, impossible = [] }: Pick<TablesTask, "columns" | "impossible">,
  table: ColumnSet,
): readonly boolean[] {
  const at = columnsIn(table);
  if (impossible.length === 0) return new Array<boolean>(cellsIn(columns, at)).fill(false);
  const never = impossible.map(({ columns: [a, b], cells }) => ({ a, b, cells: new Set(cells) }));
  const valuesAt = (column: number): readonly ReadonlyMap<number, number>[] =>
    Array.from({ length: columns[column]?.cells ?? 1 }, (_, value) => {
      let own = value;
      return new Map(
        upFrom(columns, column).map((level) => {
          const entry = [level, own] as const;
          own = columns[level]?.within?.groups[own] ?? 0;
          return entry;
        }),
      );
    });
  const rows = at.reduce<readonly ReadonlyMap<number, number>[]>(
    (all, column) => all.flatMap((row) => valuesAt(column).map((own) => new Map([...row, ...own]))),
    [new Map()],
  );
  return rows.map((row) =>
    never.some(({ a, b, cells }) => {
      const [first, second] = [row.get(a), row.get(b)];
      return first !== undefined && second !== undefined && cells.has(first * (columns[b]?.cells ?? 1) + second);
    }),
  );
}

/**
 * Makes released parts agree with cells that are 0, by least squares in units of their noise: of the columns of the facts together, once for each set of
 * the other columns, whose parts are independent of one another [M421].
 */
export function agreeWithImpossible(
  task: TablesTask,
  residuals: ReadonlyMap<ColumnSet, { readonly sums: number[] }>,
): void {
  const { columns, impossible = [], parts } = task;
  if (impossible.length === 0) return;
  const about = aboutIn(columns, impossible);
  const own = new Set(within(about, columns));
  const mask = setOf([...own].flatMap(columnsIn));
  const sides = sidesOf(columns, about);
  const times = new Map(parts.map(({ columns: of, times: q }) => [setOf(of), Number(q)]));
  for (const others of new Set(answeredOf(task).map((set) => set & ~mask))) {
    const held = [...own].filter((set) => times.has(set | others));
    const pieces = held.map((set) => ({ set, places: placesOf(sides, set), q: times.get(set | others) ?? 1 }));
    const zeros = pieces.flatMap(({ set, places }) => {
      const never = impossibleCellsOf(task, set);
      return places.filter((_, cell) => never[cell]);
    });
    if (zeros.length === 0) continue;
    const correct = projection(sides, zeros, pieces);
    const wholes = pieces.map(({ set }) => {
      const all = set | others;
      // The cells of others are the same, in the same order, whatever stands for the columns of the facts.
      return { sums: residuals.get(all)?.sums ?? [], places: gatheredOf(columns, { set, others }) };
    });
    for (let other = 0; other < (wholes[0]?.places.length ?? 0); other++) {
      const lattice = new Float64Array(sizeOf(sides));
      pieces.forEach(({ places }, at) => {
        const { sums = [], places: from = [] } = wholes[at] ?? {};
        places.forEach((place, cell) => {
          lattice[place] = sums[from[other]?.[cell] ?? 0] ?? 0;
        });
      });
      addUp(sides, lattice);
      correct(lattice);
      takeApart(sides, lattice);
      pieces.forEach(({ places }, at) => {
        const { sums = [], places: from = [] } = wholes[at] ?? {};
        places.forEach((place, cell) => {
          sums[from[other]?.[cell] ?? 0] = lattice[place] ?? 0;
        });
      });
    }
  }
}

/** For each cell of the other columns, the places in a table of both of the cells of these. */
function gatheredOf(
  columns: Columns,
  { set, others }: { readonly set: ColumnSet; readonly others: ColumnSet },
): readonly (readonly number[])[] {
  const gathered: number[][] = [];
  const all = columnsIn(set | others);
  const sizes = all.map((at) => columns[at]?.cells ?? 1);
  const count = sizes.reduce((product, size) => product * size, 1);
  for (let cell = 0; cell < count; cell++) {
    let [left, other, scale] = [cell, 0, 1];
    for (let side = all.length - 1; side >= 0; side--) {
      const size = sizes[side] ?? 1;
      if (((others >> (all[side] ?? 0)) & 1) === 1) {
        other += (left % size) * scale;
        scale *= size;
      }
      left = Math.floor(left / size);
    }
    const cells = gathered[other] ?? [];
    gathered[other] = cells;
    cells.push(cell);
  }
  return gathered;
}

/** Moves a lattice of sums to the nearest one whose `zeros` are 0. */
function projection(
  sides: readonly Side[],
  zeros: readonly number[],
  pieces: readonly { readonly places: readonly number[]; readonly q: number }[],
): (lattice: Float64Array) => void {
  const size = sizeOf(sides);
  // What a unit of noise on each integer makes of the lattice, in standard deviations.
  const moves = pieces.flatMap(({ places, q }) =>
    places.map((place) => {
      const moved = new Float64Array(size);
      moved[place] = 1 / q;
      addUp(sides, moved);
      return { place, q, moved };
    }),
  );
  // Each zero in turn, less what those before it say of it; where nothing is left they decide it.
  const steps: { readonly at: number; readonly along: Float64Array }[] = [];
  for (const at of zeros) {
    const along = new Float64Array(size);
    let most = 0;
    for (const { place, q, moved } of moves) {
      const weight = moved[at] ?? 0;
      most += weight * weight;
      along[place] = weight / q;
    }
    addUp(sides, along);
    for (const step of steps) {
      const weight = (step.along[at] ?? 0) / (step.along[step.at] ?? 1);
      if (weight !== 0)
        for (let place = 0; place < size; place++)
          along[place] = (along[place] ?? 0) - weight * (step.along[place] ?? 0);
    }
    if ((along[at] ?? 0) > NOTHING * most) steps.push({ at, along });
  }
  return (lattice) => {
    for (const { at, along } of steps) {
      const weight = (lattice[at] ?? 0) / (along[at] ?? 1);
      for (let place = 0; place < size; place++) lattice[place] = (lattice[place] ?? 0) - weight * (along[place] ?? 0);
    }
  };
}
