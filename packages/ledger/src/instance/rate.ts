import type { Context } from "../context.ts";

/** How often something may happen: `burst` at once, then `perMinute`. */
interface SharedRate {
  readonly id: string;
  readonly burst: number;
  readonly perMinute: number;
}

/**
 * Takes a token from a bucket that all server processes share, stored by the hash of its id. Returns the seconds to wait when
 * it is empty, else null. A bucket is stored as one number: the time when it is full again.
 */
export function takeShared({ store }: Context, { id, burst, perMinute }: SharedRate): Promise<number | null> {
  const each = 60_000 / perMinute;
  return store.transact(async ({ db }) => {
    const now = Date.parse(store.now());
    await db.deleteFrom("rate").where("full_at", "<=", BigInt(now)).execute();
    const hash = store.sha256(id);
    const row = await db.selectFrom("rate").select("full_at").where("id", "=", hash).executeTakeFirst();
    const fullAt = Math.max(now, Number(row?.full_at ?? 0)) + each;
    const early = fullAt - now - burst * each;
    if (early > 0) return Math.ceil(early / 1000);
    const full_at = BigInt(Math.ceil(fullAt));
    await db
      .insertInto("rate")
      .values({ id: hash, full_at })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ full_at }))
      .execute();
    return null;
  });
}
