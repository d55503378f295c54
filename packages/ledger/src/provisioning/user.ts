import { PrivacyError } from "@dosimeter/core";
import type { ExpressionBuilder } from "kysely";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { disablePrincipalIn, restorePrincipalIn } from "../departure/departure.ts";
import { isBannedIn } from "../people/ban.ts";
import { type Identity, withoutSlash } from "../people/identity.ts";
import { holds } from "../people/payer.ts";
import { checkEmail, createPrincipalIn, type Principal, principalRow, toPrincipal } from "../people/principal.ts";
import { setPrincipalIn } from "../people/profile.ts";
import { rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { type Computed, keptRow, refuseStale } from "./kept.ts";
import type { Listed, Part } from "./listed.ts";

/** A person whom a provider keeps here, with the names that it knows them by. */
export interface ProvisionedUser {
  readonly person: Principal;
  readonly userName: string;
  readonly externalId: string | null;
  readonly changedAt: string;
}

interface UserInput extends By, Computed<ProvisionedUser> {
  readonly provider: string;
  /** At which its people sign in. */
  readonly issuer: string;
  /** Null for one whom it names the first time. */
  readonly id: PrincipalId | null;
  readonly userName: string;
  readonly externalId: string | null;
  readonly name: string;
  /** Null leaves the address as it is; so does every other for a person whom no provider brought. */
  readonly email: string | null;
  readonly isActive: boolean;
}

const toUser = (row: Tables["provisioned_user"], person: Tables["principal"]): ProvisionedUser => ({
  person: toPrincipal(person),
  userName: row.user_name,
  externalId: row.external_id,
  changedAt: row.changed_at,
});

/** By what a provider finds one of its people: each is looked up by an index. */
export type UserKey =
  | { readonly userName: string }
  | { readonly externalId: string }
  | { readonly email: string }
  | { readonly ids: readonly string[] };

/** People of a provider but those whom it deleted: all of them, or who has this key. */
export async function users(
  { store }: Context,
  { provider, key, from, count }: Part & { readonly provider: string; readonly key?: UserKey },
): Promise<Listed<ProvisionedUser>> {
  const kept = store.read
    .selectFrom("provisioned_user")
    .innerJoin("principal", "principal.id", "provisioned_user.principal_id")
    .where("provider", "=", provider)
    .where("is_deleted", "=", 0n);
  const meant = key === undefined ? kept : kept.where((builder) => isMeant(builder, key));
  const { total } = await meant.select(({ fn }) => fn.countAll<bigint>().as("total")).executeTakeFirstOrThrow();
  const rows = await meant
    .selectAll(["provisioned_user", "principal"])
    .orderBy("provisioned_user.principal_id")
    .limit(count)
    .offset(from)
    .execute();
  return { total: Number(total), items: rows.map((row) => toUser(row, row)) };
}

function isMeant({ eb }: ExpressionBuilder<Tables, "provisioned_user" | "principal">, key: UserKey) {
  if ("userName" in key) return eb("user_key", "=", userKey(key.userName));
  if ("externalId" in key) return eb("external_id", "=", key.externalId);
  if ("email" in key) return eb("email", "=", key.email.trim().toLowerCase());
  return key.ids.length === 0 ? eb.lit(false) : eb("provisioned_user.principal_id", "in", key.ids as PrincipalId[]);
}

const userKey = (userName: string): string => userName.normalize("NFC").toLowerCase();

/**
 * Whom a provider keeps here and means by a sign-in: the person linked to this identity, else the one whose `externalId` is the subject, else
 * the one with this verified address. Null for everyone else, and for one whom it or an admin removed.
 */
export async function userAt(
  { store }: Context,
  { provider, issuer, subject, email }: Identity & { readonly provider: string; readonly email: string | null },
): Promise<Principal | null> {
  const linked = await rowWith(store.read, "identity", { issuer, subject });
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

/** In the same words for everyone, so that a provider learns of no one whom it does not keep. */
const inUse = () =>
  new PrivacyError(
    "CONFLICT",
    {},
    "someone here has this user name or address, or had it before they were removed: an admin of the platform sees who on the page People",
  );

/**
 * Writes what a provider says of a person. One whom it did not name before is the person with its address, or is made; one whom it deleted, and
 * names again under no other `externalId`, is the same as before. Not active: removed as an admin removes people; active again: let back in,
 * unless an admin removed them. CONFLICT for a user name or an address that is in use, for a person whom it may not take over or whom an
 * admin removed, and for the platform's last admin.
 */
export function setUser(context: Context, input: UserInput): Promise<ProvisionedUser> {
  const { provider, userName, externalId, name, email, isActive, by } = input;
  return change(context, async (tx, chain) => {
    const writing = { tx, chain };
    const user_key = userKey(userName);
    const before = await rowFor(writing, { ...input, user_key });
    if (before !== undefined) refuseStale(input, toUser(before, await principalRow(tx, before.principal_id)));
    const isRevived = before !== undefined && before.is_deleted === 1n;
    const known = before === undefined ? await claimed(tx, input) : null;
    if (known === null) await refuseBanned(context, tx, { ...input, user_key });
    const principal = before?.principal_id ?? known ?? (await made(context, writing, input));
    const isMade = before === undefined ? known === null : before.is_made === 1n;
    const isEnded = await setActive(context, writing, { principal, isActive, wasEnded: before?.is_ended === 1n, by });
    const row = {
      principal_id: principal,
      provider,
      user_name: userName,
      user_key,
      external_id: externalId,
      is_made: isMade ? 1n : 0n,
      is_ended: isEnded ? 1n : 0n,
      is_deleted: 0n,
      changed_at: context.store.now(),
    };
    const address = email === null || !isMade ? {} : { email: await freeAddress(tx, { principal, email }) };
    await setPrincipalIn(context, writing, { principal, name, ...address, by });
    if (before === undefined) await tx.db.insertInto("provisioned_user").values(row).execute();
    else await tx.db.updateTable("provisioned_user").set(row).where("principal_id", "=", principal).execute();
    if (before === undefined || isRevived)
      chain.append({ actor: by, action: "provisioning.begin", subject: principal, detail: { provider } });
    return toUser(row, await principalRow(tx, principal));
  });
}

/** The row that is meant, or undefined for a new one; CONFLICT where another has the user name. */
async function rowFor(writing: Writing, { provider, id, externalId, user_key, by }: UserInput & { user_key: string }) {
  const { tx } = writing;
  const named = await rowWith(tx.db, "provisioned_user", { provider, user_key });
  if (id === null && named?.is_deleted === 1n) {
    if (externalId === null || named.external_id === null || externalId === named.external_id) return named;
    await forget(writing, { row: named, by });
    return undefined;
  }
  if (named !== undefined && named.principal_id !== id) throw inUse();
  return id === null ? undefined : userRow(tx, { provider, id });
}

/** The provider gave another the user name of one whom it deleted. The address which it brought with the first is free, too. */
async function forget(
  { tx, chain }: Writing,
  { row: { principal_id, is_made }, by }: By & { readonly row: Tables["provisioned_user"] },
): Promise<void> {
  await tx.db.deleteFrom("provisioned_user").where("principal_id", "=", principal_id).execute();
  const before = await principalRow(tx, principal_id);
  if (is_made === 0n || before.email === null || before.disabled_at === null) return;
  await tx.db.updateTable("principal").set({ email: null }).where("id", "=", principal_id).execute();
  chain.append({ actor: by, action: "principal.change", subject: principal_id, image: { ...before, email: null } });
}

const userRow = async ({ db }: Tx, { provider, id }: { readonly provider: string; readonly id: PrincipalId }) =>
  found(await keptRow(db, { provider, principal: id }), "user", id);

/**
 * The person who has this address already, as at a first sign-in through the provider; null when there is none. CONFLICT for one who was
 * removed, whom a provider keeps, who signs in at another issuer, or who is an admin of the platform and never signed in at this one.
 */
async function claimed(tx: Tx, { email, issuer }: UserInput): Promise<PrincipalId | null> {
  const { db } = tx;
  if (email === null) return null;
  const known = await rowWith(db, "principal", { email: checkEmail(email) });
  if (known === undefined) return null;
  const kept = await rowWith(db, "provisioned_user", { principal_id: known.id });
  const linked = await db.selectFrom("identity").select("issuer").where("principal_id", "=", known.id).execute();
  const isElsewhere = linked.some((one) => withoutSlash(one.issuer) !== withoutSlash(issuer));
  const isAdmin = linked.length === 0 && (await holds(tx, known.id, "platformAdmin", null));
  if (kept !== undefined || known.kind !== "user" || known.disabled_at !== null || isElsewhere || isAdmin)
    throw inUse();
  return known.id;
}

/** CONFLICT for one whom an admin removed and who was erased since. */
async function refuseBanned(
  context: Context,
  tx: Tx,
  { provider, user_key, externalId, email }: UserInput & { readonly user_key: string },
): Promise<void> {
  const names = { email, provider: { id: provider, userKey: user_key, externalId } };
  if (await isBannedIn(context, tx, names)) throw inUse();
}

async function made(context: Context, writing: Writing, { email, name, by }: UserInput): Promise<PrincipalId> {
  const address = email === null ? {} : { email };
  return (await createPrincipalIn(context, writing, { kind: "user", name, ...address, by })).id;
}

/** The address, which is no one else's. */
async function freeAddress(
  { db }: Tx,
  { principal, email }: { readonly principal: PrincipalId; readonly email: string },
): Promise<string> {
  const address = checkEmail(email);
  const holder = await rowWith(db, "principal", { email: address });
  if (holder !== undefined && holder.id !== principal) throw inUse();
  return address;
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
    await setRow(
      tx.db,
      "provisioned_user",
      { principal_id: id },
      { is_deleted: 1n, is_ended: isEnded ? 1n : 0n, changed_at: context.store.now() },
    );
    chain.append({ actor: by, action: "provisioning.end", subject: id, detail: { provider } });
  });
}
