import type { SettingTexts } from "@dosimeter/planner";
import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";

/** What the example has, wherever it is offered. */
export const COLUMNS_ONLY = "Columns only: it has no rows, so nothing can be released from it.";

/** The columns and bounds of the California PUMS extract of 2000, without its rows. */
export const census: Declaration = checkDeclaration({
  name: "California census sample",
  source: { csv: "pums.csv" },
  privacyUnit: "row",
  adjacency: "replace",
  size: { public: 1000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100, required: true, provenance: "public" },
    income: { type: "integer", lower: 0, upper: 200_000, required: true },
    educ: { type: "integer", lower: 1, upper: 16, required: true, provenance: "public" },
    race: { type: "category", categories: [1, 2, 3, 4, 5, 6], required: true, provenance: "public" },
    married: { type: "boolean", required: true, provenance: "public" },
    sex: { type: "boolean", required: true, provenance: "public" },
  },
});

/** The first example: two means, the spread of ages, and two histograms. */
export const fiveStatistics: readonly SettingTexts[] = [
  { statistic: "mean", column: "age" },
  { statistic: "mean", column: "income" },
  { statistic: "quantiles", column: "age" },
  { statistic: "histogram", column: "race" },
  { statistic: "histogram", column: "married" },
];
