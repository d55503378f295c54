import { PrivacyError } from "@dosimeter/core";
import { type Chain, change } from "../audit/chain.ts";
import type { By } from "../books.ts";
import { checkName, found } from "../check.ts";
import type { Context } from "../context.ts";
import { newId, type PrincipalId, type TeamId } from "../id.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { principalRow } from "./principal.ts";

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
  id: row.id as TeamId,
  name: row.name,
  createdAt: row.created_at,
  closedAt: row.closed_at,
});

const toMembership = (row: Tables["membership"]): Membership => ({
  id: row.id,
  team: row.team_id as TeamId,
  principal: row.principal_id as PrincipalId,
  from: row.from_at,
  until: row.until_at,
});

export function createTeam(context: Context, { name, by }: By & { name: string }): Promise<Team> {
  const row: Tables["team"] = {
    id: newId("team"),
    name: checkName(name, "name"),
    created_at: context.store.now(),
    closed_at: null,
  };
  return change(context, async ({ db }, chain) => {
    await db.insertInto("team").values(row).execute();
    chain.append({ actor: by, action: "team.create", subject: row.id, image: row });
    return toTeam(row);
  });
}

export async function teamRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["team"]> {
  return found(await db.selectFrom("team").selectAll().where("id", "=", id).executeTakeFirst(), "team", id);
}

export async function teams({ store }: Context): Promise<readonly Team[]> {
  return (await store.read.selectFrom("team").selectAll().orderBy("name").execute()).map(toTeam);
}

export type MemberOptions = By & { readonly team: TeamId; readonly principal: PrincipalId };

export function addMember(context: Context, options: MemberOptions): Promise<Membership> {
  return change(context, async (tx, chain) => addMemberIn(context, { tx, chain }, options));
}

export async function addMemberIn(
  context: Context,
  { tx, chain }: { readonly tx: Tx; readonly chain: Chain },
  { team, principal, by }: MemberOptions,
): Promise<Membership> {
  if ((await teamRow(tx, team)).closed_at !== null)
    throw new PrivacyError("CONFLICT", { name: "team", got: team, want: "not closed" });
  await principalRow(tx, principal);
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

/** Closes an empty team for good: its name stays with what was done in it. */
export function closeTeam(context: Context, { team, by }: By & { team: TeamId }): Promise<Team> {
  return change(context, async (tx, chain) => {
    const before = await teamRow(tx, team);
    if (before.closed_at !== null) return toTeam(before);
    const row = { ...before, closed_at: context.store.now() };
    await tx.db.updateTable("team").set({ closed_at: row.closed_at }).where("id", "=", team).execute();
    chain.append({ actor: by, action: "team.close", subject: team, image: row });
    return toTeam(row);
  });
}

/** Ends the stay: the accounts below the team stay, with what was spent, and cannot be charged by someone who left. */
export function removeMember(context: Context, { team, principal, by }: MemberOptions): Promise<Membership> {
  return change(context, async (tx, chain) => {
    await teamRow(tx, team);
    const present = found(await current(tx, team, principal), "member", principal);
    const row = { ...present, until_at: context.store.now() };
    await tx.db.updateTable("membership").set({ until_at: row.until_at }).where("id", "=", row.id).execute();
    chain.append({
      actor: by,
      action: "member.remove",
      subject: row.id,
      detail: { team, principal },
      image: row,
    });
    return toMembership(row);
  });
}

export async function members({ store }: Context, team: TeamId): Promise<readonly Membership[]> {
  await teamRow({ db: store.read }, team);
  const rows = await store.read
    .selectFrom("membership")
    .selectAll()
    .where("team_id", "=", team)
    .orderBy("from_at")
    .orderBy("id")
    .execute();
  return rows.map(toMembership);
}

function current({ db }: Tx, team: TeamId, principal: PrincipalId): Promise<Tables["membership"] | undefined> {
  return db
    .selectFrom("membership")
    .selectAll()
    .where("team_id", "=", team)
    .where("principal_id", "=", principal)
    .where("until_at", "is", null)
    .executeTakeFirst();
}
