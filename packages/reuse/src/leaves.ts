import { toDouble } from "@dosimeter/core";
import { type Form, formOf } from "@dosimeter/query/noise";
import type { BoundedStatistic, CurveTask } from "@dosimeter/query/plan";
import { leafWeights } from "@dosimeter/query/statistics";
import { rowsOf } from "./canonical.ts";
import { groupRows } from "./cover.ts";
import type { Diagram, Diagrams } from "./diagram.ts";
import { type Earlier, originText, type Pool } from "./earlier.ts";

/** A released curve: the integers of its one draw are the nodes of a tree. */
export interface Tree {
  readonly statistic: BoundedStatistic<CurveTask>;
  readonly source: Earlier;
}

/** Null for other answers, whose integers are those of their cells. */
export function treeOf({ statistic, draws }: Pool): Tree | null {
  const { task } = statistic;
  const [draw] = draws;
  if (task.kind !== "curve" || draw === undefined || draws.length > 1) return null;
  return { statistic: { ...statistic, task }, source: draw.source };
}

/** Every noisy node of one group, level after level, as drawn. */
export function nodesOf({ statistic, source: { noisy } }: Tree, group: number): bigint[] {
  const { leaves, shape } = statistic.task;
  const { sizes, fanOut } = shape;
  const taken = new Array<number>(leaves).fill(0);
  const nodes: bigint[] = [];
  sizes.forEach((size, level) => {
    const width = fanOut ** (sizes.length - 1 - level);
    for (let node = 0; node < size; node++) {
      const leaf = Math.min(leaves, (node + 1) * width) - 1;
      nodes.push(noisy[group * leaves + leaf]?.[taken[leaf] ?? 0] ?? 0n);
      taken[leaf] = (taken[leaf] ?? 0) + 1;
    }
  });
  return nodes;
}

/** The rows of some leaves of one group, as weights of its noisy nodes [M180]. */
export function leavesForm(tree: Tree, group: number, leaves: readonly number[]): Form {
  const { source, statistic } = tree;
  const noisy = nodesOf(tree, group);
  const weights = leafWeights(statistic.task.shape, leaves);
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
  const integers = Array.from(weights, (weight, node) => ({
    ...{ at: group * noisy.length + node, weight, value: noisy[node] ?? 0n },
  }));
  const told = integers.filter(({ weight }) => Math.abs(weight) > NOTHING * largest);
  return formOf(originText(source.origin), statistic.noise, told);
}

/** Weights that are smaller than this part of the largest come from the rounding of doubles alone. */
const NOTHING = 1e-12;

/**
 * The rows of each leaf within `rows`, where the outer leaves include the values beyond; null when values are rounded
 * to leaves.
 */
export function leafRows(
  { task: curve, column }: BoundedStatistic<CurveTask>,
  rows: Diagram,
  diagrams: Diagrams,
): readonly Diagram[] | null {
  if (column === null) return null;
  const { step, first } = curve.ticks;
  if (!diagrams.isWhole(column) || step.numerator !== step.denominator) return null;
  const starts = Array.from({ length: curve.leaves }, (_, leaf) =>
    toDouble({ numerator: first + BigInt(leaf) * curve.ticksPerLeaf, denominator: 1n }, "down"),
  );
  return starts.map((from, leaf) => {
    const next = starts[leaf + 1];
    const low = leaf === 0 ? rows : diagrams.and(rows, diagrams.of({ op: ">=", column, value: from }));
    return next === undefined ? low : diagrams.and(low, diagrams.of({ op: "<", column, value: next }));
  });
}

export const curveRows = (statistic: BoundedStatistic, diagrams: Diagrams): readonly Diagram[] =>
  groupRows(statistic, rowsOf(statistic, diagrams), diagrams);
