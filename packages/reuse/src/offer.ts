import { casesText, type Mu2Amount } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Answer } from "@dosimeter/query/answer";
import { type Cost, gaussianNoise } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, isRanked, type Noise } from "@dosimeter/query/plan";
import { errorText, scaleOf } from "@dosimeter/query/quote";
import {
  type AnswerCell,
  accuracyOf,
  curveCells,
  definitionOf,
  groupedBy,
  nameOf,
  type StatisticRequest,
} from "@dosimeter/query/statistics";
import { derive, isDerivable, labelsOf, readPool } from "./derive.ts";
import type { Derived } from "./derived.ts";
import type { Diagrams } from "./diagram.ts";
import { type Earlier, type Origin, originText, type Pool, poolOf } from "./earlier.ts";
import { nodesOf, type Tree, treeOf } from "./leaves.ts";
import { pooled, poolPrecision, type TopUp, topUp } from "./refine.ts";

/**
 * `same`: the stored answer; `pooled`: an average of several draws of it; `derived`: computed from other answers;
 * `refined`: an earlier answer with a top-up.
 */
export type OfferKind = "same" | "pooled" | "derived" | "refined";

/** An offer: an answer, or a cheaper draw, from earlier answers. Plain JSON. */
interface Offer {
  /** The id of the offer: its kind and origins. */
  readonly id: string;
  readonly kind: OfferKind;
  /** Zero, or the price of a top-up. */
  readonly cost: Cost;
  /** The largest half-width of the cells, at the plan's confidence; in rows for quantiles. */
  readonly halfWidth: number | null;
  /** Whether it is at least as accurate as the requested row. */
  readonly asAccurate: boolean;
  readonly from: readonly Origin[];
  readonly sentence: string;
  readonly notes: readonly string[];
}

/** A requested row; `rows` is the number of rows of the table, declared or assumed by the user. */
export interface StatisticSpec {
  readonly statistic: BoundedStatistic;
  readonly key: string;
  readonly confidence: number;
  readonly rows: number | null;
}

/** An offer with the data to make its answer. */
export interface Way extends Offer {
  readonly pools: readonly Pool[];
  /** The half-width to be expected, by which ways are compared: no answer affects it. Infinity where it is not known. */
  readonly expected: number;
  /** The cells computed from the sources alone; null when the offer needs a fresh draw. */
  readonly cells: readonly AnswerCell[] | null;
  /** Cumulative counts: the largest error of the whole curve, in rows. */
  readonly simultaneous?: number;
  /** The fresh draw and its price; null when there is none. */
  readonly fresh: { readonly rho: string; readonly statistic: BoundedStatistic } | null;
}

/** Answers with more cells are offered as they are: at the confidence at which they were released, and never derived. */
const MAX_CELLS = 1000;
/** Assumed where the number of rows is unknown; only ratios of errors are compared then. */
const SOME_ROWS = 1e6;

/**
 * All ways to answer from earlier releases: free ones first, and within each kind the most accurate first, by what is public
 * alone, so that no choice between them depends on an answer [M141–M146, M187].
 */
export function waysTo(asked: StatisticSpec, released: readonly Earlier[], diagrams: Diagrams): readonly Way[] {
  const { statistic, key, confidence } = asked;
  if (statistic.sampling !== undefined) return []; // every sample is new, so no earlier answer is the same
  const sources = released.filter((source) => source.statistic.sampling === undefined);
  const failureProbability = 1 - confidence;
  const same = sources.filter((source) => source.key === key);
  const ways: Way[] = [];
  for (const source of same) {
    const cells = sameCells(source, asked);
    if (cells !== null) ways.push(sameWay(source, cells, asked));
  }
  ways.sort((a, b) => (a.expected === b.expected ? 0 : a.expected - b.expected));
  const pool = pooled(same);
  const cells = "answers" in statistic.task ? statistic.task.answers : Math.max(1, binsOf(statistic).length);
  const small = statistic.groups.length * cells <= MAX_CELLS;
  if (pool !== null && small) {
    if (pool.draws.length > 1) {
      const cells = readPool(pool, failureProbability);
      if (cells !== null) ways.push(pooledWay(pool, cells, asked));
    }
    const more = topUp(statistic, pool);
    if (more !== null && readPool(pool, failureProbability) !== null) ways.push(refinedWay(pool, more, asked));
  }
  if (small && isDerivable(statistic)) {
    const others = sources.filter((source) => source.key !== key).map(poolOf);
    const derived = derive(statistic, others, diagrams, { failureProbability, rows: asked.rows ?? SOME_ROWS });
    if (derived !== null && derived.cells.length > 0) ways.push(derivedWay(derived, asked));
  }
  return ways.sort((a, b) => Number(a.fresh !== null) - Number(b.fresh !== null));
}

