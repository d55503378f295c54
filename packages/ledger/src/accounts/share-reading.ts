import type { ActiveRule, EpsilonAmount } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { chargeRow } from "../release/charge.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, ChargeId } from "../values/id.ts";
import { afterReading, type CountedAnswer, countedAnswer, isCounted, putReading } from "./cap-reading.ts";
import type { Policy } from "./charge-cache.ts";

/** An earlier answer that accounts of a path pay for together with a charge. */
export interface ShareReading extends CountedAnswer {
  readonly accounts: ReadonlySet<AccountId>;
}

/** These earlier answers, each with the accounts of the path that have still to pay for it. `paid`: what is not written yet. */
export async function unpaidReadings(
  tx: Tx,
  { ledger, path }: Policy,
  { charges, paid }: { readonly charges: readonly ChargeId[]; readonly paid: readonly ShareReading[] },
): Promise<readonly ShareReading[]> {
  const unpaid: ShareReading[] = [];
  for (const id of charges) {
    const charge = await chargeRow(tx.db, id);
    if (charge.ledger_id !== ledger.id) continue;
    const before = paid.filter(({ seq }) => seq === charge.entry_seq);
    const accounts = new Set<AccountId>();
    for (const account of path)
      if (!before.some((one) => one.accounts.has(account.id)) && !(await isCounted(tx, account, charge)))
        accounts.add(account.id);
    if (accounts.size > 0) unpaid.push({ ...(await countedAnswer(tx, ledger, charge.entry_seq)), accounts });
  }
  return unpaid;
}

/** The accounts after they have paid for these answers. QUOTA_EXHAUSTED when one has no room under the rule in force. */
export const afterReadings = (
  path: readonly Tables["account"][],
  readings: readonly ShareReading[],
  rule: ActiveRule,
): readonly Tables["account"][] =>
  path.map((account) =>
    readings.reduce((row, one) => (one.accounts.has(row.id) ? afterReading(row, one, rule) : row), account),
  );

/** Price of a charge and these answers for an account, by addition; null where a part has no price in ε. */
export function withReadings(
  epsilon: EpsilonAmount | null,
  readings: readonly ShareReading[],
  account: AccountId,
): EpsilonAmount | null {
  let sum: bigint | null = epsilon;
  for (const { accounts, price } of readings)
    if (accounts.has(account)) sum = sum === null || price.epsilon === null ? null : sum + price.epsilon;
  return sum as EpsilonAmount | null;
}

/** Notes what was paid with a charge, directly after it. */
export async function putReadings(
  writing: Writing,
  { entry, readings }: { readonly entry: Tables["entry"]; readonly readings: readonly ShareReading[] },
): Promise<void> {
  const { seq: after, principal_id: reader, ledger_id: ledger, at } = entry;
  for (const { seq, accounts } of readings)
    for (const account of accounts)
      await putReading(writing, { account, seq, reader, after, at, ledger, by: reader, action: "cap.read" });
}
