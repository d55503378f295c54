import type { Contribution } from "../../plan/bounded.ts";
import { unitContribution } from "../../plan/sensitivity.ts";
import type { Statistic } from "../statistic.ts";
import { counting } from "./counting.ts";

/** At most ℓ pairs of group and value of each unit; a row by itself holds one [M125]. */
export const valueContribution = (values: number, unit: "row" | "column"): Contribution => ({
  rows: unit === "row" ? 1 : values,
  bound: { rows: null, groups: null, rowsPerGroup: null },
});

export const distinct = {
  distinctValues: {
    ...counting,
    label: "number of different values",
    help: "How many different values a column has, counting only a few of each person's.",
    column: "any",
    distinct: true,
    aggregates: ["values"],
    contribution: unitContribution,
  },
} as const satisfies Record<string, Statistic>;
