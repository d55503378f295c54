import type { BlockRange, EventAdjacency, Random } from "@dosimeter/core";
import type { Column, ContributionBound, Declaration } from "../declaration/declaration.ts";
import type { Predicate } from "../declaration/predicate.ts";
import type { Fields } from "../input/check.ts";
import type { BoundedStatistic, Contribution, GroupKey, NoiseFamily, Sensitivity } from "../plan/bounded.ts";
import type { RowVector } from "../plan/sensitivity.ts";
import type { Bin, Exponents, Range, Task } from "../plan/task.ts";
import type { AuditCase, NoiseCase } from "./audit-case.ts";
import type { AnswerCell, Interval } from "./cell.ts";
import type { ReleasedTable, TableErrors } from "./released.ts";
import type { Reuse } from "./reuse.ts";

/** What SQL adds up in each cell. `ticks` counts from the lower bound, `signedTicks` from zero. */
export type Aggregate =
  | "rows"
  | "units"
  | "values"
  | "ticks"
  | "signedTicks"
  | "squares"
  | { readonly powers: Exponents };

/** One cell, after noise. */
export interface Reading {
  readonly value: number;
  readonly interval: Interval;
  /** The number of rows, from the same noisy integers, for free. */
  readonly rows?: { readonly value: number; readonly interval: Interval };
  /** Regression: the standard error from the noise and from drawing these people from a larger population, together. */
  readonly standardError?: number;
  /** The most rows between the value and the truth; the interval is then the whole possible range. */
  readonly rank?: number;
  /** The noise is larger than the data; the value is a placeholder inside the bounds. */
  readonly unreliable?: true;
}

/** One cell of a statistic that makes its own cells. */
export interface CellReading extends Reading {
  readonly bin?: Bin;
  /** The values of its columns, where they are not those of a group of the plan. */
  readonly group?: GroupKey;
  /** Another value that agrees with those of other cells, next to the one that is right on average. */
  readonly consistent?: { readonly value: number; readonly interval: Interval };
  readonly noisy: readonly bigint[];
}

/** Fields of a request that only some statistics take. */
export type OwnField =
  | "bins"
  | "with"
  | "valuesPerUnit"
  | "unitLower"
  | "unitUpper"
  | "quantiles"
  | "k"
  | "weights"
  | "impossible"
  | "tables"
  | "numbers";

/** A row of a plan whose column, filter and groups are checked. */
export interface CheckedRow {
  readonly given: Fields;
  readonly path: string;
  readonly label: string;
  readonly declaration: Declaration;
  readonly unit: "row" | "column";
  readonly columnName: string | undefined;
  readonly column: Column | null;
  /** The column's bounds, or narrower or wider ones of the request; null where there are none. */
  readonly range: Range | null;
  readonly where: Predicate | null;
  readonly groupBy: readonly string[];
  /** Number of declared groups; infinite when groups are selected from the data. */
  readonly groups: number;
  readonly family: NoiseFamily;
  /** The blocks that the plan is measured on; null where the population has none. */
  readonly window: readonly BlockRange[] | null;
  /** Of how many blocks the plan will be in all, where each of its reports adds one; null where it is asked once. */
  readonly horizon: number | null;
  /** 1 less the plan's confidence. */
  readonly failureProbability: number;
}

/** How an answer is drawn and read; charts and reports take it with the answer. */
export interface AnswerKind {
  readonly chart: "number" | "bars" | "curve" | "series" | "slopes" | "ends" | "ranking";
  /** What the value of a cell is: a number of rows or people, a value of the column, or a figure named after the statistic. */
  readonly value: "rows" | "people" | "values" | "column" | "change" | "place" | "named";
  /** What a value is to its column, whose unit it has: a place in the declared range, a length within it, or a total. */
  readonly measures?: "place" | "length" | "total";
  /** What a bin is, where bins are not values of the column. */
  readonly bin?: string;
  /** What an error in rows is, where they do not lie between the answer and the truth: beyond it, or off each of its quartiles. */
  readonly rows?: "beyond" | "quartiles";
}

