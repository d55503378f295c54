import { canSwitch, nextRule, PrivacyError } from "@dosimeter/core";
import { type Balance, balanceOf } from "../accounts/balance.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { appendEntry } from "../ledger/entry.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { admissionTermsOf, stateOf } from "../ledger/node.ts";
import { setRow } from "../stores/row.ts";
import type { By, LedgerId } from "../values/id.ts";

/** The effect of a switch, the ledger first. An account whose own μ² could not have paid its charges could spend no more. */
export interface SwitchPreview {
  readonly possible: boolean;
  readonly nodes: readonly { readonly before: Balance; readonly after: Balance | null }[];
}

/** Switches from addition to tight, permanently: one entry, one audit line. The sentence stays the same. [M12] */
export function switchRule(context: Context, { ledger: id, by }: By & { ledger: LedgerId }): Promise<Ledger> {
  return change(context, async (tx, chain) => {
    const row = await ledgerRow(tx, id);
    const activeRule = nextRule(row.rule, row.active_rule);
    if (activeRule === null || !canSwitch(admissionTermsOf(row), stateOf(row))) {
      const got =
        row.state_remaining_mu2 === null
          ? "a remaining μ² that could not have paid"
          : `${row.rule}, now ${row.active_rule}`;
      throw new PrivacyError("CONFLICT", {
        name: "rule",
        got,
        want: "additionThenTight, still in addition, with remaining μ²",
      });
    }
    const line = {
      kind: "switch",
      principal_id: by,
      active_rule: activeRule,
      remaining_mu2_after: row.state_remaining_mu2,
    } as const;
    const entry = await appendEntry(context, tx, row, line);
    const after = { ...row, active_rule: activeRule, entries: entry.number, head_hash: entry.hash };
    const { entries, head_hash } = after;
    await setRow(tx.db, "ledger", { id }, { active_rule: activeRule, entries, head_hash });
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
  const activeRule = canSwitch(admissionTermsOf(row), stateOf(row)) ? nextRule(row.rule, row.active_rule) : null;
  const nodes = [row, ...accounts].map((node) => ({
    before: balanceOf(node, row.active_rule),
    after: activeRule === null ? null : balanceOf(node, activeRule),
  }));
  return { possible: activeRule !== null, nodes };
}
