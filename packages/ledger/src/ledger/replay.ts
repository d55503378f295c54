import {
  type ActiveRule,
  type Adjacency,
  type Caps,
  type ChargedStep,
  type DpEvent,
  type FilterState,
  type Mu2Quote,
  type Mu2Step,
  nextState,
  openState,
  priceEvents,
  replay,
} from "@dosimeter/core";
import { memoized } from "@dosimeter/core/internal";
import type { Tx } from "../stores/store.ts";
import type { Quotes } from "../values/calculations.ts";
import type { AccountId, LedgerId } from "../values/id.ts";
import { quotesOf } from "./plan-quote.ts";

/** A charge of a history with its entry, under which a plan price for another r is stored. */
export interface PastCharge extends ChargedStep {
  readonly entry: bigint;
  readonly quotes: readonly Mu2Quote[];
}

/**
 * Everything that counts against an account, with the known plan prices: the charges of it and of all accounts below it,
 * in ledger order, and for a cap the answers of others, at the place where its holder read them. [M14]
 */
export const historyOf = async (tx: Pick<Tx, "db">, account: AccountId): Promise<readonly PastCharge[]> =>
  withQuotes(tx, await countedBy(tx, account));

/** The steps of each charge where its events are added one by one; charges of the same events share one list. */
export async function stepsOf(
  tx: Pick<Tx, "db">,
  account: AccountId,
  adjacency: Adjacency,
): Promise<readonly (readonly Mu2Step[])[]> {
  const steps = memoized((events: string) => priceEvents(JSON.parse(events) as DpEvent[], adjacency).mu2 ?? []);
  return (await countedBy(tx, account)).map(({ events }) => steps(events));
}

async function countedBy(tx: Pick<Tx, "db">, account: AccountId): Promise<readonly CountedEntry[]> {
  const charged = await tx.db
    .selectFrom("entry")
    .select(["seq", "events", "active_rule"])
    .where("account_id", "in", await subtree(tx, account))
    .orderBy("number")
    .execute();
  return inOrder(charged, await readingsOf(tx, account));
}

async function withQuotes(tx: Pick<Tx, "db">, rows: readonly CountedEntry[]): Promise<readonly PastCharge[]> {
  const quotes = await quotesOf(
    tx,
    rows.map(({ seq }) => seq),
  );
  return rows.map(({ seq, events, active_rule: activeRule }) => ({
    entry: seq,
    events: JSON.parse(events) as DpEvent[],
    activeRule,
    quotes: quotes.get(seq) ?? [],
  }));
}

interface CountedEntry {
  readonly seq: bigint;
  readonly events: string;
  readonly active_rule: ActiveRule;
}

/** A reading comes after every charge that existed when it happened. */
function inOrder(
  charged: readonly CountedEntry[],
  readings: readonly (CountedEntry & { readonly after: bigint })[],
): readonly CountedEntry[] {
  if (readings.length === 0) return charged;
  const rows: CountedEntry[] = [];
  let next = 0;
  for (const charge of charged) {
    for (let reading = readings[next]; reading !== undefined && reading.after < charge.seq; reading = readings[++next])
      rows.push(reading);
    rows.push(charge);
  }
  return [...rows, ...readings.slice(next)];
}

const readingsOf = ({ db }: Pick<Tx, "db">, account: AccountId) =>
  db
    .selectFrom("cap_reading")
    .innerJoin("entry", "entry.seq", "cap_reading.entry_seq")
    .select(["entry.seq", "entry.events", "entry.active_rule", "cap_reading.after_seq as after"])
    .where("cap_reading.account_id", "=", account)
    .orderBy("cap_reading.seq")
    .execute();

export async function ledgerHistory(tx: Pick<Tx, "db">, ledger: LedgerId): Promise<readonly PastCharge[]> {
  const rows = await tx.db
    .selectFrom("entry")
    .select(["seq", "events", "active_rule"])
    .where("ledger_id", "=", ledger)
    .where("kind", "in", ["charge", "writeOff"])
    .orderBy("number")
    .execute();
  return withQuotes(tx, rows);
}

export interface Requoted {
  readonly history: readonly PastCharge[];
  /** Prices that were not known before. */
  readonly fresh: readonly { readonly entry: bigint; readonly quotes: readonly Mu2Quote[] }[];
}

/**
 * The same history under other caps: a charge that was paid by a plan price gets one for the r it meets now, with the η
 * that it had, so that Σδ stays what it was, and for no more than it cost where r grew. [M150]
 */
export async function requoted(
  price: Quotes,
  { from, to }: { readonly from: Caps; readonly to: Caps },
  { history, adjacency }: { readonly history: readonly PastCharge[]; readonly adjacency: Adjacency },
): Promise<Requoted> {
  if (history.every(({ quotes }) => quotes.length === 0)) return { history, fresh: [] };
  const fresh: { entry: bigint; quotes: readonly Mu2Quote[] }[] = [];
  const renewed: PastCharge[] = [];
  let [old, state] = [openState(from), openState(to)];
  for (const charge of history) {
    const cost = priceEvents(charge.events, adjacency);
    const paid = charge.quotes.find(({ before }) => before === old.mu2);
    old = nextState({ caps: from, state: old }, cost, charge);
    const isKnown = paid === undefined || charge.quotes.some(({ before }) => before === state.mu2);
    const quotes = isKnown ? [] : await price([{ caps: to, state }], charge.events, adjacency, paid);
    if (quotes.length > 0) fresh.push({ entry: charge.entry, quotes });
    const step = { ...charge, quotes: [...charge.quotes, ...quotes] };
    renewed.push(step);
    state = nextState({ caps: to, state }, cost, step);
  }
  return { history: renewed, fresh };
}

async function subtree({ db }: Pick<Tx, "db">, account: AccountId): Promise<readonly AccountId[]> {
  const all = [account];
  for (let level: readonly AccountId[] = all; level.length > 0; ) {
    const rows = await db.selectFrom("account").select("id").where("parent_id", "in", level).execute();
    level = rows.map(({ id }) => id);
    all.push(...level);
  }
  return all;
}

/** The state of a filter with these caps after a history; the same bits on every run of a build. */
export const stateAfter = (caps: Caps, history: readonly ChargedStep[], adjacency: Adjacency): FilterState =>
  replay(caps, history, adjacency).at(-1) ?? openState(caps);
