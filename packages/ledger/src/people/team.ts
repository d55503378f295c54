import { PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { record, rowsWith, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type By, newId, type PrincipalId, type TeamId } from "../values/id.ts";
import { presentRow, systemPrincipal } from "./principal.ts";
import { grantRoleIn } from "./role.ts";

export interface Team {
  readonly id: TeamId;
  readonly name: string;
  readonly createdAt: string;
  /** null while it is open. */
  readonly closedAt: string | null;
}

/** One stay in a team. Leaving sets `until`; coming back is a new stay. */
export interface Membership {
  readonly id: string;
  readonly team: TeamId;
  readonly principal: PrincipalId;
  readonly from: string;
  readonly until: string | null;
}

export const toTeam = (row: Tables["team"]): Team => ({
  ...record(row, "id", "name", "created_at", "closed_at"),
});

export const toMembership = (row: Tables["membership"]): Membership => ({
  id: row.id,
  team: row.team_id,
  principal: row.principal_id,
  from: row.from_at,
  until: row.until_at,
});

/** Someone may open it: its first member and admin, in the same transaction. The platform itself opens an empty one. */
export function createTeam(context: Context, { name, by }: By & { name: string }): Promise<Team> {
  const row: Tables["team"] = {
    id: newId("team"),
    name: checkName(name, "name"),
    created_at: context.store.now(),
    closed_at: null,
  };
  return change(context, async (tx, chain) => {
    await tx.db.insertInto("team").values(row).execute();
    chain.append({ actor: by, action: "team.create", subject: row.id, image: row });
    const team = toTeam(row);
    if (by !== systemPrincipal)
      await addMemberIn(context, { tx, chain }, { team: team.id, principal: by, role: "teamAdmin", by });
    return team;
  });
}

export async function teamRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["team"]> {
  return found(await rowWith(db, "team", { id }), "team", id);
}

/** CONFLICT when it is closed. */
export async function openTeamRow(tx: Pick<Tx, "db">, id: string): Promise<Tables["team"]> {
  const row = await teamRow(tx, id);
  if (row.closed_at !== null) throw new PrivacyError("CONFLICT", { name: "team", got: id, want: "not closed" });
  return row;
}

export const team = async ({ store }: Context, id: string): Promise<Team> =>
  toTeam(await teamRow({ db: store.read }, id));

export async function teams({ store }: Context): Promise<readonly Team[]> {
  return (await store.read.selectFrom("team").selectAll().orderBy("name").execute()).map(toTeam);
}

export type MemberOptions = By & { readonly team: TeamId; readonly principal: PrincipalId };

export type NewMember = MemberOptions & { readonly role?: "member" | "teamAdmin" | undefined };

/** Does nothing to someone who is a member. */
export function addMember(context: Context, options: NewMember): Promise<Membership> {
  return change(context, async (tx, chain) => addMemberIn(context, { tx, chain }, options));
}

export async function addMemberIn(
  context: Context,
  { tx, chain }: Writing,
  { team, principal, role = "member", by }: NewMember,
): Promise<Membership> {
  await openTeamRow(tx, team);
  await presentRow(tx, principal);
  if (role === "teamAdmin") await grantRoleIn(context, { tx, chain }, { principal, role, object: team, by });
  const present = await current(tx, team, principal);
  if (present !== undefined) return toMembership(present);
  const row: Tables["membership"] = {
    id: newId("membership"),
    team_id: team,
    principal_id: principal,
    from_at: context.store.now(),
    until_at: null,
  };
  await tx.db.insertInto("membership").values(row).execute();
  chain.append({ actor: by, action: "member.add", subject: row.id, detail: { team, principal }, image: row });
  return toMembership(row);
}

/** Everyone who is or was in the team. */
export async function members({ store }: Context, team: TeamId): Promise<readonly Membership[]> {
  await teamRow({ db: store.read }, team);
  const rows = await rowsWith(store.read, "membership", { team_id: team }, "from_at", "id");
  return rows.map(toMembership);
}

export function current({ db }: Tx, team: TeamId, principal: PrincipalId): Promise<Tables["membership"] | undefined> {
  return db
    .selectFrom("membership")
    .selectAll()
    .where("team_id", "=", team)
    .where("principal_id", "=", principal)
    .where("until_at", "is", null)
    .executeTakeFirst();
}
