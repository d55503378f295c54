import {
  type ActiveRule,
  type Admission,
  admit,
  type DpEvent,
  type FilterNode,
  type FilterTerms,
  hasRoom,
  type Mu2Quote,
  nextState,
  type Price,
  PrivacyError,
  parseEvent,
  priceEvents,
} from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { lastEntrySeq } from "../ledger/entry.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { admissionTermsOf, type NodeRow, nodeOf, stateColumns } from "../ledger/node.ts";
import { quotesOf } from "../ledger/plan-quote.ts";
import { refusalOf } from "../ledger/refusal.ts";
import { principalsOf } from "../people/analyst.ts";
import { chargeRow } from "../release/charge.ts";
import { rowsOf, rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, ChargeId, LedgerId, PrincipalId } from "../values/id.ts";
import { parseTerms } from "../values/terms.ts";
import { accountRow, accountsTo, holderOf } from "./account.ts";

/**
 * Counts an answer of other accounts against every cap of its reader, once and at full price, before it is shown.
 * QUOTA_EXHAUSTED when a cap has no room: nothing changes, and the answer must not be shown. [M151]
 */
export async function readUnderCaps(
  context: Context,
  { charge: id, reader }: { readonly charge: ChargeId; readonly reader: PrincipalId },
): Promise<void> {
  // Most readers have no cap and need no transaction.
  if (!(await hasCaps(context, reader))) return;
  await change(context, async (tx, chain) => {
    const charge = await chargeRow(tx.db, id);
    for (const account of await capsOfReader(tx, reader)) {
      if (account.ledger_id !== charge.ledger_id || (await isCounted(tx, account, charge))) continue;
      await countOne(
        context,
        { tx, chain },
        { account, seq: charge.entry_seq, reader, by: reader, action: "cap.read" },
      );
    }
  });
}

/**
 * Refuses a plan before it is charged when another cap of the person who asks has no room for its answers, which could then
 * not be shown. QUOTA_EXHAUSTED.
 */
export async function refuseUnreadable(
  context: Context,
  asked: { readonly reader: PrincipalId; readonly account: AccountId; readonly events: readonly DpEvent[] },
): Promise<void> {
  const { reader, account } = asked;
  if (asked.events.length === 0 || !(await hasCaps(context, reader))) return;
  const events = asked.events.map((event, index) => parseEvent(event, `events[${index}]`));
  await context.store.snapshot(async (db) => {
    const path = await accountsTo({ db }, account);
    const caps = await otherCaps({ db }, { reader, path });
    if (caps.length === 0) return;
    const ledger = await ledgerRow({ db }, caps[0]?.ledger_id ?? "");
    const payers: readonly NodeRow[] = [ledger, ...path];
    const nodes = [...payers, ...caps];
    const decision = admitWithCaps(admissionTermsOf(ledger), nodes.map(nodeOf), payers.length, events);
    if (!decision.admitted && decision.refusals.some(({ index }) => index > path.length))
      throw refusalOf(ledger, nodes, decision);
  });
}

/**
 * Decides as the charge itself would. The first `payers` nodes are its path; the caps after them need room
 * under the rule that it then uses, but do not influence that rule.
 */
export function admitWithCaps(
  admissionTerms: FilterTerms,
  nodes: readonly FilterNode[],
  payers: number,
  ...charged: [events: readonly DpEvent[], quotes?: readonly Mu2Quote[]]
): Admission {
  const alone = admit(admissionTerms, nodes.slice(0, payers), ...charged);
  if (nodes.length === payers) return alone;
  const { activeRule } = alone;
  const decision = admit({ ...admissionTerms, activeRule, policy: "ask" }, nodes, ...charged);
  return decision.admitted ? { ...decision, switched: alone.admitted && alone.switched } : decision;
}

/** Open caps of a reader on the ledger of a path, except those on the path, which pay anyway. */
export async function otherCaps(
  tx: Pick<Tx, "db">,
  { reader, path }: { readonly reader: PrincipalId; readonly path: readonly Tables["account"][] },
): Promise<readonly Tables["account"][]> {
  const caps = await capsOfReader(tx, reader);
  return caps.filter(({ id, ledger_id }) => ledger_id === path[0]?.ledger_id && path.every((one) => one.id !== id));
}

