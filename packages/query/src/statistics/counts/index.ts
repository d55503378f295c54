import { rowContribution, unitContribution } from "../../plan/sensitivity.ts";
import type { CountsTask } from "../../plan/task.ts";
import { fromRows, ofOwn } from "../reuse.ts";
import type { Statistic } from "../statistic.ts";
import { allRows, counting } from "./counting.ts";

/** Numbers of rows and of people. */
export const counts = {
  count: {
    ...counting,
    label: "count",
    help: "How many rows there are, or how many have a value in a column.",
    column: "present",
    task: allRows,
    aggregates: () => ["rows"],
    contribution: rowContribution,
    sample: "grows",
    shows: { chart: "number", value: "rows" },
    reuse: {
      leavesOutMissing: false,
      from: fromRows,
      holds: "sums",
      near: { from: ["count", "histogram", "cdf", "runningCount"], sameColumn: false },
      gives: ["total", "mean", "histogram"],
    },
    audit: [
      { asked: {}, by: "declared" },
      { asked: {}, by: "found" },
    ],
    noise: [{ epsilon: 1 }, { rho: 0.5 }, { groupBy: ["region"], epsilon: 1 }],
  },
  distinctUnits: {
    ...counting,
    label: "number of people",
    help: "How many different privacy units there are.",
    column: "none",
    task: allRows,
    aggregates: () => ["units"],
    contribution: unitContribution,
    sample: "grows",
    shows: { chart: "number", value: "people" },
    reuse: {
      leavesOutMissing: false,
      from: ofOwn("rows", fromRows),
      holds: "own",
      near: null,
      gives: ["topValues"],
    },
    audit: [{ asked: {}, by: "declared" }],
    noise: { like: "count" },
  },
} as const satisfies Record<string, Statistic<CountsTask>>;
