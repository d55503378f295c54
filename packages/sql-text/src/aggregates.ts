import { present } from "@dosimeter/core/internal";
import type { Formula } from "@dosimeter/query/declaration";
import {
  type StatisticName,
  type StatisticRequest,
  saidOf,
  statisticNames,
  statisticOf,
} from "@dosimeter/query/statistics";
import type { SqlArgument, SqlCall } from "./query.ts";
import { ownName } from "./settings.ts";

/** Which cells of a group's answer a column of the result shows: the first, all, or the one at a place. */
export type Reads = "first" | "all" | { readonly place: number };

/** What an aggregate asks for, without price, filter and groups. */
export interface Question {
  readonly request: Pick<StatisticRequest, "statistic" | "column" | "with" | "quantiles">;
  readonly reads: Reads;
  /** What it is not, next to what SQL means by its name. */
  readonly note?: string;
}

/** The parts of a call, each read when it is asked for. */
export interface Arguments {
  readonly count: number;
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly isWithin: boolean;
  /** The name of a column, derived when the argument is a formula. */
  readonly column: (index: number) => string;
  readonly within: () => string;
  readonly isUnit: (index: number) => boolean;
  readonly shares: (index: number) => readonly number[] | null;
}

interface Aggregate {
  readonly usage: string;
  readonly ask: (given: Arguments) => Question | null;
}

const plain = (given: Arguments, count: number): boolean =>
  given.count === count && !given.isStar && !given.isDistinct && !given.isWithin;

const ofColumn = (name: string, statistic: StatisticName, note?: string): Aggregate => ({
  usage: `${name}(column)`,
  ask: (given) =>
    plain(given, 1) ? { request: { statistic, column: given.column(0) }, reads: "first", ...present({ note }) } : null,
});

const ofTwo = (name: string, statistic: "covariance" | "correlation", note?: string): Aggregate => ({
  usage: `${name}(column, column)`,
  ask: (given) =>
    plain(given, 2)
      ? {
          request: { statistic, column: given.column(0), with: given.column(1) },
          reads: "first",
          ...present({ note }),
        }
      : null,
});

/** Variances are divided by the number of rows [M91]. */
const byRows = (name: string): string =>
  `${name} divides by the number of rows here, as ${name.slice(0, 3) === "COV" ? "COVAR_POP" : name.startsWith("VAR") ? "VAR_POP" : "STDDEV_POP"} does, and not by one less.`;

const ofLine = (usage: string, place: number): Aggregate => ({
  usage,
  ask: (given) =>
    plain(given, 2)
      ? { request: { statistic: "regression", column: given.column(0), with: [given.column(1)] }, reads: { place } }
      : null,
});

const atShares = (column: string, shares: readonly number[] | null): Question | null => {
  if (shares === null) return null;
  if (shares.length === 1 && shares[0] === 0.5) return { request: { statistic: "median", column }, reads: "first" };
  return {
    request: { statistic: "quantiles", column, quantiles: shares },
    reads: shares.length === 1 ? "first" : "all",
  };
};

const percentile = (name: string, note?: string): Aggregate => ({
  usage: `${name}(0.9) WITHIN GROUP (ORDER BY column)`,
  ask: (given) => {
    if (given.isStar || given.isDistinct || given.count !== (given.isWithin ? 1 : 2)) return null;
    const asked = given.isWithin
      ? atShares(given.within(), given.shares(0))
      : atShares(given.column(0), given.shares(1));
    return asked === null || note === undefined ? asked : { ...asked, note };
  },
});

const distinct = (given: Arguments): Question =>
  given.isUnit(0)
    ? { request: { statistic: "distinctUnits" }, reads: "first" }
    : { request: { statistic: "distinctValues", column: given.column(0) }, reads: "first" };

