import type { Terms } from "@dosimeter/core";
import type { Tx } from "../stores/store.ts";
import type { LedgerId } from "../values/id.ts";
import { parseTerms } from "../values/terms.ts";

/**
 * The terms that were declared at opening; of a copy those of the ledger where it began, as its line says. What was declared then is a promise,
 * whatever was raised before the copy was made.
 */
export async function firstTerms({ db }: Pick<Tx, "db">, ledger: LedgerId): Promise<Terms> {
  const line = await db
    .selectFrom("audit")
    .select("detail")
    .where("subject", "=", ledger)
    .where("action", "=", "ledger.import")
    .executeTakeFirst();
  const [copied] = line === undefined ? [] : (JSON.parse(line.detail) as { versions: { terms: string }[] }).versions;
  if (copied !== undefined) return parseTerms(copied.terms);
  const { terms } = await db
    .selectFrom("guarantee_version")
    .select("terms")
    .where("ledger_id", "=", ledger)
    .where("version", "=", 1n)
    .executeTakeFirstOrThrow();
  return parseTerms(terms);
}
