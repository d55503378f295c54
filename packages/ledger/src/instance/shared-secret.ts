import type { Context } from "../context.ts";

/** The same secret for all server processes of one database; the first process makes it. */
export function sharedSecret(
  { store }: Context,
  { name, make }: { readonly name: string; readonly make: () => string },
): Promise<string> {
  return store.transact(async ({ db }) => {
    const known = await db.selectFrom("house_key").select("secret").where("name", "=", name).executeTakeFirst();
    if (known !== undefined) return known.secret;
    const secret = make();
    await db.insertInto("house_key").values({ name, secret, created_at: store.now() }).execute();
    return secret;
  });
}
