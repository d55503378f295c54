import { type Form, none, sumOf } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, leavesOf } from "@dosimeter/query/plan";
import type { ViewName } from "@dosimeter/query/statistics";
import { cellRows, type Keeping, keepingIn } from "./cover.ts";
import type { Diagram, Diagrams } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { curveRows, leafRows, leavesForm, type Tree, treeOf } from "./leaves.ts";

/** Disjoint sets of rows for which an answer gives a sum, and the sum over any union of them. */
export interface Parts {
  readonly rows: readonly Diagram[];
  union(parts: readonly number[]): Form;
}

/** A curve with more leaves in all groups gives its totals only. */
const MAX_LEAVES = 2048;

/** The parts of a pool; null when the pool has no such sum. */
export function partsOf(pool: Pool, view: ViewName, diagrams: Diagrams): Parts | null {
  const tree = treeOf(pool);
  if (tree !== null) return view === "rows" ? curveParts(tree, diagrams) : null;
  const forms = cellForms(pool, view);
  if (forms === null) return null;
  return {
    rows: cellRows(pool.statistic, diagrams),
    union: (parts) =>
      parts.length === 1 ? (forms[parts[0] ?? 0] ?? none) : sumOf(parts.map((part) => [1, forms[part] ?? none])),
  };
}

function curveParts(tree: Tree, diagrams: Diagrams): Parts {
  const { statistic } = tree;
  const { task: curve } = statistic;
  const groups = curveRows(statistic, diagrams);
  const isFine = groups.length * curve.leaves <= MAX_LEAVES;
  const all = Array.from({ length: curve.leaves }, (_, leaf) => leaf);
  const cells = groups.flatMap((rows, group) => {
    const fine = isFine ? leafRows(statistic, rows, diagrams) : null;
    return fine === null
      ? [{ rows, group, leaves: all }]
      : fine.map((at, leaf) => ({ rows: at, group, leaves: [leaf] }));
  });
  return {
    rows: cells.map(({ rows }) => rows),
    union: (parts) =>
      sumOf(
        groups.flatMap((_, group) => {
          const leaves = parts.flatMap((part) => (cells[part]?.group === group ? (cells[part]?.leaves ?? []) : []));
          return leaves.length === 0 ? [] : [[1, leavesForm(tree, group, leaves)] as const];
        }),
      ),
  };
}

/** How the bounds keep the rows of a source's cells; the steps of a curve are cells like bins. */
export const keptBy = (wanted: BoundedStatistic, source: BoundedStatistic): Keeping =>
  keepingIn(
    { statistic: wanted, bins: binsOf(wanted).length },
    { statistic: source, bins: leavesOf(source) === undefined ? binsOf(source).length : MIN_STEPS },
  );

/** A curve has at least two steps. */
const MIN_STEPS = 2;
