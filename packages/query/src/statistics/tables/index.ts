import { countInterval } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Bin, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { counting } from "../counts/counting.ts";
import type { CellReading, Statistic, TableError } from "../statistic.ts";
import { halfWidthsOf, partIntegers, tablesFrom } from "./estimate.ts";
import { answeredOf, type ColumnSet, columnsIn, setOf } from "./sets.ts";
import { movesBy } from "./strategy.ts";
import { tablesTask } from "./tables-task.ts";

type Tables = BoundedStatistic<TablesTask>;
const MISSING = "missing";
const TOTAL = "all rows";

/** What of a table is in each of its cells: `region = north, sex = f`. */
function cellLabels({ columns }: TablesTask, table: ColumnSet): readonly string[] {
  return columnsIn(table).reduce<readonly string[]>(
    (labels, at) => {
      const { name = "", bins = [], hasMissing = false } = columns[at] ?? {};
      const values = [...bins.map(({ label }) => label), ...(hasMissing ? [MISSING] : [])];
      return labels.flatMap((label) => values.map((value) => `${label === "" ? "" : `${label}, `}${name} = ${value}`));
    },
    [""],
  );
}

const kept = new WeakMap<TablesTask, readonly Bin[]>();

/** The cells of every table, the smaller tables first. */
function cellNames(task: TablesTask): readonly Bin[] {
  const known =
    kept.get(task) ??
    answeredOf(task).flatMap((table) =>
      cellLabels(task, table).map((label) => ({ label: label || TOTAL, value: label || TOTAL })),
    );
  kept.set(task, known);
  return known;
}

function tableCells(noisy: readonly bigint[], statistic: Tables, failureProbability: number): readonly CellReading[] {
  const { task } = statistic;
  const integers = new Map<ColumnSet, readonly bigint[]>();
  let from = 0;
  for (const { columns } of task.parts) {
    const cells = cellsIn(task.columns, columns);
    integers.set(setOf(columns), noisy.slice(from, from + cells));
    from += cells;
  }
  const bins = cellNames(task);
  const halves = halfWidthsOf(statistic, failureProbability);
  const answered = answeredOf(task);
  let at = 0;
  return tablesFrom(noisy, task).flatMap((values, table) => {
    const released = integers.get(answered[table] ?? 0) ?? [];
    return values.map((value, cell): CellReading => {
      const bin = bins[at++] ?? { label: "", value: "" };
      const interval = countInterval(value, halves[table] ?? 0);
      return { bin, value, interval, noisy: released.slice(cell, cell + 1) };
    });
  });
}

/** Each table with its number of cells and the half-width of one. */
function errorsByTable(statistic: Tables, failureProbability: number): readonly TableError[] {
  const { task } = statistic;
  const halves = halfWidthsOf(statistic, failureProbability);
  return answeredOf(task).map((table, at) => ({
    table: columnsIn(table).map((column) => task.columns[column]?.name ?? ""),
    cells: cellsIn(task.columns, columnsIn(table)),
    halfWidth: halves[at] ?? 0,
  }));
}

/** Tables of several columns and all that they add up to, at one price and in agreement [M395]. */
export const tableSets = {
  tables: {
    ...counting,
    label: "set of tables",
    help: "Counts by several columns at once, such as by region, by sex, and by both, with all that they add up to: every table agrees with the others.",
    column: "none",
    takes: ["tables", "with", "bins", "weights"],
    task: tablesTask,
    aggregates: () => ["rows"],
    contribution: (bound, unit, _, { columns }) => {
      // A unit's rows may be in any cells of the finest table; only how many there are matters [M399].
      const finest = columns.reduce((product, { cells }) => product * cells, 1);
      const { rows } = rowContribution(bound, unit, finest);
      return { rows, bound: { rows: unit === "row" ? null : rows, groups: null, rowsPerGroup: null } };
    },
    sensitivity: (_, task, { rows, adjacency }) => movesBy(task, rows, adjacency),
    noised: partIntegers,
    bins: cellNames,
    cells: tableCells,
    accuracy: (statistic, failureProbability) => {
      const asked = new Set(statistic.task.asked.map(setOf));
      const halves = halfWidthsOf(statistic, failureProbability);
      return answeredOf(statistic.task).reduce(
        (most, table, at) => (asked.has(table) ? Math.max(most, halves[at] ?? 0) : most),
        0,
      );
    },
    byTable: errorsByTable,
    words: ({ task: { asked } }, halfWidth) =>
      asked.length === 1 ? `will be within ± ${halfWidth}` : `will be within ± ${halfWidth}, in most tables within less,`,
    subject: () => "each cell of an asked table",
    notes: () => [
      "Every interval holds on its own. Tables add up to one another exactly: for a sum take the cell of the smaller table, whose interval is narrower than those of its parts together.",
      "Counts are not cut at 0, so that sums of them are right on average.",
    ],
    sample: "grows",
    shows: { chart: "bars", value: "rows", bin: "table and values" },
    reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: [] },
    audit: [
      { asked: { with: ["age", "member"] }, by: "alone" },
      { asked: { with: ["age", "member"] }, by: "alone", price: { rho: 0.5 } },
    ],
    noise: [
      { with: ["age"], epsilon: 1 },
      { with: ["age", "member"], rho: 0.5 },
    ],
  },
} as const satisfies Record<string, Statistic<TablesTask>>;
