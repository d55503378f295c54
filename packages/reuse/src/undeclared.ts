import { casesText } from "@dosimeter/core";
import { halfWidthOf, numberOf, sumOf } from "@dosimeter/query/noise";
import { rowsOf } from "./canonical.ts";
import { cellRows } from "./cover.ts";
import { type Diagrams, NEVER, unlessTooLarge } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { treeOf } from "./leaves.ts";
import { keptBy } from "./parts.ts";

/**
 * What a released count of the same rows, or of the values of the column, says of the rows that are in no group or bin of an answer: one note
 * for each pool, null where no count tells. Free, as it reads released integers only [M384].
 */
export function undeclaredRows(
  pools: readonly Pool[],
  diagrams: Diagrams,
  confidence: number,
): readonly (string | null)[] {
  const counts = pools.filter(({ statistic }) => statistic.statistic === "count" && statistic.groups.length === 1);
  return pools.map((pool) => unlessTooLarge(() => noteOf(pool, counts, diagrams, confidence), null));
}

function noteOf(pool: Pool, counts: readonly Pool[], diagrams: Diagrams, confidence: number): string | null {
  const { statistic } = pool;
  const [column, ...others] = statistic.undeclared ?? [];
  const parts = treeOf(pool) === null ? cellForms(pool, "rows") : null;
  if (column === undefined || parts === null) return null;
  const all = diagrams.of(statistic.where);
  const present = diagrams.and(all, diagrams.present(column));
  const inside = cellRows(statistic, diagrams).reduce((a, b) => diagrams.or(a, b), NEVER);
  for (const count of counts) {
    const rows = rowsOf(count.statistic, diagrams);
    // Of several columns only the whole tells.
    const isWhole = rows === all || (others.length === 0 && rows === present);
    const [total] = cellForms(count, "rows") ?? [];
    if (!isWhole || rows === inside || total === undefined || keptBy(count.statistic, statistic) !== "same") continue;
    const rest = sumOf([[1, total], ...parts.map((part) => [-1, part] as const)]);
    const [value, half] = [numberOf(rest), halfWidthOf(rest, 1 - confidence)];
    const [from, to] = [Math.max(0, Math.floor(value - half)), Math.max(0, Math.ceil(value + half))];
    const none = statistic.groupBy.length > 0 ? "groups" : "bins";
    return `By the ${count.statistic.label} next to it, ${from} to ${to} rows are in none of its ${none} ${casesText(confidence)}.`;
  }
  return null;
}
