import { present } from "@dosimeter/core/internal";
import { type Form, formOf, halfWidthOf, numberOf, sumOf } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, rangeOf } from "@dosimeter/query/plan";
import { cutsRows, type Known, type Tails, usesTails } from "@dosimeter/query/quote";
import { type AnswerCell, curveHalfWidth, definitionOf } from "@dosimeter/query/statistics";
import { rowsOf, truncates } from "./canonical.ts";
import { type Diagrams, unlessTooLarge } from "./diagram.ts";
import { type Earlier, poolOf } from "./earlier.ts";
import { groupRowsOf } from "./group-rows.ts";
import { treeOf } from "./leaves.ts";
import type { StatisticSpec, Way } from "./offer.ts";

/** More places of a curve say little more about what lies beyond one. */
const MAX_POINTS = 64;
/** Part of the failure probability for what earlier answers tell: the rest is for the noise of the next one [M374]. */
const TAILS_SHARE = 0.1;

/**
 * What earlier answers about the same rows and groups say of a question: how large its answer is, and what capping changes. They must be
 * answers that the asker has read, and whose caps have counted them [M350].
 */
export function knownOf(
  asked: StatisticSpec,
  ways: readonly Way[],
  earlier: readonly Earlier[],
  diagrams: Diagrams,
): Known {
  const found = <T>(find: () => T | null): T | undefined => unlessTooLarge(find, null) ?? undefined;
  // A sample tells of the rows that were drawn.
  const whole = earlier.filter(({ statistic }) => statistic.sampling === undefined);
  const cut = found(() => cutOf(asked, whole, diagrams));
  return present({
    group: found(() => groupRowsOf(asked, whole, diagrams)),
    expected: found(() => expectedOf(asked, ways, whole, diagrams)),
    cut,
    tails: found(() => (usesTails(asked.statistic) ? tailsOf(asked, whole, diagrams, cut ?? null) : null)),
  });
}

/** How many people have rows that are left out of an answer in one group, by one about the same rows, or more; null where none says. [M378] */
function cutOf(
  { statistic, confidence }: StatisticSpec,
  earlier: readonly Earlier[],
  diagrams: Diagrams,
): Known["cut"] | null {
  if (!cutsRows(statistic) || statistic.groups.length !== 1 || statistic.sampling !== undefined) return null;
  const rows = rowsOf(statistic, diagrams);
  for (const { statistic: source, noisy } of earlier) {
    const { task, noise, where, label: from } = source;
    if (task.kind !== "cuts" || task.mostRows !== statistic.contribution.rows) continue;
    const all = diagrams.of(where);
    if (diagrams.and(rows, all) !== rows) continue;
    const form = formOf("", noise, [{ at: 1, weight: 1, value: noisy[1]?.[0] ?? 0n }]);
    const half = halfWidthOf(form, (TAILS_SHARE / 2) * (1 - confidence));
    const [least, most] = [-half, half].map((off) => Math.max(0, Math.floor(numberOf(form) + off)));
    return { people: [rows === all ? (least ?? 0) : 0, most ?? 0], from };
  }
  return null;
}

/**
 * The newest answer that tells most places; which one is public. Where rows of a person are left out, two answers may keep different ones,
 * of as many people as that answer says.
 */
function tailsOf(
  { statistic, confidence }: StatisticSpec,
  earlier: readonly Earlier[],
  diagrams: Diagrams,
  cut: Known["cut"] | null,
): Tails | null {
  if (truncates(statistic) && cut == null) return null;
  const failureProbability = TAILS_SHARE * (1 - confidence);
  const others = (cut?.people[1] ?? 0) * statistic.contribution.rows;
  const told = earlier
    .filter(
      ({ statistic: source }) =>
        source.column === statistic.column &&
        isAlike(statistic, source, diagrams) &&
        truncates(source) === truncates(statistic) &&
        (!truncates(statistic) || rowsOf(source, diagrams) === rowsOf(statistic, diagrams)),
    )
    .flatMap((source) => {
      const tails = tailsIn(source, truncates(statistic) ? failureProbability / 2 : failureProbability, others);
      return tails === null ? [] : [{ ...tails, failureProbability }];
    });
  return told.reduce<Tails | null>(
    (most, each) => (each.points.length > (most?.points.length ?? 0) ? each : most),
    null,
  );
}

/** The same rows in the same groups: where rows of a unit are left out, as many of them. */
function isAlike(asked: BoundedStatistic, source: BoundedStatistic, diagrams: Diagrams): boolean {
  if (asked.column === null || source.keys !== undefined || asked.keys !== undefined) return false;
  if (asked.groupBy.join("\n") !== source.groupBy.join("\n") || asked.groups.length !== source.groups.length)
    return false;
  const [a, b] = [asked.contribution, source.contribution];
  if ((truncates(asked) || truncates(source)) && a.rows !== b.rows) return false;
  const present = diagrams.present(asked.column);
  return diagrams.and(rowsOf(asked, diagrams), present) === diagrams.and(rowsOf(source, diagrams), present);
}

