import { PrivacyError } from "@dosimeter/core";
import { writeStatus } from "../accounts/account.ts";
import { closeTree } from "../accounts/close.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { OPEN } from "../guarantee/request-limits.ts";
import { liftBan } from "../people/ban.ts";
import { endCredentials } from "../people/credential.ts";
import { expireDelegations, writeInvitationEnd } from "../people/expire-delegations.ts";
import { endWebhook } from "../people/notification.ts";
import { dropPassword } from "../people/password.ts";
import { holds } from "../people/payer.ts";
import { type Principal, principalRow, toPrincipal } from "../people/principal.ts";
import { endBinding, keepAnAdmin, keepAPlatformAdmin } from "../people/role.ts";
import { endSecondFactorIn } from "../people/second-factor.ts";
import {
  current,
  type MemberOptions,
  type Membership,
  type Team,
  teamRow,
  toMembership,
  toTeam,
} from "../people/team.ts";
import { dropTypedAddress } from "../people/typed-address.ts";
import { writeStep } from "../requests/request.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { By, PrincipalId, TeamId } from "../values/id.ts";

/**
 * Leaving and being removed are the same, in one transaction: the stay, its role and what was asked of the team's quota end, and
 * the person's accounts that the team funds are frozen. What was spent stays. CONFLICT for the last admin.
 */
export function removeMember(context: Context, { team, principal, by }: MemberOptions): Promise<Membership> {
  return change(context, async (tx, chain) => {
    await teamRow(tx, team);
    const stay = found(await current(tx, team, principal), "member", principal);
    await keepAnAdmin(tx, { team, principal });
    return toMembership(await part(context, { tx, chain }, { stay, by }));
  });
}

async function part(
  context: Context,
  { tx, chain }: Writing,
  { stay, by }: By & { readonly stay: Tables["membership"] },
): Promise<Tables["membership"]> {
  const { id, team_id: team, principal_id: principal } = stay;
  const row = { ...stay, until_at: context.store.now() };
  await tx.db.updateTable("membership").set({ until_at: row.until_at }).where("id", "=", id).execute();
  chain.append({ actor: by, action: "member.remove", subject: id, detail: { team, principal }, image: row });
  await endRoles(context, { tx, chain }, { principal, object: team, by });
  const funded = await tx.db
    .selectFrom("account")
    .innerJoin("account as above", "above.id", "account.parent_id")
    .selectAll("account")
    .where("account.holder_kind", "=", "principal")
    .where("account.holder_id", "=", principal)
    .where("account.status", "=", "active")
    .where("above.holder_kind", "=", "team")
    .where("above.holder_id", "=", team)
    .orderBy("account.id")
    .execute();
  for (const account of funded) await writeStatus({ tx, chain }, { row: account, status: "frozen", by });
  await endRequests(context, { tx, chain }, { principal, team, by });
  return row;
}

/** Open requests of a person: all of them, or what they asked for a team or of its quota. */
async function endRequests(
  context: Context,
  writing: Writing,
  { principal, team, by }: By & { readonly principal: PrincipalId; readonly team?: string },
): Promise<void> {
  const { db } = writing.tx;
  let asked = db.selectFrom("request").selectAll().where("requester_id", "=", principal).where("status", "in", OPEN);
  if (team !== undefined) {
    const funding = db
      .selectFrom("account")
      .select("id")
      .where("holder_kind", "=", "team")
      .where("holder_id", "=", team);
    asked = asked.where(({ and, eb, or }) =>
      or([and([eb("holder_kind", "=", "team"), eb("holder_id", "=", team)]), eb("parent_id", "in", funding)]),
    );
  }
  for (const request of await asked.orderBy("id").execute())
    await writeStep(context, writing, { row: request, verb: "withdraw", by, set: { status: "withdrawn" } });
}

/** The role bindings of a person, on one object or all; or everyone's on an object. */
async function endRoles(
  context: Context,
  writing: Writing,
  { principal, object, by }: By & { readonly principal?: PrincipalId; readonly object?: string },
): Promise<void> {
  let bindings = writing.tx.db.selectFrom("role_binding").selectAll().where("until_at", "is", null);
  if (principal !== undefined) bindings = bindings.where("principal_id", "=", principal);
  if (object !== undefined) bindings = bindings.where("object_id", "=", object);
  for (const row of await bindings.orderBy("id").execute()) await endBinding(context, writing, { row, by });
}

/**
 * Closes a team permanently, in one transaction: its accounts with all below them, from the bottom up, then members,
 * roles and invitations. Free quota goes back to the account above; the team's name stays in the records.
 */
