import type { BoundedStatistic, NoiseChoice } from "../plan/bounded.ts";
import { type Bin, binsOf } from "../plan/task.ts";
import { choices } from "./choice/index.ts";
import { counts } from "./counts/index.ts";
import { curves } from "./curve/index.ts";
import { distinct } from "./distinct/index.ts";
import { histograms } from "./histogram/index.ts";
import { interquartile } from "./interquartile/index.ts";
import { jointStatistics } from "./joint/index.ts";
import { keyStatistics } from "./keys/index.ts";
import { losses } from "./losses/index.ts";
import { moments } from "./moments/index.ts";
import { quantileIntervals } from "./quantile-interval/index.ts";
import { series } from "./series/index.ts";
import type { AnswerKind, Statistic } from "./statistic.ts";
import { sums } from "./sums/index.ts";
import { tables } from "./table/index.ts";
import { tableSets } from "./tables/index.ts";

const { histogram, bounds } = histograms;

/**
 * Every statistic, in the order that people see. This is the only list: plans, engines, answers, pages and docs read
 * it.
 */
export const statistics = {
  ...counts,
  ...sums,
  ...moments,
  ...choices,
  ...interquartile,
  ...quantileIntervals,
  histogram,
  ...curves,
  ...series,
  ...keyStatistics,
  bounds,
  ...jointStatistics,
  ...distinct,
  ...losses,
  ...tableSets,
  ...tables,
} as const satisfies Record<string, Statistic>;

type Rows = typeof statistics;
type Related<R> =
  | (R extends { noise: { like: infer Name } } ? Name : never)
  | (R extends { reuse: { near: { from: readonly (infer Name)[] } } } ? Name : never)
  | (R extends { reuse: { gives: readonly (infer Name)[] } } ? Exclude<Name, "total"> : never);
type Known<Name extends keyof Rows> = Name;

/** A row that names another statistic, by a name that no row has, does not compile. */
export type StatisticName = Known<keyof Rows | Related<Rows[keyof Rows]>>;
export const statisticNames = Object.keys(statistics) as readonly StatisticName[];

export type TableName = { [N in keyof Rows]: Rows[N] extends { readonly table: object } ? N : never }[keyof Rows];

export const isTableName = (name: string): name is TableName => isStatisticName(name) && "table" in statistics[name];

/** Stored answers may name a statistic that a later program wrote. */
export const isStatisticName = (name: string): name is StatisticName => Object.hasOwn(statistics, name);

/** A statistic that this program does not know is drawn as bars, named after it. */
const UNKNOWN: AnswerKind = { chart: "bars", value: "named" };

/** An answer with how it is drawn and read, as charts and reports take it. */
export const withKind = <A extends { readonly statistic: string }>(answer: A): A & { readonly shows: AnswerKind } => ({
  ...answer,
  shows: isStatisticName(answer.statistic) ? statistics[answer.statistic].shows : UNKNOWN,
});

/** A row of the registry, without its literal types. */
export const statisticOf = (name: string): Statistic => statistics[name as StatisticName];
export const definitionOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): Statistic => statisticOf(statistic);

/** Bounded plans hold names of the registry only. */
export const nameOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): StatisticName => statistic as StatisticName;

/** Whether an answer has noise: a table has some, next to the choice of its pairs. */
export const takesNoise = ({ choose, table }: Statistic): boolean => choose === undefined || table !== undefined;

/** The kinds of noise that a caller may choose; none for statistics that choose their answers. */
export const noiseChoicesOf = (name: StatisticName): readonly NoiseChoice[] =>
  takesNoise(statisticOf(name)) ? ["auto", "laplace", "gaussian"] : [];

/** The columns whose values the cells of an answer state. */
export const groupedBy = (statistic: BoundedStatistic): readonly string[] =>
  definitionOf(statistic).groupedBy?.(statistic.task) ?? statistic.groupBy;

/** The bins of an answer: those of a histogram, the shares of quantiles, or the names of several answers in one. */
export const answerBins = (statistic: BoundedStatistic): readonly Bin[] =>
  definitionOf(statistic).bins?.(statistic.task) ?? binsOf(statistic);
