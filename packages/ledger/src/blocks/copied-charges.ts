import {
  type ActiveRule,
  type Adjacency,
  admitBlocks,
  type BlockPiece,
  type BlockRange,
  type BlockStates,
  countedTwice,
  type DpEvent,
  type FilterState,
  hasRoom,
  leastRoom,
  ledgerCaps,
  type Mu2Quote,
  nextState,
  openState,
  PrivacyError,
  priceEvents,
} from "@dosimeter/core";
import { isPaidBy } from "@dosimeter/core/accounting";
import type { Context } from "../context.ts";
import { plainLine, publicationHash, sealed } from "../ledger/entry.ts";
import { type Opening, openingEntry } from "../ledger/opening.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerBlocks } from "../values/terms.ts";
import { earlierBlocks } from "./runs.ts";

export interface CopiedCharge {
  readonly events: readonly DpEvent[];
  readonly activeRule: ActiveRule;
  readonly quotes: readonly Mu2Quote[];
  /** The blocks that it named; none where its ledger had none yet. */
  readonly window: readonly BlockRange[];
  /** Of the first charge of a program outside: the promise of the copy relies on it too. */
  readonly declared?: { readonly key: string; readonly text: string } | undefined;
}

/** An entry of a copy, with the blocks that it names and the plan prices that pay for it. */
export interface CopiedEntry {
  readonly entry: Tables["entry"];
  readonly window: readonly BlockRange[];
  readonly pieces: readonly BlockPiece[];
  readonly quotes: readonly Mu2Quote[];
}

export interface CopiedCharges {
  readonly start: Tables["entry"];
  readonly charged: readonly CopiedEntry[];
  readonly state: FilterState;
  readonly runs: BlockStates;
}

/** Every charge of a copy as a line of its own, replayed through the filter: the same bits as where it was made. CONFLICT where one does not fit. */
export function copyCharges(
  context: Context,
  {
    opening,
    charges,
    first,
  }: { readonly opening: Opening; readonly charges: readonly CopiedCharge[]; readonly first: bigint },
): CopiedCharges {
  const start = openingEntry(context, opening, first);
  const charged: CopiedEntry[] = [];
  let counted: Counted = { state: openState(ledgerCaps(opening.terms)), runs: [] };
  let before = start;
  for (const charge of charges) {
    const { events, activeRule, window, declared } =
      opening.blocks === null ? charge : inBlocks(opening.blocks, charge);
    const paid = paidBy(opening, counted, { ...charge, events, window });
    if (paid === null)
      throw new PrivacyError(
        "CONFLICT",
        { name: "charge", got: charged.length + 1 },
        "the charges do not fit the promise",
      );
    const price = priceEvents(events, opening.terms.adjacency);
    const isWhole = opening.blocks === null;
    const entry = sealed(context, {
      ...plainLine,
      ledger_id: opening.id,
      principal_id: opening.by,
      at: opening.at,
      seq: before.seq + 1n,
      number: before.number + 1n,
      kind: "writeOff",
      active_rule: activeRule,
      events: JSON.stringify(events),
      price_epsilon: price.epsilon,
      price_delta: price.delta,
      remaining_mu2_before: isWhole ? counted.state.mu2 : null,
      remaining_mu2_after: isWhole ? paid.counted.state.mu2 : null,
      key: declared?.key ?? null,
      request: declared?.text ?? null,
      request_hash: declared === undefined ? null : publicationHash(context, opening.id, declared.text),
      prev_hash: before.hash,
    });
    charged.push({ entry, window, pieces: paid.pieces, quotes: paid.quotes });
    [counted, before] = [paid.counted, entry];
  }
  return { start, charged, ...counted };
}

/** What the ledger has counted: in all, and in each block. */
interface Counted {
  readonly state: FilterState;
  readonly runs: BlockStates;
}

/** A charge from before there were blocks, as they count it. [M168] */
function inBlocks(blocks: LedgerBlocks, charge: CopiedCharge): CopiedCharge {
  if (charge.window.length > 0 || charge.events.length === 0) return charge;
  const window = earlierBlocks(blocks);
  return blocks.earlier?.times === 2
    ? { ...charge, events: countedTwice(charge.events), quotes: [], window }
    : { ...charge, window };
}

interface Paid {
  readonly counted: Counted;
  readonly pieces: readonly BlockPiece[];
  readonly quotes: readonly Mu2Quote[];
}

/** Null where there is no room. */
function paidBy(
  { terms, blocks }: Opening,
  { state, runs }: Counted,
  { events, activeRule, quotes: known, window }: CopiedCharge,
): Paid | null {
  const caps = ledgerCaps(terms);
  if (blocks === null) {
    const quotes = certified(
      events,
      known.filter(({ before }) => before === state.mu2),
      terms.adjacency,
    );
    const after = nextState({ caps, state }, priceEvents(events, terms.adjacency), { activeRule, quotes });
    return hasRoom(caps, after, activeRule) ? { counted: { state: after, runs }, pieces: [], quotes } : null;
  }
  if (window.length === 0) return { counted: { state, runs }, pieces: [], quotes: [] };
  const quotes = certified(events, known, terms.adjacency);
  const decided = admitBlocks(activeRule, [{ caps, states: runs }], window, { events, quotes });
  if (!decided.admitted) return null;
  const [states = runs] = decided.states;
  return { counted: { state: leastRoom({ caps, states }), runs: states }, pieces: decided.pieces, quotes };
}

/** The plan prices that the profile of the events certifies. */
const certified = (
  events: readonly DpEvent[],
  quotes: readonly Mu2Quote[],
  adjacency: Adjacency,
): readonly Mu2Quote[] => quotes.filter((quote) => isPaidBy(events, quote, { adjacency, margin: "verify" }));
