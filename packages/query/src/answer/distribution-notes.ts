import { formatDelta } from "@dosimeter/core";
import type { BoundedStatistic, KeySelection } from "../plan/bounded.ts";
import { unitsToPublish } from "../plan/key-selection.ts";
import type { AnswerCell } from "./cell.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const some = (count: number, noun: string): string => `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Which values are published, in one sentence. */
export function keySentence({ rule, from, atLeast, delta }: KeySelection): string {
  if (rule === null) return `The groups are those that ${from} publishes.`;
  const half = unitsToPublish(rule, 0.5) + atLeast - 1;
  const most = unitsToPublish(rule, 0.99) + atLeast - 1;
  return `A value that about ${some(half, "privacy unit")} share is published half of the time, one of ${whole.format(most)} in 99 cases of 100; one of a single unit, over all values, with probability at most ${formatDelta(delta)}.`;
}

/** What a reader must know of groups that were selected, curves, ends and bounds. */
export function distributionNotes(statistic: BoundedStatistic, cells: readonly AnswerCell[]): readonly string[] {
  const { keys, top, curve, selection } = statistic;
  const notes: string[] = [];
  if (keys !== null) notes.push(keySentence(keys));
  if (keys !== null && cells.length === 0) notes.push("No value was shared by enough people to be published.");
  if (keys?.counts === true)
    notes.push(
      "The interval is right over all draws; among values that were only just published, counts are too large.",
    );
  const [first, last] = [cells[0], cells.at(-1)];
  if (top?.chosen === true && first?.rank !== undefined)
    notes.push(
      `Values are in order of frequency; each has at most ${some(first.rank, "privacy unit")} fewer than any left out.`,
    );
  if (curve !== null)
    notes.push(
      "Every interval holds on its own; quantiles and ranges read off the curve are free and use its error as a whole.",
    );
  if (selection?.extreme === true && first?.rank !== undefined)
    notes.push(`At most ${some(first.rank, "row")} lie beyond the answer; the interval is the declared range.`);
  if (statistic.statistic === "bounds" && first?.rank !== undefined && last?.rank !== undefined)
    notes.push(
      `At most ${some(first.rank, "row")} lie below the lower bound and ${some(last.rank, "row")} above the upper one. Both can be declared, with the number of this release.`,
    );
  return notes;
}
