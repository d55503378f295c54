import { inNoun } from "../../declaration/words.ts";
import { peopleOf } from "../../noise/published.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { unitContribution } from "../../plan/sensitivity.ts";
import type { CountsTask, TopTask } from "../../plan/task.ts";
import { allRows, counting } from "../counts/counting.ts";
import type { Reading, Statistic } from "../statistic.ts";
import { unitsText } from "../words.ts";
import { chooseTop, missedTop, ofEach, readTop, topHalfWidth, topOf } from "./top.ts";

const byKey = {
  ...counting,
  column: "key",
  aggregates: () => ["units"],
  contribution: unitContribution,
} as const satisfies Partial<Statistic>;

/** The number of people with one value; of a value that had to be published first, given that it was [M118]. */
function readCount(noisy: readonly bigint[], statistic: BoundedStatistic, failureProbability: number): Reading {
  const { keys } = statistic;
  if (keys === undefined || keys.rule === null) return counting.read(noisy, statistic, failureProbability);
  const value = Number(noisy[0] ?? 0n);
  return { value, interval: peopleOf(keys, value, failureProbability) };
}

/** Values that enough people share: all of them, or the most frequent. */
export const keyStatistics = {
  keyCounts: {
    ...byKey,
    label: "people for each value",
    help: "How many people have each value of a column whose values are not declared; values that too few people share stay hidden.",
    task: allRows,
    sample: "stays",
    shows: { chart: "bars", value: "people" },
    read: readCount,
    reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: ["topValues"] },
    audit: [{ asked: { column: "word" }, by: "found" }],
    noise: [{ column: "word", epsilon: 1, delta: 1e-6 }],
  } as const satisfies Statistic<CountsTask>,
  topValues: {
    ...byKey,
    label: "most frequent values",
    help: "The values that most people have, the most frequent first.",
    takes: ["k"],
    declaredKeys: true,
    task: ({ given, groups, path }) => ({
      kind: "top",
      k: readTop(given.k, groups, path),
      chosen: false,
      perChoice: 1n,
    }),
    settled: (task, at) => topOf(task.k, at),
    chooseGroups: (counts, { task, noise }, random) =>
      task.chosen && noise.kind === "laplace" ? chooseTop(counts, task.k, noise.scale, random) : null,
    accuracy: topHalfWidth,
    missed: missedTop,
    read: (noisy, statistic, failureProbability) =>
      statistic.task.chosen
        ? {
            value: Number(noisy[0] ?? 0n),
            interval: [1, statistic.task.k],
            rank: topHalfWidth(statistic, failureProbability),
          }
        : readCount(noisy, statistic, ofEach(statistic, failureProbability)),
    words: ({ task, keys, noun }, people) => {
      if (task.chosen) return inNoun(`will have at most ${people} people fewer than any value left out`, noun);
      return `will be within ± ${people}${keys === undefined ? "" : " each, more where the largest of many are taken: their intervals say so"}`;
    },
    notes: ({ task, noun }, [first]) =>
      task.chosen && first?.rank !== undefined
        ? [`Values are in order of frequency; each has at most ${unitsText(first.rank, noun)} fewer than any left out.`]
        : [],
    sample: "grows",
    shows: { chart: "ranking", value: "place" },
    reuse: {
      leavesOutMissing: false,
      from: "top",
      holds: null,
      near: { from: ["keyCounts", "distinctUnits", "count"], sameColumn: false },
      gives: [],
    },
    audit: [{ asked: { column: "word", k: 2 }, by: "found" }],
    noise: [{ column: "region", k: 1, epsilon: 1 }],
  } as const satisfies Statistic<TopTask>,
} as const;
