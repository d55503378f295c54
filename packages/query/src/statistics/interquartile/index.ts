import { plainSome } from "../../answer/words.ts";
import type { ChoiceTask } from "../../plan/task.ts";
import { atEnds, choosing, inTheMiddle, rankOf, valueOfLeaf } from "../choice/index.ts";
import type { Statistic } from "../statistic.ts";

/** The third quartile less the first: two choices at one price, one answer that is never negative [M185]. */
export const interquartile = {
  interquartileRange: {
    ...inTheMiddle,
    label: "interquartile range",
    help: "How long the range is that holds the middle half of the rows: the third quartile less the first.",
    task: choosing([0.25, 0.75]),
    bins: () => [],
    width: () => 2,
    read: ([low = 0n, high = low], statistic, failureProbability) => {
      const { lower, upper } = statistic.task.range;
      return {
        value: valueOfLeaf(statistic.task, high) - valueOfLeaf(statistic.task, low),
        interval: [0, upper - lower],
        rank: rankOf(statistic, failureProbability),
      };
    },
    // A quarter of the rows further, the range is empty or everything.
    byRank: 1 / 4,
    words: (_, rows) => `will have at most ${rows} rows between each of its quartiles and the true one`,
    notes: (_, [first]) =>
      first?.rank === undefined
        ? []
        : [
            `At most ${plainSome(first.rank, "row")} lie between each of the two quartiles and the true one; the interval is all that the declared range allows.`,
          ],
    doubts: (statistic, cells) => cells.flatMap(({ noisy }) => atEnds(statistic, noisy, "A quartile")),
    chart: "number",
    reuse: {
      ...inTheMiddle.reuse,
      from: {
        joined: ([low, high]) => {
          if (low === undefined || high === undefined) throw new RangeError("two quartiles");
          const [from, to] = [high.interval[0] - low.interval[1], high.interval[1] - low.interval[0]];
          return {
            value: Math.max(0, high.value - low.value),
            interval: [Math.max(0, from), to],
            rank: Math.max(low.rank ?? 0, high.rank ?? 0),
            ...(low.unreliable === true || high.unreliable === true ? { unreliable: true } : {}),
          };
        },
      },
    },
    audit: [{ asked: { column: "age" }, by: "declared" }],
    noise: { like: "quantiles" },
  },
} as const satisfies Record<string, Statistic<ChoiceTask>>;
