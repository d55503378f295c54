import type { Context } from "../context.ts";
import type { LedgerId } from "../values/id.ts";

/** Why a ledger accepts no charges, in the words of who froze it, or of the server that noticed a restore. */
interface Frozen {
  readonly ledger: LedgerId;
  readonly since: string;
  readonly reason: string;
}

/** The frozen ledgers, or the one that is asked about if it is frozen. */
export async function frozen({ store: { read } }: Context, ledger?: LedgerId): Promise<readonly Frozen[]> {
  let rows = read.selectFrom("ledger").select("id").where("status", "=", "frozen").orderBy("id");
  if (ledger !== undefined) rows = rows.where("id", "=", ledger);
  const found: Frozen[] = [];
  for (const { id } of await rows.execute()) {
    const line = await read
      .selectFrom("audit")
      .select(["at", "detail"])
      .where("ledger_id", "=", id)
      .where("action", "=", "ledger.freeze")
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    const { reason = "" } = JSON.parse(line?.detail ?? "{}") as { readonly reason?: string };
    found.push({ ledger: id, since: line?.at ?? "", reason });
  }
  return found;
}