/**
 * A way as a person may see it who has not paid for its sources: no field depends on the answers. The half-width of a
 * mean, or of a count near zero, does, so the accuracy of derived answers stays hidden [M184].
 */
export function unseen(made: Way, asked: StatisticSpec): Way | null {
  if (made.kind === "refined") return made;
  // Whether any key was published depends on the answers, and so does how near a quantile comes to its rank.
  if (made.kind === "derived" && (isRanked(asked.statistic) || asked.statistic.keys !== undefined)) return null;
  const [source] = made.pools[0]?.draws ?? [];
  const isSame = made.kind === "same" && source !== undefined;
  const noise = isSame ? source.source.statistic.noise : asked.statistic.noise;
  const needsRows = asked.rows === null && definitionOf(asked.statistic).needsRows(asked.statistic.task);
  const halfWidth =
    isSame && !needsRows ? accuracyOf({ ...asked.statistic, noise }, 1 - asked.confidence, asked.rows) : null;
  return {
    ...made,
    halfWidth,
    asAccurate: made.kind !== "derived" && made.asAccurate,
    sentence: sentenceOf(made.kind, made.pools, {
      halfWidth,
      confidence: asked.confidence,
      unit: unitOf(asked.statistic),
    }),
    notes: [UNSEEN],
  };
}

const UNSEEN = "Your cap pays for these answers when you take them; until then they are hidden.";

/** The stored cells, or new ones for another confidence; null when there are too many, or they cannot be computed for it. */
function sameCells(source: Earlier, { confidence, statistic }: StatisticSpec): readonly AnswerCell[] | null {
  const { answer } = source;
  const stored = (answer.raw ?? answer.cells).map(({ consistent: _, ...cell }) => cell);
  // To put many in order takes long, and they mostly are.
  const isInOrder = source.statistic.groupBy.every((name, at) => name === statistic.groupBy[at]);
  if (answer.confidence === confidence) return isInOrder ? stored : inOrder(stored, statistic);
  if (stored.length > MAX_CELLS) return null;
  const tree = treeOf(poolOf(source));
  const read = tree === null ? readPool(poolOf(source), 1 - confidence) : readCurve(tree, 1 - confidence);
  return read === null
    ? null
    : inOrder(
        read.map((cell, i) => ({ ...cell, noisy: stored[i]?.noisy ?? [] })),
        statistic,
      );
}

const readCurve = (tree: Tree, failureProbability: number): readonly AnswerCell[] =>
  tree.statistic.groups.flatMap((group, index) =>
    curveCells(nodesOf(tree, index), tree.statistic, failureProbability).map((cell) => ({ group, ...cell, noisy: [] })),
  );

/** Cells in the requested order, which may name the grouping columns in another order. */
function inOrder(cells: readonly AnswerCell[], statistic: BoundedStatistic): readonly AnswerCell[] {
  const { groups } = statistic;
  const bins = binsOf(statistic);
  const [first] = groups;
  if (first === undefined || Object.keys(first).length < 2) return cells;
  const nameOf = (group: object): string => JSON.stringify(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1)));
  const found = Map.groupBy(cells, ({ group }) => nameOf(group));
  const ordered = groups.flatMap((group) => (found.get(nameOf(group)) ?? []).map((cell) => ({ ...cell, group })));
  return ordered.length === groups.length * Math.max(1, bins.length) ? ordered : cells;
}

/** What the value is off by at most: an interval that is cut to what is possible is no narrower. Of more cells than a call takes arguments too. */
const widthOf = (cells: readonly AnswerCell[]): number =>
  cells.reduce(
    (most, { value, interval: [from, to], rank }) => Math.max(most, rank ?? Math.max(value - from, to - value)),
    0,
  );

const free: Cost = { epsilon: "0" };

/** The half-width of a draw of the same statistic with this noise; Infinity where it is not known. */
const expectedOf = (noise: Noise, { statistic, confidence, rows }: StatisticSpec): number =>
  accuracyOf({ ...statistic, noise }, 1 - confidence, rows ?? SOME_ROWS) ?? Number.POSITIVE_INFINITY;

