import { type DeltaAmount, type EpsilonAmount, invalid, quotaDelta } from "@dosimeter/core";
import { least } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { excess } from "../ledger/amounts.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, By, PrincipalId } from "../values/id.ts";
import { parseTerms, type Quota } from "../values/terms.ts";
import { type Account, accountRow, checkActive, toAccount } from "./account.ts";
import { addGiven } from "./given.ts";
import { openChildren } from "./open-children.ts";
import { freeQuotaOf, type Move, move } from "./quota.ts";

interface TransferOptions extends By {
  readonly from: AccountId;
  readonly to: AccountId;
  readonly epsilon: EpsilonAmount;
  /** The pro-rata part when absent, or what is free of it. */
  readonly delta?: DeltaAmount | undefined;
}

interface Transferred {
  readonly from: Account;
  readonly to: Account;
}

/** Moves free quota between two accounts of one ledger: up to what funds both, then down, in one transaction. */
export const transfer = (context: Context, options: TransferOptions): Promise<Transferred> =>
  change(context, (tx, chain) => transferIn(context, { tx, chain }, options));

/** The same inside a transaction that does more. */
export async function transferIn(
  context: Context,
  { tx, chain }: Writing,
  { from, to, epsilon, delta, by, isShare }: TransferOptions & Pick<Move, "isShare">,
): Promise<Transferred> {
  const [source, target] = [await pathUp(tx, from), await pathUp(tx, to)];
  const [first, last] = [source[0] as Tables["account"], target[0] as Tables["account"]];
  if (first.ledger_id !== last.ledger_id || from === to) {
    invalid("to", to, "another account of the same ledger");
  }
  const shared = new Set(source.map(({ id }) => id));
  const down = target.filter(({ id }) => !shared.has(id)).reverse();
  const above = new Set(target.map(({ id }) => id));
  const up = source.filter(({ id }) => !above.has(id));
  for (const row of up) if (row.status === "closed") checkActive(row);
  // As for an allocation, the funding account must be active.
  const funding = down.length > 0 ? target.filter(({ id }) => shared.has(id)).slice(0, 1) : [];
  for (const row of [...funding, ...down, last]) checkActive(row);
  const terms = parseTerms((await ledgerRow(tx, first.ledger_id)).terms);
  const wanted = delta ?? quotaDelta(terms, { epsilon });
  const free = up.length === 0 || delta !== undefined ? wanted : (await freeQuotaOf(tx, first)).delta;
  const amount = { epsilon, delta: least(wanted, free) };
  for (const [rows, direction] of [
    [up, "withdraw"],
    [down, "allocate"],
  ] as const) {
    for (const { id } of rows) {
      const account = await accountRow(tx, id);
      await move(context, { tx, chain }, { account, direction, amount, by, cause: "transfer", isShare });
    }
  }
  if (up.length === 1 && down.length === 1) await addGiven(tx, { from, to }, amount);
  return { from: toAccount(await accountRow(tx, from)), to: toAccount(await accountRow(tx, to)) };
}

/** The account first, the top of its tree last. */
async function pathUp(tx: Pick<Tx, "db">, account: AccountId): Promise<readonly Tables["account"][]> {
  const rows = [await accountRow(tx, account)];
  for (let above = rows[0]?.parent_id ?? null; above !== null; ) {
    const row = await accountRow(tx, above);
    rows.push(row);
    above = row.parent_id;
  }
  return rows;
}

interface RecallOptions extends By {
  readonly account: AccountId;
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount | undefined;
  /** Take from the accounts below as well, where this one has too little free. */
  readonly cascade?: boolean | undefined;
}

export interface Recalled {
  readonly account: Account;
  readonly recalled: Quota;
  /** The requested quota that could not be taken because it is spent, or promised below. */
  readonly shortfall: Quota;
}

/** Takes back the free quota, at most the requested amount; with `cascade` from the bottom up. Never what was spent. */
export function recall(
  context: Context,
  { account, epsilon, delta, cascade = false, by }: RecallOptions,
): Promise<Recalled> {
  return change(context, async (tx, chain) => {
    const row = await accountRow(tx, account);
    if (row.status === "closed") checkActive(row);
    const terms = parseTerms((await ledgerRow(tx, row.ledger_id)).terms);
    const wanted = { epsilon, delta: delta ?? quotaDelta(terms, { epsilon }) };
    const recalled = await recallIn(context, { tx, chain }, { account, wanted, cascade, by });
    return { account: toAccount(await accountRow(tx, account)), recalled, shortfall: excess(wanted, recalled) };
  });
}

async function recallIn(
  context: Context,
  writing: Writing,
  { account, wanted, cascade, by }: { account: AccountId; wanted: Quota; cascade: boolean; by: PrincipalId },
): Promise<Quota> {
  const { tx } = writing;
  let free = await freeQuotaOf(tx, await accountRow(tx, account));
  for (const child of cascade ? await openChildren(tx, account) : []) {
    const missing = excess(wanted, free);
    if (missing.epsilon === 0n && missing.delta === 0n) break;
    await recallIn(context, writing, { account: child.id, wanted: missing, cascade, by });
    free = await freeQuotaOf(tx, await accountRow(tx, account));
  }
  const amount = { epsilon: least(wanted.epsilon, free.epsilon), delta: least(wanted.delta, free.delta) };
  if (amount.epsilon === 0n && amount.delta === 0n) return amount;
  await move(context, writing, {
    account: await accountRow(tx, account),
    direction: "withdraw",
    amount,
    by,
    cause: "recall",
  });
  return amount;
}
