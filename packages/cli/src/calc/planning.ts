import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { type Answer, quantileOfCdf } from "@dosimeter/query/answer";
import type { GroupKey } from "@dosimeter/query/plan";
import { accuracy, type CalculusRequest, epsilonFor } from "@dosimeter/query/quote";
import { statisticNames } from "@dosimeter/query/statistics";
import { type CalcFunction, calcFunction, optional, required } from "./function.ts";
import {
  array,
  decimal,
  failureProbability,
  number,
  oneOf,
  oneOrMany,
  parsed,
  probability,
  record,
} from "./readers.ts";

function boundsOf(value: unknown, path: string): { readonly lower: number; readonly upper: number } {
  const { lower, upper } = isRecord(value) ? value : {};
  if (typeof lower === "number" && typeof upper === "number") return { lower, upper };
  invalid(path, value, "{lower, upper}");
}

/** What one statistic is, without a table. */
const statistic = {
  statistic: required(oneOf(statisticNames), "what is asked; every answer of a histogram is meant one by one"),
  failureProbability: optional(failureProbability, "probability that an answer is further off; 0.05 when absent"),
  lower: optional(number(), "least value, for statistics of a column"),
  upper: optional(number(), "largest value, for statistics of a column"),
  granularity: optional(number({ above: 0 }), "step that values are rounded to"),
  n: optional(number({ min: 1, integer: true }), "rows: assumed, or public under replace"),
  adjacency: optional(oneOf(["addRemove", "replace"]), "addRemove when absent"),
  rows: optional(number({ min: 1, integer: true }), "rows that one unit may contribute; 1 when absent"),
  groups: optional(number({ min: 1, integer: true }), "groups that are asked for; 1 when absent"),
  quantiles: optional(
    array(number({ min: 0, max: 1 })),
    "shares of the rows, for quantiles; the quartiles when absent",
  ),
  unitLower: optional(number(), "least total of one unit, for unitSum; lower when absent"),
  unitUpper: optional(number(), "largest total of one unit, for unitSum; upper when absent"),
  bins: optional(number({ min: 1, integer: true }), "bins of a histogram of numbers, steps of a cdf"),
  keys: optional(
    oneOf(["select"]),
    "groups are found in rows and published where enough people share them; needs delta",
  ),
  keyShare: optional(number({ above: 0, below: 1 }), "share of the price that finds them; a quarter when absent"),
  delta: optional(decimal, "probability that a group of one person is published"),
  atLeast: optional(number({ min: 1, integer: true }), "people that a group needs at least to be published"),
  k: optional(number({ min: 1, integer: true }), "how many of the most frequent values"),
  values: optional(number({ min: 2, integer: true }), "declared values of that column; found ones when absent"),
  valuesPerUnit: optional(number({ min: 1, integer: true }), "different values that count of one unit; 1 when absent"),
  others: optional(
    array(parsed("object", boundsOf)),
    "[{lower, upper}] of the other columns of a covariance, correlation or regression; one like the first when absent",
  ),
} as const satisfies Record<Exclude<keyof CalculusRequest, "epsilon" | "rho" | "noise">, unknown>;

/** `accuracy` and `epsilonFor`: error and price of one statistic, each the inverse of the other; what a curve gives for free. */
export const planningFunctions: readonly CalcFunction[] = [
  calcFunction(
    "accuracy",
    "half-width that an answer keeps with probability 1 - failureProbability, in the answer's unit",
    {
      ...statistic,
      epsilon: optional(decimal, "price with Laplace noise"),
      rho: optional(decimal, "price with Gaussian noise"),
    },
    accuracy,
  ),
  calcFunction(
    "epsilonFor",
    "the least price at which an answer is within ± accuracy: {epsilon} for Laplace noise, {rho} for Gaussian",
    {
      ...statistic,
      accuracy: required(number({ min: 0 }), "half-width wanted, in the answer's unit"),
      noise: optional(oneOf(["laplace", "gaussian"]), "laplace when absent"),
    },
    (request) => Object.fromEntries(Object.entries(epsilonFor(request)).map(([name, exact]) => [name, Number(exact)])),
  ),
  calcFunction(
    "cdf.quantile",
    "value below which each share of the rows lies, read off a released answer of cdf, with an interval: free of charge",
    {
      answer: required(record, "an answer as released"),
      share: required(oneOrMany(probability), "0.5 is the median"),
      group: optional(record, "values of the grouping columns, where the answer is grouped"),
    },
    ({ answer, share, group }) => {
      const at = (each: number) => quantileOfCdf(answer as unknown as Answer, each, (group ?? {}) as GroupKey);
      return typeof share === "number" ? at(share) : share.map(at);
    },
  ),
];