/** The error of one table of an answer of several: half of the interval of each of its cells. */
export interface TableError {
  /** Its columns; none for all rows. */
  readonly table: readonly string[];
  readonly cells: number;
  readonly halfWidth: number;
}

/** The error of each cell of an answer against some exact rows; `place` is that of the cell within its group. */
export type Off = (cell: AnswerCell, place: number) => number;

/** The texts for people: its name, and sentences about its error and its answers. */
interface Words<T extends Task> {
  readonly label: string;
  readonly help: string;
  /** The expected error in words, for statistics where it is not "within ±". */
  words?(statistic: BoundedStatistic<T>, halfWidth: string): string;
  /** A further assumption of a quoted error, in addition to the number of people. */
  readonly assuming?: string;
  /** The part of an answer to which a quoted error belongs, when there are several. */
  subject?(statistic: BoundedStatistic<T>): string;
  notes?(statistic: BoundedStatistic<T>, cells: readonly AnswerCell[]): readonly string[];
  /**
   * Notes when clamping or bounding may have changed the answer more than the noise did; they follow from the released
   * numbers.
   */
  doubts?(statistic: BoundedStatistic<T>, cells: readonly AnswerCell[], failureProbability: number): readonly string[];
}

/** The fields of a row of a plan, and the task that they give. */
interface Question<T extends Task> {
  /**
   * The column it reads: none, one with numeric bounds, one with bins, one of any type, one whose values are the groups,
   * or (`present`) an optional one whose missing values leave out the row.
   */
  readonly column: "none" | "numeric" | "binned" | "any" | "key" | "present";
  readonly takes: readonly OwnField[];
  /** It needs a table whose privacy unit is a column. */
  readonly unitColumn?: true;
  /** Its groups are the declared values of its column, or selected ones when the column declares none. */
  readonly declaredKeys?: true;
  /** Its bounds are what it asks about: they cap nothing. */
  readonly asksBounds?: true;
  /** It reads more columns. Its label joins them with this word: "covariance of pay with age". */
  readonly others?: "with" | "on" | "over";
  /** Checks the fields of this statistic and returns its task. */
  task(row: CheckedRow): T;
}

/** The sums that an engine computes, and the most that one unit can change them. */
interface Measurement<T extends Task> {
  aggregates(task: T): readonly Aggregate[];
  /** Integers released for one cell; several share one noise call. */
  integers(aggregates: readonly bigint[], statistic: BoundedStatistic<T>): readonly bigint[];
  width(task: T): number;
  contribution(bound: ContributionBound, unit: "row" | "column", groups: number, task: T): Contribution;
  /** Integers that one row adds to its cell. */
  row(task: T, family: NoiseFamily): Pick<RowVector, "least" | "largest" | "norms">;
  /** The sensitivity of everything released for one group, from that of one vector of cells, or from the rows of a unit; absent: the same. */
  sensitivity?(
    one: Sensitivity,
    task: T,
    at: { readonly rows: number; readonly adjacency: EventAdjacency },
  ): Sensitivity;
  /** Completes the task when its sensitivity is known. */
  settled?(
    task: T,
    at: { readonly sensitivity: Sensitivity; readonly adjacency: EventAdjacency; readonly family: NoiseFamily },
  ): T;
}

/** How the integers of a group are drawn, for statistics that do not just add noise to each. */
interface Protection<T extends Task> {
  /** The integers that get noise, from those of one group; absent: the same. */
  noised?(integers: readonly bigint[], task: T): readonly bigint[];
  /** Draws one group's answers by a choice instead of noise, in slices. */
  choose?(
    counts: readonly bigint[],
    statistic: BoundedStatistic<T>,
    random: Random,
  ): Generator<void, readonly bigint[]>;
  /** Chooses the groups of the answer, in order; null when all groups get noise. */
  chooseGroups?(counts: readonly bigint[], statistic: BoundedStatistic<T>, random: Random): readonly number[] | null;
}

