import type { EventAdjacency, WindowRequest } from "@dosimeter/core";
import type { Formula } from "../declaration/formula.ts";
import type { JoinRequest } from "../declaration/join-type.ts";
import type { Predicate } from "../declaration/predicate.ts";
import type { DecimalInput, PriceRequest, SampleRequest } from "../plan/bounded.ts";
import type { StatisticName } from "./registry.ts";
import type { ColumnBins } from "./table/column-bins.ts";

/** One row of a plan, as a person, a file or a page writes it. */
export interface StatisticRequest extends PriceRequest {
  /** Names the row in answers and receipts; `s1`, `s2`, … when absent. */
  readonly id?: string;
  readonly statistic: StatisticName;
  readonly column?: string;
  /** Covariance, correlation, regression: the other column, or all predictors. */
  readonly with?: string | readonly string[];
  /** Distinct values: the number of different values of each privacy unit that count; 1 when absent. */
  readonly valuesPerUnit?: number;
  /** Narrower or wider clamping bounds than the column declares, dates as texts; public, chosen without looking at the data. */
  readonly lower?: number | string;
  readonly upper?: number | string;
  readonly granularity?: number;
  /** Sum by unit: bounds of one privacy unit's total in one group; the column's own bounds when absent. */
  readonly unitLower?: number;
  readonly unitUpper?: number;
  /**
   * Histogram of numbers: the number of bins of equal width, or the edges in rising order. Of dates also a period such as
   * `month`. Cumulative counts: the largest number of steps. Synthetic table: the most bins of each column of numbers, or those of single
   * columns, also as text such as `income = 0, 20000, 50000; city = Oslo, Bergen`: of a text column the values that count.
   */
  readonly bins?: number | string | readonly (number | string)[] | Readonly<Record<string, ColumnBins>>;
  /** Shares from 0 to 1: 0.5 is the median; the quartiles when absent. */
  readonly quantiles?: readonly number[];
  /** Columns whose declared values are the groups; every combination gets an answer, empty ones too. */
  readonly groupBy?: readonly string[];
  /**
   * `select`: the groups are those values of the grouping column that enough people share; they need no declaration.
   */
  readonly keys?: "select";
  /** The earlier row of the plan whose selected groups this row uses, at no further cost. */
  readonly keysFrom?: string;
  /** Share of the price that selects the groups; a quarter when absent. */
  readonly keyShare?: DecimalInput;
  /** Probability that the answer publishes any value of too few people. */
  readonly delta?: DecimalInput;
  /** Values shared by fewer people than this are never published. */
  readonly atLeast?: number;
  /** Most frequent values: how many. */
  readonly k?: number;
  readonly where?: Predicate | string;
  /**
   * Synthetic table: how much columns and pairs matter, whole numbers from 0 to 100, by the column's name or `age+sex`; text such as
   * `age = 3, age+sex = 5`. A pair without one has the product of those of its columns, a column without one has 1. Of weight 0: never measured.
   * Set of tables: how much the error of asked tables matters, from 1; or `largest`: the largest error is to be the least.
   */
  readonly weights?: string | Readonly<Record<string, number>>;
  /**
   * Set of tables: which ones, each the names of its columns, or `2-way` for all of two columns, or `all`; also as text such as
   * `region, region+sex, 2-way`. All of one and of two columns when absent.
   */
  readonly tables?: string | readonly (string | readonly string[])[];
  /** Set of tables: `whole` puts whole numbers from 0 up, which agree, next to the answers. */
  readonly numbers?: "whole";
  /**
   * Synthetic table, set of tables: what no row can be, a public fact about two columns; several are joined by `or`. Made-up rows are never so, and such
   * cells of tables are 0; the owner's own facts come with the declaration.
   */
  readonly impossible?: Predicate | string;
}

export interface Plan {
  /** Columns of one other table about the same people; derived columns, statistics, filters and groups may use them [M195]. */
  readonly join?: JoinRequest;
  /** Derived columns by name, as text or JSON: {age10: "cut(age, 10)"}. Statistics, filters and groups may use them [M123]. */
  readonly let?: Readonly<Record<string, string | Formula>>;
  readonly statistics: readonly StatisticRequest[];
  /**
   * Of a population with blocks, the blocks that it is measured on and charged to: `{latest: 12}`, `{from, to}`, `{blocks: [names]}`,
   * `{all: "closed"}`, or the same as text. `planOver` makes a list of it, which is what is bound and charged [M162].
   */
  readonly window?: WindowRequest | string;
  /**
   * Of a scheduled running total: of how many blocks it will be in all. Then the window is all blocks so far, of which the newest alone is
   * charged: the others were in the reports before [M209].
   */
  readonly horizon?: number;
  /** Every statistic is measured on a secret sample of its own; answers are stated for the whole table [M128]. */
  readonly sample?: SampleRequest;
  /** Probability with which each stated error and interval holds; 0.95 when absent. */
  readonly confidence?: number;
  /** The neighbour relation of the plan: a plan for another relation than the declaration's is refused. */
  readonly adjacency?: EventAdjacency;
}
