import {
  type Amendment,
  acrossBlocks,
  formatDate,
  formatDelta,
  formatEpsilon,
  guarantee,
  protectedUnit,
  type Terms,
} from "@dosimeter/core";
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
  const sentence = `${guarantee(terms).sentence} ${protects}, even if everyone who asks colludes and adapts to earlier answers.${blockWords(terms, blocks, privacyUnit)}`;
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
  const protects = `Population: ${name}; ${protectedUnit("one", privacyUnit, blocks)} ${neighbours[terms.adjacency]}.${blockWords(terms, blocks, privacyUnit)}${earlierWords(blocks, privacyUnit)}`;
  if (!answersSeen)
    return `${guarantee(terms).sentence} ${protects} It was raised before any answer had been given, so it holds unconditionally.`;
  const untouched =
    blocks === null
      ? ""
      : ` In each ${blocks.every} that no charge had named by then, what was released is (${formatEpsilon(terms.epsilon)}, ${formatDelta(terms.delta)})-DP, whatever happens before a further raise.`;
  if (unconditional === null) return `${sentence}${untouched} ${protects}`;
  return `${sentence}${untouched} Unconditionally, the ceiling declared at opening holds: ${unconditional.sentence} ${protects}`;
}

/** The sentence of the version with which a ledger gets blocks. [M168] */
export function migratedSentence(
  terms: Terms,
  { name, privacyUnit }: Pick<Population, "name" | "privacyUnit">,
  blocks: LedgerBlocks,
): string {
  const { epsilon, delta } = guarantee(terms);
  const last = `Among the histories in which this version is the last, what was released is (${epsilon}, ${delta})-DP.`;
  const protects = `Population: ${name}; ${protectedUnit("one", privacyUnit, blocks)} ${neighbours[terms.adjacency]}.${blockWords(terms, blocks, privacyUnit)}`;
  return `${last} ${protects}${earlierWords(blocks, privacyUnit)}`;
}

const blockWords = ({ delta }: Pick<Terms, "delta">, blocks: LedgerBlocks | null, noun: string): string =>
  blocks === null ? "" : ` ${acrossBlocks(noun, blocks, delta > 0n)}`;

/** What a ledger with blocks says of the time before it had any; nothing where there was none. [M168] */
function earlierWords(blocks: LedgerBlocks | null, noun: string): string {
  if (blocks?.earlier === undefined) return "";
  const { every, earlier } = blocks;
  const { version, through, times, isClosed } = earlier;
  const last = formatDate(through, every);
  const counted = isClosed
    ? `Nothing more is asked about ${every}s through ${last}, and this is about later ones.`
    : `Each ${every} through ${last} counts it${times === 2 ? " twice" : ""}.`;
  return ` What was released before this population had blocks is protected as version ${version} says. ${counted} One ${noun} with records before, and in k ${every}s asked about since, has the sum of version ${version} and of k ${every}s; so has a record of a later ${every} that had been measured before.`;
}
