import { halfWidthOf, numberOf } from "@dosimeter/query/noise";
import type { BoundedStatistic } from "@dosimeter/query/plan";
import type { Known } from "@dosimeter/query/quote";
import { rowsOf, truncates } from "./canonical.ts";
import type { Diagrams } from "./diagram.ts";
import { cellForms, type Earlier, poolOf } from "./earlier.ts";
import type { StatisticSpec } from "./offer.ts";

/** Part of the failure probability for the sizes of groups: they are no part of the error that they are used for. */
const SHARE = 0.1;

/**
 * How many rows the smallest group of a question has at least, by the most exact released count of the same groups; null where none tells
 * [M386].
 */
export function groupRowsOf(
  { statistic, confidence }: StatisticSpec,
  earlier: readonly Earlier[],
  diagrams: Diagrams,
): Known["group"] | null {
  let best: { readonly rows: number; readonly from: string; readonly half: number } | null = null;
  for (const source of earlier) {
    if (source.statistic.statistic !== "count" || !isOfGroups(statistic, source.statistic, diagrams)) continue;
    const cells = cellForms(poolOf(source), "rows") ?? [];
    const each = (SHARE * (1 - confidence)) / Math.max(1, cells.length);
    let [half, rows] = [0, Number.POSITIVE_INFINITY];
    for (const form of cells) {
      const own = halfWidthOf(form, each);
      half = Math.max(half, own);
      rows = Math.min(rows, Math.floor(numberOf(form) - own));
    }
    if (cells.length === 0 || (best !== null && best.half <= half)) continue;
    best = { rows: Math.max(0, rows), from: source.statistic.label, half };
  }
  return best === null ? null : { rows: best.rows, from: best.from };
}

/** Counts of the same groups: of the same rows, or also of those without a value of the column. */
function isOfGroups(asked: BoundedStatistic, source: BoundedStatistic, diagrams: Diagrams): boolean {
  if (asked.keys !== undefined || source.keys !== undefined || asked.sampling !== undefined) return false;
  const [a, b] = [asked, source].map(({ groupBy }) => [...groupBy].sort().join("\n"));
  if (a !== b || asked.groups.length !== source.groups.length) return false;
  if ((truncates(asked) || truncates(source)) && asked.contribution.rows !== source.contribution.rows) return false;
  const rows = rowsOf(source, diagrams);
  return rows === rowsOf(asked, diagrams) || rows === diagrams.of(asked.where);
}
