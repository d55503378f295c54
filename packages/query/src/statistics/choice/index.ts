import { invalid, toDouble } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import { spread } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Bin, ChoiceTask } from "../../plan/task.ts";
import { gridOfRow } from "../grid.ts";
import type { CheckedRow, Off, Statistic } from "../statistic.ts";
import { a, boundText, some } from "../words.ts";
import { leavesOf, selectQuantiles, targetsOf } from "./quantile.ts";
import { isReadOff, ranksHalfWidth, readQuantiles } from "./read-off.ts";

const QUARTILES = [0.25, 0.5, 0.75];

/** Leaves of the column's grid; the shares to choose are the request's, or fixed ones. */
export const choosing =
  (fixed: readonly number[] | null, extreme = false) =>
  (row: CheckedRow): ChoiceTask => {
    const { given, label, path } = row;
    const grid = gridOfRow(row);
    const targets = targetsOf(fixed ?? given.quantiles ?? QUARTILES, `${path}.quantiles`);
    const groups = Number.isFinite(row.groups) ? Math.max(1, row.groups) : 1;
    const leaves = leavesOf(grid.ticks, groups, path);
    for (const key of ["rho", "noise"] as const)
      if (given[key] !== undefined)
        invalid(`${path}.${key}`, given[key], `absent: ${a(label)} is chosen, which is paid in epsilon`);
    return { kind: "choice", ...grid, ...targets, ...leaves, extreme };
  };

/** Ticks from 0 to the middle of a leaf: they rise with the leaf. */
function tickOfLeaf({ ticks: { first, steps }, ticksPerLeaf }: ChoiceTask, leaf: bigint): bigint {
  const middle = leaf * ticksPerLeaf + (ticksPerLeaf - 1n) / 2n;
  return first + (middle < steps ? middle : steps);
}

const ofTicks = (ticks: bigint, { ticks: { step } }: ChoiceTask, rounding: "up" | "down"): number =>
  toDouble({ numerator: ticks * step.numerator, denominator: step.denominator }, rounding);

export const middleOfLeaf = (task: ChoiceTask, leaf: bigint): number => ofTicks(tickOfLeaf(task, leaf), task, "down");

/** The first or the last value of a leaf, rounded away from it. */
export function edgeOfLeaf(task: ChoiceTask, leaf: bigint, side: "lower" | "upper"): number {
  const { ticks, ticksPerLeaf } = task;
  if (side === "lower") return ofTicks(ticks.first + leaf * ticksPerLeaf, task, "down");
  const last = (leaf + 1n) * ticksPerLeaf - 1n;
  return ofTicks(ticks.first + (last < ticks.steps ? last : ticks.steps), task, "up");
}

/** From the middle of one leaf to that of another, and the most that it can be: never less, for all rounding [M185]. */
export const betweenLeaves = (task: ChoiceTask, low: bigint, high: bigint): readonly [value: number, most: number] => [
  ofTicks(tickOfLeaf(task, high) - tickOfLeaf(task, low), task, "down"),
  ofTicks(task.ticks.steps, task, "up"),
];

export const rankOf = ({ task, noise }: BoundedStatistic<ChoiceTask>, failureProbability: number): number =>
  ranksHalfWidth(task, spread(noise), failureProbability);

/** Rows between the chosen value and the quantile asked for; of several that are one answer, the most. */
export function rankErrors(
  { task: { targets } }: BoundedStatistic<ChoiceTask>,
  exact: ReadonlyMap<string, readonly bigint[]>,
): Off {
  const upTo = new Map(
    [...exact].map(([group, counts]) => {
      let sum = 0;
      return [group, counts.map((count) => (sum += Number(count)))] as const;
    }),
  );
  return ({ group, noisy }, place) => {
    const rows = upTo.get(JSON.stringify(group)) ?? [];
    const errors = noisy.map(Number).map((leaf, at) => {
      const rank = (targets[place * noisy.length + at]?.share ?? 0.5) * (rows.at(-1) ?? 0);
      return Math.max(0, (rows[leaf - 1] ?? 0) - rank, rank - (rows[leaf] ?? 0));
    });
    return Math.max(...errors);
  };
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 10 });

/** The shares; none for an end or a median alone. */
const sharesOf = ({ extreme, targets }: ChoiceTask): readonly Bin[] =>
  extreme || (targets.length === 1 && targets[0]?.share === 0.5)
    ? []
    : targets.map(({ share }) => ({ label: `${percent.format(share)}`, value: share }));

/** Values chosen in the first or the last leaf. */
export function atEnds(
  { task: { leaves, range } }: BoundedStatistic<ChoiceTask>,
  noisy: readonly string[],
  what = "An answer",
): readonly string[] {
  if (leaves < 2) return [];
  return noisy.map(Number).flatMap((leaf) => {
    const bound = leaf === 0 ? range.lower : leaf === leaves - 1 ? range.upper : null;
    if (bound === null) return [];
    return [
      `${what} lies at the bound ${boundText(bound, range)}: values beyond it were counted as it, so the true one may lie further out. The statistic “values outside the bounds” counts them.`,
    ];
  });
}