export function closeTeam(context: Context, { team, by }: By & { team: TeamId }): Promise<Team> {
  return change(context, async (tx, chain) => {
    const before = await teamRow(tx, team);
    if (before.closed_at !== null) return toTeam(before);
    const writing = { tx, chain };
    const held = tx.db
      .selectFrom("account")
      .selectAll()
      .where("holder_kind", "=", "team")
      .where("holder_id", "=", team);
    for (const { id } of await held.where("status", "<>", "closed").orderBy("id").execute()) {
      const account = await held.where("id", "=", id).executeTakeFirstOrThrow();
      await closeTree(context, writing, { account, by });
    }
    const stays = tx.db.selectFrom("membership").selectAll().where("team_id", "=", team).where("until_at", "is", null);
    for (const stay of await stays.orderBy("id").execute()) await part(context, writing, { stay, by });
    await endRoles(context, writing, { object: team, by });
    const invited = tx.db
      .selectFrom("invitation")
      .selectAll()
      .where("team_id", "=", team)
      .where("ended_at", "is", null);
    for (const row of await invited.orderBy("id").execute())
      await writeInvitationEnd(context, writing, { row, by, verb: "end", acceptedBy: null });
    const row = { ...before, closed_at: context.store.now() };
    await tx.db.updateTable("team").set({ closed_at: row.closed_at }).where("id", "=", team).execute();
    chain.append({ actor: by, action: "team.close", subject: team, image: row });
    return toTeam(row);
  });
}

/**
 * Removes a principal, and with a person every service and agent that acts for them, in one transaction: ways in, roles, stays in
 * teams, open requests, invitations and approvals in advance end, accounts freeze. What was spent stays. CONFLICT for the
 * platform's last admin.
 */
export const disablePrincipal = (context: Context, who: Who): Promise<Principal> =>
  change(context, (tx, chain) => disablePrincipalIn(context, { tx, chain }, who));

type Who = By & { readonly principal: PrincipalId };

export async function disablePrincipalIn(
  context: Context,
  writing: Writing,
  { principal, by }: Who,
): Promise<Principal> {
  const { tx } = writing;
  const before = await principalRow(tx, principal);
  const services = tx.db.selectFrom("service").select("principal_id as id").where("on_behalf_of", "=", principal);
  const acting = (await services.orderBy("principal_id").execute()).map(({ id }) => id);
  let wasAdmin = false;
  for (const id of [...acting, principal]) wasAdmin ||= await holds(tx, id, "platformAdmin", null);
  for (const id of acting) await disable(context, writing, { row: await principalRow(tx, id), by });
  const row = await disable(context, writing, { row: before, by });
  if (wasAdmin) await keepAPlatformAdmin(tx, by);
  return toPrincipal(row);
}

async function disable(
  context: Context,
  { tx, chain }: Writing,
  { row: before, by }: By & { readonly row: Tables["principal"] },
): Promise<Tables["principal"]> {
  if (before.disabled_at !== null) return before;
  const { id: principal } = before;
  const writing = { tx, chain };
  const row = { ...before, disabled_at: context.store.now() };
  await tx.db.updateTable("principal").set({ disabled_at: row.disabled_at }).where("id", "=", principal).execute();
  chain.append({ actor: by, action: "principal.disable", subject: principal, image: row });
  await endCredentials(context, writing, { principal, by });
  await dropPassword(context, writing, { principal, by });
  await dropTypedAddress(tx, principal);
  await endSecondFactorIn(writing, { principal, by });
  await endWebhook(writing, { principal, by });
  const stays = tx.db.selectFrom("membership").selectAll().where("principal_id", "=", principal);
  for (const stay of await stays.where("until_at", "is", null).orderBy("id").execute())
    await part(context, writing, { stay, by });
  await endRoles(context, writing, { principal, by });
  await expireDelegations(context, writing, { principal, by });
  await endRequests(context, writing, { principal, by });
  const own = tx.db.selectFrom("account").selectAll().where("holder_kind", "=", "principal");
  for (const account of await own
    .where("holder_id", "=", principal)
    .where("status", "=", "active")
    .orderBy("id")
    .execute())
    await writeStatus(writing, { row: account, status: "frozen", by });
  return row;
}

/**
 * Lets a removed person back in: the same principal, so the same history. Nothing else returns by itself: roles, teams
 * and quota must be given again, and the accounts stay frozen until then.
 */
export const restorePrincipal = (context: Context, who: Who): Promise<Principal> =>
  change(context, (tx, chain) => restorePrincipalIn({ tx, chain }, who));

export async function restorePrincipalIn({ tx, chain }: Writing, { principal, by }: Who): Promise<Principal> {
  const before = await principalRow(tx, principal);
  if (before.disabled_at === null) return toPrincipal(before);
  const behind = await tx.db
    .selectFrom("service")
    .innerJoin("principal", "principal.id", "service.on_behalf_of")
    .select(["name", "disabled_at"])
    .where("service.principal_id", "=", principal)
    .executeTakeFirst();
  if (behind !== undefined && behind.disabled_at !== null)
    throw new PrivacyError("CONFLICT", { name: "person", got: before.name, want: "one whose person is here" });
  const row = { ...before, disabled_at: null };
  await tx.db.updateTable("principal").set({ disabled_at: null }).where("id", "=", principal).execute();
  await liftBan(tx, principal);
  await tx.db.deleteFrom("erased_person").where("principal_id", "=", principal).execute();
  chain.append({ actor: by, action: "principal.restore", subject: principal, image: row });
  return toPrincipal(row);
}
