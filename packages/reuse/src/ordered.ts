import type { AnswerCell } from "@dosimeter/query/statistics";
import { rowsOf } from "./canonical.ts";
import { type Diagrams, unlessTooLarge } from "./diagram.ts";
import type { Pool } from "./earlier.ts";
import { joinOf } from "./quantiles-of.ts";
import { rising } from "./share-of.ts";

interface Placed {
  readonly pool: number;
  readonly cell: number;
  readonly share: number;
  readonly value: number;
}

/**
 * Puts medians and quantiles of one column and the same rows, chosen separately, in the order of their shares. Isotonic
 * regression can only bring them nearer to the true quantiles together. Null when nothing moves.
 */
export function orderedQuantiles(
  pools: readonly Pool[],
  diagrams: Diagrams,
): readonly (readonly Pick<AnswerCell, "value" | "interval">[] | null)[] {
  const answers = pools.map(({ draws }) => draws[0]?.source.answer.cells ?? []);
  const families = new Map<string, Placed[]>();
  pools.forEach(({ statistic, draws }, pool) => {
    const { task, column, groups, groupBy } = statistic;
    if (task.kind !== "choice" || task.extreme || joinOf(statistic) !== null || draws.length > 1) return;
    const { lower, upper } = task.range;
    const rows = rowsNumber(pools[pool], diagrams);
    const name = JSON.stringify([column, groupBy, groups.length, lower, upper, rows]);
    const targets = task.targets.length;
    answers[pool]?.forEach(({ value }, cell) => {
      const family = `${Math.floor(cell / targets)} ${name}`;
      const share = task.targets[cell % targets]?.share ?? 0;
      families.set(family, [...(families.get(family) ?? []), { pool, cell, share, value }]);
    });
  });
  const moved = new Map<string, number>();
  for (const family of families.values()) {
    const sorted = family.toSorted((a, b) => a.share - b.share);
    const values = rising(sorted.map(({ value }) => value));
    sorted.forEach(({ pool, cell, value }, at) => {
      const agreed = values[at] ?? value;
      if (agreed !== value) moved.set(`${pool}/${cell}`, agreed);
    });
  }
  return answers.map((cells, pool) =>
    cells.some((_, cell) => moved.has(`${pool}/${cell}`))
      ? cells.map(({ value, interval }, cell) => ({ value: moved.get(`${pool}/${cell}`) ?? value, interval }))
      : null,
  );
}

/** A key that is equal for equal rows. A filter too large to compare is a key by its text. */
function rowsNumber(pool: Pool | undefined, diagrams: Diagrams): number | string {
  if (pool === undefined) return "none";
  return unlessTooLarge(() => rowsOf(pool.statistic, diagrams), JSON.stringify(pool.statistic.where));
}
