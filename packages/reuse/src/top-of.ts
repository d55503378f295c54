import { inNoun } from "@dosimeter/query/declaration";
import { countInterval, noiseHalfWidth, peopleOf } from "@dosimeter/query/noise";
import { type BoundedStatistic, type TopTask, taskKindOf } from "@dosimeter/query/plan";
import { type AnswerCell, definitionOf, type Interval, ofEach } from "@dosimeter/query/statistics";
import { rowsOf } from "./canonical.ts";
import type { Certainty, Derived } from "./derived.ts";
import type { Diagrams } from "./diagram.ts";
import type { Pool } from "./earlier.ts";

/** The most frequent values from released numbers of people for each value, largest first [M183]. */
export function topFrom(
  wanted: BoundedStatistic<TopTask>,
  pools: readonly Pool[],
  diagrams: Diagrams,
  { failureProbability }: Certainty,
): Derived | null {
  const { task: top } = wanted;
  let best: Derived | null = null;
  for (const pool of pools) {
    if (!countsPeople(pool, wanted) || diagrams.of(pool.statistic.where) !== diagrams.of(wanted.where)) continue;
    if (rowsOf(wanted, diagrams) !== rowsOf({ ...pool.statistic, column: null }, diagrams)) continue;
    // Both ends of a comparison of two counts err.
    const expected = (top.chosen ? 2 : 1) * noiseHalfWidth(pool.statistic.noise, ofEach(wanted, failureProbability));
    if (best !== null && expected >= best.expected) continue;
    const counts = countsOf(pool, failureProbability)?.toSorted((a, b) => b.value - a.value);
    if (counts === undefined) continue;
    const [shown, others] = [counts.slice(0, top.k), counts.slice(top.k)];
    const least = Math.min(...shown.map(({ interval: [from] }) => from));
    const apart = Math.ceil(others.reduce((most, { interval: [, to] }) => Math.max(most, to - least), 0));
    const cells = shown.map(
      ({ group, value, interval }, place): AnswerCell =>
        top.chosen
          ? { group, value: place + 1, interval: [1, top.k], rank: apart, noisy: [] }
          : { group, value, interval, noisy: [] },
    );
    best = {
      from: [pool],
      cells,
      expected,
      notes: [
        inNoun(
          `The largest of released counts: no ${wanted.keys === undefined ? "" : "published "}value left out has more than ${apart} people more than one of these.`,
          wanted.noun,
        ),
      ],
      ...(wanted.keys === undefined ? {} : { asAccurate: findsAsMuch(pool.statistic, wanted) }),
    };
  }
  return best;
}

/** Numbers of people for each value of the same column, people counted under the same bounds. */
function countsPeople({ statistic, draws }: Pool, wanted: BoundedStatistic): boolean {
  const { bound, rows } = statistic.contribution;
  const counts = definitionOf(statistic).aggregates(statistic.task);
  const isByPerson = counts.includes("units");
  const isByRow =
    counts.includes("rows") &&
    statistic.column === null &&
    rows === 1 &&
    Object.values(bound).every((limit) => limit === null);
  return (
    (isByPerson || isByRow) &&
    draws.length === 1 &&
    taskKindOf(statistic).shown(statistic.task) === null &&
    statistic.groupBy.length === 1 &&
    statistic.groupBy[0] === wanted.groupBy[0] &&
    (statistic.keys === undefined) === (wanted.keys === undefined) &&
    (statistic.keys === undefined || (statistic.keys.counts && statistic.keys.from === null)) &&
    (isByRow || JSON.stringify(bound) === JSON.stringify(wanted.contribution.bound))
  );
}

/** The noise decides which counts are shown, so the intervals of all counts share the failure probability. */
function countsOf(
  { draws: [draw] }: Pool,
  failureProbability: number,
): readonly Pick<AnswerCell, "group" | "value" | "interval">[] | null {
  if (draw === undefined) return null;
  const { source } = draw;
  const { statistic, answer } = source;
  const groups =
    statistic.keys === undefined ? statistic.groups : (answer.raw ?? answer.cells).map(({ group }) => group);
  if (groups.length !== source.noisy.length) return null;
  const failure = ofEach({ groups }, failureProbability);
  const { keys, noise } = statistic;
  const half = noiseHalfWidth(noise, failure);
  return groups.map((group, at) => {
    const value = Number(source.noisy[at]?.[0] ?? 0n);
    const interval: Interval = keys === undefined ? countInterval(value, half) : peopleOf(keys, value, failure);
    return { group, value, interval };
  });
}

/**
 * Whether the keys were selected by the same rule for at least the same price: no value is then more likely to be
 * hidden.
 */
function findsAsMuch({ keys: had, noise: drawn }: BoundedStatistic, { keys, noise }: BoundedStatistic): boolean {
  return (
    had !== undefined &&
    keys !== undefined &&
    had.family === keys.family &&
    drawn.kind === noise.kind &&
    had.units >= keys.units &&
    had.delta === keys.delta &&
    had.atLeast === keys.atLeast
  );
}