/** Whether what is expected is as accurate as the request; no answer affects the result. */
const isEnough = (expected: number, asked: StatisticSpec): boolean =>
  Number.isFinite(expected) && expected <= expectedOf(asked.statistic.noise, asked);

/** Whether a draw of the same statistic with this noise is as accurate as the request; no answer affects the result. */
export const isAsAccurate = (noise: Noise, asked: StatisticSpec): boolean => isEnough(expectedOf(noise, asked), asked);

function sameWay(source: Earlier, cells: readonly AnswerCell[], asked: StatisticSpec): Way {
  const { statistic, answer } = source;
  const simultaneous = definitionOf(statistic).simultaneous?.(statistic, 1 - asked.confidence);
  const expected = expectedOf(statistic.noise, asked);
  const asAccurate = isEnough(expected, asked);
  // An interval in the column's unit does not say how many rows it holds; how it was drawn does.
  const isApart = isRanked(statistic) && cells.every(({ rank }) => rank === undefined);
  const halfWidth = simultaneous ?? (isApart ? expected : widthOf(cells));
  return way("same", [poolOf(source)], {
    ...{ asked, cells, halfWidth, asAccurate, notes: answer.notes, expected },
    simultaneous,
  });
}

function pooledWay(pool: Pool, cells: readonly AnswerCell[], asked: StatisticSpec): Way {
  const { noise, sensitivity } = asked.statistic;
  const precision = poolPrecision(pool);
  const asAccurate = noise.kind === "gaussian" && precision >= noise.mu2;
  const expected = expectedOf(gaussianNoise(precision as Mu2Amount, sensitivity), asked);
  return way("pooled", [pool], { asked, cells, halfWidth: widthOf(cells), asAccurate, notes: [], expected });
}

function refinedWay(pool: Pool, { rho, cost, fresh }: TopUp, asked: StatisticSpec): Way {
  const rows = asked.rows ?? SOME_ROWS;
  const known = asked.rows !== null || !definitionOf(asked.statistic).needsRows(asked.statistic.task);
  const halfWidth = known ? accuracyOf(asked.statistic, 1 - asked.confidence, rows) : null;
  const expected = expectedOf(asked.statistic.noise, asked);
  const made = way("refined", [pool], { asked, cells: null, halfWidth, asAccurate: true, notes: [], expected });
  return { ...made, cost, fresh: { rho, statistic: fresh } };
}

function derivedWay({ from, cells, notes, expected, simultaneous, ...stated }: Derived, asked: StatisticSpec): Way {
  const halfWidth = simultaneous ?? stated.halfWidth ?? widthOf(cells);
  const comparable = !isRanked(asked.statistic) || Number.isFinite(stated.halfWidth);
  const limit = scaleOf(asked.statistic, asked.rows ?? SOME_ROWS)?.useless ?? Number.POSITIVE_INFINITY;
  const asAccurate = stated.asAccurate ?? (comparable && expected < limit && isEnough(expected, asked));
  return way("derived", from, { asked, cells, halfWidth, asAccurate, notes, expected, simultaneous });
}

function way(
  kind: OfferKind,
  pools: readonly Pool[],
  {
    asked,
    simultaneous,
    ...made
  }: Pick<Way, "cells" | "halfWidth" | "asAccurate" | "notes" | "expected"> & {
    readonly asked: StatisticSpec;
    readonly simultaneous?: number | undefined;
  },
): Way {
  const from = pools.flatMap(({ draws }) => draws.map(({ source }) => source.origin));
  return {
    id: `${kind}:${from.map(originText).join("+")}`,
    kind,
    cost: free,
    ...made,
    from,
    sentence: sentenceOf(kind, pools, {
      halfWidth: made.halfWidth,
      confidence: asked.confidence,
      unit: unitOf(asked.statistic),
    }),
    pools,
    ...present({ simultaneous }),
    fresh: null,
  };
}

const unitOf = (statistic: BoundedStatistic): string | undefined => (isRanked(statistic) ? "rows" : statistic.unit);

function sentenceOf(
  kind: OfferKind,
  pools: readonly Pool[],
  { halfWidth, confidence, unit }: { halfWidth: number | null; confidence: number; unit: string | undefined },
): string {
  const draws = pools.reduce((sum, pool) => sum + pool.draws.length, 0);
  const off = halfWidth === null ? "" : `, within ± ${errorText(halfWidth, unit)} ${casesText(confidence)}`;
  switch (kind) {
    case "same":
      return `Free: it was released before${off}.`;
    case "pooled":
      return `Free: ${draws} earlier draws averaged${off}.`;
    case "derived":
      return `Free: worked out from ${labelsOf(pools)}${off}.`;
    case "refined":
      return `Pays only the difference to ${draws === 1 ? "an earlier draw" : `${draws} earlier draws`}${off}.`;
  }
}

