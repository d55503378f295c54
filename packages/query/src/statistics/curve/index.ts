import { rowContribution } from "../../plan/sensitivity.ts";
import type { CurveTask } from "../../plan/task.ts";
import { byGroup } from "../by-group.ts";
import { counting } from "../counts/counting.ts";
import { gridOfRow } from "../grid.ts";
import type { Statistic } from "../statistic.ts";
import { boundText } from "../words.ts";
import { curveCells, curveHalfWidth, curveOf, ofTree } from "./cdf.ts";
import { treeCounts } from "./tree.ts";

/** From this share of the rows at a bound, the answer gets a note. */
const NEAR = 0.05;

/** Cumulative counts, noised in a tree or mixed [M111, M377]. */
export const curves = {
  cdf: {
    ...counting,
    label: "cumulative counts",
    help: "How many rows lie at or below each value: one curve that also answers every quantile and every range, free of charge.",
    column: "numeric",
    takes: ["bins"],
    task: (row) => {
      const grid = gridOfRow(row);
      return { kind: "curve", ...grid, ...curveOf(grid.ticks, row.given.bins, row.family, row.path) };
    },
    aggregates: () => ["rows"],
    contribution: rowContribution,
    sensitivity: (one, task) => ofTree(one, task),
    noised: (leaves, { shape }) => treeCounts(shape, leaves),
    accuracy: curveHalfWidth,
    simultaneous: curveHalfWidth,
    cells: curveCells,
    words: (_, rows) => `will be within ± ${rows} rows everywhere at once`,
    notes: () => [
      "Every interval holds on its own; quantiles and ranges read off the curve are free and use its error as a whole.",
    ],
    // The curve jumps at one of its ends by more than one of its many steps should.
    doubts: (statistic, cells, failureProbability) => {
      const { leaves, range } = statistic.task;
      if (leaves < 2 / NEAR) return [];
      const off = curveHalfWidth(statistic, failureProbability);
      return byGroup(cells, leaves).flatMap((group) => {
        const rows = group.at(-1)?.value ?? 0;
        if (!(rows > 0)) return [];
        const jumps = [
          [range.lower, (group[0]?.value ?? 0) - off],
          [range.upper, rows - (group.at(-2)?.value ?? 0) - 2 * off],
        ] as const;
        return jumps
          .filter(([, mass]) => mass > NEAR * rows)
          .map(
            ([bound]) =>
              `Many rows lie at the bound ${boundText(bound, range)}, which also holds all values beyond it: what lies further out cannot be known.`,
          );
      });
    },
    sample: "grows",
    shows: { chart: "curve", value: "rows" },
    reuse: {
      leavesOutMissing: true,
      from: "curve",
      holds: null,
      near: { from: ["cdf", "histogram"], sameColumn: true },
      gives: [
        "count",
        "median",
        "quantiles",
        "interquartileRange",
        "quantileInterval",
        "minimum",
        "maximum",
        "histogram",
      ],
    },
    audit: [
      { asked: { column: "age" }, by: "declared" },
      { asked: { column: "age" }, by: "found" },
    ],
    noise: [
      { column: "age", epsilon: 1 },
      { column: "age", rho: 0.5 },
    ],
  },
} as const satisfies Record<string, Statistic<CurveTask>>;
