import { acrossBlocks, type BlockPromise, type CalendarUnit, formatDate } from "@dosimeter/core";
import type { LedgerBlocks } from "../values/terms.ts";

type Across = (noun: string, blocks: LedgerBlocks, promised: BlockPromise, ceiling?: BlockPromise) => string;

/** What sentences say of raises and blocks, as far as it was not always said in the same words. */
export interface Wording {
  /** What the promises of one block come to over several. */
  readonly across: Across;
  /** The same in the version with which a ledger gets blocks. */
  readonly acrossMigrated: Across;
  /** Which blocks had no part in what was measured before there were blocks. */
  readonly unmeasured: (blocks: LedgerBlocks) => string;
  /** How long a raise holds in a block that no charge had named. */
  readonly untouched: string;
  /** How long a raise holds before which no answer was given. */
  readonly unanswered: (blocks: LedgerBlocks | null) => string;
  /** How long the first version holds where no ceiling above it was declared. */
  readonly opened: (blocks: LedgerBlocks | null) => string;
  /** How long the ceiling declared at opening holds: of a first version, and of a raised one within it. */
  readonly mayRise: (ceiling: BlockPromise) => string;
  readonly underCeiling: string;
  /** What someone has who was measured before there were blocks, and after. */
  readonly withEarlier: (noun: string, every: CalendarUnit, version: number) => string;
}

const across: Across = (noun, blocks, promised, ceiling) => {
  const said = acrossBlocks(noun, blocks, promised, ceiling);
  return blocks.earlier === undefined
    ? ` ${said}`
    : ` Of what was released since: ${said.charAt(0).toLowerCase()}${said.slice(1)}`;
};

/** Where a ledger can get blocks a person's loss over several of them may come to more. [M168] */
const orBlocks = (blocks: LedgerBlocks | null): string => (blocks === null ? " or the ledger gets blocks" : "");

export const todaysWording: Wording = {
  across,
  acrossMigrated: across,
  unmeasured: ({ every, earlier }) => (earlier === undefined ? "" : ` after ${formatDate(earlier.through, every)}`),
  untouched: ", whatever happens before a further raise",
  unanswered: (blocks) => `the promise is for whatever is asked until the lifetime is raised again${orBlocks(blocks)}`,
  opened: (blocks) => ` The promise is for whatever is asked until the lifetime is raised${orBlocks(blocks)}.`,
  mayRise: ({ epsilon, delta }) =>
    `The caps may be raised up to the ceiling declared at opening, (${epsilon}, ${delta})-DP, which holds whatever happens before a raise past it.`,
  underCeiling: "Whatever happens before a raise past it, the ceiling declared at opening holds:",
  withEarlier: (noun, every, version) =>
    `One ${noun} with records before, and in k ${every}s asked about since, has what version ${version} promises and what k ${every}s come to, the ε of both added up, and the δ of both; so has a record of a later ${every} that had been measured before.`,
};

/**
 * Today's words, and those of each version before it that opened, raised or migrated a ledger with such blocks: a ledger keeps its
 * sentence, and its export is as honest as one of today. What was said too loosely is not said again: a copy gets today's words.
 */
export function wordingsOf(blocks: LedgerBlocks | null): readonly Wording[] {
  const flat: Wording = {
    ...todaysWording,
    opened: () => "",
    unanswered: () => "it holds whatever happens before a further raise",
  };
  const unconditional: Pick<Wording, "unanswered" | "opened" | "mayRise" | "underCeiling"> = {
    opened: flat.opened,
    unanswered: () => "it holds unconditionally",
    mayRise: ({ epsilon, delta }) =>
      `The caps may be raised up to the ceiling declared at opening, (${epsilon}, ${delta})-DP; only that is unconditional.`,
    underCeiling: "Unconditionally, the ceiling declared at opening holds:",
  };
  const present: readonly Wording[] = [todaysWording, flat, { ...todaysWording, ...unconditional }];
  if (blocks === null) return present;
  const nothing: Across = () => "";
  const before: Wording = {
    across: nothing,
    acrossMigrated: nothing,
    unmeasured: () => "",
    untouched: todaysWording.untouched,
    ...unconditional,
    withEarlier: (noun, every, version) =>
      `One ${noun} with records before, and in k ${every}s asked about since, has the sum of version ${version} and of k ${every}s; so has a record of a later ${every} that had been measured before.`,
  };
  const inBoth: Across = (noun, { every }, { delta }) =>
    ` One ${noun} recorded in k ${every}s: k times this ε${delta === "0" ? "" : `, and more than k times this δ`}. A record that gets another date counts in both ${every}s.`;
  const moved =
    (has: string): Across =>
    (noun, { every }) =>
      ` It holds as long as the source does not rewrite anyone's cohort, which is the ${every} of their least date; one ${noun} who was moved ${has}.`;
  return blocks.protects === "person"
    ? [
        ...present,
        { ...before, across: moved("has the ε of all their cohorts together, and more than the δ of them together") },
        { ...before, across: moved("is protected by the sum of both blocks") },
      ]
    : [
        ...present,
        { ...before, across: inBoth },
        before,
        // That was before ledgers could get blocks.
        ...(blocks.earlier === undefined ? [{ ...before, untouched: " unconditionally" }] : []),
      ];
}
