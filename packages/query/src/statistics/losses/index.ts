import { formatPeriod, invalid, PrivacyError } from "@dosimeter/core";
import { inNoun } from "../../declaration/words.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Bin, ClipsTask, CutsTask, Range } from "../../plan/task.ts";
import { byGroup } from "../by-group.ts";
import type { AnswerCell } from "../cell.ts";
import { counting } from "../counts/counting.ts";
import { gridOfRow } from "../grid.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";

/** From this share of the rows or people, a loss gets a note. */
const MANY = 0.05;

/** Places of a value, in the order of their numbers in SQL. */
function clippedBins({ lower, upper, calendar }: Range): readonly Bin[] {
  const [low, high] = [lower, upper].map((end) => (calendar === undefined ? end : formatPeriod(end, calendar)));
  return [
    { label: `below ${low}`, value: "below" },
    { label: `${low} to ${high}`, value: "within" },
    { label: `above ${high}`, value: "above" },
  ];
}

const keptBins: readonly Bin[] = [
  { label: "all rows counted", value: "kept" },
  { label: "rows left out", value: "cut" },
];

function clips(row: CheckedRow): ClipsTask {
  const { ticks, range } = gridOfRow(row);
  return { kind: "clips", ticks, range, bins: clippedBins(range) };
}

function cuts({ given, declaration, unit, path }: CheckedRow): CutsTask {
  if (unit === "row")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.statistic`,
      got: given.statistic,
      want: "a table whose privacy unit is a column: where it is the row, none is left out",
    });
  for (const key of ["groupBy", "keys", "keysFrom"] as const)
    if (given[key] !== undefined) invalid(`${path}.${key}`, given[key], "absent: people are counted over all groups");
  return { kind: "cuts", bins: keptBins, mostRows: rowContribution(declaration.contribution, unit, 1).rows };
}

/** Whether more than one in twenty certainly lies outside the bin of kept values. */
function losesMany(bins: number, kept: string, cells: readonly AnswerCell[]): boolean {
  return byGroup(cells, bins).some((group) => {
    const out = group.filter(({ bin }) => bin !== undefined && "value" in bin && bin.value !== kept);
    const all = group.reduce((sum, { value }) => sum + Math.max(0, value), 0);
    return out.some(({ interval: [least] }) => least > MANY * all);
  });
}

const reuse = { leavesOutMissing: false, from: null, near: null, gives: [] } as const;

/** The share that the bounds of other statistics cut off: a paid statistic like any other [M125]. */
export const losses = {
  clippedValues: {
    ...counting,
    label: "values outside the bounds",
    help: "How many values lie below, within and above the bounds: what capping changes in sums and means.",
    column: "numeric",
    asksBounds: true,
    task: clips,
    aggregates: () => [{ powers: [] }],
    contribution: rowContribution,
    doubts: ({ task, column }, cells) =>
      losesMany(task.bins.length, "within", cells)
        ? [
            `More than one value of ${column} in twenty lies outside the bounds: capping may change sums and means more than the noise does.`,
          ]
        : [],
    sample: "grows",
    shows: { chart: "bars", value: "rows" },
    reuse: { ...reuse, holds: null },
    audit: [
      { asked: { column: "pay" }, by: "declared" },
      { asked: { column: "pay" }, by: "found" },
    ],
    noise: { like: "histogram" },
  } as const satisfies Statistic<ClipsTask>,
  cutUnits: {
    ...counting,
    label: "people over the row limit",
    help: "How many people have more rows than the contribution bounds let count: what bounding leaves out.",
    column: "none",
    unitColumn: true,
    task: cuts,
    aggregates: () => ["units"],
    contribution: () => ({ rows: 1, bound: { rows: null, groups: null, rowsPerGroup: null } }),
    doubts: ({ task, noun }, cells) =>
      losesMany(task.bins.length, "kept", cells)
        ? [
            inNoun(
              "More than one person in twenty has rows that do not count: bounding may change answers more than the noise does.",
              noun,
            ),
          ]
        : [],
    sample: "grows",
    shows: { chart: "bars", value: "people", bin: "people with" },
    reuse: { ...reuse, holds: "own" },
    audit: [{ asked: {}, by: "alone" }],
    noise: { like: "histogram" },
  } as const satisfies Statistic<CutsTask>,
} as const;
