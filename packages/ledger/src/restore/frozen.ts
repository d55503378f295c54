import type { Context } from "../context.ts";
import type { LedgerId } from "../values/id.ts";

/** Why a ledger accepts no charges, in the words of who froze it, or of the server that noticed a restore. */
interface Frozen {
  readonly ledger: LedgerId;
  readonly since: string;
  readonly reason: string;
  /** What a restored database is known to lack, which is written off at least when it opens. */
  readonly missing: { readonly epsilon: string; readonly delta: string } | null;
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
    const { reason = "", missing } = JSON.parse(line?.detail ?? "{}") as Partial<Frozen>;
    const least = missing ? { epsilon: missing.epsilon, delta: missing.delta } : null;
    found.push({ ledger: id, since: line?.at ?? "", reason, missing: least });
  }
  return found;
}
