import type { Column, ContributionBound } from "../declaration/declaration.ts";
import type { Bin, BoundedStatistic, Contribution, NoiseFamily, Ticks } from "../plan/bounded.ts";
import type { RowVector } from "../plan/sensitivity.ts";
import type { Design, Exponents } from "../plan/task.ts";

/** What SQL adds up in each cell. `ticks` counts from the lower bound, `signedTicks` from zero. */
export type Aggregate =
  | "rows"
  | "units"
  | "values"
  | "ticks"
  | "signedTicks"
  | "squares"
  | { readonly powers: Exponents };
export type Interval = readonly [number, number];

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

/** One row of the table: everything that differs between two statistics. */
export interface Statistic {
  readonly label: string;
  readonly help: string;
  /** Which column it reads: none, one with numeric bounds, one with bins, one of any type, or one whose values are the groups. */
  readonly column: "none" | "numeric" | "binned" | "any" | "key";
  /** It reads more columns beside that one: so many at most. */
  readonly others?: number;
  readonly aggregates: readonly Aggregate[];
  readonly contribution: (bound: ContributionBound, unit: "row" | "column", groups: number) => Contribution;
  /** Integers that one row adds to its cell. */
  readonly row: (
    ticks: Ticks | null,
    unitTicks: BoundedStatistic["unitTicks"],
    measured: { readonly family: NoiseFamily; readonly design: Design | null },
  ) => Pick<RowVector, "least" | "largest" | "norms">;
  /** Different values of a unit count, not its rows. */
  readonly distinct?: true;
  /** Cells are where a value lies: below, within and above the bounds. */
  readonly clips?: true;
  /** Cells are units within and beyond the contribution bounds. */
  readonly cuts?: true;
  /** Several answers are read off the integers of one cell: their names, and all of them at once. */
  readonly outputs?: (statistic: BoundedStatistic) => readonly Bin[];
  readonly readAll?: (
    noisy: readonly bigint[],
    statistic: BoundedStatistic,
    failureProbability: number,
  ) => readonly Reading[];
  /** What a quoted error takes for granted beside the number of people. */
  readonly assuming?: string;
  /** What a quoted error is the error of, where an answer has several. */
  readonly subject?: (statistic: BoundedStatistic) => string;
  /** A unit's rows are first added up in each group, and the total clamped [M95]. */
  readonly byUnit?: true;
  /** A choice instead of noise: the shares to choose, or null where the request names them. */
  readonly selects?: readonly number[] | null;
  /** The choice is a fixed number of rows from this end. */
  readonly extreme?: "least" | "largest";
  /** Groups are found in rows, and their noisy numbers of units are the answers [M114]. */
  readonly findsKeys?: true;
  /** Only the groups with the largest answers [M116]. */
  readonly top?: true;
  /** Noised in a tree over the leaves [M111]. */
  readonly tree?: true;
  /** Bins that follow from the type of the column alone. */
  readonly fixedBins?: (column: Column, path: string) => readonly Bin[];
  /** Cells of one group where they are not one for each bin. */
  readonly cells?: (
    noisy: readonly bigint[],
    statistic: BoundedStatistic,
    failureProbability: number,
  ) => readonly CellReading[];
  /** How far off an answer will be, in words, where it is not "off by at most". */
  readonly words?: (statistic: BoundedStatistic, halfWidth: string) => string;
  /** Most steps between the bounds: products of ticks must fit 64 bits [M91]. */
  readonly mostSteps?: bigint;
  /** Integers released for one cell; several share one noise call. */
  readonly integers: (aggregates: readonly bigint[], statistic: BoundedStatistic) => readonly bigint[];
  readonly width: (statistic: Pick<BoundedStatistic, "publicRows" | "design">) => number;
  /** Half-width of the interval around one answer, in the answer's unit; `rows` per group where the error depends on it. */
  readonly accuracy: (statistic: BoundedStatistic, failureProbability: number, rows: number | null) => number | null;
  readonly read: (noisy: readonly bigint[], statistic: BoundedStatistic, failureProbability: number) => Reading;
  readonly needsRows: (statistic: Pick<BoundedStatistic, "publicRows">) => boolean;
  /** Errors are in rows between the answer and the truth, not in the column's unit. */
  readonly byRank?: true;
  /** Length of the range of possible answers; an interval as long as it says nothing. Null: unbounded. */
  readonly extent?: (statistic: BoundedStatistic) => number | null;
}
