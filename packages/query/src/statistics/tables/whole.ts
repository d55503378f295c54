import type { TablesTask } from "../../plan/task.ts";
import { handDown, placesOf, sizeOf, sumUp } from "./lattice.ts";
import { rootsOf } from "./levels.ts";
import { answeredOf, setOf, sidesOf } from "./sets.ts";
import { impossibleCellsOf } from "./zeros.ts";

/** Cells of all columns together, which are fitted one by one. */
export const mostWholeCells = 20_000;
const ROUNDS = 300;

/** Cells that fitting goes through, in all rounds. */
export function wholeSteps(task: TablesTask): number {
  if (task.isWhole !== true) return 0;
  const { columns, answers } = task;
  return ROUNDS * (2 * sizeOf(sidesOf(columns, setOf(rootsOf(columns)))) + answers);
}

/**
 * Whole numbers from 0 up in all cells of the columns together, added up to every table [M422]: first the real ones of least squared distance from the
 * answers in units of their variances, by at most 300 steps of a projected gradient; then, in the order of the cells, the rounded running totals' steps, so
 * that a sum over neighbouring cells is off by less than one.
 */
export function wholeTables(
  task: TablesTask,
  tables: readonly (readonly number[])[],
  variances: readonly number[],
): readonly (readonly number[])[] {
  const { columns } = task;
  const all = setOf(rootsOf(columns));
  const sides = sidesOf(columns, all);
  const leaves = placesOf(sides, all);
  const never = impossibleCellsOf(task, all);
  const sets = answeredOf(task).map((set, at) => ({
    places: placesOf(sides, set),
    weight: 1 / (variances[at] ?? 1),
    wanted: tables[at] ?? [],
  }));
  const whole = tables[answeredOf(task).indexOf(all)];
  const [[total = 0] = []] = tables;
  const possible = never.filter((isNever) => !isNever).length;
  const start = never.map((isNever, cell) => (isNever ? 0 : Math.max(0, whole?.[cell] ?? total / possible)));
  const lattice = new Float64Array(sizeOf(sides));
  /** What all tables say of each cell: how far they are off, by their weights. */
  const slopesAt = (x: readonly number[], isOff: boolean): readonly number[] => {
    leaves.forEach((place, cell) => {
      lattice[place] = x[cell] ?? 0;
    });
    sumUp(sides, lattice);
    const found = sets.map(({ places, weight, wanted }) =>
      places.map((place, cell) => weight * ((lattice[place] ?? 0) - (isOff ? (wanted[cell] ?? 0) : 0))),
    );
    lattice.fill(0);
    sets.forEach(({ places }, at) => {
      places.forEach((place, cell) => {
        lattice[place] = found[at]?.[cell] ?? 0;
      });
    });
    handDown(sides, lattice);
    return leaves.map((place) => lattice[place] ?? 0);
  };
  // The largest sum of a line of the curvature, whose numbers are none below 0: no eigenvalue is larger.
  const curvature = slopesAt(
    never.map(() => 1),
    false,
  ).reduce((most, each) => Math.max(most, each), 0);
  let [x, ahead, pace] = [start, start, 1];
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = slopesAt(ahead, true);
    const next: number[] = ahead.map((value, cell) =>
      never[cell] ? 0 : Math.max(0, value - (slopes[cell] ?? 0) / curvature),
    );
    const faster = (1 + Math.sqrt(1 + 4 * pace * pace)) / 2;
    ahead = next.map((value, cell) => value + ((pace - 1) / faster) * (value - (x[cell] ?? 0)));
    [x, pace] = [next, faster];
  }
  let [running, before] = [0, 0];
  leaves.forEach((place, cell) => {
    running += x[cell] ?? 0;
    const rounded = Math.round(running);
    lattice[place] = rounded - before;
    before = rounded;
  });
  sumUp(sides, lattice);
  return sets.map(({ places }) => places.map((place) => lattice[place] ?? 0));
}
