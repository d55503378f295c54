import { type EpsilonAmount, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import type { NodeRow } from "../ledger/node.ts";
import { putThreshold } from "../ledger/report-threshold.ts";
import { refuseUnpaidRestoreGap } from "../restore/restore-gap.ts";
import type { AccountId, By, LedgerId } from "../values/id.ts";
import { type Account, accountRow, checkActive, toAccount } from "./account.ts";
import { checkExpiry } from "./open-account.ts";
import { refuseOwnRaise } from "./own-raise.ts";

interface AccountSettings extends By {
  readonly account: AccountId;
  readonly mode?: Account["mode"] | undefined;
  /** null: no date. */
  readonly expiresAt?: string | null | undefined;
  /** null: no such limit. */
  readonly queryEpsilon?: EpsilonAmount | null | undefined;
}

/** Sets how an account may promise quota, when it ends, and how much one charge may take. CONFLICT for `funded` with too many promises. */
export function setAccount(context: Context, { account, by, ...settings }: AccountSettings): Promise<Account> {
  return change(context, async (tx, chain) => {
    const before = await accountRow(tx, account);
    if (before.status === "closed") checkActive(before);
    await refuseOwnRaise(context, tx, before, by);
    const after = {
      ...before,
      mode: settings.mode ?? before.mode,
      expires_at: settings.expiresAt === undefined ? before.expires_at : checkExpiry(context, settings.expiresAt),
      query_epsilon: settings.queryEpsilon === undefined ? before.query_epsilon : settings.queryEpsilon,
    };
    checkPromises(after);
    const { mode, expires_at, query_epsilon } = after;
    await tx.db.updateTable("account").set({ mode, expires_at, query_epsilon }).where("id", "=", account).execute();
    chain.append({
      actor: by,
      action: "account.set",
      ledger: before.ledger_id,
      detail: { mode, expiresAt: expires_at, queryEpsilon: query_epsilon === null ? null : String(query_epsilon) },
      ...images.account(after),
    });
    return toAccount(after);
  });
}

function checkPromises({ id, mode, ...row }: NodeRow): void {
  const isOver = row.allocated_epsilon > row.quota_epsilon || row.allocated_delta > row.quota_delta;
  if (mode === "funded" && isOver) {
    throw new PrivacyError("CONFLICT", { name: "mode", got: "funded", want: `not below what ${id} has promised` });
  }
}

interface LedgerSettings extends By {
  readonly ledger: LedgerId;
  readonly policy?: Ledger["policy"] | undefined;
  readonly mode?: Ledger["mode"] | undefined;
  /** `frozen`: no charge is taken until it is open again; nothing else changes. */
  readonly status?: Ledger["status"] | undefined;
  /** ε of one query above which reports compose by addition. */
  readonly threshold?: EpsilonAmount | undefined;
}

/** Sets who switches the rule, whether quota may be overbooked, and whether charges are admitted. Never the guarantee. */
export function setLedger(context: Context, { ledger, by, threshold, ...settings }: LedgerSettings): Promise<Ledger> {
  return change(context, async (tx, chain) => {
    const before = await ledgerRow(tx, ledger);
    if (threshold !== undefined) {
      await putThreshold({ tx, chain }, { ledger, epsilon: threshold, at: context.store.now(), by });
      const isAll = Object.values(settings).every((setting) => setting === undefined);
      if (isAll) return toLedger(before, await sentenceOf(tx, before));
    }
    const policy = settings.policy ?? before.policy;
    const mode = settings.mode ?? before.mode;
    const status = settings.status ?? before.status;
    if (status === "open" && before.status === "frozen") await refuseUnpaidRestoreGap(tx, before.id);
    const after = { ...before, policy, mode, status };
    checkPromises(after);
    await tx.db.updateTable("ledger").set({ policy, mode, status }).where("id", "=", ledger).execute();
    const detail = { policy, mode, status };
    chain.append({ actor: by, action: "ledger.set", ledger, detail, ...images.ledger(after) });
    return toLedger(after, await sentenceOf(tx, after));
  });
}
