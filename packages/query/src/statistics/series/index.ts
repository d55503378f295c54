import { invalid } from "@dosimeter/core";
import { unitOfDates } from "../../declaration/dates.ts";
import { declaredColumn } from "../../declaration/predicate.ts";
import { own, text } from "../../input/check.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { SeriesTask } from "../../plan/task.ts";
import { counting } from "../counts/counting.ts";
import { factorOf, mixed, ofMixed } from "../curve/factor.ts";
import { gridOfRow } from "../grid.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";
import { type Order, type Periods, periodsOf } from "./periods.ts";
import { runningCells, runningHalfWidth } from "./running.ts";

const seriesOf = ({ bins, range }: Periods, { family, horizon }: CheckedRow) => ({
  kind: "series" as const,
  ...{ bins, range, factor: factorOf(family, horizon ?? bins.length) },
  ...(horizon === null ? {} : { horizon }),
});

function countedIn(row: CheckedRow): SeriesTask {
  const { columnName: name = "", column, range, path } = row;
  if (column === null) return invalid(`${path}.column`, name, "the column whose periods are counted");
  return seriesOf(periodsOf(row, { name, column, range, path: `${path}.column` }), row);
}

function addedIn(row: CheckedRow): SeriesTask {
  const order = orderOf(row);
  const { range: periods, ...task } = seriesOf(periodsOf(row, order), row);
  return { ...task, ...gridOfRow(row), over: { column: order.name, range: periods } };
}

/** The one column of `with`, with its declared bounds. */
function orderOf({ given, declaration, path }: CheckedRow): Order {
  const asked = [own(given, "with") ?? []].flat();
  if (asked.length !== 1)
    return invalid(`${path}.with`, own(given, "with"), "the column that puts rows in order, such as a date");
  const name = text(asked[0], `${path}.with`, 200);
  const column = declaredColumn(name, declaration, `${path}.with`);
  const { lower, upper } = column;
  const range = lower === undefined || upper === undefined ? null : { lower, upper };
  const calendar = column.type === "date" ? { calendar: unitOfDates(column) } : {};
  return { name, column, range: range === null ? null : { ...range, ...calendar }, path: `${path}.with` };
}

const running = {
  ...counting,
  contribution: rowContribution,
  sensitivity: (one, task) => ofMixed(one, task),
  noised: (totals, task) => mixed(totals, task),
  accuracy: runningHalfWidth,
  cells: runningCells,
  notes: ({ task }) => [
    "Every interval holds on its own. What was added between two periods is free and has an interval of its own; where totals were made to rise, it need not be the difference of those shown.",
    "Rows from before the first period count in it, and rows from after the last one count in the last.",
    ...(task.horizon === undefined
      ? []
      : ["Rows that came after the report of their period count in part; the intervals do not cover the other part."]),
  ],
  sample: "grows",
} as const satisfies Partial<Statistic<SeriesTask>>;

/** Totals to date, period by period, in one release [M208]. */
export const series = {
  runningCount: {
    ...running,
    label: "running count",
    help: "How many rows there are up to and with each period: the error grows far more slowly than that of counts of periods which are added up.",
    column: "numeric",
    takes: ["bins"],
    task: countedIn,
    aggregates: () => ["rows"],
    subject: () => "at the last period",
    shows: { chart: "series", value: "rows", bin: "up to" },
    reuse: { leavesOutMissing: true, from: null, holds: null, near: null, gives: ["count", "histogram"] },
    audit: [
      { asked: { column: "age" }, by: "declared" },
      { asked: { column: "age" }, by: "found" },
    ],
    noise: [
      { column: "age", epsilon: 1 },
      { column: "age", rho: 0.5 },
    ],
  },
  runningTotal: {
    ...running,
    label: "running total",
    help: "The total of a column up to and with each period of another, each value first capped at its bounds.",
    column: "numeric",
    takes: ["with", "bins"],
    others: "over",
    task: addedIn,
    aggregates: () => ["signedTicks"],
    row: ({ ticks }) => ({ least: ticks?.first ?? 0n, largest: (ticks?.first ?? 0n) + (ticks?.steps ?? 0n) }),
    subject: () => "at the last period",
    shows: { chart: "series", value: "named", measures: "total", bin: "up to" },
    reuse: { leavesOutMissing: true, from: null, holds: null, near: null, gives: ["sum"] },
    audit: [
      { asked: { column: "pay", with: ["age"] }, by: "declared" },
      { asked: { column: "pay", with: ["age"] }, by: "found" },
    ],
    noise: [{ column: "pay", with: ["age"], rho: 0.5 }],
  },
} as const satisfies Record<string, Statistic<SeriesTask>>;
