/** How the answers of a statistic are drawn and read. */
export interface AnswerKind {
  readonly chart: "number" | "bars" | "curve" | "slopes" | "ends" | "ranking";
  /** What the value of a cell is: a number of rows or people, a value of the column, or a figure named after the statistic. */
  readonly value: "rows" | "people" | "values" | "column" | "change" | "place" | "named";
  /** What a bin is, where bins are not values of the column. */
  readonly bin?: string;
  /** What an error in rows is, where they do not lie between the answer and the truth: beyond it, or off each of its quartiles. */
  readonly rows?: "beyond" | "quartiles";
}

/** A row for each statistic of the registry: `test/statistics.test.ts` does not compile otherwise. */
export const answerKinds = {
  count: { chart: "number", value: "rows" },
  distinctUnits: { chart: "number", value: "people" },
  sum: { chart: "number", value: "named" },
  unitSum: { chart: "number", value: "named" },
  mean: { chart: "number", value: "named" },
  variance: { chart: "number", value: "named" },
  standardDeviation: { chart: "number", value: "named" },
  median: { chart: "number", value: "named" },
  interquartileRange: { chart: "number", value: "named", rows: "quartiles" },
  quantiles: { chart: "bars", value: "column", bin: "share of rows" },
  minimum: { chart: "number", value: "column", rows: "beyond" },
  maximum: { chart: "number", value: "column", rows: "beyond" },
  histogram: { chart: "bars", value: "rows" },
  cdf: { chart: "curve", value: "rows" },
  keyCounts: { chart: "bars", value: "people" },
  topValues: { chart: "ranking", value: "place" },
  bounds: { chart: "ends", value: "column", bin: "bound", rows: "beyond" },
  covariance: { chart: "number", value: "named" },
  correlation: { chart: "number", value: "named" },
  regression: { chart: "slopes", value: "change", bin: "term" },
  distinctValues: { chart: "number", value: "values" },
  clippedValues: { chart: "bars", value: "rows" },
  cutUnits: { chart: "bars", value: "people", bin: "people with" },
} as const satisfies Readonly<Record<string, AnswerKind>>;

const UNKNOWN: AnswerKind = { chart: "bars", value: "named" };

/** Of a statistic that this program does not know: bars, named after it. */
export const kindOf = ({ statistic }: { readonly statistic: string }): AnswerKind =>
  Object.hasOwn(answerKinds, statistic) ? answerKinds[statistic as keyof typeof answerKinds] : UNKNOWN;
