import type { Tx } from "./store.ts";

export interface NamedSecret {
  readonly name: string;
  readonly make: () => string;
}

/** A secret of the database, made the first time. */
export async function secretIn(
  { tx: { db }, now }: { readonly tx: Tx; readonly now: string },
  { name, make }: NamedSecret,
): Promise<string> {
  const known = await db.selectFrom("instance_secret").select("secret").where("name", "=", name).executeTakeFirst();
  if (known !== undefined) return known.secret;
  const secret = make();
  await db.insertInto("instance_secret").values({ name, secret, created_at: now }).execute();
  return secret;
}
