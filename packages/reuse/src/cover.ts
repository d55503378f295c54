import type { Predicate } from "@dosimeter/query/declaration";
import { type BoundedStatistic, binsOf, taskKindOf } from "@dosimeter/query/plan";
import { rowsOf, truncates } from "./canonical.ts";
import { ALWAYS, type Diagram, type Diagrams, NEVER } from "./diagram.ts";

/** More pairs of cells than this are not compared. */
const MAX_PAIRS = 40_000;

/** The rows of each cell: group after group, bin after bin within it. */
export function cellRows(statistic: BoundedStatistic, diagrams: Diagrams): readonly Diagram[] {
  const rows = rowsOf(statistic, diagrams);
  const bins = binRows(statistic, diagrams);
  const every = bins.length === 0 ? [ALWAYS] : bins;
  return groupRows(statistic, rows, diagrams).flatMap((held) => every.map((bin) => diagrams.and(held, bin)));
}

/** The rows of each group, bins and leaves not distinguished. */
export const groupRows = (statistic: BoundedStatistic, rows: Diagram, diagrams: Diagrams): readonly Diagram[] =>
  statistic.groups.map((group) =>
    Object.entries(group).reduce(
      (all, [column, value]) => diagrams.and(all, diagrams.of({ op: "=", column, value })),
      rows,
    ),
  );

/** Bins as predicates: the outer ones include the values beyond them. */
function binRows(statistic: BoundedStatistic, diagrams: Diagrams): readonly Diagram[] {
  const column = taskKindOf(statistic).binned(statistic.task) ?? statistic.column;
  const bins = binsOf(statistic);
  if (column === null) return bins.map(() => NEVER);
  return bins.map((bin, index) => {
    if ("value" in bin) return diagrams.of({ op: "=", column, value: bin.value });
    const next = bins[index + 1];
    const parts: Predicate[] = [];
    if (index > 0) parts.push({ op: ">=", column, value: bin.lower });
    if (next !== undefined && "lower" in next) parts.push({ op: "<", column, value: next.lower });
    return diagrams.and(
      diagrams.present(column),
      parts.reduce((all, part) => diagrams.and(all, diagrams.of(part)), ALWAYS),
    );
  });
}

/**
 * For each wanted cell the source cells that make it up, disjoint as groups and bins are; null where some cell is no union of
 * them [M143].
 */
export function coverOf(
  wanted: readonly Diagram[],
  source: readonly Diagram[],
  diagrams: Diagrams,
): readonly (readonly number[])[] | null {
  if (wanted.length * source.length > MAX_PAIRS) return null;
  const at = new Map(source.map((rows, index) => [rows, index]));
  const cover: (readonly number[])[] = [];
  for (const rows of wanted) {
    const same = at.get(rows);
    if (same !== undefined && rows !== NEVER) {
      cover.push([same]);
      continue;
    }
    const inside = source.flatMap((cell, index) =>
      cell !== NEVER && diagrams.and(cell, rows) === cell ? [index] : [],
    );
    const union = inside.reduce((all, index) => diagrams.or(all, source[index] ?? NEVER), NEVER);
    if (union !== rows) return null;
    cover.push(inside);
  }
  return cover;
}

/**
 * Which rows the contribution bounds keep in a union of cells, compared with a statistic that asks for the union
 * itself.
 */
export type Keeping = "same" | "others" | "fewer";

interface Cells {
  readonly statistic: BoundedStatistic;
  /** How many bins are distinguished in each group. */
  readonly bins: number;
}

/**
 * A bound on rows alone keeps the same number of a unit's rows for all cells, though perhaps other rows. A bound on
 * groups, or on rows of a group, depends on how fine the groups are, so such cells are not added up.
 */
export function keepingIn(wanted: Cells, source: Cells): Keeping {
  const [a, b] = [wanted.statistic, source.statistic];
  if (!truncates(a) && !truncates(b)) return "same";
  const one = a.groups.length === 1 && wanted.bins <= 1;
  const alike = a.groupBy.join("\n") === b.groupBy.join("\n") && wanted.bins === source.bins;
  const payload = a.column === b.column || (one && alike);
  if (alike && payload) return "same";
  const { groups, rowsPerGroup } = b.contribution.bound;
  if (groups !== null || rowsPerGroup !== null) return alike ? "others" : "fewer";
  return "others";
}
