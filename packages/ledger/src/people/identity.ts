import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import { type By, newId, type PrincipalId } from "../values/id.ts";
import { type Principal, presentRow, principalRow, toPrincipal } from "./principal.ts";

/** A person's identity at a provider: the issuer's own id, never an address, which may later belong to another person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export const withoutSlash = (issuer: string): string => issuer.replace(/\/$/, "");

/** Null when no person is linked; UNAUTHENTICATED when that person was removed. */
export async function principalByIdentity(
  { store }: Context,
  { issuer, subject }: Identity,
): Promise<Principal | null> {
  const row = await rowWith(store.read, "identity", { issuer, subject });
  if (row === undefined) return null;
  const principal = toPrincipal(await principalRow({ db: store.read }, row.principal_id));
  if (principal.removedAt !== null) throw new PrivacyError("UNAUTHENTICATED");
  return principal;
}

/** Links an identity permanently; CONFLICT when it is linked to another person, and for one who was removed. */
export function linkIdentity(
  context: Context,
  { principal, issuer, subject, by }: By & Identity & { principal: PrincipalId },
): Promise<void> {
  return change(context, async (tx, chain) => {
    await presentRow(tx, principal); // one who was erased meanwhile gets no name back
    const known = await rowWith(tx.db, "identity", { issuer, subject });
    if (known?.principal_id === principal) return;
    if (known !== undefined) throw new PrivacyError("CONFLICT", { name: "identity", want: "not linked to anybody" });
    const row = { id: newId("identity"), principal_id: principal, issuer, subject, created_at: context.store.now() };
    await tx.db.insertInto("identity").values(row).execute();
    chain.append({ actor: by, action: "identity.link", detail: { principal, issuer }, ...images.identity(row) });
  });
}
