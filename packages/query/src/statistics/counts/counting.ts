import { countInterval, noiseHalfWidth } from "../../noise/tail.ts";
import type { CountsTask, Task } from "../../plan/task.ts";
import type { Statistic } from "../statistic.ts";

/** The common part of all counts: one integer with noise for each cell. */
export const counting = {
  takes: [],
  errorScale: null,
  row: () => ({ least: 1n, largest: 1n }),
  integers: (aggregates) => aggregates,
  width: () => 1,
  accuracy: (statistic, failureProbability) => noiseHalfWidth(statistic.noise, failureProbability),
  read: ([noisy = 0n], statistic, failureProbability) => {
    const value = Number(noisy);
    return { value, interval: countInterval(value, noiseHalfWidth(statistic.noise, failureProbability)) };
  },
  needsRows: () => false,
} as const satisfies Partial<Statistic<Task>>;

/** Counts without bins. */
export const allRows = (): CountsTask => ({ kind: "counts", bins: [] });
