import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { ChargeId } from "../values/id.ts";
import { LOST } from "./lost.ts";
import { mayRead, type Readers } from "./statistic.ts";

/** The questions that a charge pays for, unless another charge, whose answers the payer may have, pays for one of them already. */
export interface Claims {
  /** SHA-256 of each canonical question. */
  readonly keys: readonly string[];
  readonly readers: Readers;
  /** `seq` of the last statistic that was released when it was decided to pay. */
  readonly horizon: bigint;
  /** Charges whose answers cannot be used and are not waited for. */
  readonly except?: readonly ChargeId[];
}

/** Another charge is answering the same question, or has answered it in the meantime: nothing was refused, and the caller uses that answer. */
export class QuestionClaimed extends Error {
  readonly charge: ChargeId;

  constructor(charge: ChargeId) {
    super("another charge pays for the same question");
    this.charge = charge;
  }
}

/** Whether it is paid and in work: its lease is running. */
const PENDING = `SELECT c.principal_id, c.account_id, x.id FROM claim c JOIN charge x ON x.entry_seq = c.entry_seq
  WHERE c.key_hash = ? AND x.status = 'charged' AND x.lease_until > ? AND x.lease_owner <> '${LOST}'`;
const SINCE = "SELECT principal_id, account_id, charge_id AS id FROM statistic WHERE key_hash = ? AND seq > ?";
const APPEND = "INSERT INTO claim (entry_seq, key_hash, principal_id, account_id, at) VALUES (?, ?, ?, ?, ?)";

type Asker = Pick<Tables["charge"], "id" | "principal_id" | "account_id">;

/** Stores the keys of a charge's questions; other charges with one of them wait for it. */
export interface Claiming {
  readonly charge: Tables["charge"];
  readonly claims: readonly string[];
}

/** The charge to wait for, when a question is claimed already; decided in the transaction that would charge. */
export async function claimedBy(
  tx: Tx,
  { keys, readers, horizon, except = [] }: Claims,
  { before, now }: { readonly before: readonly Claiming[]; readonly now: string },
): Promise<ChargeId | null> {
  for (const key of keys) {
    const same = [
      ...before.flatMap(({ charge, claims }) => (claims.includes(key) ? [charge] : [])),
      ...((await tx.all(PENDING, [key, now])) as readonly Asker[]),
      ...((await tx.all(SINCE, [key, horizon])) as readonly Asker[]),
    ];
    const found = same.find(
      ({ id, principal_id, account_id }) =>
        mayRead(readers, { principal: principal_id, account: account_id }) && !except.includes(id),
    );
    if (found !== undefined) return found.id;
  }
  return null;
}

export async function putClaims(tx: Tx, rows: readonly Claiming[]): Promise<void> {
  const values = rows.flatMap(({ charge: { entry_seq, principal_id, account_id, at }, claims }) =>
    [...new Set(claims)].map((key) => [entry_seq, key, principal_id, account_id, at]),
  );
  if (values.length > 0) await tx.many(APPEND, values);
}
