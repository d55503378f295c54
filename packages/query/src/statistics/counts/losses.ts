import type { Bin } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Statistic } from "../statistic.ts";
import { counting } from "./counting.ts";

/** Where a value lies: SQL numbers them so. */
export const clippedBins = (lower: number, upper: number): readonly Bin[] => [
  { label: `below ${lower}`, value: "below" },
  { label: `${lower} to ${upper}`, value: "within" },
  { label: `above ${upper}`, value: "above" },
];

const keptBins: readonly Bin[] = [
  { label: "all rows counted", value: "kept" },
  { label: "rows left out", value: "cut" },
];

/** How much the bounds of other statistics take away: asked for and paid like any other [M125]. */
export const losses = {
  clippedValues: {
    ...counting,
    label: "values outside the bounds",
    help: "How many values lie below, within and above the bounds: what clamping changes in sums and means.",
    column: "numeric",
    clips: true,
    aggregates: [{ powers: [] }],
    contribution: rowContribution,
  },
  cutUnits: {
    ...counting,
    label: "people with rows left out",
    help: "How many people have more rows than the contribution bounds let count: what bounding leaves out.",
    column: "none",
    cuts: true,
    fixedBins: () => keptBins,
    aggregates: ["units"],
    contribution: () => ({ rows: 1, bound: { rows: null, groups: null, rowsPerGroup: null } }),
  },
} as const satisfies Record<string, Statistic>;
