import { PrivacyError } from "@dosimeter/core";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { CountsTask } from "../../plan/task.ts";
import { counting } from "../counts/counting.ts";
import { fromRows } from "../reuse.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";
import { some } from "../words.ts";
import { histogramBins } from "./bins.ts";
import { boundsCells, boundsHalfWidth, magnitudeBins } from "./private-bounds.ts";

function declaredBins({ given, column, columnName, range, path }: CheckedRow): CountsTask {
  if (column === null || column.type === "text")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.column`,
      got: columnName,
      want: "not a text column: its values are not declared",
    });
  const bins = histogramBins(column, given.bins, range, path);
  return { kind: "counts", bins, ...(range === null ? {} : { range }) };
}

/** Rows counted in bins: declared bins, or powers of two when the bounds are unknown. */
export const histograms = {
  histogram: {
    ...counting,
    label: "histogram",
    help: "How many rows fall in each bin; empty bins get noise too.",
    column: "binned",
    takes: ["bins"],
    task: declaredBins,
    aggregates: () => ["rows"],
    contribution: rowContribution,
    sample: "grows",
    shows: { chart: "bars", value: "rows" },
    errorScale: "bins",
    reuse: {
      leavesOutMissing: true,
      from: fromRows,
      holds: "sums",
      near: { from: ["count", "histogram", "cdf", "runningCount"], sameColumn: false },
      gives: ["count", "median", "quantiles", "interquartileRange", "quantileInterval", "cdf"],
    },
    audit: [
      { asked: { column: "pay", bins: [0, 0.25, 0.75, 1] }, by: "declared" },
      { asked: { column: "region" }, by: "declared" },
    ],
    noise: [{ column: "region", rho: 0.5 }],
  },
  bounds: {
    ...counting,
    label: "bounds",
    help: "Between which powers of two the values lie, for a column whose bounds are unknown: paid for once, then declared.",
    column: "binned",
    task: ({ column, path }) => ({ kind: "counts", bins: column === null ? [] : magnitudeBins(column, path) }),
    aggregates: () => ["rows"],
    contribution: rowContribution,
    accuracy: boundsHalfWidth,
    cells: boundsCells,
    byRank: () => 1 / 2,
    words: (_, rows) => `will leave out no range of a factor of two that holds more than ${rows} rows`,
    notes: (_, cells) => {
      const [first, last] = [cells[0]?.rank, cells.at(-1)?.rank];
      if (first === undefined || last === undefined) return [];
      return [
        `At most ${some(first, "row")} lie below the lower bound and ${some(last, "row")} above the upper one. Both can be declared, with the number of this release.`,
      ];
    },
    sample: { silent: "bounds of a sample need not hold the table" },
    shows: { chart: "ends", value: "column", measures: "place", bin: "bound", rows: "beyond" },
    reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: [] },
    audit: [{ asked: { column: "pay" }, by: "declared" }],
    noise: { like: "histogram" },
  },
} as const satisfies Record<string, Statistic<CountsTask>>;