export const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  count: {
    usage: "COUNT(*), COUNT(column) or COUNT(DISTINCT column)",
    ask: (given) => {
      if (given.isWithin) return null;
      if (given.isStar)
        return given.count === 0 && !given.isDistinct ? { request: { statistic: "count" }, reads: "first" } : null;
      if (given.count !== 1) return null;
      if (!given.isDistinct) return { request: { statistic: "count", column: given.column(0) }, reads: "first" };
      return distinct(given);
    },
  },
  approx_count_distinct: {
    usage: "APPROX_COUNT_DISTINCT(column)",
    ask: (given) => (plain(given, 1) ? distinct(given) : null),
  },
  sum: ofColumn("SUM", "sum"),
  avg: ofColumn("AVG", "mean"),
  var_pop: ofColumn("VAR_POP", "variance"),
  var_samp: ofColumn("VAR_SAMP", "variance", byRows("VAR_SAMP")),
  variance: ofColumn("VARIANCE", "variance", byRows("VARIANCE")),
  stddev_pop: ofColumn("STDDEV_POP", "standardDeviation"),
  stddev_samp: ofColumn("STDDEV_SAMP", "standardDeviation", byRows("STDDEV_SAMP")),
  stddev: ofColumn("STDDEV", "standardDeviation", byRows("STDDEV")),
  min: ofColumn("MIN", "minimum"),
  max: ofColumn("MAX", "maximum"),
  median: ofColumn("MEDIAN", "median"),
  percentile_cont: percentile("PERCENTILE_CONT"),
  percentile_disc: percentile(
    "PERCENTILE_DISC",
    "PERCENTILE_DISC answers with a step of its column, chosen as for PERCENTILE_CONT; no row need hold that value.",
  ),
  approx_percentile: percentile("APPROX_PERCENTILE"),
  approx_quantiles: {
    usage:
      "APPROX_QUANTILES(column, 4): 2 to 100 equal parts, whose inner limits are the answer; for the ends, MIN and MAX",
    ask: (given) => {
      const [parts = 0] = plain(given, 2) ? (given.shares(1) ?? []) : [];
      if (!Number.isInteger(parts) || parts < 2 || parts > 100) return null;
      const shares = Array.from({ length: parts - 1 }, (_, index) => (index + 1) / parts);
      return { request: { statistic: "quantiles", column: given.column(0), quantiles: shares }, reads: "all" };
    },
  },
  corr: ofTwo("CORR", "correlation"),
  covar_pop: ofTwo("COVAR_POP", "covariance"),
  covar_samp: ofTwo("COVAR_SAMP", "covariance", byRows("COVAR_SAMP")),
  regr_slope: ofLine("REGR_SLOPE(outcome, predictor)", 1),
  regr_intercept: ofLine("REGR_INTERCEPT(outcome, predictor)", 0),
};

const owns = new Map(statisticNames.map((name) => [ownName(name), name]));
/** Their names, for the refusal of a function that is none of them; other words people have for some. */
export const aggregateNames = Object.keys(AGGREGATES).map((name) => name.toUpperCase());
export const aggregateSaid = { AVG: saidOf.mean ?? [], COUNT: ["number", "total_rows"], STDDEV: ["stdev", "sd"] };
const INTERVALS = ["dp_interval_low", "dp_interval_high"];

export const isInterval = (name: string): boolean => INTERVALS.includes(name.toLowerCase());
export const isAggregate = (name: string): boolean => {
  const lower = name.toLowerCase();
  return Object.hasOwn(AGGREGATES, lower) || owns.has(lower) || isInterval(lower);
};

/** What a call asks for, or how it must be written. */
export function askedBy(name: string, given: Arguments): Question | { readonly usage: string } {
  const row = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (row !== undefined) return row.ask(given) ?? { usage: row.usage };
  return own(owns.get(name) ?? "count", given);
}

export function ownUsage(statistic: StatisticName): string {
  const { column, takes } = statisticOf(statistic);
  const [one, several] = column === "none" ? ["", "[column, …]"] : ["column", "outcome, another column"];
  return `${ownName(statistic).toUpperCase()}(${takes.includes("with") ? several : one})`;
}

function own(statistic: StatisticName, given: Arguments): Question | { readonly usage: string } {
  const definition = statisticOf(statistic);
  const several = definition.takes.includes("with");
  const [least, most] = definition.column === "none" ? [0, 0] : definition.column === "present" ? [0, 1] : [1, 1];
  const isTable = several && definition.column === "none";
  const isCount = isTable ? true : several ? given.count >= 2 : given.count >= least && given.count <= most;
  if (!isCount || given.isStar || given.isDistinct || given.isWithin) return { usage: ownUsage(statistic) };
  const columns = Array.from({ length: given.count }, (_, index) => given.column(index));
  if (isTable) return { request: { statistic, ...(columns.length === 0 ? {} : { with: columns }) }, reads: "all" };
  const [column, ...others] = columns;
  const [other] = others;
  const joined = statistic === "regression" || others.length > 1 ? others : other;
  return {
    request: {
      statistic,
      ...present({ column }),
      ...(several && joined !== undefined ? { with: joined } : {}),
    },
    reads: definition.shows.chart === "number" || definition.column === "key" ? "first" : "all",
  };
}

/** Numbers of an argument that says shares or a count: one, or a list of them. */
export function numbersOf(argument: SqlArgument | undefined): readonly number[] | null {
  if (argument === undefined) return null;
  const given: readonly Formula[] = "list" in argument ? argument.list : [argument.formula];
  const numbers = given.flatMap((each) => ("value" in each && typeof each.value === "number" ? [each.value] : []));
  return numbers.length === given.length ? numbers : null;
}

/** Two calls are the same when they were written with the same parts, wherever they stand. */
export function signatureOf(call: SqlCall): string {
  const known =
    signatures.get(call) ?? JSON.stringify(call, (key, value: unknown) => (key === "at" ? undefined : value));
  signatures.set(call, known);
  return known;
}
const signatures = new WeakMap<SqlCall, string>();
