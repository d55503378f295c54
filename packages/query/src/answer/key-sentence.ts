import { formatDelta } from "@dosimeter/core";
import type { UnitNoun } from "../declaration/declaration.ts";
import { inNoun } from "../declaration/words.ts";
import { unitsToPublish } from "../noise/key-selection.ts";
import type { KeySelection } from "../plan/bounded.ts";
import { unitsText, whole } from "../statistics/words.ts";

const JUST = " One that is only just published is likely to have fewer than its count says: its interval reaches down.";

/** Which values are published. */
export function keySentence({ rule, from, atLeast, delta, counts }: KeySelection, noun: UnitNoun | undefined): string {
  if (rule === null) return `The groups are those that ${from} publishes.`;
  const half = unitsToPublish(rule, 0.5) + atLeast - 1;
  const most = unitsToPublish(rule, 0.99) + atLeast - 1;
  return `A value that about ${unitsText(half, noun)} share is published half of the time, one of ${whole.format(most)} in 99 cases of 100; ${inNoun("one of a single person", noun)}, over all values, with probability at most ${formatDelta(delta)}.${counts ? JUST : ""}`;
}
