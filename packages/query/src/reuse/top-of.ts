import type { AnswerCell } from "../answer/cell.ts";
import type { BoundedStatistic, GroupKey } from "../plan/bounded.ts";
import type { TopTask } from "../plan/task.ts";
import { taskKindOf } from "../plan/task-kinds.ts";
import { definitionOf } from "../statistics/index.ts";
import { rowsOf } from "./canonical.ts";
import type { Derived } from "./derived.ts";
import type { Diagrams } from "./diagram.ts";
import { originText, type Pool } from "./earlier.ts";
import { type Form, formOf, halfWidthOf, numberOf } from "./form.ts";

/** The most frequent values from released numbers of people for each value, largest first [M183]. */
export function topFrom(
  wanted: BoundedStatistic<TopTask>,
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  const { task: top } = wanted;
  let best: (Derived & { readonly width: number }) | null = null;
  for (const pool of pools) {
    if (!countsPeople(pool, wanted) || diagrams.of(pool.statistic.where) !== diagrams.of(wanted.where)) continue;
    if (rowsOf(wanted, diagrams) !== rowsOf({ ...pool.statistic, column: null }, diagrams)) continue;
    const counts = countsOf(pool);
    if (counts === null) continue;
    const order = counts.toSorted((a, b) => numberOf(b.form) - numberOf(a.form)).slice(0, top.k);
    // The noise decides which counts are shown, so all counts share the failure probability.
    const width = Math.max(0, ...counts.map(({ form }) => halfWidthOf(form, failureProbability / counts.length)));
    if (best !== null && width >= best.width) continue;
    const apart = Math.ceil(2 * width);
    const cells = order.map(({ group, form }, place): AnswerCell => {
      const value = numberOf(form);
      return top.chosen
        ? { group, value: place + 1, interval: [1, top.k], rank: apart, noisy: [] }
        : { group, value, interval: [Math.max(0, value - width), Math.max(0, value + width)], noisy: [] };
    });
    best = {
      from: [pool],
      cells,
      width,
      notes: [
        `The largest of released counts: no value left out has more than ${apart} people more than one of these.`,
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

function countsOf({ draws: [draw] }: Pool): readonly { readonly group: GroupKey; readonly form: Form }[] | null {
  if (draw === undefined) return null;
  const { source } = draw;
  const { statistic, answer } = source;
  const groups =
    statistic.keys === undefined ? statistic.groups : (answer.raw ?? answer.cells).map(({ group }) => group);
  if (groups.length !== source.noisy.length) return null;
  const name = originText(source.origin);
  return groups.map((group, at) => ({
    group,
    form: formOf(name, statistic.noise, [{ at, weight: 1, value: source.noisy[at]?.[0] ?? 0n }]),
  }));
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