function tailsIn(
  source: Earlier,
  failureProbability: number,
  others: number,
): Omit<Tails, "failureProbability"> | null {
  const { statistic } = source;
  const groups = statistic.groups.length;
  const shares =
    statistic.task.kind === "curve"
      ? curveTails(source, failureProbability / groups, others)
      : binTails(source, failureProbability / groups, others);
  if (shares === null || shares.length === 0) return null;
  const [first] = shares;
  const points = (first?.points ?? []).map(({ at }, place) => ({
    at,
    least: Math.min(...shares.map(({ points }) => points[place]?.least ?? 0)),
    most: Math.max(...shares.map(({ points }) => points[place]?.most ?? 1)),
  }));
  const rows = [
    Math.min(...shares.map(({ rows }) => rows[0])),
    Math.max(...shares.map(({ rows }) => rows[1])),
  ] as const;
  return { from: statistic.label, points, rows };
}

type OfGroup = Pick<Tails, "points" | "rows">;

/** Of a number of rows above each place, and in all, each within its own error. */
function ofGroup(
  places: readonly { readonly at: number; readonly above: number; readonly half: number }[],
  all: number,
  half: number,
): OfGroup {
  const rows = [Math.max(0, all - half), Math.max(0, all + half)] as const;
  const points = places.map(({ at, above, half: off }) => ({
    at,
    least: rows[1] > 0 ? Math.min(1, Math.max(0, above - off) / rows[1]) : 0,
    most: rows[0] > 0 ? Math.min(1, Math.max(0, above + off) / rows[0]) : 1,
  }));
  return { points, rows };
}

/** From the counts of bins, or of values below, within and above bounds. */
function binTails(source: Earlier, failureProbability: number, others: number): readonly OfGroup[] | null {
  const { statistic, noisy } = source;
  const edges = edgesOf(statistic);
  if (edges === null) return null;
  const size = edges.length + 1;
  return statistic.groups.map((_, group) => {
    const counts = noisy
      .slice(group * size, (group + 1) * size)
      .map(([value = 0n], at) => formOf("", statistic.noise, [{ at, weight: 1, value }]));
    const each = failureProbability / size;
    const above = (place: number): Form => sumOf(counts.slice(place).map((form) => [1, form] as const));
    const places = edges.map((at, index) => {
      const form = above(index + 1);
      return { at, above: numberOf(form), half: halfWidthOf(form, each) + others };
    });
    const all = above(0);
    return ofGroup(places, numberOf(all), halfWidthOf(all, each));
  });
}

/** The places between the bins of one group; null where they are no numbers in order. */
function edgesOf(statistic: BoundedStatistic): readonly number[] | null {
  const range = rangeOf(statistic);
  if (statistic.task.kind === "clips" && range !== undefined) return [range.lower, range.upper];
  const bins = binsOf(statistic);
  if (statistic.statistic !== "histogram" || bins.length < 2) return null;
  const edges = bins.map((bin) => ("lower" in bin ? bin.lower : bin.value));
  return edges.every((edge) => typeof edge === "number") ? edges.slice(1) : null;
}

/** From a cumulative curve, whose error holds for all of it. What a capped one says of its end is the cap's. */
function curveTails(source: Earlier, failureProbability: number, others: number): readonly OfGroup[] | null {
  const tree = treeOf(poolOf(source));
  if (tree === null) return null;
  const half = curveHalfWidth(tree.statistic, failureProbability);
  const { leaves } = tree.statistic.task;
  const cells = source.answer.raw ?? source.answer.cells;
  const step = Math.ceil(leaves / MAX_POINTS);
  return tree.statistic.groups.map((_, group) => {
    const own = cells.slice(group * leaves, (group + 1) * leaves);
    const all = own.at(-1)?.value ?? 0;
    const places = own
      .slice(0, -1)
      .flatMap(({ bin, value }, index) =>
        index % step === 0 && bin !== undefined && "upper" in bin
          ? [{ at: bin.upper, above: all - value, half: 2 * half + others }]
          : [],
      );
    return ofGroup(places, all, half);
  });
}

/** How large the answers are, by an earlier answer to the same question, whatever its caps; null where none says so. */
function expectedOf(
  { statistic }: StatisticSpec,
  ways: readonly Way[],
  earlier: readonly Earlier[],
  diagrams: Diagrams,
): Known["expected"] | null {
  const own = ways.find(({ cells }) => cells !== null);
  const other = earlier.find(
    (source) =>
      source.statistic.statistic === statistic.statistic &&
      source.statistic.column === statistic.column &&
      isAlike(statistic, source.statistic, diagrams),
  );
  const cells = own?.cells ?? other?.answer.cells;
  if (cells == null || cells.length === 0) return null;
  const sizes = cells.map((cell) => sizeOf(cell, statistic));
  const size = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
  const from = own?.pools[0]?.statistic.label ?? other?.statistic.label ?? statistic.label;
  return size > 0 ? { size, sizes, from } : null;
}

/** What an answer is at least: of a place its distance from the nearer declared bound, of all others from 0. */
function sizeOf({ interval: [from, to] }: AnswerCell, statistic: BoundedStatistic): number {
  const range = rangeOf(statistic);
  if (definitionOf(statistic).shows.measures === "place" && range !== undefined) {
    const { lower, upper } = statistic.caps?.declared ?? range;
    return Math.max(0, Math.min(from - (lower ?? range.lower), (upper ?? range.upper) - to));
  }
  return from > 0 ? from : to < 0 ? -to : 0;
}
