import { invalid, type Rational, toDouble } from "@dosimeter/core";
import { countText, permuteAndFlip, type Run } from "@dosimeter/core/internal";
import { spread } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { inTheWhole } from "../../plan/sample-share.ts";
import type { ChoiceTask } from "../../plan/task.ts";
import { atEnds, choosing, edgeOfLeaf, middleOfLeaf, quantileChoice, rankErrors } from "../choice/index.ts";
import { rankHalfWidth, rowsIn, runsOf, widthOf } from "../choice/quantile.ts";
import type { CheckedRow, Statistic } from "../statistic.ts";
import { a } from "../words.ts";

/**
 * The failure probability for which the ends are drawn far enough from the quantile, shared by all groups, so that those that are not
 * marked hold together; of found groups, whose number is not known before they are drawn, by a thousand [M188].
 */
const DRAWN_FOR = 0.001;
const FOUND_GROUPS = 1000;
const drawnFor = ({ keys, groups }: BoundedStatistic): number =>
  DRAWN_FOR / (keys === undefined ? Math.max(1, groups.length) : FOUND_GROUPS);

/** One share, three times: for the lower end, the quantile and the upper end. */
function taskOf(row: CheckedRow): ChoiceTask {
  const shares = row.given.quantiles;
  const task = choosing(shares === undefined ? [0.5] : null)(row);
  const [target] = task.targets;
  if (target === undefined || task.targets.length > 1)
    return invalid(`${row.path}.quantiles`, shares, "one share from 0 to 1");
  if (row.failureProbability < DRAWN_FOR)
    return invalid("confidence", 1 - row.failureProbability, `at most ${1 - DRAWN_FOR} for ${a(row.label)}`);
  return { ...task, targets: [target, target, target] };
}

const padded = (task: ChoiceTask): ChoiceTask => ({ ...task, leaves: task.leaves + 2 });

/** Rows that the ends are aimed away from the quantile, and rows that are put beyond each bound: public [M188]. */
const marginOf = (statistic: BoundedStatistic<ChoiceTask>, scale: number): number =>
  rankHalfWidth(padded(statistic.task), scale, drawnFor(statistic)) + 1;

/** The three choices: for the lower end, the quantile and the upper end, each among the leaves and one beyond each bound. */
export function choicesOf(
  counts: readonly bigint[],
  statistic: BoundedStatistic<ChoiceTask>,
): { readonly choices: readonly (readonly Run[])[]; readonly width: Rational } {
  const { task, noise } = statistic;
  if (noise.kind !== "laplace") throw new RangeError("a choice is paid in epsilon");
  const { denominator, targets } = task;
  const margin = BigInt(marginOf(statistic, toDouble(noise.scale, "up")));
  const wanted = (targets[0]?.numerator ?? 0n) * rowsIn(counts);
  const rows = [margin, ...counts, margin];
  const choices = [0n, margin, 2n * margin].map((beyond) => runsOf(rows, wanted + denominator * beyond, denominator));
  return { choices, width: widthOf(task, noise.scale) };
}

/** Rows between an end of the interval and the quantile. */
const reachOf = (statistic: BoundedStatistic<ChoiceTask>, failureProbability: number): number =>
  marginOf(statistic, spread(statistic.noise)) +
  rankHalfWidth(padded(statistic.task), spread(statistic.noise), failureProbability);

const within = ({ leaves }: ChoiceTask, chosen: bigint): bigint => {
  const last = BigInt(leaves - 1);
  const leaf = chosen - 1n;
  return leaf < 0n ? 0n : leaf > last ? last : leaf;
};

/** A quantile and two others around it, at one price: an interval in the column's own unit [M188]. */
export const quantileIntervals = {
  quantileInterval: {
    ...quantileChoice,
    label: "quantile with an interval",
    help: "One quantile, the median if you name none, with an interval in the column's own unit. It needs about eight times the rows of a quantile at the same epsilon.",
    takes: ["quantiles"],
    task: taskOf,
    bins: (task) => quantileChoice.bins({ ...task, targets: task.targets.slice(0, 1) }),
    width: () => 3,
    // Leaves in rising order, where 0 lies below the lower bound and `leaves` + 1 above the upper one.
    *choose(counts, statistic, random) {
      const { choices, width } = choicesOf(counts, statistic);
      const chosen: number[] = [];
      for (const runs of choices) {
        yield;
        chosen.push(permuteAndFlip(runs, width, random));
      }
      return chosen.sort((a, b) => a - b).map(BigInt);
    },
    accuracy: reachOf,
    // Of fewer rows both ends are aimed beyond the bounds.
    byRank: ({ targets: [target] }) => 2 * Math.max(target?.share ?? 0, 1 - (target?.share ?? 0)),
    read: ([low = 0n, middle = low, high = middle], { task }) => {
      const { lower, upper } = task.range;
      const from = Math.max(lower, edgeOfLeaf(task, within(task, low), "lower"));
      const to = Math.min(upper, edgeOfLeaf(task, within(task, high), "upper"));
      return {
        value: middleOfLeaf(task, within(task, middle)),
        interval: [from, to],
        ...(from === lower && to === upper ? { unreliable: true } : {}),
      };
    },
    missed: (statistic, exact) => {
      const off = rankErrors(
        { ...statistic, task: { ...statistic.task, targets: statistic.task.targets.slice(0, 1) } },
        exact,
      );
      return (cell, place) =>
        off({ ...cell, noisy: [String(within(statistic.task, BigInt(cell.noisy[1] ?? "0")))] }, place);
    },
    words: (_, rows) => `will have an interval with at most ${rows} rows between each end and the quantile`,
    notes: (statistic) => [
      `The interval reaches over at most ${countText(Math.ceil(inTheWhole(statistic) * reachOf(statistic, drawnFor(statistic))), "row")} on either side of the quantile; it holds for values as they were capped and rounded.`,
      "An answer whose interval is the whole declared range says nothing: there are too few rows.",
    ],
    doubts: (statistic, cells) =>
      cells.flatMap(({ noisy, unreliable }) =>
        unreliable === true ? [] : atEnds(statistic, [String(within(statistic.task, BigInt(noisy[1] ?? "0")))]),
      ),
    shows: { chart: "number", value: "column", measures: "place", bin: "share of rows" },
    reuse: {
      ...quantileChoice.reuse,
      from: {
        joined: ([quantile]) => {
          if (quantile === undefined) throw new RangeError("one quantile");
          const { rank: _, ...answer } = quantile;
          return answer;
        },
      },
    },
    audit: [{ asked: { column: "age" }, by: "declared" }],
    noise: [{ column: "age", epsilon: 1 }],
  },
} as const satisfies Record<string, Statistic<ChoiceTask>>;
