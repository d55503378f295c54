import type { StatisticName } from "./registry.ts";

/** What statistics are sorted by where people choose one, in this order. */
export const families = {
  counts: "How many",
  amounts: "Averages and totals",
  places: "Middle, ends and spread",
  shapes: "Distributions",
  together: "Two columns together",
  tables: "Checks and made-up tables",
} as const;
export type FamilyName = keyof typeof families;

/** The family of each statistic, and what people call it next to its label. */
export const spoken: Readonly<Record<StatisticName, readonly [family: FamilyName, ...said: readonly string[]]>> = {
  count: ["counts", "how many", "number", "number of", "number of rows", "rows", "count of", "how often"],
  distinctUnits: ["counts"],
  distinctValues: [
    ...(["counts", "how many different", "how many distinct", "number of different", "number of distinct"] as const),
    ...["distinct values", "different values", "unique values", "distinct", "how many different values"],
  ],
  runningCount: ["counts", "cumulative count over time"],
  mean: ["amounts", "average", "avg", "arithmetic mean", "average of", "on average", "typical"],
  sum: ["amounts", "total", "how much", "sum total", "total of", "altogether"],
  unitSum: ["amounts", "total by person", "sum per person"],
  runningTotal: ["amounts", "cumulative total"],
  median: ["places", "middle", "med"],
  quantiles: ["places", "quartiles", "quartile", "percentile", "percentiles", "quantile"],
  quantileInterval: ["places", "median with an interval"],
  minimum: ["places", "minimum", "min", "smallest", "lowest", "least"],
  maximum: ["places", "maximum", "max", "largest", "highest", "biggest"],
  interquartileRange: ["places", "iqr"],
  variance: ["places", "var"],
  standardDeviation: ["places", "sd", "std", "stddev", "std dev", "spread"],
  histogram: ["shapes", "distribution", "breakdown", "distribution of", "breakdown of"],
  cdf: ["shapes", "cumulative distribution", "cdf"],
  keyCounts: ["shapes", "people per value"],
  topValues: ["shapes", "most common values", "most common", "most frequent", "top values", "top", "commonest"],
  tables: ["together", "set of tables", "cross-tabulation", "margins"],
  tableSums: ["together", "sums in tables", "tables of totals"],
  covariance: ["together", "cov", "covariance between"],
  correlation: ["together", "corr", "correlation between", "relation between", "relationship between"],
  regression: ["together", "regression", "trend"],
  bounds: ["tables", "range", "least and largest values"],
  clippedValues: ["tables", "clipped values", "capped values"],
  cutUnits: ["tables", "people cut", "left out people", "people with rows left out"],
  syntheticTable: ["tables", "synthetic data", "made-up table", "synthetic rows"],
};

/** What people call each statistic, for refusals of a name that is none. */
export const saidOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(spoken).map(([name, [, ...said]]) => [name, said]),
);
