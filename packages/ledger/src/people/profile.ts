import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { notifyFormerAddress } from "../outbox/notify.ts";
import { checkName } from "../values/check.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { endCredentials } from "./credential.ts";
import { checkEmail, type Principal, principalRow, toPrincipal, vacantEmail } from "./principal.ts";
import { dropTypedAddress } from "./typed-address.ts";

/**
 * Another name or address; null takes the address away. Earlier actions keep their principal under the new name.
 * Another address ends the links, which may have been sent to the old one, and the sessions, which they may have opened; not those of who changes
 * their own, nor where there was none. The old address gets a message. The password stays.
 */
export const setPrincipal = (context: Context, given: Profile): Promise<Principal> =>
  change(context, (tx, chain) => setPrincipalIn(context, { tx, chain }, given));

type Profile = By & { readonly principal: PrincipalId; readonly name?: string; readonly email?: string | null };

export async function setPrincipalIn(
  context: Context,
  { tx, chain }: Writing,
  { principal, name, email, by }: Profile,
): Promise<Principal> {
  const before = await principalRow(tx, principal);
  const row = {
    ...before,
    ...(name === undefined ? {} : { name: checkName(name, "name") }),
    ...(email === undefined ? {} : { email: email === null ? null : checkEmail(email) }),
  };
  const isMoved = row.email !== before.email;
  if (row.name === before.name && !isMoved) return toPrincipal(before);
  if (row.email !== null && isMoved) await vacantEmail(tx, row.email);
  const set = { name: row.name, email: row.email };
  await tx.db.updateTable("principal").set(set).where("id", "=", principal).execute();
  chain.append({ actor: by, action: "principal.change", subject: principal, image: row });
  if (isMoved) {
    await dropTypedAddress(tx, principal);
    for (const kind of by === principal || before.email === null ? (["link"] as const) : (["link", "session"] as const))
      await endCredentials(context, { tx, chain }, { principal, kind, by });
    await notifyFormerAddress(context, tx, before);
  }
  return toPrincipal(row);
}
