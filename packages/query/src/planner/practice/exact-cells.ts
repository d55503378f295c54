import type { AnswerCell } from "../../answer/cell.ts";
import type { MeasuredVector } from "../../engine/engine.ts";
import type { BoundedStatistic, GroupKey } from "../../plan/bounded.ts";
import type { ChoiceTask } from "../../plan/task.ts";
import { answerBins, definitionOf } from "../../statistics/index.ts";

/** How far each cell of an answer is from what the practice data hold. */
export type Off = (cell: AnswerCell, place: number) => number;

/** Each group with its own integers, without the number of its units. */
function groupsOf(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
): readonly { readonly group: GroupKey; readonly integers: readonly bigint[] }[] {
  const { keys, groups } = statistic;
  const names = keys === undefined ? groups : (vector.found ?? []).map((name) => ({ [keys.column]: name }));
  const size = vector.length / Math.max(1, names.length);
  return names.map((group, index) => {
    const integers = vector.slice(index * size, (index + 1) * size);
    return { group, integers: keys === undefined || keys.counts ? integers : integers.slice(1) };
  });
}

/** Values that the exact integers of one group give, in the order of an answer's cells. */
function valuesOf(statistic: BoundedStatistic, integers: readonly bigint[]): readonly number[] {
  const { cells, noised, read, width } = definitionOf(statistic);
  if (cells !== undefined)
    return cells(noised?.(integers, statistic.task) ?? integers, statistic, 0.5).map(({ value }) => value);
  const size = width(statistic.task);
  return Array.from(
    { length: Math.max(1, answerBins(statistic).length) },
    (_, at) => read(integers.slice(at * size, (at + 1) * size), statistic, 0.5).value,
  );
}

/** Distance from the answer that the exact integers give; of a chosen group, by how much a better one was missed. */
export function valueErrors(statistic: BoundedStatistic, vector: MeasuredVector): Off {
  const known = new Map(
    groupsOf(statistic, vector).map(({ group, integers }) => [JSON.stringify(group), valuesOf(statistic, integers)]),
  );
  const { task } = statistic;
  if (task.kind === "top" && task.chosen) {
    const counts = [...known.values()].map(([count = 0]) => count).sort((a, b) => b - a);
    const least = counts[task.k - 1] ?? 0;
    return ({ group }) => Math.max(0, least - (known.get(JSON.stringify(group))?.[0] ?? 0));
  }
  return ({ group, value }, place) => Math.abs(value - (known.get(JSON.stringify(group))?.[place] ?? 0));
}

/** Rows between the chosen value and the quantile asked for; of several that are one answer, the most. */
export function rankErrors(statistic: BoundedStatistic<ChoiceTask>, vector: MeasuredVector): Off {
  const { task } = statistic;
  const known = new Map(
    groupsOf(statistic, vector).map(({ group, integers }) => [JSON.stringify(group), integers.map(Number)]),
  );
  const errorOf = (counts: readonly number[], leaf: number, share: number): number => {
    const below = counts.slice(0, leaf).reduce((a, b) => a + b, 0);
    const rank = share * counts.reduce((a, b) => a + b, 0);
    return Math.max(0, below - rank, rank - below - (counts[leaf] ?? 0));
  };
  return ({ group, noisy }, place) =>
    Math.max(
      ...noisy.map((leaf, at) => {
        const share = task.targets[place * noisy.length + at]?.share ?? 0.5;
        return errorOf(known.get(JSON.stringify(group)) ?? [], Number(leaf), share);
      }),
    );
}
