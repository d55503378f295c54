import { canSwitch, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import type { By } from "../values/by.ts";
import type { LedgerId } from "../values/id.ts";
import { type Balance, balanceOf } from "./balance.ts";
import { appendEntry, lastEntrySeq } from "./entry.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "./ledger.ts";
import { standingOf, stateOf } from "./node.ts";

/** What a switch would change, the ledger first; an account whose own residue could not have paid could spend no more. */
export interface SwitchPreview {
  readonly possible: boolean;
  readonly nodes: readonly { readonly before: Balance; readonly after: Balance | null }[];
}

/** From addition to tight, once and for good: one entry, one audit line. The sentence stays what it was. [M12] */
export function switchRule(context: Context, { ledger: id, by }: By & { ledger: LedgerId }): Promise<Ledger> {
  return change(context, async (tx, chain) => {
    const row = await ledgerRow(tx, id);
    if (!canSwitch(standingOf(row), stateOf(row))) {
      const got = row.state_residue === null ? "a residue that could not have paid" : `${row.rule}, now ${row.lane}`;
      throw new PrivacyError("CONFLICT", {
        name: "rule",
        got,
        want: "additionThenTight, still in addition, with a residue",
      });
    }
    const entry = await appendEntry(context, tx, {
      seq: (await lastEntrySeq(tx)) + 1n,
      ledger_id: id,
      number: row.entries + 1n,
      kind: "switch",
      charge_id: null,
      account_id: null,
      principal_id: by,
      dataset_id: null,
      lane: "tight",
      events: "[]",
      price_epsilon: 0n,
      price_delta: 0n,
      residue_before: row.state_residue,
      residue_after: row.state_residue,
      key: null,
      request: null,
      request_hash: null,
      at: context.store.now(),
      prev_hash: row.head_hash,
    });
    const after = { ...row, lane: "tight", entries: entry.number, head_hash: entry.hash };
    const { lane, entries, head_hash } = after;
    await tx.db.updateTable("ledger").set({ lane, entries, head_hash }).where("id", "=", id).execute();
    const detail = { entry: Number(entry.number), entryHash: entry.hash };
    chain.append({ actor: by, action: "ledger.switch", subject: id, ledger: id, detail });
    return toLedger(after, await sentenceOf(tx, after));
  });
}

export async function previewSwitch({ store }: Context, id: LedgerId): Promise<SwitchPreview> {
  const row = await ledgerRow({ db: store.read }, id);
  const accounts = await store.read
    .selectFrom("account")
    .selectAll()
    .where("ledger_id", "=", id)
    .where("status", "<>", "closed")
    .orderBy("opened_at")
    .orderBy("id")
    .execute();
  const possible = canSwitch(standingOf(row), stateOf(row));
  const nodes = [row, ...accounts].map((node) => ({
    before: balanceOf(node, row.lane),
    after: possible ? balanceOf(node, "tight") : null,
  }));
  return { possible, nodes };
}