/**
 * A new cap starts with all that was ever public of the ledger [M400], and that of a person with what they have learned from it: the answers that
 * they or their services asked for, and those that an earlier cap of theirs counted. QUOTA_EXHAUSTED when it is too small for that.
 */
export async function countEarlier(
  context: Context,
  { tx, chain }: Writing,
  { account: id, by }: { readonly account: AccountId; readonly by: PrincipalId },
): Promise<void> {
  const row = await accountRow(tx, id);
  const holder = holderOf(row);
  const people = holder.kind === "principal" ? await principalsOf(tx, holder.id) : [];
  const of = [row.ledger_id, ...people];
  const own = people.length === 0 ? [] : await rowsOf<Counted>(tx.db, KNOWN(people.length), [...of, ...of]);
  const open = await rowsOf<Counted>(tx.db, PUBLIC, [row.ledger_id]);
  const seqs = [...new Set([...own, ...open].map(({ seq }) => seq))].sort((a, b) => (a < b ? -1 : 1));
  const reader = holder.kind === "principal" ? holder.id : by;
  for (const seq of seqs)
    await countOne(context, { tx, chain }, { account: await accountRow(tx, id), seq, reader, by, action: "cap.begin" });
}

type Counted = Pick<Tables["entry"], "seq">;
const KNOWN = (people: number) => `SELECT seq FROM entry WHERE kind = 'charge' AND ledger_id = ?
    AND principal_id IN (${Array(people).fill("?")})
  UNION SELECT entry_seq FROM cap_reading JOIN account ON account.id = account_id WHERE ledger_id = ?
    AND reader_id IN (${Array(people).fill("?")})`;
const PUBLIC = "SELECT entry_seq AS seq FROM public_answer WHERE ledger_id = ?";

/** Counts an answer, as one that everyone reads, against every cap of its ledger that has not yet. QUOTA_EXHAUSTED when one has no room. [M400] */
export async function countForAll(
  context: Context,
  writing: Writing,
  { charge, by }: { readonly charge: Tables["charge"]; readonly by: PrincipalId },
): Promise<void> {
  for (const account of await rowsOf<Tables["account"]>(writing.tx.db, CAPS_ON, [charge.ledger_id]))
    if (!(await isCounted(writing.tx, account, charge)))
      await countOne(context, writing, { account, seq: charge.entry_seq, reader: by, by, action: "cap.public" });
}

const CAPS_ON = "SELECT * FROM account WHERE kind = 'cap' AND status <> 'closed' AND ledger_id = ? ORDER BY id";

/** The charges whose answers would count against a cap of the reader. */
export async function unreadUnderCaps(
  { store: { read: db } }: Context,
  { charges, reader }: { readonly charges: readonly ChargeId[]; readonly reader: PrincipalId },
): Promise<readonly ChargeId[]> {
  const caps = await capsOfReader({ db }, reader);
  if (caps.length === 0) return [];
  const unread: ChargeId[] = [];
  for (const id of charges) {
    const charge = await chargeRow(db, id);
    for (const cap of caps)
      if (cap.ledger_id === charge.ledger_id && !(await isCounted({ db }, cap, charge))) {
        unread.push(id);
        break;
      }
  }
  return unread;
}

async function hasCaps({ store: { read } }: Context, reader: PrincipalId): Promise<boolean> {
  return (await capsOfReader({ db: read }, reader)).length > 0;
}

/** Open caps of the analyst behind a reader, their own or a service's, alone or through a team: they learn together. */
async function capsOfReader(tx: Pick<Tx, "db">, reader: PrincipalId): Promise<readonly Tables["account"][]> {
  const people = await principalsOf(tx, reader);
  return rowsOf(tx.db, CAPS(people.length), [...people, ...people]);
}

const CAPS = (people: number) => `SELECT * FROM account WHERE kind = 'cap' AND status <> 'closed' AND (
  (holder_kind = 'principal' AND holder_id IN (${Array(people).fill("?")})) OR
  holder_id IN (SELECT team_id FROM membership WHERE principal_id IN (${Array(people).fill("?")}) AND until_at IS NULL))
  ORDER BY id`;

