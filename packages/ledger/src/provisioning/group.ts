import { invalid, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { checkName, found } from "../values/check.ts";
import { newId, type PrincipalId } from "../values/id.ts";
import { keptRow } from "./kept.ts";

/** A group of a provider, with its members among the people whom the provider keeps here. */
export interface ProvisionedGroup {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly members: readonly { readonly id: PrincipalId; readonly name: string }[];
  readonly createdAt: string;
  readonly changedAt: string;
}

/** A group after a change, and who is in it or left it. */
export interface ChangedGroup {
  readonly group: ProvisionedGroup;
  readonly affected: readonly PrincipalId[];
}

export const groups = ({ store }: Context, provider: string): Promise<readonly ProvisionedGroup[]> =>
  groupsIn({ db: store.read }, provider);

async function groupsIn({ db }: Pick<Tx, "db">, provider: string, id?: string): Promise<readonly ProvisionedGroup[]> {
  let of = db.selectFrom("provisioned_group").selectAll().where("provider", "=", provider);
  if (id !== undefined) of = of.where("id", "=", id);
  let among = db
    .selectFrom("provisioned_member")
    .innerJoin("principal", "principal.id", "provisioned_member.principal_id")
    .innerJoin("provisioned_group", "provisioned_group.id", "provisioned_member.group_id")
    .select(["group_id", "principal.id as id", "principal.name as name"])
    .where("provider", "=", provider);
  if (id !== undefined) among = among.where("group_id", "=", id);
  const members = Map.groupBy(await among.orderBy("principal.id").execute(), ({ group_id }) => group_id);
  return (await of.orderBy("id").execute()).map((row) => ({
    id: row.id,
    name: row.name,
    externalId: row.external_id,
    members: (members.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
    createdAt: row.created_at,
    changedAt: row.changed_at,
  }));
}

/** The names of the groups in which a provider has a person; null for one whom it does not keep here: nothing is known of their groups. */
export async function groupNamesOf(
  { store }: Context,
  { provider, principal }: { readonly provider: string; readonly principal: PrincipalId },
): Promise<ReadonlySet<string> | null> {
  if ((await keptRow(store.read, { provider, principal })) === undefined) return null;
  const rows = await store.read
    .selectFrom("provisioned_member")
    .innerJoin("provisioned_group", "provisioned_group.id", "provisioned_member.group_id")
    .select("name")
    .where("provider", "=", provider)
    .where("principal_id", "=", principal)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

interface GroupInput extends By {
  readonly provider: string;
  /** Null for a new one. */
  readonly id: string | null;
  readonly name: string;
  readonly externalId: string | null;
  readonly members: readonly string[];
}

/** Writes what a provider says of a group. CONFLICT for a name in use; INVALID_PARAMETER for a member whom it does not keep here. */
export function setGroup(context: Context, input: GroupInput): Promise<ChangedGroup> {
  const { provider, externalId, by } = input;
  return change(context, async (tx, chain) => {
    const name = checkName(input.name, "displayName");
    const before = input.id === null ? null : found((await groupsIn(tx, provider, input.id)).at(0), "group", input.id);
    const now = context.store.now();
    const id = before?.id ?? newId("group");
    await vacantName(tx, { provider, name, id });
    const row = { id, provider, name, external_id: externalId, created_at: before?.createdAt ?? now, changed_at: now };
    if (before === null) await tx.db.insertInto("provisioned_group").values(row).execute();
    else await tx.db.updateTable("provisioned_group").set(row).where("id", "=", id).execute();
    const changed = await setMembers(tx, row, { was: before?.members.map((one) => one.id) ?? [], is: input.members });
    const isRenamed = before !== null && before.name !== name;
    const [group] = await groupsIn(tx, provider, id);
    if (group === undefined) throw new PrivacyError("INTERNAL");
    if (before === null || isRenamed || changed.length > 0)
      chain.append({
        actor: by,
        action: "provisioning.group",
        subject: id,
        detail: { provider, name, members: group.members.length },
      });
    // Everyone, so that what a failure left undone is done by the provider's next try, which changes nothing here.
    return { group, affected: [...new Set([...changed, ...group.members.map((one) => one.id)])] };
  });
}

async function vacantName(
  { db }: Tx,
  { provider, name, id }: { readonly provider: string; readonly name: string; readonly id: string },
): Promise<void> {
  const named = await rowWith(db, "provisioned_group", { provider, name });
  if (named !== undefined && named.id !== id)
    throw new PrivacyError("CONFLICT", { name: "displayName", got: name, want: "not in use" });
}

/** Who came and who went. */
async function setMembers(
  { db }: Tx,
  { id: group_id, provider }: Tables["provisioned_group"],
  { was, is }: { readonly was: readonly PrincipalId[]; readonly is: readonly string[] },
): Promise<readonly PrincipalId[]> {
  const known = await db
    .selectFrom("provisioned_user")
    .select("principal_id")
    .where("provider", "=", provider)
    .where("is_deleted", "=", 0n)
    .execute();
  const ids = new Map<string, PrincipalId>(known.map((row) => [row.principal_id, row.principal_id]));
  const wanted = new Set<PrincipalId>();
  for (const member of is)
    wanted.add(ids.get(member) ?? invalid("members", member, "the id of a user of this provider"));
  const had = new Set(was);
  const came = [...wanted].filter((one) => !had.has(one));
  const left = [...had].filter((one) => !wanted.has(one));
  for (const principal_id of came)
    await db.insertInto("provisioned_member").values({ group_id, principal_id }).execute();
  for (const principal_id of left)
    await db
      .deleteFrom("provisioned_member")
      .where("group_id", "=", group_id)
      .where("principal_id", "=", principal_id)
      .execute();
  return [...came, ...left];
}

/** Forgets a group; NOT_FOUND for one of another provider. Returns who was in it. */
export function dropGroup(
  context: Context,
  { provider, id, by }: By & { readonly provider: string; readonly id: string },
): Promise<ChangedGroup> {
  return change(context, async (tx, chain) => {
    const group = found((await groupsIn(tx, provider, id)).at(0), "group", id);
    await tx.db.deleteFrom("provisioned_member").where("group_id", "=", id).execute();
    await tx.db.deleteFrom("provisioned_group").where("id", "=", id).execute();
    const detail = { provider, name: group.name, members: 0 };
    chain.append({ actor: by, action: "provisioning.group", subject: id, detail });
    return { group, affected: group.members.map((one) => one.id) };
  });
}
