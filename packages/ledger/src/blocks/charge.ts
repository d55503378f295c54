import {
  type Admission,
  admitBlocks,
  type BlockPiece,
  type BlockRange,
  type BlockStates,
  blockAt,
  type CalendarUnit,
  type EpsilonAmount,
  type FilterState,
  formatDate,
  formatEpsilon,
  invalid,
  leastRoom,
  PrivacyError,
  priceEvents,
  rangeName,
} from "@dosimeter/core";
import { least } from "@dosimeter/core/internal";
import { belowLeast, belowLeastError } from "../ledger/least-price.ts";
import { capsOf, type NodeRow, stateColumns, stateOf } from "../ledger/node.ts";
import { overLimit, overLimitError } from "../ledger/query-limit.ts";
import { largestFor, type Refusal, refusalOf, refusals } from "../ledger/refusal.ts";
import type { CheckedRequest } from "../release/charge.ts";
import type { Tables } from "../stores/tables.ts";
import { blocksOfTerms, type LedgerBlocks } from "../values/terms.ts";

type Admitted = Extract<Admission, { admitted: true }>;

/** A charge that fits: the states to store, of the ledger first. */
export interface Decided extends Pick<Admitted, "activeRule" | "switched" | "price" | "states"> {
  /** Named and taken, block by block; none where the ledger has no blocks. */
  readonly pieces: readonly BlockPiece[];
  /** Counted by each node in its blocks; none where the ledger has no blocks. */
  readonly runs: readonly BlockStates[];
}

/**
 * The blocks of the ledger, which decide the charge; null where it has none, and for answers from before it had any, which cost nothing. INVALID_PARAMETER
 * where a charge has a window and its ledger no blocks, or the other way round, for a block about which nothing more is asked [M168], and for one that has
 * not begun by this clock, unless it costs nothing [M169].
 */
export function checkWindow(
  { terms }: Tables["ledger"],
  { window, events }: Pick<CheckedRequest, "events"> & { readonly window?: CheckedRequest["window"] | undefined },
  at: string,
): LedgerBlocks | null {
  const blocks = blocksOfTerms(terms);
  if (blocks === null && window !== undefined) invalid("window", window.length, "absent: this ledger has no blocks");
  if (blocks === null) return null;
  const { every, earlier } = blocks;
  if (window === undefined)
    return earlier !== undefined && events.length === 0
      ? null
      : invalid("window", undefined, "given: each block has a lifetime of its own");
  const closed = earlier?.isClosed ? window.find(({ from }) => from <= earlier.through) : undefined;
  if (closed !== undefined && earlier !== undefined)
    invalid(
      "window",
      blockText(every, closed.from),
      `after ${blockText(every, earlier.through)}: of the time before, only what was released is used again`,
    );
  const begun = blockAt(blocks, Date.parse(at) / 1000);
  const ahead = events.length === 0 ? undefined : window.find(({ to }) => to > begun);
  if (ahead !== undefined)
    invalid("window", blockText(every, ahead.to), `at most ${blockText(every, begun)}: later ones have not begun`);
  return blocks;
}

export interface OverBlocks {
  readonly ledger: Tables["ledger"];
  /** Root first. */
  readonly path: readonly Tables["account"][];
  /** Counted by the ledger and each account, in that order. */
  readonly runs: readonly BlockStates[];
  readonly blocks: LedgerBlocks;
  readonly window: readonly BlockRange[];
  readonly mostCharges: bigint;
}

/** A charge that does not fit. */
export interface RefusedBlocks {
  readonly refusals: readonly Refusal[];
  readonly largestEpsilon: EpsilonAmount;
  /** The first block of the window that cannot pay. */
  readonly block: string;
  /** The blocks of the window that can: `2024-02`, `2024-04 to 2024-12`. */
  readonly fits: readonly string[];
  /** Counted by the ledger and each account in that block. */
  readonly before: Decided["states"];
  readonly error: PrivacyError;
}

/** Decides a charge that names blocks: all of them pay or none does [M160]. Throws the refusal. */
export function decideBlocks(over: OverBlocks, request: Pick<CheckedRequest, "events">): Decided {
  const judged = judgeBlocks(over, request);
  if ("error" in judged) throw judged.error;
  return judged;
}

