import { PrivacyError } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";
import { checkEmail, type Principal, principalByEmail, toPrincipal } from "./principal.ts";

/** Each is one more password to try at a sign-in with the address. */
const MAX_TYPED = 3;

const typedBy = ({ db }: Pick<Tx, "db">, email: string) =>
  db
    .selectFrom("typed_address")
    .innerJoin("principal", "principal.id", "typed_address.principal_id")
    .selectAll("principal")
    .where("typed_address.email", "=", checkEmail(email))
    .orderBy("principal.created_at")
    .orderBy("principal.id")
    .execute();

/**
 * An address that a newcomer gave and no one proved: a name to sign in with, together with a password, and nothing else. No mail goes to it, no
 * provider and no invitation finds a person by it, and it may be someone's own, so that it is taken whether or not someone here has it.
 */
export async function typeAddressIn(tx: Tx, principal: PrincipalId, email: string): Promise<void> {
  if ((await typedBy(tx, email)).length >= MAX_TYPED)
    throw new PrivacyError("CONFLICT", { name: "email" }, "too many people joined with this address: give another");
  await tx.db
    .insertInto("typed_address")
    .values({ principal_id: principal, email: checkEmail(email) })
    .execute();
}

/** When the person has an address that an admin or a provider vouches for, or is removed. */
export const dropTypedAddress = ({ db }: Tx, principal: PrincipalId): Promise<unknown> =>
  db.deleteFrom("typed_address").where("principal_id", "=", principal).execute();

/** Who may mean themselves by an address at a sign-in with a password: whose it is, or null, then those who typed it. */
export async function signInsOf(
  context: Context,
  email: string,
): Promise<readonly [Principal | null, ...(readonly Principal[])]> {
  const typed = await typedBy({ db: context.store.read }, email);
  return [await principalByEmail(context, email), ...typed.map(toPrincipal)];
}
