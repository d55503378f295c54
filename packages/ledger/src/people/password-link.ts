import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { outboxRow } from "../outbox/notify.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { principalsOf } from "./analyst.ts";
import {
  createCredentialIn,
  endCredentials,
  endIn,
  endPasswordLinks,
  liveLink,
  TO_SET_PASSWORD,
} from "./credential.ts";
import { setPasswordIn } from "./password.ts";
import { type Principal, principalRow } from "./principal.ts";

interface NewPasswordLink extends By {
  readonly principal: PrincipalId;
  /** ISO 8601, in the future. */
  readonly expiresAt: string;
}

/** Has a link mailed to a person: its secret is made when the mail is, so that no one else ever has it. */
export function mailPasswordLink(
  context: Context,
  { principal, address, expiresAt, by }: NewPasswordLink & { readonly address: string },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const message = JSON.stringify({ kind: "passwordLink", principal, expiresAt, by });
    const mail = outboxRow({ channel: "mail", address, message, principal, at: context.store.now() });
    await tx.db.insertInto("outbox").values(mail).execute();
    chain.append({ actor: by, action: "passwordLink.mail", subject: principal });
  });
}

/** A link by which a person sets a new password, once; the one before it no longer works. CONFLICT where `address` is not theirs. */
export function createPasswordLink(
  context: Context,
  { principal, ...given }: NewPasswordLink & { readonly address?: string },
): Promise<{ readonly secret: string }> {
  return change(context, async (tx, chain) => {
    const writing = { tx, chain };
    await endPasswordLinks(context, writing, { principal, by: given.by });
    const link = { kind: "link", principal, scopes: [TO_SET_PASSWORD], ...given } as const;
    return createCredentialIn(context, writing, link);
  });
}

/** Whose password a link sets. UNAUTHENTICATED, in the same words for every reason. */
export async function passwordLinkOf(context: Context, secret: string): Promise<Principal> {
  return (await liveLink(context, { db: context.store.read }, { secret, purpose: "passwordLink" })).principal;
}

/** Keeps the hash of a new password, uses the link up, and ends all that the person and their AI agents could come in with. UNAUTHENTICATED. */
export function resetPassword(
  context: Context,
  { secret, hash }: { readonly secret: string; readonly hash: string },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const writing = { tx, chain };
    const { row, principal } = await liveLink(context, tx, { secret, purpose: "passwordLink" });
    const by = principal.id;
    await endIn(context, writing, { row, by, action: "passwordLink.use" });
    for (const each of await principalsOf(tx, by))
      if (each === by || (await principalRow(tx, each)).kind === "agent")
        await endCredentials(context, writing, { principal: each, areTokensLeaked: true, by });
    await setPasswordIn(context, writing, { principal: by, hash, by });
  });
}
