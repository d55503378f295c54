import { canonicalJson } from "@dosimeter/core/internal";
import type { Context } from "../context.ts";
import { secretIn } from "../stores/secret.ts";
import type { Tx } from "../stores/store.ts";
import { newSecret, type PrincipalId } from "../values/id.ts";
import { type Identity, withoutSlash } from "./identity.ts";
import { checkEmail } from "./principal.ts";

/** What a provider calls a person, each way that it may do so. */
export interface ProviderNames {
  readonly identity?: Identity;
  readonly email?: string | null;
  readonly provider?: { readonly id: string; readonly userKey: string; readonly externalId: string | null };
}

/**
 * Hashes of names under a key of this database: nothing can be read from them, but who has the database can test a guess.
 */
async function digestsOf({ store }: Context, tx: Tx, names: readonly ProviderNames[]): Promise<readonly string[]> {
  const texts = names.flatMap(({ identity, email, provider }) => [
    ...(identity === undefined ? [] : [["identity", withoutSlash(identity.issuer), identity.subject]]),
    ...(email === undefined || email === null ? [] : [["email", checkEmail(email)]]),
    ...(provider === undefined ? [] : [["userName", provider.id, provider.userKey]]),
    ...(provider === undefined || provider.externalId === null
      ? []
      : [["externalId", provider.id, provider.externalId]]),
  ]);
  if (texts.length === 0) return [];
  const key = await secretIn({ tx, now: store.now() }, { name: "ban", make: () => newSecret("dsb") });
  return texts.map((text) => store.sha256(canonicalJson([key, ...text])));
}

/** Keeps out everyone of these names, in the place of an erased person. */
export async function banIn(
  context: Context,
  tx: Tx,
  { principal, names }: { readonly principal: PrincipalId; readonly names: readonly ProviderNames[] },
): Promise<void> {
  for (const digest of new Set(await digestsOf(context, tx, names)))
    await tx.db.insertInto("ban").values({ digest, principal_id: principal }).execute();
}

export const liftBan = ({ db }: Tx, principal: PrincipalId): Promise<unknown> =>
  db.deleteFrom("ban").where("principal_id", "=", principal).execute();

export async function isBannedIn(context: Context, tx: Tx, names: ProviderNames): Promise<boolean> {
  const digests = await digestsOf(context, tx, [names]);
  if (digests.length === 0) return false;
  const row = await tx.db.selectFrom("ban").select("digest").where("digest", "in", digests).executeTakeFirst();
  return row !== undefined;
}

/** Whether an admin removed someone of one of these names who was erased since: no provider brings them back. */
export const isBanned = (context: Context, names: ProviderNames): Promise<boolean> =>
  context.store.transact((tx) => isBannedIn(context, tx, names));