/** How an answer follows from the drawn integers. */
interface Answering<T extends Task> {
  /** The bins of an answer; absent: those of the task. */
  bins?(task: T): readonly Bin[];
  /** One cell. */
  read(noisy: readonly bigint[], statistic: BoundedStatistic<T>, failureProbability: number): Reading;
  /** Present where a whole table is measured, in steps of its own. */
  readonly table?: WholeTable<T>;
  /** The columns whose values its cells state, where these are not the groups of the plan; a cell lacks those that it adds up over. */
  groupedBy?(task: T): readonly string[];
  /** All cells of one group where they are not one for each bin. */
  cells?(noisy: readonly bigint[], statistic: BoundedStatistic<T>, failureProbability: number): Iterable<CellReading>;
}

/** What a statistic that measures a whole table gives, where others have one noise and cells that are sums. */
interface WholeTable<T extends Task> {
  /** Its noise and the events of its steps; null where the price is too small to be divided. */
  priced(
    task: T,
    sensitivity: Sensitivity,
    family: NoiseFamily,
    units: bigint,
  ): Pick<BoundedStatistic, "noise" | "events"> | null;
  /** All that was released, from which rows are made up. */
  released(drawn: readonly bigint[], statistic: BoundedStatistic<T>): ReleasedTable;
  /** What to expect of about that many rows, before anything is paid. */
  expected(statistic: BoundedStatistic<T>, rows: number): TableErrors;
}

/** The error of an answer, before and after it is drawn. */
interface Errors<T extends Task> {
  /** Half-width of the interval around one answer, in the answer's unit; `rows` per group where the error depends on it. */
  accuracy(statistic: BoundedStatistic<T>, failureProbability: number, rows: number | null): number | null;
  needsRows(task: T): boolean;
  /** Of an answer of several tables, the error of each. */
  byTable?(statistic: BoundedStatistic<T>, failureProbability: number): readonly TableError[];
  /** Half-width that holds for all cells of a group at once; absent: each interval holds on its own. */
  simultaneous?(statistic: BoundedStatistic<T>, failureProbability: number): number;
  /**
   * Errors count the rows between the answer and the truth, not the column's unit; an error of this share of all rows
   * makes the answer useless.
   */
  byRank?(task: T): number;
  /**
   * Length of the range of possible answers; an interval of this length is no information. Absent: the range is
   * infinite.
   */
  extent?(statistic: BoundedStatistic<T>): number;
  /** On practice data: the error of each cell, from the exact integers of every group by its JSON; absent or null: the distance of the values. */
  missed?(statistic: BoundedStatistic<T>, exact: ReadonlyMap<string, readonly bigint[]>): Off | null;
}

/** Facts for other parts of the program. */
interface Uses<T extends Task> {
  /** On a sample: whether an answer grows with the number of rows, or the reason why a sample cannot give it. */
  readonly sample: "grows" | "stays" | { readonly silent: string };
  readonly reuse: Reuse<T["kind"]>;
  readonly shows: AnswerKind;
  /** The scale of the error on a page: the range of the column, the average bin, or none. */
  readonly errorScale: "range" | "bins" | null;
  readonly audit: readonly [AuditCase, ...AuditCase[]];
  /** The cases whose noise the audit draws; or the name of a statistic with the same noise. */
  readonly noise: readonly [NoiseCase, ...NoiseCase[]] | { readonly like: string };
}

/**
 * One row of the registry: everything that differs between statistics, in the order in which a request goes through the
 * program.
 */
export interface Statistic<T extends Task = Task>
  extends Words<T>,
    Question<T>,
    Measurement<T>,
    Protection<T>,
    Answering<T>,
    Errors<T>,
    Uses<T> {}
