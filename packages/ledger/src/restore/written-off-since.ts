import type { Tx } from "../stores/store.ts";
import { entryOf, type LedgerId } from "../values/id.ts";

/** Whether the ledger may lack steps of a running total after this first one: what was written off since then does not say which. [M209] */
export async function isWrittenOffSince({ db }: Pick<Tx, "db">, ledger: LedgerId, first: string): Promise<boolean> {
  const found = await db
    .selectFrom("entry")
    .select("seq")
    .where("ledger_id", "=", ledger)
    .where("kind", "=", "writeOff")
    .where("seq", ">", entryOf(first) ?? 0n)
    .limit(1)
    .execute();
  return found.length > 0;
}
