import { nextState, PrivacyError, priceEvents } from "@dosimeter/core";
import { change } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { By } from "../books.ts";
import type { Context } from "../context.ts";
import type { AccountId, ChargeId, PrincipalId } from "../id.ts";
import { rowsOf } from "../row.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { accountsTo } from "./account.ts";
import { chargeRow } from "./charge.ts";
import { lastEntrySeq } from "./entry.ts";
import { ledgerRow } from "./ledger.ts";
import { nodeOf, stateColumns } from "./node.ts";
import { quotesOf } from "./plan-quote.ts";
import { holds } from "./replay.ts";
import { parseTerms } from "./terms.ts";

/**
 * Counts an answer of other accounts against every cap of its reader, once and at full price, before it is shown.
 * QUOTA_EXHAUSTED when a cap has no room for it: then nothing has changed and it must not be shown. [M151]
 */
export function readUnderCaps(
  context: Context,
  {
    charge,
    reader,
    share,
  }: { readonly charge: ChargeId; readonly reader: PrincipalId; readonly share?: AccountId | undefined },
): Promise<void> {
  if (share !== undefined) return count(context, { charge, by: reader, share });
  return hasCaps(context, reader).then((found) => (found ? count(context, { charge, by: reader }) : undefined));
}

/** Those of these charges whose answers would count against a cap of the reader when they are seen. */
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

/** Most readers have no cap: they never wait for the writer. */
async function hasCaps({ store: { read } }: Context, reader: PrincipalId): Promise<boolean> {
  return (await capsOfReader({ db: read }, reader)).length > 0;
}

/** Open caps that this person holds, alone or through a team. */
const capsOfReader = ({ db }: Pick<Tx, "db">, reader: string): Promise<readonly Tables["account"][]> =>
  rowsOf(db, CAPS, [reader, reader]);

const CAPS = `SELECT * FROM account WHERE kind = 'cap' AND status <> 'closed' AND (
  (holder_kind = 'principal' AND holder_id = ?) OR
  holder_id IN (SELECT team_id FROM membership WHERE principal_id = ? AND until_at IS NULL)) ORDER BY id`;

function count(
  context: Context,
  { charge: id, by, share }: By & { readonly charge: ChargeId; readonly share?: AccountId },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const charge = await chargeRow(tx.db, id);
    const ledger = await ledgerRow(tx, charge.ledger_id);
    const { adjacency } = parseTerms(ledger.terms);
    const payers = new Map(
      // Where the policy says so, the shares from this one up pay too.
      [...(await capsOfReader(tx, by)), ...(share === undefined ? [] : await accountsTo(tx, share))].map((one) => [
        one.id,
        one,
      ]),
    );
    for (const account of payers.values()) {
      if (account.ledger_id !== ledger.id || (await isCounted(tx, account, charge))) continue;
      const entry = await tx.db
        .selectFrom("entry")
        .select(["seq", "events", "lane"])
        .where("seq", "=", charge.entry_seq)
        .executeTakeFirstOrThrow();
      const node = nodeOf(account);
      const lane = entry.lane === "tight" ? "tight" : "addition";
      const quotes = (await quotesOf(tx, [entry.seq])).get(entry.seq) ?? [];
      const state = nextState(node, priceEvents(JSON.parse(entry.events), adjacency), { lane, quotes });
      if (!holds(node.caps, state, ledger.lane === "tight" ? "tight" : "addition")) {
        throw new PrivacyError(
          "QUOTA_EXHAUSTED",
          { account: account.id },
          `the ${account.kind} ${account.id} has no room for what this answer would tell its holder`,
        );
      }
      const last = await tx.db
        .selectFrom("cap_reading")
        .select("seq")
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
      const row: Tables["cap_reading"] = {
        account_id: account.id,
        entry_seq: entry.seq,
        reader_id: by,
        seq: (last?.seq ?? 0n) + 1n,
        after_seq: await lastEntrySeq(tx),
        at: context.store.now(),
      };
      await tx.db.insertInto("cap_reading").values(row).execute();
      await tx.db.updateTable("account").set(stateColumns(state)).where("id", "=", account.id).execute();
      chain.append({ actor: by, action: "cap.read", ledger: ledger.id, ...images.cap_reading(row) });
    }
  });
}

/** Its own charge, one of an account below it, or one that was read before. */
async function isCounted(
  { db }: Pick<Tx, "db">,
  account: Tables["account"],
  charge: Tables["charge"],
): Promise<boolean> {
  for (let node: string | null = charge.account_id; node !== null; ) {
    if (node === account.id) return true;
    const above: { parent_id: string | null } | undefined = await db
      .selectFrom("account")
      .select("parent_id")
      .where("id", "=", node)
      .executeTakeFirst();
    node = above?.parent_id ?? null;
  }
  const read = await db
    .selectFrom("cap_reading")
    .select("seq")
    .where("account_id", "=", account.id)
    .where("entry_seq", "=", charge.entry_seq)
    .executeTakeFirst();
  return read !== undefined;
}
