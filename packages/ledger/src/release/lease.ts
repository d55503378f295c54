import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { ChargeId, PrincipalId } from "../values/id.ts";
import { type Charge, chargeRow, chargeWithEntry, type Lease, leaseUntil } from "./charge.ts";
import { FOREVER, LOST } from "./lost.ts";

const LEASE = "UPDATE lease SET owner = ?, until_at = ?, tries = ? WHERE entry_seq = ?";

interface LeaseOptions {
  readonly charge: ChargeId;
  readonly lease: Lease;
}

/** Takes a pending charge whose lease has run out or is the caller's own; null otherwise. */
export function claim(context: Context, { charge, lease }: LeaseOptions): Promise<Charge | null> {
  return change(context, async (tx, chain) => {
    const now = context.store.now();
    const row = await chargeRow(tx.db, charge);
    if (row.status === "released") return null;
    if (row.lease_owner !== lease.owner && row.lease_until > now) return null;
    await take(context, tx, { row, lease });
    const detail = { owner: lease.owner, try: Number(row.tries + 1n) };
    chain.append({
      actor: row.principal_id,
      action: "lease.take",
      subject: charge,
      ledger: row.ledger_id,
      detail,
    });
    return chargeWithEntry(tx.db, charge);
  }).then(committed(context));
}

/** Renews the lease of a charge that still waits for its answer; null where another owner has taken it, which alone means that it is lost. */
export async function renew({ store }: Context, { charge, lease }: LeaseOptions): Promise<Charge | null> {
  return store.transact(async (tx) => {
    const row = await chargeRow(tx.db, charge);
    if (row.status === "released") return chargeWithEntry(tx.db, charge);
    if (row.lease_owner !== lease.owner) return null;
    await tx.run(LEASE, [lease.owner, leaseUntil(Date.parse(store.now()), lease), row.tries, row.entry_seq]);
    return chargeWithEntry(tx.db, charge);
  });
}

/** Ends the work on these pending charges: they stay charged, no server measures them again, and their people are notified. */
export async function giveUp(
  { tx, chain }: Writing,
  rows: readonly Tables["charge"][],
  by: PrincipalId,
): Promise<void> {
  for (const { id, entry_seq, ledger_id, tries } of rows) {
    await tx.run(LEASE, [LOST, FOREVER, tries, entry_seq]);
    chain.append({ actor: by, action: "charge.lost", subject: id, ledger: ledger_id });
  }
}

async function take(
  { store, step }: Context,
  tx: Tx,
  { row, lease }: { row: Tables["charge"]; lease: Lease },
): Promise<void> {
  await tx.run(LEASE, [lease.owner, leaseUntil(Date.parse(store.now()), lease), row.tries + 1n, row.entry_seq]);
  step("lease.written");
}

const committed =
  ({ step }: Context) =>
  <T>(result: T): T => {
    step("lease.committed");
    return result;
  };
