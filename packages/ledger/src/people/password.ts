import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { endCredentials, endPasswordLinks } from "./credential.ts";
import { principalRow } from "./principal.ts";

/** Keeps the hash of a password, made elsewhere, and ends every session but `keep`, and the links that would set another. Never the password itself. */
export function setPassword(context: Context, options: NewPassword): Promise<void> {
  return change(context, (tx, chain) => setPasswordIn(context, { tx, chain }, options));
}

type NewPassword = By & { principal: PrincipalId; hash: string; keep?: string | undefined };

export async function setPasswordIn(
  context: Context,
  { tx, chain }: Writing,
  { principal, hash, keep, by }: NewPassword,
): Promise<void> {
  await principalRow(tx, principal);
  const row = { principal_id: principal, hash, changed_at: context.store.now() };
  const before = await tx.db.selectFrom("password").select("hash").where("principal_id", "=", principal).execute();
  if (before.length === 0) await tx.db.insertInto("password").values(row).execute();
  else await tx.db.updateTable("password").set(row).where("principal_id", "=", principal).execute();
  chain.append({ actor: by, action: "password.change", detail: { principal }, ...images.password(row) });
  await endCredentials(context, { tx, chain }, { principal, kind: "session", keep, by });
  await endPasswordLinks(context, { tx, chain }, { principal, by });
  await dropLetters(context, tx, principal);
}

/** Password links that wait to be mailed: their secrets would be made when they are. */
async function dropLetters({ store }: Context, { db }: Tx, principal: PrincipalId): Promise<void> {
  await db
    .updateTable("outbox")
    .set({ ended_at: store.now(), outcome: "refused" })
    .where("principal_id", "=", principal)
    .where("ended_at", "is", null)
    .where("channel", "=", "mail")
    .where("message", "like", '{"kind":"passwordLink",%')
    .execute();
}

/** Afterwards no password works until a new one is set. */
export async function dropPassword(
  { store }: Context,
  { tx, chain }: Writing,
  { principal, by }: By & { principal: PrincipalId },
): Promise<void> {
  const row = await tx.db.selectFrom("password").selectAll().where("principal_id", "=", principal).executeTakeFirst();
  if (row === undefined || row.hash === DROPPED) return;
  const after = { ...row, hash: DROPPED, changed_at: store.now() };
  await tx.db.updateTable("password").set(after).where("principal_id", "=", principal).execute();
  chain.append({ actor: by, action: "password.drop", detail: { principal }, ...images.password(after) });
}

/** No hash: rows are never deleted. */
const DROPPED = "";

export async function passwordOf({ store }: Context, principal: PrincipalId): Promise<string | null> {
  const row = await store.read
    .selectFrom("password")
    .select("hash")
    .where("principal_id", "=", principal)
    .executeTakeFirst();
  return row === undefined || row.hash === DROPPED ? null : row.hash;
}
