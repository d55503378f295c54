import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { PrincipalId } from "../values/id.ts";
import {
  createCredential,
  createCredentialIn,
  endIn,
  live,
  type MadeCredential,
  madeWith,
  type NewCredential,
  purposeOf,
  TO_FETCH_TOKEN,
  unauthenticated,
} from "./credential.ts";

const CODE_MS = 60_000;

/** What a code stands for: a token of this name, scopes and end. */
interface NewCode extends Omit<NewCredential, "kind" | "address"> {
  /** A hash of what who fetches the token must show. */
  readonly bound: string;
}

/** A code with which a program fetches a token once, within a minute. */
export const createCode = (
  context: Context,
  { bound, scopes = [], expiresAt, ...given }: NewCode,
): Promise<MadeCredential> =>
  createCredential(context, {
    ...given,
    kind: "link",
    scopes: [TO_FETCH_TOKEN, bound, expiresAt, ...scopes],
    expiresAt: new Date(Date.parse(context.store.now()) + CODE_MS).toISOString(),
  });

/**
 * The token of a code. The first try uses the code up, right or wrong. Who shows it again, or who did before, has stolen it: its token ends.
 * UNAUTHENTICATED for every reason alike.
 */
export async function useCode(
  context: Context,
  { secret, bound }: { readonly secret: string; readonly bound: string },
): Promise<MadeCredential> {
  const made = await change(context, async (tx, chain) => {
    const row = await rowWith(tx.db, "credential", { secret_hash: context.store.sha256(secret) });
    if (row === undefined || purposeOf(row) !== "code") return null;
    const writing = { tx, chain };
    const principal = row.principal_id as PrincipalId;
    if (row.ended_at !== null) {
      for (const each of await madeWith(tx, row.id))
        if (each.ended_at === null) await endIn(context, writing, { row: each, by: principal });
      return null;
    }
    await endIn(context, writing, { row, by: principal, action: "code.use" });
    const [, isBoundTo, expiresAt = "", ...scopes] = JSON.parse(row.scopes) as string[];
    if (isBoundTo !== bound || !live(row, context.store.now())) return null;
    const token = {
      kind: "token",
      principal,
      name: row.name,
      scopes,
      expiresAt,
      maker: row.id,
      by: principal,
    } as const;
    return createCredentialIn(context, writing, token);
  });
  if (made === null) throw unauthenticated();
  return made;
}
