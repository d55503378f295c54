import { PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { disablePrincipalIn, restorePrincipalIn } from "../people/departure.ts";
import type { Identity } from "../people/identity.ts";
import { checkEmail, createPrincipalIn, type Principal, principalRow, toPrincipal } from "../people/principal.ts";
import { setPrincipalIn } from "../people/profile.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { found } from "../values/check.ts";
import type { PrincipalId } from "../values/id.ts";

/** A person whom a provider keeps here, with the names that it knows them by. */
export interface ProvisionedUser {
  readonly person: Principal;
  readonly userName: string;
  readonly externalId: string | null;
  readonly changedAt: string;
}

/** What a provider says of one of its people. */
interface UserInput extends By {
  readonly provider: string;
  /** Null for one whom it names the first time. */
  readonly id: PrincipalId | null;
  readonly userName: string;
  readonly externalId: string | null;
  readonly name: string;
  /** Null leaves the address as it is. */
  readonly email: string | null;
  readonly isActive: boolean;
}

const toUser = (row: Tables["provisioned_user"], person: Tables["principal"]): ProvisionedUser => ({
  person: toPrincipal(person),
  userName: row.user_name,
  externalId: row.external_id,
  changedAt: row.changed_at,
});

/** All people of a provider but those whom it deleted, in the order in which they came. */
export async function users({ store }: Context, provider: string): Promise<readonly ProvisionedUser[]> {
  const rows = await store.read
    .selectFrom("provisioned_user")
    .selectAll()
    .where("provider", "=", provider)
    .where("is_deleted", "=", 0n)
    .orderBy("principal_id")
    .execute();
  const people = await store.read
    .selectFrom("principal")
    .innerJoin("provisioned_user", "provisioned_user.principal_id", "principal.id")
    .selectAll("principal")
    .where("provider", "=", provider)
    .execute();
  const byId = new Map(people.map((person) => [person.id, person]));
  return rows.flatMap((row) => {
    const person = byId.get(row.principal_id);
    return person === undefined ? [] : [toUser(row, person)];
  });
}

/**
 * Whom a provider keeps here and means by a sign-in: the person linked to this identity, else the one whose `externalId` is the subject, else
 * the one with this verified address. Null for everyone else, and for one whom it or an admin removed.
 */
export async function userAt(
  { store }: Context,
  { provider, issuer, subject, email }: Identity & { readonly provider: string; readonly email: string | null },
): Promise<Principal | null> {
  const linked = await store.read
    .selectFrom("identity")
    .select("principal_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  const kept = await store.read
    .selectFrom("provisioned_user")
    .innerJoin("principal", "principal.id", "provisioned_user.principal_id")
    .selectAll("principal")
    .select("external_id")
    .where("provider", "=", provider)
    .where("is_deleted", "=", 0n)
    .where("disabled_at", "is", null)
    .where(({ eb, or }) =>
      linked === undefined
        ? or([eb("external_id", "=", subject), ...(email === null ? [] : [eb("email", "=", checkEmail(email))])])
        : eb("principal.id", "=", linked.principal_id),
    )
    .execute();
  const same = kept.filter(({ external_id }) => external_id === subject);
  const meant = same.length > 0 ? same : kept;
  const [one] = meant;
  return one === undefined || meant.length > 1 ? null : toPrincipal(one);
}

/**
 * Writes what a provider says of a person. One whom it did not name before is the person with its address, or is made; one whom it deleted, and
 * names again, is the same as before. Not active: removed as an admin removes people; active again: let back in, unless an admin
 * removed them. CONFLICT for a user name or an address that is in use, for a person whom an admin removed, and for the platform's last admin.
 */
export function setUser(context: Context, input: UserInput): Promise<ProvisionedUser> {
  const { provider, userName, externalId, name, email, isActive, by } = input;
  return change(context, async (tx, chain) => {
    const writing = { tx, chain };
    const user_key = userName.normalize("NFC").toLowerCase();
    const before = await rowFor(tx, { ...input, user_key });
    const isRevived = before !== undefined && before.is_deleted === 1n;
    const principal = before?.principal_id ?? (await personOf(context, writing, input));
    const isEnded = await setActive(context, writing, { principal, isActive, wasEnded: before?.is_ended === 1n, by });
    const row = {
      principal_id: principal,
      provider,
      user_name: userName,
      user_key,
      external_id: externalId,
      is_ended: isEnded ? 1n : 0n,
      is_deleted: 0n,
      changed_at: context.store.now(),
    };
    await setPrincipalIn(context, writing, { principal, name, ...(email === null ? {} : { email }), by });
    if (before === undefined) await tx.db.insertInto("provisioned_user").values(row).execute();
    else await tx.db.updateTable("provisioned_user").set(row).where("principal_id", "=", principal).execute();
    if (before === undefined || isRevived)
      chain.append({ actor: by, action: "provisioning.begin", subject: principal, detail: { provider } });
    return toUser(row, await principalRow(tx, principal));
  });
}

/** The row that is meant, or undefined for a new one; CONFLICT where another has the user name. */
async function rowFor(tx: Tx, { provider, id, userName, user_key }: UserInput & { readonly user_key: string }) {
  const named = await tx.db
    .selectFrom("provisioned_user")
    .selectAll()
    .where("provider", "=", provider)
    .where("user_key", "=", user_key)
    .executeTakeFirst();
  if (id === null && named?.is_deleted === 1n) return named;
  if (named !== undefined && named.principal_id !== id)
    throw new PrivacyError("CONFLICT", { name: "userName", got: userName, want: "not in use" });
  return id === null ? undefined : userRow(tx, { provider, id });
}

async function userRow(tx: Tx, { provider, id }: { readonly provider: string; readonly id: PrincipalId }) {
  const row = await tx.db
    .selectFrom("provisioned_user")
    .selectAll()
    .where("provider", "=", provider)
    .where("principal_id", "=", id)
    .where("is_deleted", "=", 0n)
    .executeTakeFirst();
  return found(row, "user", id);
}

/** The person who has this address already, as at a sign-in through the provider; or a new one. */
async function personOf(context: Context, writing: Writing, { email, name, by }: UserInput): Promise<PrincipalId> {
  const { db } = writing.tx;
  const known =
    email === null
      ? undefined
      : await db.selectFrom("principal").selectAll().where("email", "=", checkEmail(email)).executeTakeFirst();
  if (known === undefined) {
    const address = email === null ? {} : { email };
    return (await createPrincipalIn(context, writing, { kind: "user", name, ...address, by })).id;
  }
  const kept = await db
    .selectFrom("provisioned_user")
    .select("principal_id")
    .where("principal_id", "=", known.id)
    .executeTakeFirst();
  if (kept !== undefined || known.kind !== "user" || known.disabled_at !== null)
    throw new PrivacyError("CONFLICT", { name: "emails", got: email ?? "", want: "not in use" });
  return known.id;
}

/** Whether the person is removed by the provider's word afterwards. */
async function setActive(
  context: Context,
  writing: Writing,
  given: By & { readonly principal: PrincipalId; readonly isActive: boolean; readonly wasEnded: boolean },
): Promise<boolean> {
  const { principal, isActive, wasEnded, by } = given;
  const isHere = (await principalRow(writing.tx, principal)).disabled_at === null;
  if (!isActive) {
    if (isHere) await disablePrincipalIn(context, writing, { principal, by });
    return isHere || wasEnded;
  }
  if (!isHere && wasEnded) await restorePrincipalIn(writing, { principal, by });
  return false;
}

/** Removes a person as an admin does; what was spent stays theirs, also if the provider names them again. NOT_FOUND for another's. */
export function deleteUser(
  context: Context,
  { provider, id, by }: By & { readonly provider: string; readonly id: PrincipalId },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const row = await userRow(tx, { provider, id });
    const isEnded = await setActive(
      context,
      { tx, chain },
      {
        principal: id,
        isActive: false,
        wasEnded: row.is_ended === 1n,
        by,
      },
    );
    await tx.db.deleteFrom("provisioned_member").where("principal_id", "=", id).execute();
    await tx.db
      .updateTable("provisioned_user")
      .set({ is_deleted: 1n, is_ended: isEnded ? 1n : 0n, changed_at: context.store.now() })
      .where("principal_id", "=", id)
      .execute();
    chain.append({ actor: by, action: "provisioning.end", subject: id, detail: { provider } });
  });
}
