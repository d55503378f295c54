import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tx } from "../stores/store.ts";

interface Named {
  readonly name: string;
  readonly make: () => string;
}

/** The same secret for all server processes of one database; the first process makes it. */
export const sharedSecret = ({ store }: Context, named: Named): Promise<string> =>
  store.transact((tx) => secretIn({ tx, now: store.now() }, named));

export async function secretIn(
  { tx: { db }, now }: { readonly tx: Tx; readonly now: string },
  { name, make }: Named,
): Promise<string> {
  const known = await db.selectFrom("instance_secret").select("secret").where("name", "=", name).executeTakeFirst();
  if (known !== undefined) return known.secret;
  const secret = make();
  await db.insertInto("instance_secret").values({ name, secret, created_at: now }).execute();
  return secret;
}

interface Rotation {
  /** What the audit says was rotated. */
  readonly action: "signingKey.rotate" | "keySecret.rotate";
  readonly subject: string;
  readonly detail: object;
  /** The secret where it lies in the database; absent where it lies in a file. */
  readonly stored?: { readonly name: string; readonly was: string; readonly now: string };
}

/** Replaces a secret and says so in the audit, both or neither; the old one is gone. CONFLICT when it is another one than `was` meanwhile. */
export function rotateSecret(context: Context, { action, subject, detail, stored }: Rotation): Promise<void> {
  return change(context, async ({ db }, chain) => {
    if (stored !== undefined) {
      const { numUpdatedRows } = await db
        .updateTable("instance_secret")
        .set({ secret: stored.now, created_at: context.store.now() })
        .where("name", "=", stored.name)
        .where("secret", "=", stored.was)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n)
        throw new PrivacyError("CONFLICT", { name: stored.name, got: "another one meanwhile" });
    }
    chain.append({ actor: systemPrincipal, action, subject, detail });
  });
}
