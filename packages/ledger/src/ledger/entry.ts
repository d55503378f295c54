import type { ActiveRule, DeltaAmount, DpEvent, EpsilonAmount, Mu2Amount, Mu2Quote, Price } from "@dosimeter/core";
import { minus } from "@dosimeter/core/internal";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { type Declared, declaredIn, STATED } from "../values/declared.ts";
import type { AccountId, ChargeId, DatasetId, LedgerId, PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { checkCursor, checkLimit, type Page, type PageOptions } from "../values/page.ts";
import { NOTHING } from "./amounts.ts";
import { quotesOf } from "./plan-quote.ts";

/** One immutable line of a ledger, hashed over the line before it. */
export interface Entry {
  readonly ledger: LedgerId;
  /** 1, 2, 3 … without gaps. */
  readonly number: number;
  readonly kind: "open" | "charge" | "switch" | "amend" | "writeOff";
  readonly charge: ChargeId | null;
  readonly account: AccountId | null;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId | null;
  /** The rule in force after this line. */
  readonly activeRule: ActiveRule;
  readonly events: readonly DpEvent[];
  /** Σε of the events; null when one of them has no pure price. */
  readonly epsilon: EpsilonAmount | null;
  readonly delta: DeltaAmount;
  /** η of the plan price, which is also added to Σδ; 0 where the events were added one by one. */
  readonly slack: DeltaAmount;
  readonly mu2Before: Mu2Amount | null;
  readonly mu2After: Mu2Amount | null;
  /** How far remaining μ² fell, with blocks that of the fullest one it named; null where it has no such price, and of a raise, which spends nothing. */
  readonly mu2Spent: Mu2Amount | null;
  /** What a program outside declared, of its charge or of what was published before. */
  readonly declared: Declared | null;
  /** Its idempotency key; null of lines that no one asked for under one. */
  readonly key: string | null;
  readonly at: string;
  readonly hash: string;
}

export type NewEntry = Omit<Tables["entry"], "hash">;

const LAST = "SELECT seq FROM entry ORDER BY seq DESC LIMIT 1";
const APPEND = `INSERT INTO entry (seq, ledger_id, number, kind, charge_id, account_id, principal_id, dataset_id, active_rule, events,
  price_epsilon, price_delta, remaining_mu2_before, remaining_mu2_after, key, request, request_hash, at, prev_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export async function lastEntrySeq(tx: Tx): Promise<bigint> {
  return ((await tx.get(LAST, []))?.seq as bigint | undefined) ?? 0n;
}

/** The line behind `prev_hash`, with its own hash. */
export const sealed = ({ store }: Context, line: NewEntry): Tables["entry"] => ({
  ...line,
  hash: store.sha256(entryText(line)),
});

export const putEntries = (tx: Tx, lines: readonly Tables["entry"][]): Promise<void> =>
  tx.many(
    APPEND,
    lines.map((line) => [
      line.seq,
      line.ledger_id,
      line.number,
      line.kind,
      line.charge_id,
      line.account_id,
      line.principal_id,
      line.dataset_id,
      line.active_rule,
      line.events,
      line.price_epsilon,
      line.price_delta,
      line.remaining_mu2_before,
      line.remaining_mu2_after,
      line.key,
      line.request,
      line.request_hash,
      line.at,
      line.prev_hash,
      line.hash,
    ]),
  );

/** The fields of a line that no charge made. */
export const plainLine = {
  charge_id: null,
  account_id: null,
  dataset_id: null,
  key: null,
  request: null,
} as const;

/** A line that changes a ledger but is no charge. */
interface Change extends Pick<NewEntry, "kind" | "principal_id" | "active_rule" | "remaining_mu2_after"> {
  readonly events?: readonly DpEvent[];
  readonly price?: Pick<Price, "epsilon" | "delta">;
  readonly request_hash?: string | null;
  /** Of what was published before. */
  readonly key?: string;
  readonly request?: string;
  /** The ledger's own when absent. */
  readonly remaining_mu2_before?: NewEntry["remaining_mu2_before"];
  /** The clock's time when absent. */
  readonly at?: string;
}

/** Writes the next line of a ledger. */
export async function appendEntry(
  context: Context,
  tx: Tx,
  ledger: Tables["ledger"],
  { events = [], price = NOTHING, request_hash = null, at = context.store.now(), ...change }: Change,
): Promise<Tables["entry"]> {
  const entry = sealed(context, {
    ...plainLine,
    remaining_mu2_before: ledger.state_remaining_mu2,
    ...change,
    seq: (await lastEntrySeq(tx)) + 1n,
    ledger_id: ledger.id,
    number: ledger.entries + 1n,
    events: JSON.stringify(events),
    price_epsilon: price.epsilon,
    price_delta: price.delta,
    request_hash,
    at,
    prev_hash: ledger.head_hash,
  });
  await putEntries(tx, [entry]);
  return entry;
}

/** The text whose SHA-256 is an entry's hash: a JSON array of these columns, the hash before it first; `request` by its own hash. */
export function entryText(line: NewEntry): string {
  const amount = (units: unknown) => (units === null ? null : String(units));
  return JSON.stringify([
    line.prev_hash,
    line.ledger_id,
    String(line.number),
    line.kind,
    line.charge_id,
    line.account_id,
    line.principal_id,
    line.dataset_id,
    line.active_rule,
    line.events,
    amount(line.price_epsilon),
    amount(line.price_delta),
    amount(line.remaining_mu2_before),
    amount(line.remaining_mu2_after),
    line.key,
    line.request_hash,
    line.at,
  ]);
}

type Mu2Left = Pick<Tables["entry"], "remaining_mu2_before" | "remaining_mu2_after">;

const toEntry = (row: Tables["entry"], quotes: readonly Mu2Quote[] = [], left: Mu2Left = row): Entry => ({
  ledger: row.ledger_id,
  number: Number(row.number),
  kind: row.kind,
  charge: row.charge_id,
  account: row.account_id,
  principal: row.principal_id,
  dataset: row.dataset_id,
  activeRule: row.active_rule,
  events: JSON.parse(row.events) as DpEvent[],
  epsilon: row.price_epsilon,
  delta: row.price_delta,
  slack:
    quotes.find(({ before, after }) => before === row.remaining_mu2_before && after === row.remaining_mu2_after)
      ?.slack ?? NOTHING.delta,
  mu2Before: row.remaining_mu2_before,
  mu2After: row.remaining_mu2_after,
  mu2Spent:
    row.kind === "amend" || left.remaining_mu2_before === null || left.remaining_mu2_after === null
      ? null
      : minus(left.remaining_mu2_before, left.remaining_mu2_after),
  key: row.key,
  declared: row.request?.startsWith(STATED) ? declaredIn(JSON.parse(row.request) as Json) : null,
  at: row.at,
  hash: row.hash,
});

/** What was left in the fullest of the blocks that a charge named, by entry; nothing of charges that named none. */
export async function leftInBlocks(
  { db }: Pick<Tx, "db">,
  entries: readonly bigint[],
): Promise<ReadonlyMap<bigint, Mu2Left>> {
  if (entries.length === 0) return new Map();
  const rows = await db
    .selectFrom("charge_block")
    .select(({ fn }) => [
      "entry_seq",
      fn.min("remaining_mu2_before").as("before"),
      fn.min("remaining_mu2_after").as("after"),
    ])
    .select(({ fn }) => [fn.count("remaining_mu2_after").as("priced"), fn.countAll().as("pieces")])
    .where("entry_seq", "in", entries)
    .groupBy("entry_seq")
    .execute();
  return new Map(
    rows.map(({ entry_seq, before, after, priced, pieces }) => [
      entry_seq,
      { remaining_mu2_before: before, remaining_mu2_after: priced === pieces ? after : null },
    ]),
  );
}

interface EntryFilter extends PageOptions {
  readonly ledger: LedgerId;
  readonly account?: AccountId | undefined;
  readonly kind?: Entry["kind"] | undefined;
  readonly principal?: PrincipalId | undefined;
}

/** Newest first; for an account, only its own charges. */
export async function entries(
  { store }: Context,
  { ledger, account, kind, principal, after, limit }: EntryFilter,
): Promise<Page<Entry>> {
  const rows = checkLimit(limit);
  const cursor = checkCursor(after);
  let query = store.read.selectFrom("entry").selectAll().where("ledger_id", "=", ledger);
  if (account !== undefined) query = query.where("account_id", "=", account);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  if (kind !== undefined && kind !== "charge") query = query.where(sql<boolean>`kind <> 'charge'`); // the same condition as the index
  if (principal !== undefined) query = query.where("principal_id", "=", principal);
  if (cursor !== undefined) query = query.where("number", "<", cursor);
  const found = await query.orderBy("number", "desc").limit(rows).execute();
  const items = await entriesOf({ db: store.read }, found);
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : String(last.number) };
}

/** Rows as lines, with the plan prices and the blocks that they were paid by. */
export async function entriesOf(tx: Pick<Tx, "db">, rows: readonly Tables["entry"][]): Promise<readonly Entry[]> {
  const seqs = rows.map(({ seq }) => seq);
  const quotes = await quotesOf(tx, seqs);
  const blocks = await leftInBlocks(tx, seqs);
  return rows.map((row) => toEntry(row, quotes.get(row.seq), blocks.get(row.seq)));
}

/** Identifies what a line states that no account has paid for. */
export const publicationHash = ({ store }: Pick<Context, "store">, ledger: LedgerId, text: string): string =>
  store.sha256(`[${JSON.stringify(ledger)},${text}]`);