export interface CountedAnswer {
  /** Of the entry of its charge. */
  readonly seq: bigint;
  readonly price: Price;
  readonly activeRule: ActiveRule;
  readonly quotes: readonly Mu2Quote[];
}

export async function countedAnswer(
  tx: Pick<Tx, "db">,
  { terms }: Pick<Tables["ledger"], "terms">,
  seq: bigint,
): Promise<CountedAnswer> {
  const { events, active_rule: activeRule } = await tx.db
    .selectFrom("entry")
    .select(["events", "active_rule"])
    .where("seq", "=", seq)
    .executeTakeFirstOrThrow();
  const price = priceEvents(JSON.parse(events), parseTerms(terms).adjacency);
  return { seq, price, activeRule, quotes: (await quotesOf(tx, [seq])).get(seq) ?? [] };
}

/** An account after it has counted one answer. QUOTA_EXHAUSTED when it has no room under the rule in force. */
export function afterReading(
  account: Tables["account"],
  { price, activeRule, quotes }: CountedAnswer,
  rule: ActiveRule,
): Tables["account"] {
  const node = nodeOf(account);
  const state = nextState(node, price, { activeRule, quotes });
  if (hasRoom(node.caps, state, rule)) return { ...account, ...stateColumns(state) };
  throw new PrivacyError(
    "QUOTA_EXHAUSTED",
    { account: account.id },
    `the ${account.kind} ${account.id} has no room for what its holder would then have learned`,
  );
}

/** Its holder read it, everyone reads it now, or the cap is new and was read or public before: the actor is whose act that was. */
type Counting = "cap.read" | "cap.public" | "cap.begin";

/** Counts one answer against one account, under the rule in force. QUOTA_EXHAUSTED when it does not fit. */
async function countOne(
  context: Context,
  { tx, chain }: Writing,
  given: {
    readonly account: Tables["account"];
    readonly seq: bigint;
    readonly reader: PrincipalId;
    readonly by: PrincipalId;
    readonly action: Counting;
  },
): Promise<void> {
  const { account, seq, reader, by, action } = given;
  const ledger = await ledgerRow(tx, account.ledger_id);
  const { id, state_epsilon, state_delta, state_remaining_mu2 } = afterReading(
    account,
    await countedAnswer(tx, ledger, seq),
    ledger.active_rule,
  );
  const after = await lastEntrySeq(tx);
  await putReading(
    { tx, chain },
    { account: id, seq, reader, after, at: context.store.now(), ledger: ledger.id, by, action },
  );
  await setRow(tx.db, "account", { id }, { state_epsilon, state_delta, state_remaining_mu2 });
}

/** Notes that an account counted an answer after an entry. */
export async function putReading(
  { tx, chain }: Writing,
  given: {
    readonly account: AccountId;
    readonly seq: bigint;
    readonly reader: PrincipalId;
    readonly after: bigint;
    readonly at: string;
    readonly ledger: LedgerId;
    readonly by: PrincipalId;
    readonly action: Counting;
  },
): Promise<void> {
  const { account, seq, reader, after, at, ledger, by, action } = given;
  const last = await tx.db.selectFrom("cap_reading").select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
  const row: Tables["cap_reading"] = {
    account_id: account,
    entry_seq: seq,
    reader_id: reader,
    seq: (last?.seq ?? 0n) + 1n,
    after_seq: after,
    at,
  };
  await tx.db.insertInto("cap_reading").values(row).execute();
  chain.append({ actor: by, action, ledger, ...images.cap_reading(row) });
}

/** Whether it already counts: the account's own charge, one of an account below it, or one that was read before. */
export async function isCounted(
  { db }: Pick<Tx, "db">,
  account: Tables["account"],
  charge: Tables["charge"],
): Promise<boolean> {
  for (let node: AccountId | null = charge.account_id; node !== null; ) {
    if (node === account.id) return true;
    const above: { parent_id: AccountId | null } | undefined = await rowWith(db, "account", { id: node });
    node = above?.parent_id ?? null;
  }
  const read = await rowWith(db, "cap_reading", { account_id: account.id, entry_seq: charge.entry_seq });
  return read !== undefined;
}
