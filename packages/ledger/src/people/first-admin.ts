import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import { setPasswordIn } from "./password.ts";
import { createPrincipalIn, demoStatusIn, type Principal, systemPrincipal } from "./principal.ts";
import { grantRoleIn } from "./role.ts";

/** Whether the first admin can be made: no person ever was an admin of the platform, and no demo is on. */
export const isFirstAdminOpen = ({ store }: Context): Promise<boolean> => isOpenIn({ db: store.read });

async function isOpenIn(tx: Pick<Tx, "db">): Promise<boolean> {
  const admin = await tx.db
    .selectFrom("role_binding")
    .innerJoin("principal", "principal.id", "role_binding.principal_id")
    .select("role_binding.id")
    .where("role", "=", "platformAdmin")
    .where("kind", "=", "user")
    .limit(1)
    .executeTakeFirst();
  return admin === undefined && (await demoStatusIn(tx)) !== "on";
}

interface FirstAdmin {
  readonly name: string;
  readonly email?: string | undefined;
  readonly hash?: string | undefined;
}

/** Makes the first admin of the platform. Looks and makes in one transaction, so that of two who try at once one wins; CONFLICT. */
export function createFirstAdmin(context: Context, { name, email, hash }: FirstAdmin): Promise<Principal> {
  return change(context, async (tx, chain) => {
    if (!(await isOpenIn(tx)))
      throw new PrivacyError(
        "CONFLICT",
        {},
        "there is an admin of the platform already: sign in, or ask them to add you",
      );
    const by = systemPrincipal;
    const address = email === undefined ? {} : { email };
    const person = await createPrincipalIn(context, { tx, chain }, { kind: "user", name, ...address, by });
    await grantRoleIn(context, { tx, chain }, { principal: person.id, role: "platformAdmin", by });
    if (hash !== undefined) await setPasswordIn(context, { tx, chain }, { principal: person.id, hash, by: person.id });
    return person;
  });
}
