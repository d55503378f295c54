import { noiseHalfWidth } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Bin, TableTask } from "../../plan/task.ts";
import { counting } from "../counts/counting.ts";
import type { CellReading, Statistic } from "../statistic.ts";
import { measureTable } from "./choose.ts";
import { pricedTable } from "./price.ts";
import { expectedTableErrors, releasedTable } from "./released-table.ts";
import { tableTask } from "./table-task.ts";

const MISSING = "missing";

const cellNames = ({ columns }: TableTask): readonly Bin[] =>
  columns.flatMap(({ name, bins, hasMissing }) => [
    ...bins.map((bin) => ({ ...bin, label: `${name}: ${bin.label}` })),
    ...(hasMissing ? [{ label: `${name}: ${MISSING}`, value: MISSING }] : []),
  ]);

/** The counts of every column; those of pairs are in the table only. */
const columnCells = (
  noisy: readonly bigint[],
  statistic: BoundedStatistic<TableTask>,
  failureProbability: number,
): readonly CellReading[] =>
  cellNames(statistic.task).map((bin, at) => {
    const integers = noisy.slice(at, at + 1);
    return { bin, ...counting.read(integers, statistic, failureProbability), noisy: integers };
  });

/** A whole table of made-up rows: counts of every column and of the pairs that matter most, and rows that follow from them. */
export const tables = {
  syntheticTable: {
    ...counting,
    label: "synthetic table",
    help: "A table of made-up rows that keeps the counts of every column and of the pairs of columns that depend on each other most.",
    column: "none",
    takes: ["with", "bins", "weights", "impossible"],
    task: tableTask,
    aggregates: () => ["rows"],
    contribution: rowContribution,
    row: ({ columns, pairs }) => {
      const all = BigInt(columns.length + pairs.length);
      return { least: 0n, largest: 1n, norms: { l1: all, l2Squared: all, linf: 1n } };
    },
    choose: measureTable,
    table: { priced: pricedTable, released: releasedTable, expected: expectedTableErrors },
    bins: cellNames,
    cells: columnCells,
    accuracy: (statistic, failureProbability) => noiseHalfWidth(statistic.noise, failureProbability),
    // The noise of a pair has at most 2/7 of the scale, or of the variance, of that of a column [M202].
    words: ({ task: { pairs } }, halfWidth) =>
      `will be within ± ${halfWidth}${pairs.length === 0 ? "" : ", and each count of a measured pair within less than that,"}`,
    subject: () => "each count of one column",
    sample: { silent: "a table made up from a sample has the number of rows of that sample" },
    shows: { chart: "bars", value: "rows", bin: "column and value" },
    reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: [] },
    audit: [{ asked: { with: ["age", "member"] }, by: "alone" }],
    // Of a small table no pair is worth its noise: with one column all of the price is for what an attacker sees.
    noise: [
      { with: ["age"], epsilon: 1 },
      { with: ["age"], rho: 0.5 },
    ],
  },
} as const satisfies Record<string, Statistic<TableTask>>;
