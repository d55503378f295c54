import { change } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { By } from "../books.ts";
import type { Context } from "../context.ts";
import type { PrincipalId } from "../id.ts";
import { principalRow } from "./principal.ts";

/** Keeps the hash of a password, made elsewhere, and ends every session but `keep`. Never the password itself. */
export function setPassword(
  context: Context,
  { principal, hash, keep, by }: By & { principal: PrincipalId; hash: string; keep?: string | undefined },
): Promise<void> {
  return change(context, async (tx, chain) => {
    await principalRow(tx, principal);
    const row = { principal_id: principal, hash, changed_at: context.store.now() };
    const before = await tx.db.selectFrom("password").select("hash").where("principal_id", "=", principal).execute();
    if (before.length === 0) await tx.db.insertInto("password").values(row).execute();
    else await tx.db.updateTable("password").set(row).where("principal_id", "=", principal).execute();
    chain.append({ actor: by, action: "password.change", detail: { principal }, ...images.password(row) });
    const sessions = await tx.db
      .selectFrom("credential")
      .selectAll()
      .where("principal_id", "=", principal)
      .where("kind", "=", "session")
      .where("ended_at", "is", null)
      .execute();
    for (const session of sessions) {
      if (session.id === keep) continue;
      const ended = { ...session, ended_at: context.store.now() };
      await tx.db.updateTable("credential").set({ ended_at: ended.ended_at }).where("id", "=", session.id).execute();
      chain.append({ actor: by, action: "session.end", subject: session.id, image: ended });
    }
  });
}

export async function passwordOf({ store }: Context, principal: PrincipalId): Promise<string | null> {
  const row = await store.read
    .selectFrom("password")
    .select("hash")
    .where("principal_id", "=", principal)
    .executeTakeFirst();
  return row?.hash ?? null;
}
