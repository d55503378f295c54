import { halfWidthOf, spread, sumOf } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, type ChoiceTask } from "@dosimeter/query/plan";
import {
  bandOf,
  curveHalfWidth,
  definitionOf,
  endOf,
  type FromQuantiles,
  type Quantile,
  rowsPerGroup,
  selectedForm,
  shareOf,
} from "@dosimeter/query/statistics";
import { rowsOf } from "./canonical.ts";
import { coverOf, groupRows, keepingIn } from "./cover.ts";
import { type Certainty, cellsFrom, type Derived } from "./derived.ts";
import type { Diagrams } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { nodesOf, type Tree, treeOf } from "./leaves.ts";
import { quantileOf } from "./share-of.ts";

type Read = (group: number, share: number) => Quantile;
/** All `together` shares hold at once with the failure probability; each on its own where it is 1. */
interface Reader {
  readonly at: (failureProbability: number, together: number) => Read;
  /** The number of rows by which a quantile is expected to be off: by the noise, and by where it lies in its bin or step. */
  readonly expected: (failureProbability: number, together: number, rows: number) => number;
  readonly note: string;
}

/** How the quantiles of a group become one answer; null when each quantile is an answer. */
export function joinOf(statistic: BoundedStatistic): FromQuantiles["joined"] | null {
  const { from } = definitionOf(statistic).reuse;
  return from !== null && typeof from === "object" && "joined" in from ? from.joined : null;
}

/**
 * Quantiles from counts of bins or steps of the column, group by group; the least and the largest value, approximately,
 * from a curve.
 */
export function quantilesFrom(
  wanted: BoundedStatistic<ChoiceTask>,
  pools: readonly Pool[],
  diagrams: Diagrams,
  { failureProbability, rows }: Certainty,
): Derived | null {
  const { task, column } = wanted;
  const joined = joinOf(wanted);
  const shares = [...new Set(task.targets.map(({ share }) => share))];
  const cells = groupRows(wanted, rowsOf(wanted, diagrams), diagrams);
  const readable = leastNoisy(pools).flatMap((pool) => {
    const { statistic } = pool;
    if (statistic.column !== column || keepingIn({ statistic: wanted, bins: 0 }, { statistic, bins: 0 }) !== "same")
      return [];
    const tree = treeOf(pool);
    const reader = tree === null ? binReader(pool, wanted) : curveReader(tree, wanted);
    if (reader === null) return [];
    const cover = coverOf(cells, groupRows(statistic, rowsOf(statistic, diagrams), diagrams), diagrams);
    return cover === null || cover.some((parts) => parts.length !== 1) ? [] : [{ pool, cover, reader }];
  });
  const [perGroup, together] = joined === null ? [shares.length, 1] : [1, shares.length];
  const each = rowsPerGroup(wanted, rows) ?? rows;
  const [best] = readable
    .map((one) => ({ ...one, expected: one.reader.expected(failureProbability, together, each) }))
    .sort((a, b) => a.expected - b.expected);
  if (best === undefined) return null;
  const { pool, cover, reader, expected } = best;
  const readWith = reader.at(failureProbability, together);
  let halfWidth = 0;
  const readAt: Read = (group, share) => {
    const quantile = readWith(group, share);
    halfWidth = Math.max(halfWidth, quantile.rank ?? Number.POSITIVE_INFINITY);
    return quantile;
  };
  const read = cellsFrom(wanted, (cell) => {
    const group = cover[Math.floor(cell / perGroup)]?.[0] ?? 0;
    return joined === null
      ? readAt(group, shares[cell % perGroup] ?? 0)
      : joined(shares.map((share) => readAt(group, share)));
  });
  return { from: [pool], cells: read, notes: [reader.note], expected, halfWidth };
}

/** For each statistic the draw with the least noise; no answer affects this choice. */
function leastNoisy(pools: readonly Pool[]): readonly Pool[] {
  const least = new Map<string, Pool>();
  for (const pool of pools) {
    const key = pool.draws[0]?.source.key ?? "";
    const before = least.get(key);
    if (before === undefined || spread(pool.statistic.noise) < spread(before.statistic.noise)) least.set(key, pool);
  }
  return [...least.values()];
}

function binReader(pool: Pool, wanted: BoundedStatistic<ChoiceTask>): Reader | null {
  const edges = edgesOf(pool.statistic, wanted);
  const forms = cellForms(pool, "rows");
  if (edges === null || forms === null || wanted.task.extreme) return null;
  const bins = binsOf(pool.statistic).length;
  return {
    note: "Read off the counts of bins: the interval is in whole bins.",
    at: (failureProbability, together) => (group, share) => {
      const of = forms.slice(group * bins, (group + 1) * bins);
      const rows = sumOf(of.map((form) => [1, form]));
      const { isMarked, failureProbability: beta } = selectedForm(rows, wanted, failureProbability / together);
      const { value, interval, rank } = quantileOf(of, edges, share, beta);
      return { value, interval: [...interval], rank, ...(isMarked ? { unreliable: true as const } : {}) };
    },
    expected: (failureProbability, together, rows) => {
      const halves = sumOf(forms.slice(0, bins).map((form) => [0.5, form]));
      return halfWidthOf(halves, failureProbability / together / edges.length) + rows / bins;
    },
  };
}

function curveReader(tree: Tree, wanted: BoundedStatistic<ChoiceTask>): Reader | null {
  const { task: curve, groups } = tree.statistic;
  const { lower, upper } = wanted.task.range;
  if (curve.range.lower !== lower || curve.range.upper !== upper) return null;
  const isEnd = wanted.task.extreme;
  return {
    note: "Read off a released curve: the interval holds for everything that is read off it at once.",
    at: (failureProbability) => {
      const bands = groups.map((_, group) => bandOf(nodesOf(tree, group), tree.statistic, failureProbability));
      return (group, share) => {
        const band = bands[group] ?? { steps: [], off: 0, isMarked: true };
        return isEnd ? endOf(band, share === 0 ? "least" : "largest") : shareOf(band, share);
      };
    },
    expected: (failureProbability, _, rows) => curveHalfWidth(tree.statistic, failureProbability) + rows / curve.leaves,
  };
}

/** The edges of the bins of a numeric column, the outer ones at its bounds; null where there are none. */
function edgesOf(source: BoundedStatistic, wanted: BoundedStatistic<ChoiceTask>): readonly number[] | null {
  const bins = binsOf(source);
  if (bins.length < 2) return null;
  const starts = bins.map((bin) => ("lower" in bin ? bin.lower : Number.NaN));
  if (starts.some(Number.isNaN)) return null;
  const { lower, upper } = wanted.task.range;
  const inner = starts.slice(1).map((edge) => Math.min(upper, Math.max(lower, edge)));
  return [lower, ...inner, upper];
}
