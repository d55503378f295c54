import {
  type Caps,
  type ChargedStep,
  type DpEvent,
  type FilterState,
  type Lane,
  nextState,
  openState,
  priceEvents,
  type ResidueQuote,
  replay,
} from "@dosimeter/core";
import type { Adjacency } from "../catalog/population.ts";
import type { Tx } from "../store.ts";
import { type Quotes, quotesOf } from "./plan-quote.ts";

/** A charge of a history, with its entry: where a plan price for another r is to be kept. */
export interface PastCharge extends ChargedStep {
  readonly entry: bigint;
  readonly quotes: readonly ResidueQuote[];
}

/** Everything that an account and all accounts below it were charged, in ledger order, with the plan prices that are known. */
export async function historyOf(tx: Pick<Tx, "db">, account: string): Promise<readonly PastCharge[]> {
  const rows = await tx.db
    .selectFrom("entry")
    .select(["seq", "events", "lane"])
    .where("account_id", "in", await subtree(tx, account))
    .orderBy("number")
    .execute();
  const quotes = await quotesOf(
    tx,
    rows.map(({ seq }) => seq),
  );
  return rows.map(({ seq, events, lane }) => ({
    entry: seq,
    events: JSON.parse(events) as DpEvent[],
    lane: lane as Lane,
    quotes: quotes.get(seq) ?? [],
  }));
}

/**
 * The same history under other caps: a charge that was paid by a plan price gets one for the r it meets now. `fresh` are
 * those that were not known before. [M150]
 */
export async function requoted(
  price: Quotes,
  caps: Caps,
  { history, adjacency }: { history: readonly PastCharge[]; adjacency: Adjacency },
): Promise<{
  readonly history: readonly PastCharge[];
  readonly fresh: readonly { entry: bigint; quotes: readonly ResidueQuote[] }[];
}> {
  if (history.every(({ quotes }) => quotes.length === 0)) return { history, fresh: [] };
  const fresh: { entry: bigint; quotes: readonly ResidueQuote[] }[] = [];
  const renewed: PastCharge[] = [];
  let state = openState(caps);
  for (const charge of history) {
    const isKnown = charge.quotes.length === 0 || charge.quotes.some(({ before }) => before === state.residue);
    const quotes = isKnown ? [] : await price([{ caps, state }], charge.events, adjacency);
    if (quotes.length > 0) fresh.push({ entry: charge.entry, quotes });
    const step = { ...charge, quotes: [...charge.quotes, ...quotes] };
    renewed.push(step);
    state = nextState({ caps, state }, priceEvents(step.events, adjacency), step);
  }
  return { history: renewed, fresh };
}

/** The account and all below it. */
async function subtree({ db }: Pick<Tx, "db">, account: string): Promise<readonly string[]> {
  const all = [account];
  for (let level: readonly string[] = all; level.length > 0; ) {
    const rows = await db.selectFrom("account").select("id").where("parent_id", "in", level).execute();
    level = rows.map(({ id }) => id);
    all.push(...level);
  }
  return all;
}

/** The state that a filter with these caps is in after a history; the same bits on every run of a build. */
export const stateAfter = (caps: Caps, history: readonly ChargedStep[], adjacency: Adjacency): FilterState =>
  replay(caps, history, adjacency).at(-1) ?? openState(caps);

/** Whether the rule in force admits such a state. */
export function holds(caps: Caps, state: FilterState, lane: Lane): boolean {
  if (state.delta > caps.delta) return false;
  return lane === "tight" ? state.residue !== null : state.epsilon !== null && state.epsilon <= caps.epsilon;
}
