import { type Amendment, formatDelta, formatEpsilon, guarantee, protectedUnit, type Terms } from "@dosimeter/core";
import type { Population } from "../catalog/population.ts";
import type { LedgerBlocks, Quota } from "../values/terms.ts";

const neighbours: Readonly<Record<Population["adjacency"], string>> = {
  addRemove: "is added or removed",
  replace: "is replaced by another",
  replaceSpecial: "is blanked out",
};

/** The sentence of the terms [M13]: whom it protects, from which change, and how far it may ever be raised. */
export function guaranteeSentence(
  terms: Terms,
  ceiling: Quota,
  { name, privacyUnit }: Pick<Population, "name" | "privacyUnit">,
  blocks: LedgerBlocks | null = null,
): string {
  const protects = `Population: ${name}; it holds when ${protectedUnit("any one", privacyUnit, blocks)} ${neighbours[terms.adjacency]}`;
  const sentence = `${guarantee(terms).sentence} ${protects}, even if everyone who asks colludes and adapts to earlier answers.`;
  if (ceiling.epsilon === terms.epsilon && ceiling.delta === terms.delta) return sentence;
  const most = `(${formatEpsilon(ceiling.epsilon)}, ${formatDelta(ceiling.delta)})-DP`;
  return `${sentence} The caps may be raised up to the ceiling declared at opening, ${most}; only that is unconditional.`;
}

/** The sentence of a raised version: for which histories it holds, and what holds unconditionally. [M22] [M166] */
export function amendedSentence(
  { terms, sentence, unconditional }: Amendment,
  {
    about: { name, privacyUnit },
    answersSeen,
    blocks = null,
  }: {
    readonly about: Pick<Population, "name" | "privacyUnit">;
    readonly answersSeen: boolean;
    readonly blocks?: LedgerBlocks | null;
  },
): string {
  const protects = `Population: ${name}; ${protectedUnit("one", privacyUnit, blocks)} ${neighbours[terms.adjacency]}.`;
  if (!answersSeen)
    return `${guarantee(terms).sentence} ${protects} It was raised before any answer had been given, so it holds unconditionally.`;
  const untouched =
    blocks === null
      ? ""
      : ` In each ${blocks.every} that no charge had named by then, what was released is (${formatEpsilon(terms.epsilon)}, ${formatDelta(terms.delta)})-DP, whatever happens before a further raise.`;
  if (unconditional === null) return `${sentence}${untouched} ${protects}`;
  return `${sentence}${untouched} Unconditionally, the ceiling declared at opening holds: ${unconditional.sentence} ${protects}`;
}
