import type { BoundedStatistic, GroupKey, MeasuredVector } from "@dosimeter/query/plan";
import { answerBins, definitionOf, type Off } from "@dosimeter/query/statistics";

/** Each group with its own integers, without the number of its units. */
function groupsOf(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
): readonly { readonly group: GroupKey; readonly integers: readonly bigint[] }[] {
  const { keys, groups } = statistic;
  if (keys !== undefined)
    return (vector.found ?? []).map((name, at) => ({
      group: { [keys.column]: name },
      integers: vector.cellsOf?.(at) ?? vector.slice(at, at + 1),
    }));
  const size = vector.length / Math.max(1, groups.length);
  return groups.map((group, at) => ({ group, integers: vector.slice(at * size, (at + 1) * size) }));
}

interface ExactCell {
  readonly value: number;
  readonly group?: GroupKey;
}

/** Cells that the exact integers of one group give, in the order of an answer's cells. */
function exactCells(statistic: BoundedStatistic, integers: readonly bigint[]): readonly ExactCell[] {
  const { cells, noised, read, width } = definitionOf(statistic);
  if (cells !== undefined) return cells(noised?.(integers, statistic.task) ?? integers, statistic, 0.5);
  const size = width(statistic.task);
  return Array.from({ length: Math.max(1, answerBins(statistic).length) }, (_, at) =>
    read(integers.slice(at * size, (at + 1) * size), statistic, 0.5),
  );
}

/** The answers that the exact integers give, in the order of an answer's cells, by the JSON of their group. */
export function exactAnswers(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
): ReadonlyMap<string, readonly number[]> {
  const all = groupsOf(statistic, vector).flatMap(({ group, integers }) =>
    exactCells(statistic, integers).map((cell) => ({ value: cell.value, name: JSON.stringify(cell.group ?? group) })),
  );
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, cells]) => [name, cells.map(({ value }) => value)]),
  );
}

/** The distance of each cell from the answer that the exact integers give, or the statistic's own measure of error. */
export function errorsOf(statistic: BoundedStatistic, vector: MeasuredVector): Off {
  const exact = new Map(groupsOf(statistic, vector).map(({ group, integers }) => [JSON.stringify(group), integers]));
  const own = definitionOf(statistic).missed?.(statistic, exact) ?? null;
  if (own !== null) return own;
  const known = exactAnswers(statistic, vector);
  return ({ group, value }, place) => Math.abs(value - (known.get(JSON.stringify(group))?.[place] ?? 0));
}
