import {
  type Admission,
  admitBlocks,
  type BlockPiece,
  type BlockRange,
  type BlockStates,
  formatDate,
  formatEpsilon,
  invalid,
  leastRoom,
  PrivacyError,
  priceEvents,
} from "@dosimeter/core";
import type { Tables } from "../stores/tables.ts";
import { least } from "./amounts.ts";
import type { CheckedRequest } from "./charge.ts";
import { belowLeast, belowLeastError } from "./least-price.ts";
import { capsOf, type NodeRow, stateColumns } from "./node.ts";
import { overLimit, overLimitError } from "./query-limit.ts";
import { refusalOf } from "./refusal.ts";
import { blocksOfTerms, type LedgerBlocks } from "./terms.ts";

type Admitted = Extract<Admission, { admitted: true }>;

/** A charge that fits: the states to store, of the ledger first. */
export interface Decided extends Pick<Admitted, "activeRule" | "switched" | "price" | "states"> {
  /** What it named and took, block by block; none where the ledger has no blocks. */
  readonly pieces: readonly BlockPiece[];
  /** What each node has counted in its blocks; none where the ledger has no blocks. */
  readonly runs: readonly BlockStates[];
}

/** INVALID_PARAMETER where a charge has a window and its ledger no blocks, or the other way round. */
export function checkWindow({ terms }: Tables["ledger"], window: CheckedRequest["window"]): LedgerBlocks | null {
  const blocks = blocksOfTerms(terms);
  if (blocks === null && window !== undefined) invalid("window", window.length, "absent: this ledger has no blocks");
  if (blocks !== null && window === undefined) invalid("window", undefined, "given: each block has a lifetime of its own");
  return blocks;
}

export interface OverBlocks {
  readonly ledger: Tables["ledger"];
  /** Root first. */
  readonly path: readonly Tables["account"][];
  /** What the ledger and each account have counted, in that order. */
  readonly runs: readonly BlockStates[];
  readonly blocks: LedgerBlocks;
  readonly window: readonly BlockRange[];
  readonly mostCharges: bigint;
}

/**
 * Decides a charge that names blocks: all of them pay or none does [M160]. A refusal names the first block without room, the blocks of the
 * window that have it, and the largest ε that all of them could pay.
 */
export function decideBlocks(
  { ledger, path, runs, blocks, window, mostCharges }: OverBlocks,
  { events }: Pick<CheckedRequest, "events">,
): Decided {
  const nodes: readonly NodeRow[] = [ledger, ...path];
  const filters = nodes.map((node, index) => ({ caps: capsOf(node), states: runs[index] ?? [] }));
  const decided = admitBlocks(ledger.lane, filters, window, { events });
  const price = priceEvents(events, "addRemove");
  if (!decided.admitted) {
    const there = nodes.map((node, index) => withState(node, decided.before[index]));
    throw refusedIn(refusalOf(ledger, there, { admitted: false, activeRule: ledger.lane, refusals: decided.refusals, price }), {
      blocks,
      path,
      decided,
    });
  }
  const { pieces, states } = decided;
  for (const { from, before, after } of pieces) {
    const admitted: Admitted = { admitted: true, activeRule: ledger.lane, switched: false, price, states: after };
    const [above, ...below] = nodes.map((node, index) => withState(node, before[index]));
    const inBlock = { block: formatDate(from, blocks.every) };
    const tooLarge = overLimit(below as readonly Tables["account"][], admitted);
    if (tooLarge.length > 0) throw named(overLimitError(tooLarge), inBlock);
    const tooSmall = events.length === 0 ? [] : belowLeast(above as Tables["ledger"], admitted, mostCharges);
    if (tooSmall.length > 0) throw named(belowLeastError(tooSmall), inBlock);
  }
  const least = filters.map(({ caps }, index) => leastRoom({ caps, states: states[index] ?? [] }));
  return { activeRule: ledger.lane, switched: false, price, states: least, pieces, runs: states };
}

const withState = (node: NodeRow, state: BlockPiece["before"][number] | undefined): NodeRow =>
  state === undefined ? node : { ...node, ...stateColumns(state) };

const named = (error: PrivacyError, facts: object): PrivacyError =>
  new PrivacyError(error.code, { ...error.details, ...facts }, error.message);

interface Refusing {
  readonly blocks: LedgerBlocks;
  readonly path: OverBlocks["path"];
  readonly decided: Extract<ReturnType<typeof admitBlocks>, { admitted: false }>;
}

function refusedIn(error: PrivacyError, { blocks: { every }, path, decided }: Refusing): PrivacyError {
  const name = (block: number): string => formatDate(block, every);
  const fits = decided.fits.map(({ from, to }) => (from === to ? name(from) : `${name(from)} to ${name(to)}`));
  const largest = path.reduce(
    (most, { query_epsilon: limit }) => (limit === null ? most : least(most, limit)),
    decided.largestEpsilon,
  );
  const facts = { block: name(decided.block), fits, largestEpsilon: formatEpsilon(largest) };
  return new PrivacyError(error.code, { ...error.details, ...facts }, `${error.message} (${every} ${facts.block})`);
}
