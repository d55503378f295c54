import {
  type Amendment,
  acrossBlocks,
  type BlockPromise,
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

/** Whose records a promise is about, and how its sentence says so. */
interface Said {
  readonly about: Pick<Population, "privacyUnit">;
  readonly blocks: LedgerBlocks | null;
}

interface About extends Said {
  readonly about: Pick<Population, "name" | "privacyUnit">;
}

/** The sentence of the terms [M13]: whom it protects, from which change, and how far it may ever be raised. */
export function guaranteeSentence(terms: Terms, ceiling: Quota, said: About): string {
  const { about, blocks } = said;
  const most = pairOf(ceiling);
  const protects = `Population: ${about.name}; it holds when ${protectedUnit("any one", about.privacyUnit, blocks)} ${neighbours[terms.adjacency]}`;
  const sentence = `${guarantee(terms).sentence} ${protects}, even if everyone who asks colludes and adapts to earlier answers.${acrossWords(said, pairOf(terms), most)}`;
  if (ceiling.epsilon === terms.epsilon && ceiling.delta === terms.delta)
    return `${sentence} The promise is for whatever is asked until the lifetime is raised${orBlocks(blocks)}.`;
  return `${sentence} The caps may be raised up to the ceiling declared at opening, (${most.epsilon}, ${most.delta})-DP, which holds whatever happens before a raise past it.`;
}

/** Where a ledger can get blocks a person's loss over several of them may come to more. [M168] */
const orBlocks = (blocks: LedgerBlocks | null): string => (blocks === null ? " or the ledger gets blocks" : "");

/** The sentence of a raised version: for which histories it holds, and what holds until when. [M22] [M166] */
export function amendedSentence(
  { terms, sentence, unconditional }: Amendment,
  { answersSeen, ...said }: About & { readonly answersSeen: boolean },
): string {
  const { about, blocks } = said;
  const raised = pairOf(terms);
  const protects = `Population: ${about.name}; ${protectedUnit("one", about.privacyUnit, blocks)} ${neighbours[terms.adjacency]}.${acrossWords(said, raised, unconditional)}${earlierWords(said)}`;
  if (!answersSeen)
    return `${guarantee(terms).sentence} ${protects} It was raised before any answer had been given, so the promise is for whatever is asked until the lifetime is raised again${orBlocks(blocks)}.`;
  const untouched =
    blocks === null
      ? ""
      : ` In each ${blocks.every}${unmeasured(blocks)} that no charge had named by then, what was released is (${raised.epsilon}, ${raised.delta})-DP, whatever happens before a further raise.`;
  if (unconditional === null) return `${sentence}${untouched} ${protects}`;
  return `${sentence}${untouched} Whatever happens before a raise past it, the ceiling declared at opening holds: ${unconditional.sentence} ${protects}`;
}

/** Which blocks had no part in what was measured before there were blocks. */
const unmeasured = ({ every, earlier }: LedgerBlocks): string =>
  earlier === undefined ? "" : ` after ${formatDate(earlier.through, every)}`;

/** The sentence of the version with which a ledger gets blocks. [M168] */
export function migratedSentence(terms: Terms, said: About & { readonly blocks: LedgerBlocks }): string {
  const { about, blocks } = said;
  const promised = pairOf(terms);
  const last = `Among the histories in which this version is the last, what was released is (${promised.epsilon}, ${promised.delta})-DP.`;
  const protects = `Population: ${about.name}; ${protectedUnit("one", about.privacyUnit, blocks)} ${neighbours[terms.adjacency]}.`;
  return `${last} ${protects}${acrossWords(said, promised, null)}${earlierWords(said)}`;
}

/** What reports say next to a promise: what it comes to over several blocks, and of the time before there were any; nothing without blocks. */
export const overBlocks = (promised: Quota, said: Said): string =>
  acrossWords(said, pairOf(promised), null) + earlierWords(said);

const pairOf = ({ epsilon, delta }: Quota): BlockPromise => ({
  epsilon: formatEpsilon(epsilon),
  delta: formatDelta(delta),
});

/** What the promise comes to over several blocks, and so does the ceiling where it is another one. [M163] */
function acrossWords({ about, blocks }: Said, promised: BlockPromise, ceiling: BlockPromise | null): string {
  if (blocks === null) return "";
  const isOther = ceiling !== null && (ceiling.epsilon !== promised.epsilon || ceiling.delta !== promised.delta);
  const over = acrossBlocks(about.privacyUnit, blocks, promised, isOther ? ceiling : undefined);
  return blocks.earlier === undefined
    ? ` ${over}`
    : ` Of what was released since: ${over.charAt(0).toLowerCase()}${over.slice(1)}`;
}

/** What a ledger with blocks says of the time before it had any; nothing where there was none. [M168] */
function earlierWords({ about, blocks }: Said): string {
  if (blocks?.earlier === undefined) return "";
  const { every, earlier } = blocks;
  const { version, through, times, isClosed } = earlier;
  const last = formatDate(through, every);
  const counted = isClosed
    ? `Nothing more is asked about ${every}s through ${last}, and this is about later ones.`
    : `Each ${every} through ${last} counts it${times === 2 ? " twice" : ""}.`;
  return ` What was released before this population had blocks is protected as version ${version} says. ${counted} One ${about.privacyUnit} with records before, and in k ${every}s asked about since, has what version ${version} promises and what k ${every}s come to, the ε of both added up, and the δ of both; so has a record of a later ${every} that had been measured before.`;
}
