import { compositionRow, publicRecords, repeatablePick, sampleDistances, sampledStatistic } from "@dosimeter/risk";
import type { Piece, Run, Task } from "./task.ts";

/** Runs a task; every distance and row is told once, the last piece ends it. Throws what the library throws. */
export const runTask: Run = function* (task: Task, isDue: () => boolean): Generator<Piece, void, void> {
  if (task.kind === "compose") {
    const { epsilon0, delta, counts } = task;
    for (const [i, count] of counts.entries()) {
      const value = compositionRow({ epsilon0, delta, count });
      yield { kind: "row", value, done: i + 1, total: counts.length };
    }
  } else {
    const { pairs, size } = task;
    const records = publicRecords(task);
    const statistic = sampledStatistic(task.statistic);
    let values: number[] = [];
    let done = 0;
    for (const distance of sampleDistances({ records, statistic, size, pairs, pick: repeatablePick(task.seed) })) {
      values.push(distance);
      done += 1;
      if (done < pairs && !isDue()) continue;
      yield { kind: "distances", values, done, total: pairs };
      values = [];
    }
  }
  yield { kind: "end" };
};
