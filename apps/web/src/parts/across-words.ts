import type { PublicGuarantee } from "@dosimeter/client";
import {
  type BlockPromise,
  type CalendarUnit,
  deltaAmount,
  epsilonAmount,
  formatDelta,
  formatEpsilon,
  lossAcrossBlocks,
} from "@dosimeter/core";
import { formatCost } from "./Amount.tsx";

/** An example that a ledger soon has, and its people too. */
const examples: Readonly<Record<CalendarUnit, number>> = { day: 12, week: 12, month: 12, quarter: 4, year: 2 };

/** What the promise of one block comes to for someone who is in several: an example with numbers, rounded up, where the exact statement has a formula. [M163] [M170] */
export function acrossWords(
  noun: string,
  blocks: NonNullable<PublicGuarantee["blocks"]>,
  promised: BlockPromise,
): string {
  const count = blocks.protects === "person" ? 2 : examples[blocks.every];
  const block = { epsilon: epsilonAmount(promised.epsilon, "up"), delta: deltaAmount(promised.delta, "up") };
  const { epsilon, delta } = lossAcrossBlocks(Array.from({ length: count }, () => block));
  const most = `ε = ${formatCost(formatEpsilon(epsilon))}`;
  const both = delta === 0 ? most : `${most} and δ = ${formatCost(formatDelta(deltaAmount(delta, "up")))}`;
  const loss = delta >= 1 ? "this promises nothing" : `this promises at most ${both} together`;
  return blocks.protects === "person"
    ? `One ${noun} whom the source moves to another cohort is protected less: of two cohorts, ${loss}.`
    : `One ${noun} with records in several ${blocks.every}s is protected less: with ${count} ${blocks.every}s, ${loss}. A record whose date changes counts in each ${blocks.every} that it has been in.`;
}
