import type { Random } from "@dosimeter/core";
import type { AnswerCell, Interval } from "../answer/cell.ts";
import type { Fields } from "../declaration/check.ts";
import type { Adjacency, Column, ContributionBound, Declaration } from "../declaration/declaration.ts";
import type { Predicate } from "../declaration/predicate.ts";
import type { BoundedStatistic, Contribution, NoiseFamily, Sensitivity } from "../plan/bounded.ts";
import type { RowVector } from "../plan/sensitivity.ts";
import type { Bin, Exponents, Range, Task } from "../plan/task.ts";
import type { Reuse } from "../reuse/rule.ts";
import type { AuditCase, NoiseCase } from "./audit-case.ts";

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
  /** How many rows the same noisy integers say there are: free. */
  readonly rows?: { readonly value: number; readonly interval: Interval };
  /** Of the noise and of drawing these people from a larger population, together: regression. */
  readonly standardError?: number;
  /** Rows between the value and the truth, at most; the interval then is all that is possible. */
  readonly rank?: number;
  /** The noise swamped the data; the value is a placeholder inside the bounds. */
  readonly unreliable?: true;
}

/** One cell of a statistic that lays out its own. */
export interface CellReading extends Reading {
  readonly bin: Bin;
  readonly noisy: readonly bigint[];
}

/** Fields of a request that only some statistics take. */
export type OwnField = "bins" | "with" | "valuesPerUnit" | "unitLower" | "unitUpper" | "quantiles" | "k";

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
  /** How many groups are declared; infinite where they are found. */
  readonly groups: number;
  readonly family: NoiseFamily;
}

/** What an answer is on a page: one number, bars, a curve, the slopes of a line, two ends, or places in an order. */
export type ChartKind = "number" | "bars" | "curve" | "slopes" | "ends" | "ranking";

/** How far each cell of an answer is from what some rows hold; `place`: of the cell within its group. */
export type Off = (cell: AnswerCell, place: number) => number;

/** What people read: its name, and what is said of its error and of its answers. */
interface Words<T extends Task> {
  readonly label: string;
  readonly help: string;
  /** How far off an answer will be, in words, where it is not "within ±". */
  words?(statistic: BoundedStatistic<T>, halfWidth: string): string;
  /** A further assumption of a quoted error, in addition to the number of people. */
  readonly assuming?: string;
  /** The part of an answer to which a quoted error belongs, where there are several. */
  subject?(statistic: BoundedStatistic<T>): string;
  /** Notes for the readers of an answer. */
  notes?(statistic: BoundedStatistic<T>, cells: readonly AnswerCell[]): readonly string[];
  /** Whether clamping or bounding may have changed it more than the noise did: read off what is released anyway. */
  doubts?(statistic: BoundedStatistic<T>, cells: readonly AnswerCell[], failureProbability: number): readonly string[];
}

/** What a row of a plan may say, and the task that it becomes. */
interface Question<T extends Task> {
  /**
   * Which column it reads: none, one with numeric bounds, one with bins, one of any type, one whose values are the groups, or, if one is
   * named, which rows have a value in it.
   */
  readonly column: "none" | "numeric" | "binned" | "any" | "key" | "present";
  readonly takes: readonly OwnField[];
  /** It needs a table whose privacy unit is a column. */
  readonly unitColumn?: true;
  /** Its groups are the values that its column declares; found ones where it declares none. */
  readonly declaredKeys?: true;
  /** It reads more columns next to that one, which its label joins so: "covariance of pay with age". */
  readonly others?: "with" | "on";
  /** Checks the fields of this statistic and returns its task. */
  task(row: CheckedRow): T;
}

/** What an engine adds up, and how far one unit can move it. */
interface Measurement<T extends Task> {
  aggregates(task: T): readonly Aggregate[];
  /** Integers released for one cell; several share one noise call. */
  integers(aggregates: readonly bigint[], statistic: BoundedStatistic<T>): readonly bigint[];
  width(task: T): number;
  contribution(bound: ContributionBound, unit: "row" | "column", groups: number, task: T): Contribution;
  /** Integers that one row adds to its cell. */
  row(task: T, family: NoiseFamily): Pick<RowVector, "least" | "largest" | "norms">;
  /** Of everything that is released for one group, from that of one vector of cells; absent: the same. */
  sensitivity?(one: Sensitivity, task: T): Sensitivity;
  /** The task once its sensitivity is known. */
  settled?(
    task: T,
    at: { readonly sensitivity: Sensitivity; readonly adjacency: Adjacency; readonly family: NoiseFamily },
  ): T;
}

/** How the integers of a group are drawn, where noise is not simply added to each. */
interface Protection<T extends Task> {
  /** The integers that get noise, from those of one group; absent: the same. */
  noised?(integers: readonly bigint[], task: T): readonly bigint[];
  /** Draws one group's answers by a choice instead of noise, in slices. */
  choose?(
    counts: readonly bigint[],
    statistic: BoundedStatistic<T>,
    random: Random,
  ): Generator<void, readonly bigint[]>;
  /** Draws which groups are answers, in their order, where those are chosen; null: all of them are noised. */
  chooseGroups?(counts: readonly bigint[], statistic: BoundedStatistic<T>, random: Random): readonly number[] | null;
}

/** How an answer is read off what was drawn. */
interface Answering<T extends Task> {
  /** The bins of an answer; absent: those of the task. */
  bins?(task: T): readonly Bin[];
  /** One cell. */
  read(noisy: readonly bigint[], statistic: BoundedStatistic<T>, failureProbability: number): Reading;
  /** All cells of one group where they are not one for each bin. */
  cells?(noisy: readonly bigint[], statistic: BoundedStatistic<T>, failureProbability: number): readonly CellReading[];
}

/** How far off an answer is, before and after it is drawn. */
interface Errors<T extends Task> {
  /** Half-width of the interval around one answer, in the answer's unit; `rows` per group where the error depends on it. */
  accuracy(statistic: BoundedStatistic<T>, failureProbability: number, rows: number | null): number | null;
  needsRows(task: T): boolean;
  /** Errors are in rows between the answer and the truth, not in the column's unit: with this share of all rows it says nothing. */
  readonly byRank?: number;
  /** Length of the range of possible answers; an interval as long as it says nothing. Absent: it has no end. */
  extent?(statistic: BoundedStatistic<T>): number;
  /** On practice data: the error of each cell, from the exact integers of every group by its JSON; absent or null: the distance of the values. */
  missed?(statistic: BoundedStatistic<T>, exact: ReadonlyMap<string, readonly bigint[]>): Off | null;
}

/** What other parts of the program ask of it. */
interface Uses {
  /** On a sample: whether an answer grows with the number of rows, or why a sample cannot tell it. */
  readonly sample: "grows" | "stays" | { readonly silent: string };
  readonly reuse: Reuse;
  readonly chart: ChartKind;
  /** What a page compares the error with: the range of the column, the average bin, or nothing. */
  readonly errorScale: "range" | "bins" | null;
  /** The questions of the self-audit. */
  readonly audit: readonly [AuditCase, ...AuditCase[]];
  /** Where the audit draws its noise; or the statistic whose noise it has. */
  readonly noise: readonly [NoiseCase, ...NoiseCase[]] | { readonly like: string };
}

/**
 * One row of the registry: all that differs between two statistics, in the order in which a question goes through the program.
 */
export interface Statistic<T extends Task = Task>
  extends Words<T>,
    Question<T>,
    Measurement<T>,
    Protection<T>,
    Answering<T>,
    Errors<T>,
    Uses {}
