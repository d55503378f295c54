import type { DeltaAmount, EpsilonAmount } from "@dosimeter/core";
import { atLeastZero } from "@dosimeter/core/internal";
import { rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { AccountId } from "../values/id.ts";
import type { Quota } from "../values/terms.ts";

interface Way {
  readonly from: AccountId;
  readonly to: AccountId;
}

/** One row for two accounts, in both directions: `sign` turns what goes this way into what the row counts. */
function rowOf({ from, to }: Way) {
  const isFirst = from < to;
  const [from_account_id, to_account_id] = isFirst ? [from, to] : [to, from];
  return { key: { from_account_id, to_account_id }, sign: isFirst ? 1n : -1n };
}

/** What was moved from one account to the one next to it and not back; a sum that each transfer keeps, however many there were. */
export async function given({ db }: Pick<Tx, "db">, way: Way): Promise<Quota> {
  const { key, sign } = rowOf(way);
  const { epsilon, delta } = (await rowWith(db, "given_quota", key)) ?? { epsilon: 0n, delta: 0n };
  return {
    epsilon: atLeastZero(sign * epsilon) as EpsilonAmount,
    delta: atLeastZero(sign * delta) as DeltaAmount,
  };
}

export async function addGiven({ db }: Tx, way: Way, amount: Quota): Promise<void> {
  const { key, sign } = rowOf(way);
  const before = await rowWith(db, "given_quota", key);
  const [epsilon, delta] = [sign * amount.epsilon, sign * amount.delta];
  if (before === undefined)
    await db
      .insertInto("given_quota")
      .values({ ...key, epsilon, delta })
      .execute();
  else
    await setRow(
      db,
      "given_quota",
      { from_account_id: key.from_account_id, to_account_id: key.to_account_id },
      { epsilon: before.epsilon + epsilon, delta: before.delta + delta },
    );
}
