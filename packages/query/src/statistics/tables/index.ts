import type { Key } from "../../declaration/key.ts";
import { countInterval } from "../../noise/tail.ts";
import type { BoundedStatistic, GroupKey } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Bin, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import { counting } from "../counts/counting.ts";
import { gridOfRow } from "../grid.ts";
import type { CellReading, Statistic, TableError } from "../statistic.ts";
import {
  cellHalfWidthsOf,
  halfWidthsOf,
  inUnits,
  largestHalfWidth,
  partIntegers,
  piecesOf,
  spreadsOf,
  tablesFrom,
} from "./estimate.ts";
import { answeredOf, type ColumnSet, columnsIn, setOf } from "./sets.ts";
import { movesBy } from "./strategy.ts";
import { tablesTask } from "./tables-task.ts";
import { wholeTables } from "./whole.ts";
import { impossibleCellsOf } from "./zeros.ts";

type Tables = BoundedStatistic<TablesTask>;

/** What stands for no value, next to these: another word where one of them is this. */
function missingBeside(values: readonly Key[]): string {
  let word = "missing";
  while (values.includes(word)) word = `(${word})`;
  return word;
}

/** The cells of a table, each by the values of its columns and of those that these lie within; the last column runs fastest. */
function groupsIn({ columns }: TablesTask, table: ColumnSet): Generator<GroupKey> {
  const valuesOf = columns.map(({ bins, hasMissing, type }): readonly Key[] => {
    const stated = bins.map(
      (bin: Bin): Key =>
        "value" in bin ? bin.value : type === "integer" && bin.lower === bin.upper ? bin.lower : bin.label,
    );
    return hasMissing ? [...stated, missingBeside(stated)] : stated;
  });
  const namedBy = (at: number, value: number): GroupKey => {
    const { name = "", within } = columns[at] ?? {};
    const above = within === undefined ? {} : namedBy(within.column, within.groups[value] ?? 0);
    return { ...above, [name]: valuesOf[at]?.[value] ?? "" };
  };
  const named = columnsIn(table).map((at) =>
    Array.from({ length: columns[at]?.cells ?? 1 }, (_, value) => namedBy(at, value)),
  );
  function* from(at: number, group: GroupKey): Generator<GroupKey> {
    const values = named[at];
    if (values === undefined) yield group;
    else for (const value of values) yield* from(at + 1, { ...group, ...value });
  }
  return from(0, {});
}

/** One after another: of a million each takes some hundred bytes. */
function* tableCells(noisy: readonly bigint[], statistic: Tables, failureProbability: number): Generator<CellReading> {
  const { task } = statistic;
  const integers = piecesOf(noisy, task);
  const halves = cellHalfWidthsOf(statistic, failureProbability);
  const tables = tablesFrom(noisy, task);
  const isAnySign = (task.ticks?.first ?? 0n) < 0n;
  const whole =
    task.isWhole === true
      ? wholeTables(
          task,
          tables,
          spreadsOf(task).map(({ squares }) => squares),
        )
      : null;
  for (const [at, table] of answeredOf(task).entries()) {
    const released = integers.get(table) ?? [];
    const never = impossibleCellsOf(task, table);
    let cell = 0;
    for (const group of groupsIn(task, table)) {
      const value = never[cell] ? 0 : inUnits(tables[at]?.[cell] ?? 0, task);
      const half = halves[at]?.[cell] ?? 0;
      const interval = never[cell]
        ? ([0, 0] as const)
        : isAnySign
          ? ([value - half, value + half] as const)
          : countInterval(value, half);
      // The interval is about the true number, and holds whatever number stands next to it [M422].
      const consistent = whole === null ? {} : { consistent: { value: whole[at]?.[cell] ?? 0, interval } };
      yield { group, value, interval, noisy: released.slice(cell, cell + 1), ...consistent };
      cell++;
    }
  }
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

const inTables = {
  ...counting,
  contribution: (bound, unit, _, { columns }) => {
    // A unit's rows may be in any cells of the finest table; only how many there are matters [M399].
    const finest = columns.reduce((product, { cells }) => product * cells, 1);
    const { rows } = rowContribution(bound, unit, finest);
    return { rows, bound: { rows: unit === "row" ? null : rows, groups: null, rowsPerGroup: null } };
  },
  sensitivity: (_, task, { rows, adjacency }) => movesBy(task, rows, adjacency),
  noised: partIntegers,
  groupedBy: ({ columns }) => columns.map(({ name }) => name),
  cells: tableCells,
  accuracy: (statistic, failureProbability) =>
    largestHalfWidth(statistic, statistic.task.asked.map(setOf), failureProbability),
  byTable: errorsByTable,
  subject: () => "each cell of an asked table",
  notes: ({ task }) => [
    ...(task.impossible ?? []).map(
      ({ says }) => `No row is taken to be ${says}: such cells are 0, cost nothing, and the others agree with them.`,
    ),
    ...task.columns.flatMap(({ name, within }) =>
      within === undefined
        ? []
        : [`Each ${name} lies in one ${task.columns[within.column]?.name}, as declared: rows count by their ${name}.`],
    ),
    ...(task.isWhole === true
      ? [
          "Whole numbers from 0 up stand next to the answers and add up too. Where counts are small they are too large on average; the intervals are those of the answers, and hold for both.",
        ]
      : []),
    "Every interval holds on its own. Tables add up to one another exactly: for a sum take the cell of the smaller table, whose interval is narrower than those of its parts together.",
    ...task.columns.flatMap(({ name, bins: [first, ...others] }) => {
      const last = others.at(-1) ?? first;
      return first === undefined || last === undefined || "value" in first
        ? []
        : [`Of ${name}, ${first.label} also holds the values below it, and ${last.label} those above.`];
    }),
  ],
  sample: "grows",
} as const satisfies Partial<Statistic<TablesTask>>;

/** Tables of several columns and all that they add up to, at one price and in agreement [M395]. */
export const tableSets = {
  tables: {
    ...inTables,
    label: "set of tables",
    help: "Counts by several columns at once, such as by region, by sex, and by both, with all that they add up to: every table agrees with the others.",
    column: "none",
    takes: ["tables", "with", "bins", "weights", "impossible", "numbers"],
    task: (row) => tablesTask(row),
    aggregates: () => ["rows"],
    shows: { chart: "bars", value: "rows" },
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
  tableSums: {
    ...inTables,
    label: "totals in tables",
    help: "Totals of a column by several others at once, such as by region, by sex, and by both, each value first capped at its bounds: every table agrees with the others.",
    column: "numeric",
    takes: ["tables", "with", "bins", "weights", "impossible"],
    task: (row) => tablesTask(row, gridOfRow(row)),
    aggregates: () => ["signedTicks"],
    row: ({ ticks }) => ({ least: ticks?.first ?? 0n, largest: (ticks?.first ?? 0n) + (ticks?.steps ?? 0n) }),
    shows: { chart: "bars", value: "named", measures: "total" },
    reuse: { leavesOutMissing: true, from: null, holds: null, near: null, gives: [] },
    audit: [
      { asked: { column: "pay", with: ["age", "member"] }, by: "alone" },
      { asked: { column: "pay", with: ["age", "member"] }, by: "alone", price: { rho: 0.5 } },
      { asked: { column: "age", with: ["member"] }, by: "alone", price: { rho: 0.5 } },
    ],
    noise: [{ column: "pay", with: ["age", "member"], rho: 0.5 }],
  },
} as const satisfies Record<string, Statistic<TablesTask>>;
