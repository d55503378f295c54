import type { Calendar, Rational } from "@dosimeter/core";
import type { ColumnType } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";

/** A declared bin. Numbers: `lower` ≤ x < `upper`, closed above in the last; integers: both ends belong. */
export type Bin =
  | { readonly label: string; readonly lower: number; readonly upper: number }
  | { readonly label: string; readonly value: Key };

/** value = `origin` + `step` · tick: how measured integers become the column's own unit. `steps` ticks from lower to upper. */
export interface Ticks {
  readonly lower: Rational;
  readonly step: Rational;
  /** Lower bound in ticks of 0: signed sums add integers in [first, first + steps]. */
  readonly first: bigint;
  readonly steps: bigint;
}

/** Clamping bounds as used. */
export interface Range {
  readonly lower: number;
  readonly upper: number;
  /** Of dates: the periods that the bounds count. */
  readonly calendar?: Calendar;
}

/** What is chosen instead of noised: leaves of `ticksPerLeaf` ticks each, one for every target share. */
export interface Selection {
  readonly leaves: number;
  readonly ticksPerLeaf: bigint;
  /** In rising order; `numerator`/`denominator` is the share, exactly. */
  readonly targets: readonly { readonly share: number; readonly numerator: bigint }[];
  readonly denominator: bigint;
  /** The value a fixed number of rows from an end, not a share of all rows away. */
  readonly extreme: boolean;
}

/**
 * Levels of a tree over a row of leaves, coarsest first; a node covers `fanOut` nodes below it, the last one what is left. Or one level, whose
 * leaves are mixed by `factor`.
 */
export interface TreeShape {
  readonly fanOut: number;
  readonly factor?: readonly bigint[];
  /** Nodes of each level; the last is the number of leaves. There is no root: its total is the sum of the first level. */
  readonly sizes: readonly number[];
}

export const nodesOf = ({ sizes }: TreeShape): number => sizes.reduce((sum, size) => sum + size, 0);

/** Cumulative counts: leaves of `ticksPerLeaf` ticks each, noised in a tree. */
export interface Curve {
  readonly leaves: number;
  readonly ticksPerLeaf: bigint;
  readonly shape: TreeShape;
}

/** One measured column: clamped to its bounds and put on a grid of whole steps, 0 … steps. */
export interface Axis {
  readonly column: string;
  readonly lower: number;
  readonly upper: number;
  readonly steps: bigint;
}

/**
 * Which integers stand for a row of several columns. `tensor`: products of (S − t)², 2t(S − t), t² of each column, non-negative
 * with a constant sum. `gram`: products of two of z = (S, 2t₁ − S, 2t₂ − S, …), one grid for all columns. [M120]
 */
export interface Design {
  readonly kind: "tensor" | "gram";
  readonly axes: readonly Axis[];
  /** All integers are multiplied by it, so that noise of less than one integer is negligible next to a row. */
  readonly fine: bigint;
}

/** How often each column is a factor: [1, 0, 1] is the product of the first and the third. */
export type Exponents = readonly number[];

/** Values of one column, clamped to a range and rounded to a grid of ticks. */
interface OnGrid {
  readonly ticks: Ticks;
  readonly range: Range;
}

/** Rows or units are counted: in all, or in each declared bin. `range`: of a histogram of a bounded column. */
export interface CountsTask {
  readonly kind: "counts";
  readonly bins: readonly Bin[];
  readonly range?: Range;
}

/** Rows are counted below, within and above a range. */
export interface ClipsTask extends OnGrid {
  readonly kind: "clips";
  readonly bins: readonly Bin[];
}

/** Units with more rows than `mostRows` are counted, and those without. */
export interface CutsTask {
  readonly kind: "cuts";
  readonly bins: readonly Bin[];
  readonly mostRows: number;
}

/** Different values are counted, `perUnit` of each unit. They are texts, steps of a grid, or whole numbers. */
export interface ValuesTask {
  readonly kind: "values";
  readonly perUnit: number;
  readonly isText: boolean;
  readonly ticks?: Ticks;
  readonly range?: Range;
}

/**
 * Ticks and their powers are added up over rows. `publicRows`: the public number of rows, where it makes the statistic
 * cheaper (replace-one, unit row, nothing filtered or missing).
 */
export interface SumsTask extends OnGrid {
  readonly kind: "sums";
  readonly publicRows?: number;
}

/** Totals of a unit in one group are clamped to `unitTicks`, in ticks from 0, and added up. */
export interface TotalsTask extends OnGrid {
  readonly kind: "totals";
  readonly unitTicks: { readonly least: bigint; readonly largest: bigint };
}

/** Leaves are chosen; the noise is that of the choice: `noise.scale` is then K/ε, in rows. */
export interface ChoiceTask extends OnGrid, Selection {
  readonly kind: "choice";
}

/** Cumulative counts are noised in a tree. */
export interface CurveTask extends OnGrid, Curve {
  readonly kind: "curve";
}

/**
 * Totals to date over periods in order: rows or the values of a column are added up in each, and the totals of the periods are mixed by
 * a lower-triangular Toeplitz matrix before they get noise [M208].
 */
