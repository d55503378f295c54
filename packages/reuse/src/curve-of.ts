import { numberOf, selected } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, type CurveTask, type GroupKey } from "@dosimeter/query/plan";
import {
  type AnswerCell,
  curveCells,
  curveHalfWidth,
  isotonic,
  leafOf,
  weightedHalfWidth,
} from "@dosimeter/query/statistics";
import { coverOf, type Keeping, keepingIn } from "./cover.ts";
import type { Certainty, Derived } from "./derived.ts";
import type { Diagrams } from "./diagram.ts";
import type { Pool } from "./earlier.ts";
import { curveRows, leafRows, nodesOf, type Tree, treeOf } from "./leaves.ts";
import { partsOf } from "./parts.ts";

/** Cumulative counts from a finer curve, or from bins that make up the steps exactly, group by group [M182]. */
export function curveFrom(
  wanted: BoundedStatistic<CurveTask>,
  pools: readonly Pool[],
  diagrams: Diagrams,
  { failureProbability }: Certainty,
): Derived | null {
  let best: Derived | null = null;
  for (const pool of pools) {
    if (pool.statistic.column !== wanted.column || isKept(wanted, pool.statistic) !== "same") continue;
    const tree = treeOf(pool);
    const found =
      tree === null
        ? fromBins(wanted, pool, diagrams, failureProbability)
        : fromFiner(wanted, { pool, tree }, diagrams, failureProbability);
    if (found !== null && found.expected < (best?.expected ?? Number.POSITIVE_INFINITY)) best = found;
  }
  return best;
}

/** Compares the rows that both statistics keep, as if neither distinguished steps. */
const isKept = (wanted: BoundedStatistic, source: BoundedStatistic): Keeping =>
  keepingIn({ statistic: wanted, bins: 0 }, { statistic: source, bins: 0 });

/** Reads the finer curve at fewer places, when every step ends where a step of the finer curve ends. */
function fromFiner(
  wanted: BoundedStatistic<CurveTask>,
  { pool, tree }: { readonly pool: Pool; readonly tree: Tree },
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  const { statistic } = tree;
  const { task: curve } = statistic;
  const { ticks } = curve;
  const { step, first, steps } = wanted.task.ticks;
  if (ticks.first !== first || ticks.steps !== steps) return null;
  if (ticks.step.numerator * step.denominator !== step.numerator * ticks.step.denominator) return null;
  if (wanted.task.ticksPerLeaf % curve.ticksPerLeaf !== 0n) return null;
  const cover = coverOf(curveRows(wanted, diagrams), curveRows(statistic, diagrams), diagrams);
  if (cover === null || cover.some((parts) => parts.length !== 1)) return null;
  const ratio = Number(wanted.task.ticksPerLeaf / curve.ticksPerLeaf);
  const leaves = wanted.task.leaves;
  const cells = wanted.groups.flatMap((group, index) => {
    const fine = curveCells(nodesOf(tree, cover[index]?.[0] ?? 0), statistic, failureProbability);
    return Array.from({ length: leaves }, (_, leaf): AnswerCell => {
      const at = fine[Math.min(curve.leaves, (leaf + 1) * ratio) - 1];
      const { value = 0, interval = [0, 0] } = at ?? {};
      const unreliable = at?.unreliable === true ? { unreliable: true as const } : {};
      return { group, bin: leafOf(wanted, leaf), value, interval, noisy: [], ...unreliable };
    });
  });
  const simultaneous = curveHalfWidth(statistic, failureProbability);
  return { from: [pool], cells, notes: ["Read off a finer curve."], expected: simultaneous, simultaneous };
}

function fromBins(
  wanted: BoundedStatistic<CurveTask>,
  pool: Pool,
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  const { statistic, draws } = pool;
  const bins = partsOf(pool, "rows", diagrams);
  if (bins === null || draws.length > 1 || binsOf(statistic).length < 2) return null;
  const groups = curveRows(wanted, diagrams).map((rows) => leafRows(wanted, rows, diagrams));
  const steps = groups.flatMap((leaves) => leaves ?? []);
  if (steps.length !== groups.length * wanted.task.leaves) return null;
  const cover = coverOf(steps, bins.rows, diagrams);
  if (cover === null) return null;
  const { leaves } = wanted.task;
  const counts = cover.map((parts) => ({ value: numberOf(bins.union(parts)), draws: parts.length }));
  const read = wanted.groups.map((group, index) =>
    risingCells(wanted, group, counts.slice(index * leaves, (index + 1) * leaves), {
      half: (drawn, chance) => weightedHalfWidth(statistic.noise, drawn, chance),
      failureProbability,
    }),
  );
  const simultaneous = Math.max(...read.map(({ off }) => off));
  return {
    from: [pool],
    cells: read.flatMap(({ cells }) => cells),
    notes: ["Added up from the counts of bins."],
    expected: simultaneous,
    simultaneous,
  };
}

/** Running totals of independent draws, made non-decreasing; intervals as those of a curve. */
function risingCells(
  wanted: BoundedStatistic<CurveTask>,
  group: GroupKey,
  counts: readonly { readonly value: number; readonly draws: number }[],
  {
    half,
    failureProbability,
  }: { readonly half: (draws: number, chance: number) => number; readonly failureProbability: number },
): { readonly cells: readonly AnswerCell[]; readonly off: number } {
  const sums: number[] = [];
  const drawn: number[] = [];
  for (const { value, draws } of counts) {
    sums.push((sums.at(-1) ?? 0) + value);
    drawn.push((drawn.at(-1) ?? 0) + draws);
  }
  const values = isotonic(sums);
  const most = Math.max(0, values.at(-1) ?? 0);
  const [rows, all] = [sums.at(-1) ?? 0, drawn.at(-1) ?? 1];
  const { isMarked, failureProbability: beta } = selected(rows, (chance) => half(all, chance), {
    failureProbability,
    answers: wanted.groups.length,
    atLeast: 2 * half(all, failureProbability / counts.length),
  });
  const off = half(all, beta / counts.length);
  const cells = counts.map((_, leaf): AnswerCell => {
    const value = Math.min(most, Math.max(0, values[leaf] ?? 0));
    const [sum, width] = [sums[leaf] ?? 0, half(drawn[leaf] ?? 1, beta)];
    const interval = [Math.max(0, Math.min(value, sum - width)), Math.max(value, sum + width)] as const;
    const unreliable = isMarked ? { unreliable: true as const } : {};
    return { group, bin: leafOf(wanted, leaf), value, interval, noisy: [], ...unreliable };
  });
  return { cells, off };
}
