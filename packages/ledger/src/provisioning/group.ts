import { invalid, PrivacyError } from "@dosimeter/core";
import type { ExpressionBuilder } from "kysely";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type By, newId, type PrincipalId } from "../values/id.ts";
import { type Computed, keptRow, refuseStale } from "./kept.ts";
import type { Listed, Part } from "./listed.ts";

/** A group of a provider, with its members among the people whom the provider keeps here. */
export interface ProvisionedGroup {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly members: readonly { readonly id: PrincipalId; readonly name: string }[];
  readonly createdAt: string;
  readonly changedAt: string;
}

export interface ChangedGroup {
  readonly group: ProvisionedGroup;
  readonly affected: readonly PrincipalId[];
}

/** By what a provider finds one of its groups; a name is compared without regard to case. */
export type GroupKey =
  | { readonly displayName: string }
  | { readonly externalId: string }
  | { readonly member: string }
  | { readonly ids: readonly string[] };

/** Groups of a provider: all of them, or which have this key; with no members where they are not wanted. */
export async function groups(
  { store }: Context,
  {
    provider,
    key,
    from,
    count,
    withMembers,
  }: Part & { readonly provider: string; readonly key?: GroupKey; readonly withMembers: boolean },
): Promise<Listed<ProvisionedGroup>> {
  const kept = store.read.selectFrom("provisioned_group").where("provider", "=", provider);
  const meant = key === undefined ? kept : kept.where((builder) => isMeant(builder, key));
  const { total } = await meant.select(({ fn }) => fn.countAll<bigint>().as("total")).executeTakeFirstOrThrow();
  const rows = await meant.selectAll().orderBy("id").limit(count).offset(from).execute();
  return { total: Number(total), items: await withTheir({ db: store.read }, rows, withMembers) };
}

function isMeant({ eb, fn, or, selectFrom }: ExpressionBuilder<Tables, "provisioned_group">, key: GroupKey) {
  if ("member" in key)
    return eb(
      "id",
      "in",
      selectFrom("provisioned_member")
        .select("group_id")
        .where("principal_id", "=", key.member as PrincipalId),
    );
  if ("displayName" in key)
    return or([
      eb("name", "=", key.displayName),
      eb(fn<string>("lower", ["name"]), "=", key.displayName.toLowerCase()),
    ]);
  if ("externalId" in key) return eb("external_id", "=", key.externalId);
  return key.ids.length === 0 ? eb.lit(false) : eb("id", "in", key.ids);
}

async function withTheir(
  { db }: Pick<Tx, "db">,
  rows: readonly Tables["provisioned_group"][],
  withMembers: boolean,
): Promise<readonly ProvisionedGroup[]> {
  const ids = rows.map(({ id }) => id);
  const among =
    !withMembers || ids.length === 0
      ? []
      : await db
          .selectFrom("provisioned_member")
          .innerJoin("principal", "principal.id", "provisioned_member.principal_id")
          .select(["group_id", "principal.id as id", "principal.name as name"])
          .where("group_id", "in", ids)
          .orderBy("principal.id")
          .execute();
  const members = Map.groupBy(among, ({ group_id }) => group_id);
  return rows.map((row) => ({
    ...record(row, "id", "name", "created_at", "changed_at"),
    externalId: row.external_id,
    members: (members.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

async function groupIn(tx: Pick<Tx, "db">, provider: string, id: string): Promise<ProvisionedGroup> {
  const row = found(await rowWith(tx.db, "provisioned_group", { provider, id }), "group", id);
  const [group] = await withTheir(tx, [row], true);
  if (group === undefined) throw new PrivacyError("INTERNAL");
  return group;
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

interface GroupInput extends By, Computed<ProvisionedGroup> {
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
    const before = input.id === null ? null : await groupIn(tx, provider, input.id);
    if (before !== null) refuseStale(input, before);
    const now = context.store.now();
    const id = before?.id ?? newId("group");
    await vacantName(tx, { provider, name, id });
    const row = { id, provider, name, external_id: externalId, created_at: before?.createdAt ?? now, changed_at: now };
    if (before === null) await tx.db.insertInto("provisioned_group").values(row).execute();
    else await tx.db.updateTable("provisioned_group").set(row).where("id", "=", id).execute();
    const changed = await setMembers(tx, row, { was: before?.members.map((one) => one.id) ?? [], is: input.members });
    const isRenamed = before !== null && before.name !== name;
    const group = await groupIn(tx, provider, id);
    if (before === null || isRenamed || changed.length > 0)
      chain.append({
        actor: by,
        action: "provisioning.group",
        subject: id,
        detail: { provider, name, members: group.members.length },
      });
    // Everyone, where nothing changed: what a failure left undone is done by the provider's next try.
    const isAboutAll = isRenamed || changed.length === 0;
    const affected = isAboutAll ? [...changed, ...group.members.map((one) => one.id)] : changed;
    return { group, affected: [...new Set(affected)] };
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
  const had = new Set<string>(was);
  const wanted = new Set(is);
  const came = await keptOf({ db }, { provider, ids: [...wanted].filter((one) => !had.has(one)) });
  const left = was.filter((one) => !wanted.has(one));
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

/** These people, all of whom the provider must keep here. INVALID_PARAMETER. */
async function keptOf(
  { db }: Pick<Tx, "db">,
  { provider, ids }: { readonly provider: string; readonly ids: readonly string[] },
): Promise<readonly PrincipalId[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("provisioned_user")
    .select("principal_id")
    .where("provider", "=", provider)
    .where("is_deleted", "=", 0n)
    .where("principal_id", "in", ids as readonly PrincipalId[])
    .execute();
  const kept = new Map<string, PrincipalId>(rows.map((row) => [row.principal_id, row.principal_id]));
  return ids.map((id) => kept.get(id) ?? invalid("members", id, "the id of a user of this provider"));
}

/** Forgets a group; NOT_FOUND for one of another provider. Returns who was in it. */
export function dropGroup(
  context: Context,
  { provider, id, by }: By & { readonly provider: string; readonly id: string },
): Promise<ChangedGroup> {
  return change(context, async (tx, chain) => {
    const group = await groupIn(tx, provider, id);
    await tx.db.deleteFrom("provisioned_member").where("group_id", "=", id).execute();
    await tx.db.deleteFrom("provisioned_group").where("id", "=", id).execute();
    const detail = { provider, name: group.name, members: 0 };
    chain.append({ actor: by, action: "provisioning.group", subject: id, detail });
    return { group, affected: group.members.map((one) => one.id) };
  });
}