export interface SeriesTask {
  readonly kind: "series";
  readonly bins: readonly Bin[];
  /** The first column of the matrix, not negative; what it does not have is 0. */
  readonly factor: readonly bigint[];
  /** Of how many periods it will be in all, where only the integers of the newest one are drawn, next to those of earlier releases [M209]. */
  readonly horizon?: number;
  /** Of the column that is read. */
  readonly range: Range;
  /** Where values are added up: their grid, and the column whose periods these are. Absent where rows are counted. */
  readonly ticks?: Ticks;
  readonly over?: { readonly column: string; readonly range: Range };
}

/** The k most frequent groups; `chosen` one after another without their counts, or by noisy counts of all. */
export interface TopTask {
  readonly kind: "top";
  readonly k: number;
  readonly chosen: boolean;
  /** What one unit can change in a comparison of two of them. */
  readonly perChoice: bigint;
}

/** Several columns are measured together. `range`: of the first, where it has one. */
export interface JointTask {
  readonly kind: "joint";
  readonly design: Design;
  readonly range?: Range;
}

/** A column of a table that is measured as a whole: its cells are its bins, and one more where a value may miss. */
export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly bins: readonly Bin[];
  readonly hasMissing: boolean;
  readonly cells: number;
  /** Of dates: the periods that bins count. */
  readonly calendar?: Calendar;
  readonly granularity?: number;
  /** The coarser column, by its place, that its values lie within, and the cell there of each of its cells. */
  readonly within?: { readonly column: number; readonly groups: readonly number[] };
  /** It is not read: its cells follow from those of a finer column. */
  readonly isLevel?: true;
}

/** Rows are counted in the cells of every column and of every pair of columns that may be chosen; `cells` in all. */
export interface TableTask {
  readonly kind: "table";
  readonly columns: readonly TableColumn[];
  readonly pairs: readonly (readonly [number, number])[];
  /** How much each pair matters, where they do not matter alike; none is 0. */
  readonly weights?: readonly number[];
  /** Public facts about made-up rows; they are not about what is measured. */
  readonly impossible?: readonly ImpossibleCells[];
  readonly cells: number;
}

/** What of a set of tables gets noise: the integers of these columns, by their places, each multiplied first. */
export interface TablePart {
  readonly columns: readonly number[];
  readonly times: bigint;
}

/** Rows are counted in tables of several columns, and everything that these add up to is answered with them [M395]. */
export interface TablesTask {
  readonly kind: "tables";
  readonly columns: readonly TableColumn[];
  readonly asked: readonly (readonly number[])[];
  /** Those that are counted: none of them is within another. `cells` in all. */
  readonly counted: readonly (readonly number[])[];
  readonly cells: number;
  readonly answers: number;
  readonly parts: readonly TablePart[];
  /** Whether parts are what a table adds to those within it, and not tables. */
  readonly isResidual: boolean;
  /** Cells that no row can be in: they are 0, and the others agree with that [M421]. */
  readonly impossible?: readonly ImpossibleCells[];
  /** Whole numbers from 0 up that agree stand next to the answers [M422]. */
  readonly isWhole?: true;
  /** Where the values of a column are added up in place of rows: their grid and bounds [M409]. */
  readonly ticks?: Ticks;
  readonly range?: Range;
}

/** Cells of a pair of columns that no row can be in, as the request says. The second column runs fastest. */
export interface ImpossibleCells {
  readonly columns: readonly [number, number];
  readonly cells: readonly number[];
  readonly says: string;
}

/** The measured quantity, with all that measuring, noise and reading need. */
export type Task =
  | CountsTask
  | ClipsTask
  | CutsTask
  | ValuesTask
  | SumsTask
  | TotalsTask
  | ChoiceTask
  | CurveTask
  | SeriesTask
  | TopTask
  | JointTask
  | TableTask
  | TablesTask;

type With<T> = { readonly task: T };

export const binsOf = ({ task }: With<Task>): readonly Bin[] => ("bins" in task ? task.bins : []);
export const rangeOf = ({ task }: With<Task>): Range | undefined => ("range" in task ? task.range : undefined);
export const gridOf = ({ task }: With<Task>): Ticks | undefined => ("ticks" in task ? task.ticks : undefined);
/** The columns that are measured together; none where a task reads one column at most. */
export const axesOf = ({ task }: With<Task>): readonly Axis[] => ("design" in task ? task.design.axes : []);
/** The bounds of one unit's total in one group, where each unit's rows are added up before they count. */
export const unitTicksOf = ({ task }: With<Task>): TotalsTask["unitTicks"] | undefined =>
  "unitTicks" in task ? task.unitTicks : undefined;
/** Leaves that SQL counts in place of bins. */
export const leavesOf = ({ task }: With<Task>): ChoiceTask | CurveTask | undefined =>
  "ticksPerLeaf" in task ? task : undefined;
/** Cells of one group whose integers an engine measures: those that a task states, or every leaf or bin. */
export const cellsPerGroup = (of: With<Task>): number =>
  "cells" in of.task ? of.task.cells : (leavesOf(of)?.leaves ?? Math.max(1, binsOf(of).length));
export const publicRowsOf = ({ task }: With<Task>): number | undefined =>
  "publicRows" in task ? task.publicRows : undefined;
