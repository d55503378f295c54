import { type ActiveRule, formatEpsilon } from "@dosimeter/core";
import type { Context } from "../context.ts";
import { notify } from "../outbox/notify.ts";
import { adminsOf, datasetNames, datasetsOf, holders, nameOf } from "../outbox/recipients.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { THRESHOLDS } from "../values/notification-kind.ts";
import { balanceOf } from "./balance.ts";

type Node = Tables["account"] | Tables["ledger"];

/**
 * Notifies the holders of an account and of everything above it, the ledger included, when 50, 80 or 95 % of a quota are used:
 * once for each level and quota, in the transaction of the charge, so that a crash loses none.
 */
export async function notifyUsed(
  context: Context,
  tx: Tx,
  {
    nodes,
    activeRule,
    known,
  }: { readonly nodes: readonly Node[]; readonly activeRule: ActiveRule; readonly known: Notified },
): Promise<void> {
  for (const row of nodes) {
    const level = levelOf(balanceOf(row, activeRule).used);
    if (level === null) continue;
    const once = `threshold ${row.id} ${level} ${row.quota_epsilon}`;
    if (known.has(once)) continue;
    const isLedger = "population_id" in row;
    const to = isLedger ? await ledgerAdmins(tx, row.id) : await holders(tx, row);
    const facts = {
      level: String(level),
      what: isLedger ? "ledger" : "account",
      holder: isLedger ? "" : await nameOf(tx, row.holder_id),
      holderId: isLedger ? "" : row.holder_id,
      dataset: await datasetNames(tx, isLedger ? row.id : row.ledger_id),
      quota: formatEpsilon(row.quota_epsilon),
    };
    await notify(context, tx, { to, kind: "threshold", subject: row.id, facts, once });
    known.add(once);
  }
}

/** The notices that are known to be written and need not be looked up. */
export interface Notified {
  has(once: string): boolean;
  add(once: string): void;
}

type Level = (typeof THRESHOLDS)[number] | null;

const levelOf = (used: number): Level => THRESHOLDS.findLast((level) => used * 100 >= level) ?? null;

const ledgerAdmins = async (tx: Pick<Tx, "db">, ledger: LedgerId): Promise<readonly string[]> =>
  (await Promise.all((await datasetsOf(tx, ledger)).map(({ id }) => adminsOf(tx, "datasetAdmin", id)))).flat();
