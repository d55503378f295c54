import { axesOf, binsOf, nodesOf, type TableColumn, type Task } from "./task.ts";

/** What plans, quotes and offers know of a kind of task. */
interface TaskKind<T extends Task> {
  /** The columns of a task that reads more than one; of several measured together the first is among them. */
  readonly columns: (task: T) => readonly string[];
  /** The column that its bins are of; null where that is the column of the statistic. */
  readonly binned: (task: T) => string | null;
  /** Whether answers are chosen among declared ones instead of noised. */
  readonly isChosen: (task: T) => boolean;
  /** Each answer is one of these leaves and its error a number of rows; null where it is not. */
  readonly ranked: (task: T) => number | null;
  /** How many leaves of a group are chosen; none where noise is added. */
  readonly leafDraws: (task: T) => number;
  /** How many times as long as for a mean the interval of one group is searched for, where this many integers share its noise. */
  readonly searches: (width: number) => number;
  /** What one unit changes in all choices of a group that share one price; null where there are none. */
  readonly choicesTogether: (task: T) => bigint | null;
  /** The most groups in an answer, the largest of all; null where it has every group. */
  readonly shown: (task: T) => number | null;
  /** Noised cells of one group. */
  readonly noised: (task: T) => number;
  /** How many answers there are, of this number of groups with this number of bins each. */
  readonly answers: (task: T, groups: number, bins: number) => number;
  /** The error in rows from which on an answer says nothing, of all rows and of those of one group; null: its range or bins decide. */
  readonly uselessFrom: (task: T, rows: number | null, each: number) => number | null;
  /** Of how many periods this report of a running total is that goes on [M209]; null where it is asked once. */
  readonly periods: (task: T) => number | null;
  /** What no report of one may change [M209]: all but how many periods there are, and which. */
  readonly lasting: (task: T) => object;
  /** Whether a unit is counted once, or its rows are added up first, so that what it adds depends on all of its rows. */
  readonly isOfUnits: boolean;
}

export const cellsIn = (columns: readonly Pick<TableColumn, "cells">[], table: readonly number[]): number =>
  table.reduce((product, at) => product * (columns[at]?.cells ?? 1), 1);

const noisedBins = {
  columns: (task: Task) => axesOf({ task }).map(({ column }) => column),
  binned: () => null,
  isChosen: () => false,
  ranked: () => null,
  leafDraws: () => 0,
  searches: () => 0,
  choicesTogether: () => null,
  shown: () => null,
  noised: (task: Task) => Math.max(1, binsOf({ task }).length),
  answers: (_, groups, bins) => groups * bins,
  uselessFrom: () => null,
  periods: () => null,
  lasting: (task) => task,
  isOfUnits: false,
} as const satisfies TaskKind<Task>;

/** A new kind of task is a row here; SQL, practice data and earlier answers list the kinds in closed switches and tables. */
const taskKinds: { readonly [K in Task["kind"]]: TaskKind<Extract<Task, { readonly kind: K }>> } = {
  counts: noisedBins,
  clips: noisedBins,
  cuts: { ...noisedBins, isOfUnits: true },
  values: noisedBins,
  sums: { ...noisedBins, searches: (width) => (width - 1) ** 2 },
  totals: { ...noisedBins, isOfUnits: true },
  joint: { ...noisedBins, searches: () => 4 },
  choice: {
    ...noisedBins,
    isChosen: () => true,
    ranked: ({ leaves }) => leaves,
    leafDraws: ({ targets }) => targets.length,
  },
  curve: {
    ...noisedBins,
    noised: ({ shape }) => nodesOf(shape),
    answers: ({ leaves }, groups) => groups * leaves,
    uselessFrom: (_, __, each) => each / 2,
  },
  series: {
    ...noisedBins,
    columns: ({ over }) => (over === undefined ? [] : [over.column]),
    binned: ({ over }) => over?.column ?? null,
    periods: ({ bins, horizon }) => (horizon === undefined ? null : bins.length),
    lasting: ({ bins: _, range: __, over, ...task }) => ({ ...task, over: over?.column ?? null }),
  },
  table: {
    ...noisedBins,
    columns: ({ columns }) => columns.map(({ name }) => name),
    noised: ({ cells }) => cells,
    answers: ({ columns }) => columns.reduce((sum, { cells }) => sum + cells, 0),
    uselessFrom: ({ columns }, _, each) => (each * columns.length) / columns.reduce((sum, { cells }) => sum + cells, 0),
  },
  tables: {
    ...noisedBins,
    columns: ({ columns }) => columns.map(({ name }) => name),
    noised: ({ columns, parts }) => parts.reduce((sum, part) => sum + cellsIn(columns, part.columns), 0),
    answers: ({ answers }) => answers,
    uselessFrom: ({ columns, asked }, _, each) =>
      (each * asked.length) / asked.reduce((sum, table) => sum + cellsIn(columns, table), 0),
  },
  top: {
    ...noisedBins,
    isChosen: ({ chosen }) => chosen,
    choicesTogether: ({ k, chosen, perChoice }) => (chosen ? BigInt(k) * perChoice : null),
    shown: ({ k }) => k,
    answers: ({ k }) => k,
    uselessFrom: ({ chosen }, rows) => (chosen ? rows : null),
  },
};

export const taskKindOf = <T extends Task>({ task }: { readonly task: T }): TaskKind<T> =>
  taskKinds[task.kind] as TaskKind<Task>;

export const columnsOf = (of: { readonly task: Task }): readonly string[] => taskKindOf(of).columns(of.task);
export const isChosen = (of: { readonly task: Task }): boolean => taskKindOf(of).isChosen(of.task);
/** Whether each answer is a leaf at some rank. */
export const isRanked = (of: { readonly task: Task }): boolean => taskKindOf(of).ranked(of.task) !== null;
export const periodsOf = (of: { readonly task: Task }): number | null => taskKindOf(of).periods(of.task);
export const lastingOf = (of: { readonly task: Task }): object => taskKindOf(of).lasting(of.task);
