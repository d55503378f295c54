import { invalid, PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type By, type DatasetId, newId, type PrincipalId, type TeamId } from "../values/id.ts";
import { expireDelegations } from "./expire-delegations.ts";
import { presentRow } from "./principal.ts";

/** What a binding grants: `datasetAdmin` on a dataset, `teamAdmin` on a team, `platformAdmin` everywhere, `auditor` (reads only) on a dataset or everywhere. */
export type Role = "platformAdmin" | "datasetAdmin" | "teamAdmin" | "auditor";

export interface RoleBinding {
  readonly id: string;
  readonly principal: PrincipalId;
  readonly role: Role;
  /** null: everywhere. */
  readonly object: DatasetId | TeamId | null;
  readonly from: string;
  readonly until: string | null;
}

/** Facts for authorisation; the server decides. */
export interface Roles {
  readonly platformAdmin: boolean;
  readonly auditor: boolean;
  readonly auditorOf: readonly DatasetId[];
  readonly datasetAdminOf: readonly DatasetId[];
  readonly teamAdminOf: readonly TeamId[];
  readonly memberOf: readonly TeamId[];
}

const objects: Readonly<Record<Role, readonly ("dataset" | "team" | "everywhere")[]>> = {
  platformAdmin: ["everywhere"],
  datasetAdmin: ["dataset"],
  teamAdmin: ["team"],
  auditor: ["dataset", "everywhere"],
};

const toBinding = (row: Tables["role_binding"]): RoleBinding => ({
  id: row.id,
  principal: row.principal_id,
  role: row.role as Role,
  object: row.object_id as RoleBinding["object"],
  from: row.from_at,
  until: row.until_at,
});

export interface NewBinding extends By {
  readonly principal: PrincipalId;
  readonly role: Role;
  readonly object?: DatasetId | TeamId | undefined;
}

/** Does nothing when the binding exists. */
export function grantRole(context: Context, options: NewBinding): Promise<RoleBinding> {
  return change(context, async (tx, chain) => grantRoleIn(context, { tx, chain }, options));
}

export async function grantRoleIn(
  context: Context,
  { tx, chain }: Writing,
  { principal, role, object, by }: NewBinding,
): Promise<RoleBinding> {
  await presentRow(tx, principal);
  await checkObject(tx, role, object);
  const present = await tx.db
    .selectFrom("role_binding")
    .selectAll()
    .where("principal_id", "=", principal)
    .where("role", "=", role)
    .where("object_id", object === undefined ? "is" : "=", object ?? null)
    .where("until_at", "is", null)
    .executeTakeFirst();
  if (present !== undefined) return toBinding(present);
  const row: Tables["role_binding"] = {
    id: newId("binding"),
    principal_id: principal,
    role,
    object_id: object ?? null,
    from_at: context.store.now(),
    until_at: null,
  };
  await tx.db.insertInto("role_binding").values(row).execute();
  const detail = { principal, role, object: row.object_id };
  chain.append({ actor: by, action: "role.grant", subject: row.id, detail, image: row });
  return toBinding(row);
}

async function checkObject({ db }: Tx, role: Role, object: string | undefined): Promise<void> {
  const allowed = objects[role] as (typeof objects)[Role] | undefined;
  const kind = await objectKind(db, object);
  if (allowed?.includes(kind) !== true) {
    invalid("object", object ?? null, `${allowed?.join(" or ")} for the role ${role}`);
  }
}

async function objectKind(db: Tx["db"], object: string | undefined): Promise<"dataset" | "team" | "everywhere"> {
  if (object === undefined) return "everywhere";
  if ((await rowWith(db, "team", { id: object })) !== undefined) return "team";
  found(await rowWith(db, "dataset", { id: object }), "object", object);
  return "dataset";
}

/**
 * Ends a binding, and the invitations and approvals in advance that nothing else carries; all stay on record. CONFLICT for the
 * last admin of a team or of the platform.
 */