const chosen = {
  column: "numeric",
  takes: [],
  aggregates: () => ["rows"],
  contribution: rowContribution,
  row: () => ({ least: 1n, largest: 1n }),
  integers: (aggregates) => aggregates,
  width: () => 1,
  choose: (counts, { task, noise }, random) => {
    if (noise.kind !== "laplace") throw new RangeError("a choice is paid in epsilon");
    return (isReadOff(task) ? readQuantiles : selectQuantiles)(counts, task, noise.scale, random);
  },
  bins: sharesOf,
  accuracy: rankOf,
  read: ([leaf = 0n], statistic, failureProbability) => {
    const { lower, upper } = statistic.task.range;
    return {
      value: middleOfLeaf(statistic.task, leaf),
      interval: [lower, upper],
      rank: rankOf(statistic, failureProbability),
    };
  },
  doubts: (statistic, cells) =>
    cells.flatMap(({ noisy, unreliable }) => (unreliable === true ? [] : atEnds(statistic, noisy))),
  missed: rankErrors,
  needsRows: () => false,
  byRank: () => 1 / 2,
  words: (_, rows) => `will have at most ${rows} rows between it and the truth`,
  sample: "stays",
  shows: { chart: "bars", value: "column", measures: "place", bin: "share of rows" },
  errorScale: null,
  reuse: {
    leavesOutMissing: true,
    from: "choice",
    holds: null,
    near: { from: ["cdf", "histogram"], sameColumn: true },
    gives: [],
  },
} as const satisfies Partial<Statistic<ChoiceTask>>;

/** The error is half of so few rows, or more [M94]. */
const ofFewRows = ({ groups }: BoundedStatistic, rank: number): readonly string[] =>
  groups.length > 1 ? [`Of a group of at most ${countText(Math.ceil(2 * rank), "row")} an answer says nothing.`] : [];

export const quantileChoice = {
  ...chosen,
  notes: (statistic, [first]) =>
    first?.rank === undefined
      ? []
      : [
          `At most ${countText(first.rank, "row")} lie between an answer and the true quantile; the interval is the declared range.`,
          ...ofFewRows(statistic, first.rank),
          ...(isReadOff(statistic.task)
            ? [
                "The shares are read off noisy counts, which promise less error for as many of them than a choice for each. Cumulative counts at the same price would publish such counts.",
              ]
            : []),
        ],
} as const satisfies Partial<Statistic<ChoiceTask>>;

const ends = {
  ...chosen,
  words: (_, rows) => `will have at most ${rows} rows beyond it`,
  notes: (statistic, [first]) =>
    first?.rank === undefined
      ? []
      : [
          `At most ${some(first.rank, "row")} lie beyond the answer; the interval is the declared range.`,
          ...ofFewRows(statistic, first.rank),
        ],
  sample: { silent: "the ends of a sample lie within those of the table" },
} as const satisfies Partial<Statistic<ChoiceTask>>;

/** Values that are chosen among leaves: in the middle of the rows, or at an end. */
export const choices = {
  median: {
    ...quantileChoice,
    label: "median",
    help: "The value with half of the rows on either side.",
    task: choosing([0.5]),
    shows: { chart: "number", value: "named", measures: "place" },
    audit: [{ asked: { column: "age" }, by: "declared" }],
    noise: [{ column: "age", epsilon: 1 }],
  },
  quantiles: {
    ...quantileChoice,
    label: "quantiles",
    help: "Values below which the given shares of the rows lie, 0.25 and 0.75 for the quartiles.",
    takes: ["quantiles"],
    task: choosing(null),
    audit: [{ asked: { column: "age", quantiles: [0.25, 0.75] }, by: "declared" }],
    noise: [{ column: "age", quantiles: [0.25, 0.75], epsilon: 1 }],
  },
  minimum: {
    ...ends,
    label: "least value",
    help: "About the least value: a few rows may lie below it, so that no single one is disclosed.",
    task: choosing([0], true),
    shows: { chart: "number", value: "column", measures: "place", rows: "beyond" },
    audit: [{ asked: { column: "pay" }, by: "declared" }],
    noise: { like: "median" },
  },
  maximum: {
    ...ends,
    label: "largest value",
    help: "About the largest value: a few rows may lie above it, so that no single one is disclosed.",
    task: choosing([1], true),
    shows: { chart: "number", value: "column", measures: "place", rows: "beyond" },
    audit: [{ asked: { column: "age" }, by: "declared" }],
    noise: { like: "median" },
  },
} as const satisfies Record<string, Statistic<ChoiceTask>>;