/** The answer of an offer; `drawn` is the fresh part of a refined one. */
export function answerOf(chosen: Way, asked: StatisticSpec, drawn: Answer | null = null): Answer {
  const { statistic, confidence } = asked;
  const [first] = chosen.pools;
  const stored = first?.draws[0]?.source.answer;
  const cells = drawn === null ? chosen.cells : refinedCells(chosen, asked, drawn);
  if (stored === undefined || cells === null)
    throw new RangeError("an offer has sources, and a refined one a fresh draw");
  const { id, label, column } = statistic;
  return {
    ...(chosen.kind === "same" || chosen.kind === "pooled" || drawn !== null ? stored : {}),
    id,
    statistic: nameOf(statistic),
    label,
    column,
    groupBy: groupedBy(statistic),
    cost: chosen.cost,
    confidence,
    noise: drawn?.noise ?? stored.noise,
    tick: drawn?.tick ?? stored.tick,
    cells,
    ...present({ simultaneous: chosen.simultaneous }),
    ...(drawn === null ? { raw: undefined } : { raw: drawn.cells }),
    notes: [...(drawn?.notes ?? chosen.notes), whyNote(chosen)],
    origin: { kind: chosen.kind, from: chosen.from },
  };
}

function refinedCells(
  { pools: [pool] }: Way,
  { statistic, confidence, key }: StatisticSpec,
  drawn: Answer,
): readonly AnswerCell[] {
  if (pool === undefined) throw new RangeError("a refined answer has earlier draws");
  const fresh: Earlier = {
    origin: { release: "", row: statistic.id },
    statistic: { ...statistic, noise: freshNoise(statistic, pool) },
    key,
    noisy: drawn.cells.map(({ noisy }) => noisy.map(BigInt)),
    answer: drawn,
  };
  const both = pooled([...pool.draws.map(({ source }) => source), fresh]);
  const cells = both === null ? null : readPool(both, 1 - confidence);
  if (cells === null) throw new RangeError("Gaussian draws of one statistic can be averaged");
  return inOrder(cells, statistic);
}

function freshNoise(statistic: BoundedStatistic, pool: Pool): BoundedStatistic["noise"] {
  const more = topUp(statistic, pool);
  if (more === null) throw new RangeError("a refined answer pays something");
  return more.fresh.noise;
}

/** In words; the ids are in the origin of the answer. */
function whyNote({ kind, pools }: Way): string {
  const names = labelsOf(pools);
  if (kind === "refined")
    return `Averaged with the earlier answer to ${names}, weighted by precision; the fresh draw is kept too.`;
  return kind === "same"
    ? `Free: the answer to ${names} that was released before.`
    : `Free: from ${names}, released before.`;
}

/** The request of the fresh part of a refined row. */
export function toppedUp(request: StatisticRequest, { fresh }: Way): StatisticRequest {
  if (fresh === null) return request;
  const { epsilon: _, noise: __, ...rest } = request;
  return { ...rest, rho: fresh.rho };
}

/** The reason why an earlier answer to the same question is not offered at this confidence; null where it is. */
export function whyNotAtThis({ key, confidence }: StatisticSpec, sources: readonly Earlier[]): string | null {
  const same = sources.filter((source) => source.key === key);
  const [first] = same;
  if (
    first === undefined ||
    first.noisy.length <= MAX_CELLS ||
    same.some(({ answer }) => answer.confidence === confidence)
  )
    return null;
  return `An earlier release has these answers, with intervals that hold ${casesText(first.answer.confidence)}. More than ${MAX_CELLS} answers are reused at the confidence of their release alone.`;
}

/** The reason why an earlier Laplace answer has no top-up; null for other offers. */
export function whyNoTopUp({ statistic, key }: StatisticSpec, sources: readonly Earlier[]): string | null {
  const same = sources.filter((source) => source.key === key);
  if (same.length === 0 || same.some(({ statistic: { noise } }) => noise.kind === "gaussian")) return null;
  if (isRanked(statistic)) return "A choice cannot be made a little better: a fresh one is drawn at its own price.";
  return "Laplace noise cannot be topped up: both draws would be paid in full, so a fresh one alone costs less.";
}