/**
 * The same for a quote. A refusal names the first block without room, the blocks of the window that have it, and the largest ε that all of
 * them could pay.
 */
export function judgeBlocks(
  { ledger, path, runs, blocks, window, mostCharges }: OverBlocks,
  { events }: Pick<CheckedRequest, "events">,
): Decided | RefusedBlocks {
  const { every } = blocks;
  const nodes: readonly NodeRow[] = [ledger, ...path];
  const filters = nodes.map((node, index) => ({ caps: capsOf(node), states: runs[index] ?? [] }));
  const decided = admitBlocks(ledger.active_rule, filters, window, { events });
  const price = priceEvents(events, "addRemove");
  if (!decided.admitted) {
    const there = nodes.map((node, index) => withState(node, decided.before[index]));
    const refused = { admitted: false, activeRule: ledger.active_rule, refusals: decided.refusals, price } as const;
    const largestEpsilon = withinLimits(path, decided.largestEpsilon);
    const facts = {
      block: blockText(every, decided.block),
      fits: decided.fits.map((range) => rangeText(every, range)),
    };
    const error = named(refusalOf(ledger, there, refused), {
      every,
      facts: { ...facts, largestEpsilon: formatEpsilon(largestEpsilon) },
    });
    return { ...facts, refusals: refusals(there, refused), largestEpsilon, before: decided.before, error };
  }
  const { pieces, states } = decided;
  const hasLimits = path.some(({ query_epsilon }) => query_epsilon !== null);
  for (const { from, before, after } of pieces) {
    const admitted: Admitted = {
      admitted: true,
      activeRule: ledger.active_rule,
      switched: false,
      price,
      states: after,
    };
    const remainingMu2 = (index: number) => before[index]?.mu2 ?? null;
    const tooLarge = hasLimits
      ? overLimit(
          path.map(({ id, query_epsilon }, index) => ({
            id,
            query_epsilon,
            state_remaining_mu2: remainingMu2(index + 1),
          })),
          admitted,
        )
      : [];
    const { id, cap_epsilon, cap_mu2 } = ledger;
    const tooSmall =
      events.length === 0
        ? []
        : belowLeast({ id, cap_epsilon, cap_mu2, state_remaining_mu2: remainingMu2(0) }, admitted, mostCharges);
    if (tooLarge.length + tooSmall.length === 0) continue;
    const facts = { block: blockText(every, from) };
    const error = named(tooLarge.length > 0 ? overLimitError(tooLarge) : belowLeastError(tooSmall), { every, facts });
    const largestEpsilon = withinLimits(
      path,
      largestFor(
        ledger,
        nodes.map((node, i) => withFilter(node, before[i])),
      ),
    );
    return { ...facts, fits: [], refusals: [...tooLarge, ...tooSmall], largestEpsilon, before, error };
  }
  const least = filters.map(({ caps }, index) => leastRoom({ caps, states: states[index] ?? [] }));
  return { activeRule: ledger.active_rule, switched: false, price, states: least, pieces, runs: states };
}

export const withState = (node: NodeRow, state: FilterState | undefined): NodeRow =>
  state === undefined ? node : { ...node, ...stateColumns(state) };

const withFilter = (node: NodeRow, state = stateOf(node)) => ({ caps: capsOf(node), state });

const withinLimits = (path: OverBlocks["path"], largest: EpsilonAmount): EpsilonAmount =>
  path.reduce((most, { query_epsilon: limit }) => (limit === null ? most : least(most, limit)), largest);

const blockText = (every: CalendarUnit, block: number): string => formatDate(block, every);

const rangeText = (every: CalendarUnit, { from, to }: BlockRange): string =>
  rangeName(blockText(every, from), blockText(every, to));

interface Named {
  readonly every: CalendarUnit;
  readonly facts: Pick<RefusedBlocks, "block"> & Readonly<Record<string, unknown>>;
}

const named = (error: PrivacyError, { every, facts }: Named): PrivacyError =>
  new PrivacyError(error.code, { ...error.details, ...facts }, `${error.message} (${every} ${facts.block})`);