export function revokeRole(context: Context, { binding, by }: By & { binding: string }): Promise<RoleBinding> {
  return change(context, async (tx, chain) => {
    const present = found(
      await tx.db.selectFrom("role_binding").selectAll().where("id", "=", binding).executeTakeFirst(),
      "role binding",
      binding,
    );
    if (present.until_at !== null) return toBinding(present);
    if (present.role === "teamAdmin")
      await keepAnAdmin(tx, { team: present.object_id, principal: present.principal_id });
    const ended = await endBinding(context, { tx, chain }, { row: present, by });
    if (present.role === "platformAdmin") await keepAPlatformAdmin(tx, by);
    return toBinding(ended);
  });
}

/** Ends the role of any kind. */
export async function endBinding(
  context: Context,
  { tx, chain }: Writing,
  { row, by }: By & { readonly row: Tables["role_binding"] },
): Promise<Tables["role_binding"]> {
  const after = { ...row, until_at: context.store.now() };
  await tx.db.updateTable("role_binding").set({ until_at: after.until_at }).where("id", "=", row.id).execute();
  chain.append({ actor: by, action: "role.revoke", subject: row.id, image: after });
  await expireDelegations(context, { tx, chain }, { principal: row.principal_id, by });
  return after;
}

/** The people who have the role now, on any object, and are not removed. */
const holding = ({ db }: Pick<Tx, "db">, role: Role) =>
  db
    .selectFrom("role_binding")
    .innerJoin("principal", "principal.id", "role_binding.principal_id")
    .select("principal_id as id")
    .where("role", "=", role)
    .where("until_at", "is", null)
    .where("disabled_at", "is", null);

/** A team without an admin could not be led: the last one appoints another first, or closes the team. */
export async function keepAnAdmin(
  { db }: Pick<Tx, "db">,
  { team, principal }: { readonly team: string | null; readonly principal: PrincipalId },
): Promise<void> {
  const admins = await holding({ db }, "teamAdmin").where("object_id", "=", team).execute();
  if (admins.length === 1 && admins[0]?.id === principal)
    throw new PrivacyError("CONFLICT", {}, "the last admin of a team stays: make someone else an admin, or close it");
}

/**
 * Checked in the transaction that took the role away: one admin must be left who can sign in, or the one who did it (so the
 * operator, whose token is a service's, may take it from the last person). People of the demo do not count.
 */
export async function keepAPlatformAdmin({ db }: Pick<Tx, "db">, by: PrincipalId): Promise<void> {
  const left = await holding({ db }, "platformAdmin")
    .where(({ or, and, eb }) => or([eb("principal_id", "=", by), and([eb("kind", "=", "user"), eb("demo", "=", 0n)])]))
    .executeTakeFirst();
  if (left === undefined)
    throw new PrivacyError("CONFLICT", {}, "the last admin of the platform stays: make someone else an admin first");
}

export async function roleBindings({ store }: Context, object?: string): Promise<readonly RoleBinding[]> {
  let query = store.read.selectFrom("role_binding").selectAll().where("until_at", "is", null);
  if (object !== undefined) query = query.where("object_id", "=", object);
  return (await query.orderBy("from_at").orderBy("id").execute()).map(toBinding);
}

const BINDINGS = "SELECT role, object_id FROM role_binding WHERE principal_id = ? AND until_at IS NULL";
const TEAMS = "SELECT team_id FROM membership WHERE principal_id = ? AND until_at IS NULL";

export async function rolesOf({ store }: Context, principal: PrincipalId): Promise<Roles> {
  const bindings = await rowsOf<Pick<Tables["role_binding"], "role" | "object_id">>(store.read, BINDINGS, [principal]);
  const memberships = await rowsOf<Pick<Tables["membership"], "team_id">>(store.read, TEAMS, [principal]);
  const on = (role: Role) =>
    bindings.flatMap((row) => (row.role === role && row.object_id !== null ? [row.object_id] : []));
  const everywhere = (role: Role) => bindings.some((row) => row.role === role && row.object_id === null);
  return {
    platformAdmin: everywhere("platformAdmin"),
    auditor: everywhere("auditor"),
    auditorOf: on("auditor") as DatasetId[],
    datasetAdminOf: on("datasetAdmin") as DatasetId[],
    teamAdminOf: on("teamAdmin") as TeamId[],
    memberOf: memberships.map((row) => row.team_id),
  };
}
