import { parseRational, toDouble } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import type { ChoiceTask } from "../../plan/task.ts";
import { atEnds, betweenLeaves, choosing, quantileChoice, rankOf } from "../choice/index.ts";
import type { Statistic } from "../statistic.ts";

/** The difference of two decimals, exact before it is rounded once. */
function less(a: number, b: number, rounding: "up" | "down"): number {
  const [x, y] = [parseRational(a), parseRational(b)];
  const numerator = x.numerator * y.denominator - y.numerator * x.denominator;
  return toDouble({ numerator, denominator: x.denominator * y.denominator }, rounding);
}

/** The third quartile less the first: two choices at one price, one answer that is never negative [M185]. */
export const interquartile = {
  interquartileRange: {
    ...quantileChoice,
    label: "interquartile range",
    help: "How long the range is that holds the middle half of the rows: the third quartile less the first.",
    task: choosing([0.25, 0.75]),
    bins: () => [],
    width: () => 2,
    read: ([low = 0n, high = low], statistic, failureProbability) => {
      const [value, most] = betweenLeaves(statistic.task, low, high);
      return { value, interval: [0, most], rank: rankOf(statistic, failureProbability) };
    },
    // A quarter of the rows further, the range is empty or everything.
    byRank: () => 1 / 4,
    words: (_, rows) => `will have at most ${rows} rows between each of its quartiles and the true one`,
    notes: (_, [first]) =>
      first?.rank === undefined
        ? []
        : [
            `At most ${countText(first.rank, "row")} lie between each of the two quartiles and the true one of the capped values; the interval is all that the declared range allows.`,
          ],
    doubts: (statistic, cells) => cells.flatMap(({ noisy }) => atEnds(statistic, noisy, "A quartile")),
    shows: { chart: "number", value: "named", measures: "length", rows: "quartiles" },
    reuse: {
      ...quantileChoice.reuse,
      from: {
        joined: ([low, high]) => {
          if (low === undefined || high === undefined) throw new RangeError("two quartiles");
          const [from, to] = [low.interval, high.interval];
          return {
            value: Math.max(0, less(high.value, low.value, "down")),
            interval: [Math.max(0, less(to[0], from[1], "down")), less(to[1], from[0], "up")],
            rank: Math.max(low.rank ?? 0, high.rank ?? 0),
            ...(low.unreliable === true || high.unreliable === true ? { unreliable: true } : {}),
          };
        },
      },
    },
    audit: [{ asked: { column: "age" }, by: "declared" }],
    noise: [{ column: "age", epsilon: 1 }],
  },
} as const satisfies Record<string, Statistic<ChoiceTask>>;
