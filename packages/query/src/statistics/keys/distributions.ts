import { rowContribution, unitContribution } from "../../plan/sensitivity.ts";
import { counting } from "../counts/counting.ts";
import { curveCells, curveHalfWidth } from "../curve/cdf.ts";
import { boundsCells, boundsHalfWidth, magnitudeBins } from "../histogram/private-bounds.ts";
import type { Statistic } from "../statistic.ts";
import { ofEach, topHalfWidth } from "./top.ts";

const byKey = {
  ...counting,
  column: "key",
  aggregates: ["units"],
  contribution: unitContribution,
  findsKeys: true,
} as const satisfies Partial<Statistic>;

/** Whole distributions, values that nobody declared, and bounds that nobody knows. */
export const distributions = {
  cdf: {
    ...counting,
    label: "cumulative counts",
    help: "How many rows lie at or below each value: one curve that also answers every quantile and every range, free of charge.",
    column: "numeric",
    aggregates: ["rows"],
    contribution: rowContribution,
    tree: true,
    accuracy: curveHalfWidth,
    cells: curveCells,
    words: (_, rows) => `will be off by at most ${rows} rows, the whole curve at once`,
  },
  keyCounts: {
    ...byKey,
    label: "people for each value",
    help: "How many people have each value of a column whose values nobody declared; what too few people share stays hidden.",
  },
  topValues: {
    ...byKey,
    label: "most frequent values",
    help: "The values that most people have, the most frequent first.",
    top: true,
    accuracy: topHalfWidth,
    read: (noisy, statistic, failureProbability) =>
      statistic.top?.chosen === true
        ? {
            value: Number(noisy[0] ?? 0n),
            interval: [1, statistic.top.k],
            rank: topHalfWidth(statistic, failureProbability),
          }
        : counting.read(noisy, statistic, ofEach(statistic, failureProbability)),
    words: (statistic, people) =>
      statistic.top?.chosen === true
        ? `will have at most ${people} people fewer than any value left out`
        : `will be off by at most ${people}`,
  },
  bounds: {
    ...counting,
    label: "bounds",
    help: "Between which powers of two the values lie, for a column whose bounds nobody knows: paid for once, then declared.",
    column: "binned",
    aggregates: ["rows"],
    contribution: rowContribution,
    fixedBins: magnitudeBins,
    accuracy: boundsHalfWidth,
    cells: boundsCells,
    byRank: true,
    words: (_, rows) => `will leave out no range of a factor of two that holds more than ${rows} rows`,
  },
} as const satisfies Record<string, Statistic>;
