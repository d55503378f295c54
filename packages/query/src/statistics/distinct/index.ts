import { invalid } from "@dosimeter/core";
import { own } from "../../input/check.ts";
import type { Contribution } from "../../plan/bounded.ts";
import type { ValuesTask } from "../../plan/task.ts";
import { counting } from "../counts/counting.ts";
import { gridOfRow } from "../grid.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";

const MAX_VALUES_PER_UNIT = 2 ** 20;

/** At most ℓ pairs of group and value of each unit; a row by itself holds one [M125]. */
const valueContribution = (values: number, unit: "row" | "column"): Contribution => ({
  rows: unit === "row" ? 1 : values,
  bound: { rows: null, groups: null, rowsPerGroup: null },
});

function task(row: CheckedRow): ValuesTask {
  const { given, path, column, range } = row;
  const perUnit = own(given, "valuesPerUnit") ?? 1;
  if (typeof perUnit !== "number" || !Number.isSafeInteger(perUnit) || perUnit < 1 || perUnit > MAX_VALUES_PER_UNIT)
    return invalid(`${path}.valuesPerUnit`, perUnit, `a whole number from 1 to ${MAX_VALUES_PER_UNIT}`);
  return {
    kind: "values",
    perUnit,
    isText: column?.type === "text",
    ...(column?.type === "number" ? { ticks: gridOfRow(row).ticks } : {}),
    ...(range === null ? {} : { range }),
  };
}

/** The number of different values. */
export const distinct = {
  distinctValues: {
    ...counting,
    label: "number of different values",
    help: "How many different values a column has, counting only a few of each person's.",
    column: "any",
    takes: ["valuesPerUnit"],
    task,
    aggregates: () => ["values"],
    contribution: (_, unit, __, { perUnit }) => valueContribution(perUnit, unit),
    sample: { silent: "how many different values a sample holds says little about the table" },
    shows: { chart: "number", value: "values" },
    reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: [] },
    audit: [
      { asked: { column: "age", valuesPerUnit: 2 }, by: "declared" },
      { asked: { column: "region", valuesPerUnit: 2 }, by: "found" },
      { asked: { column: "age", valuesPerUnit: 2 }, by: "found" },
    ],
    noise: [{ column: "age", epsilon: 1 }],
  },
} as const satisfies Record<string, Statistic<ValuesTask>>;
