import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { systemPrincipal } from "../people/principal.ts";
import { putRow, rowWith, setRow } from "../stores/row.ts";
import { type NamedSecret, secretIn } from "../stores/secret.ts";
import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";

/** The same secret for all server processes of one database; the first process makes it. */
export const sharedSecret = ({ store }: Context, named: NamedSecret): Promise<string> =>
  store.transact((tx) => secretIn({ tx, now: store.now() }, named));

/** A secret of all server processes, and since when it is this one; null where none was made yet. */
export async function knownSecret(
  { store }: Context,
  name: string,
): Promise<{ readonly secret: string; readonly madeAt: string } | null> {
  const row = await rowWith(store.read, "instance_secret", { name });
  return row === undefined ? null : { secret: row.secret, madeAt: row.created_at };
}

/** Whether a secret of a person is stored that begins so. */
export async function hasSecret({ store: { read } }: Context, prefix: string): Promise<boolean> {
  const find = (table: "second_factor" | "webhook") =>
    read.selectFrom(table).select("secret").where("secret", "like", `${prefix}%`).limit(1).executeTakeFirst();
  return [await find("second_factor"), await find("webhook")].some((found) => found !== undefined);
}

/** The secrets of people that are stored with what they belong to. */
type KeptSecret = "secondFactor" | "webhook";

interface Rotation {
  /** The rotated secret, as the audit names it. */
  readonly action: "signingKey.rotate" | "keySecret.rotate";
  readonly subject: string;
  readonly detail: object;
  /** The secrets where they lie in the database, `was` null for a new one; absent where they lie in files. */
  readonly stored?: readonly { readonly name: string; readonly was: string | null; readonly now: string }[];
  /** A stored secret of a person, sealed again; absent where those stay. */
  readonly reseal?: (kind: KeptSecret, principal: PrincipalId, secret: string) => string;
}

/** Replaces secrets and says so in the audit, all or nothing; the old ones are gone. CONFLICT when one is another than `was` meanwhile. */
export function rotateSecret(
  context: Context,
  { action, subject, detail, stored = [], reseal }: Rotation,
): Promise<void> {
  return change(context, async (tx, chain) => {
    for (const one of stored) await replace(context, tx, one);
    if (reseal !== undefined) await resealAll(tx, reseal);
    chain.append({ actor: systemPrincipal, action, subject, detail });
  });
}

async function replace(
  { store }: Context,
  { db }: Tx,
  { name, was, now: secret }: { readonly name: string; readonly was: string | null; readonly now: string },
): Promise<void> {
  const known = await rowWith(db, "instance_secret", { name });
  if ((known?.secret ?? null) !== was) throw new PrivacyError("CONFLICT", { name, got: "another one meanwhile" });
  const row = { name, secret, created_at: store.now() };
  await putRow(db, "instance_secret", row, "name");
}

async function resealAll({ db }: Tx, reseal: NonNullable<Rotation["reseal"]>): Promise<void> {
  for (const { principal_id, secret } of await db.selectFrom("second_factor").selectAll().execute())
    await setRow(db, "second_factor", { principal_id }, { secret: reseal("secondFactor", principal_id, secret) });
  for (const { principal_id, secret } of await db.selectFrom("webhook").selectAll().execute())
    await setRow(db, "webhook", { principal_id }, { secret: reseal("webhook", principal_id, secret) });
}
