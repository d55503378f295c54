import { invalid, toDouble } from "@dosimeter/core";
import { noiseHalfWidth } from "../../noise/tail.ts";
import { rowContribution, unitContribution } from "../../plan/sensitivity.ts";
import type { SumsTask, Ticks, TotalsTask } from "../../plan/task.ts";
import { wholeTicks } from "../../plan/ticks.ts";
import { gridOfRow } from "../grid.ts";
import { fromTotal, ofOwn } from "../reuse.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";
import { nearMean, placesOf } from "../words.ts";
import { mean } from "./mean.ts";
import { SUMS, sumsTask } from "./sums-task.ts";

/** The bounds of one unit's total in one group; those of the column when absent. */
function totals(row: CheckedRow): TotalsTask {
  const { given, path } = row;
  const { ticks, range } = gridOfRow(row);
  const end = (name: "unitLower" | "unitUpper", otherwise: bigint): bigint =>
    given[name] === undefined ? otherwise : wholeTicks(given[name], ticks, `${path}.${name}`);
  const least = end("unitLower", ticks.first);
  const largest = end("unitUpper", ticks.first + ticks.steps);
  if (least >= largest) invalid(`${path}.unitUpper`, given.unitUpper ?? range.upper, "> unitLower");
  return { kind: "totals", ticks, range, unitTicks: { least, largest } };
}

const summing = {
  column: "numeric",
  takes: [],
  integers: (aggregates) => aggregates,
  width: () => 1,
  accuracy: ({ noise, task }, failureProbability) =>
    noiseHalfWidth(noise, failureProbability) * toDouble(task.ticks.step, "up"),
  read: ([noisy = 0n], { noise, task }, failureProbability) => {
    const { numerator, denominator } = task.ticks.step;
    const scaled = (ticks: bigint): number => toDouble({ numerator: ticks * numerator, denominator }, "down");
    const half = BigInt(noiseHalfWidth(noise, failureProbability));
    return { value: scaled(noisy), interval: [scaled(noisy - half), scaled(noisy + half)] };
  },
  needsRows: () => false,
  sample: "grows",
  shows: { chart: "number", value: "named", measures: "total" },
  errorScale: null,
} as const satisfies Partial<
  Statistic<{ readonly kind: "sums" | "totals"; readonly ticks: Ticks } & (SumsTask | TotalsTask)>
>;

/** Totals and the mean of a column, after clamping each value. */
export const sums = {
  sum: {
    ...summing,
    label: "sum",
    help: "The total of a column, each value first capped at its bounds.",
    task: sumsTask,
    aggregates: () => ["signedTicks"],
    contribution: rowContribution,
    row: ({ ticks }) => ({ least: ticks.first, largest: ticks.first + ticks.steps }),
    doubts: ({ task: { publicRows, range }, column }, cells) =>
      publicRows === undefined
        ? []
        : cells.flatMap(({ interval: [low, high], unreliable }) =>
            unreliable === true
              ? []
              : nearMean(column, range, ...placesOf([low / publicRows, high / publicRows], range)),
          ),
    reuse: {
      leavesOutMissing: true,
      from: fromTotal,
      holds: "sums",
      near: { ...SUMS, from: [...SUMS.from, "runningTotal"] },
      gives: ["total", "mean"],
    },
    audit: [
      { asked: { column: "pay" }, by: "declared" },
      { asked: { column: "age" }, by: "declared" },
      { asked: { column: "pay" }, by: "found" },
    ],
    noise: [
      { column: "pay", epsilon: 1 },
      { column: "pay", rho: 0.5 },
      { column: "twice", epsilon: 1 },
      { column: "pay", groupBy: ["word"], keys: "select", keyShare: 0.5, epsilon: 1, delta: 1e-6 },
    ],
  } as const satisfies Statistic<SumsTask>,
  unitSum: {
    ...summing,
    label: "sum by person",
    help: "The total of a column, each person's total first capped: less error than a sum where people have many rows.",
    takes: ["unitLower", "unitUpper"],
    task: totals,
    aggregates: () => ["ticks"],
    contribution: unitContribution,
    row: ({ unitTicks }) => unitTicks,
    reuse: {
      leavesOutMissing: true,
      from: ofOwn("sum", fromTotal),
      holds: "own",
      near: null,
      gives: [],
    },
    audit: [{ asked: { column: "pay" }, by: "declared" }],
    noise: { like: "sum" },
  } as const satisfies Statistic<TotalsTask>,
  mean,
} as const;
