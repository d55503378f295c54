import { PrivacyError } from "@dosimeter/core";
import type { Account, Invitation, LedgerDatabase, Team, TeamId } from "@dosimeter/ledger";
import { holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { accountViews } from "../view/account.ts";
import { type Directory, directory } from "../view/directory.ts";
import { isNamed } from "./names.ts";

export const teams = {
  async listTeams({ deps, caller, input }) {
    const visible = await visibleTeams(caller, deps.database);
    const { items, next } = pageOf(
      visible.filter(({ name }) => isNamed(name, input.name)),
      input,
    );
    return { items: items.map((team) => ({ ...team, myRole: myRole(caller, team.id) })), next };
  },
  async createTeam({ deps, caller, input }) {
    const { people } = deps.database;
    const by = caller.principal.id;
    const name = input.name.normalize("NFC");
    if ((await visibleTeams(caller, deps.database)).some((team) => team.name === name))
      throw new PrivacyError("CONFLICT", { name: "body.name", got: name, want: "a name that none of yours has" });
    return { ...(await people.createTeam({ by, name: input.name })), myRole: "teamAdmin" };
  },
  async showTeam({ deps, caller, input }) {
    const { people } = deps.database;
    const team = await people.team(input.team);
    const members = await membersView(team.id, deps.database, await directory(deps.database));
    return { ...(await teamView(team, caller, people)), members };
  },
  async addMember({ deps, caller, input }) {
    const { database } = deps;
    const by = caller.principal.id;
    const { id: team } = await database.people.team(input.team);
    const { id: principal } = await database.people.principal(input.person);
    const role = input.role ?? "member";
    await deps.rates.take("invite", by); // each is a letter to someone
    const { from, until } = await database.people.addMember({ by, team, principal, role });
    const { nameOf } = await directory(database);
    return { person: principal, name: nameOf(principal), role, since: from, until };
  },
  async removeMember({ deps, caller, input }) {
    const { id: team } = await deps.database.people.team(input.team);
    const { id: principal } = await deps.database.people.principal(input.person);
    await deps.database.people.removeMember({ by: caller.principal.id, principal, team });
    deps.sender?.wake();
    return undefined;
  },
  async leaveTeam({ deps, caller, input }) {
    const { id: team } = await deps.database.people.team(input.team);
    const by = caller.principal.id;
    await deps.database.people.removeMember({ by, principal: by, team });
    deps.sender?.wake();
    return undefined;
  },
  async setMemberRole({ deps, caller, input }) {
    const { people } = deps.database;
    const by = caller.principal.id;
    const { id: team } = await people.team(input.team);
    const { id: principal } = await people.principal(input.person);
    const stay = (await people.members(team)).find((one) => one.principal === principal && one.until === null);
    if (stay === undefined)
      throw new PrivacyError("NOT_FOUND", { name: "person", got: principal, want: "a member of this team" });
    if (input.role === "teamAdmin") await people.grantRole({ by, principal, role: "teamAdmin", object: team });
    else
      for (const binding of await people.roleBindings(team))
        if (binding.principal === principal) await people.revokeRole({ by, binding: binding.id });
    deps.sender?.wake();
    const { nameOf } = await directory(deps.database);
    return { person: principal, name: nameOf(principal), role: input.role, since: stay.from, until: null };
  },
  async setTeam({ deps, caller, input }) {
    const { people } = deps.database;
    const team = await people.team(input.team);
    await people.setLinksAdmit({ by: caller.principal.id, team: team.id, linksAdmit: input.linksAdmit });
    return teamView(team, caller, people);
  },
  async closeTeam({ deps, caller, input }) {
    const { people } = deps.database;
    const { id: team } = await people.team(input.team);
    const closed = await people.closeTeam({ by: caller.principal.id, team });
    deps.sender?.wake();
    return { ...closed, myRole: null };
  },
  async listTeamAccounts({ deps, caller, input }) {
    const { id: team } = await deps.database.people.team(input.team);
    const visible: Account[] = [];
    for (const account of await teamAccounts(team, deps.database))
      if (await holds("accountReader", caller, { account: account.id }, deps)) visible.push(account);
    const { items, next } = pageOf(visible, input);
    return { items: await accountViews(items, caller, await directory(deps.database), deps), next };
  },
  async listInvitations({ deps, input }) {
    const { id: team } = await deps.database.people.team(input.team);
    const names = await directory(deps.database);
    const { items, next } = pageOf(await deps.database.people.invitations(team), input);
    return { items: items.map((invitation) => invitationView(invitation, null, names)), next };
  },
  async invite({ deps, caller, input, exchange }) {
    const { people } = deps.database;
    await deps.rates.take("invite", caller.principal.id);
    const { id: team, closedAt } = await people.team(input.team);
    if (closedAt !== null) throw new PrivacyError("CONFLICT", { name: "team", want: "a team that is open" });
    if (input.email !== undefined && !deps.sendsMail)
      throw new PrivacyError(
        "CONFLICT",
        { name: "body.email", want: "absent: this server sends no mail" },
        "this server sends no mail: leave the address out and hand the link over",
      );
    const { invitation, secret } = await people.invite({
      by: caller.principal.id,
      team,
      role: input.role ?? "member",
      email: input.email,
      days: input.days ?? INVITATION_DAYS,
    });
    deps.sender?.wake();
    const url = secret === null ? null : `${exchange.origin}/join#${secret}`;
    return invitationView(invitation, url, await directory(deps.database));
  },
  async endInvitation({ deps, caller, input }) {
    const { people } = deps.database;
    const invitation = await people.invitation(input.invitation);
    if (invitation.team !== input.team) throw new PrivacyError("NOT_FOUND", { name: "invitation" });
    await people.endInvitation({ by: caller.principal.id, invitation: invitation.id });
    return undefined;
  },
  async showInvitation({ deps, input, exchange }) {
    await deps.rates.take("signIn", exchange.address);
    const open = await deps.database.people.openInvitation({
      secret: input.secret,
      mayLinksAdmit: mayLinksAdmit(deps),
    });
    if (open === null) return { invitation: null };
    const { team, newcomer } = open;
    const { role, by, email, expiresAt } = open.invitation;
    const { nameOf } = await directory(deps.database);
    return { invitation: { team: team.name, role, by: nameOf(by), expiresAt, isMailed: email !== null, newcomer } };
  },
  async acceptInvitation({ deps, caller, input, exchange }) {
    await deps.rates.take("signIn", exchange.address);
    const { invitation, team } = await deps.database.people
      .acceptInvitation({ secret: input.secret, by: caller.principal.id })
      .catch((error: unknown) => {
        // The caller is signed in: what is wrong is the invitation.
        if (!(error instanceof PrivacyError && error.code === "UNAUTHENTICATED")) throw error;
        throw new PrivacyError("NOT_FOUND", {}, "this invitation was used, taken back, or has expired");
      });
    return { ...team, myRole: invitation.role };
  },
} satisfies HandlersOf<"teams">;

/** Where people sign in through a provider, someone new comes through it too: a link vouches for no one. */
export const mayLinksAdmit = ({ oidc }: Pick<Deps, "oidc">): boolean => oidc.providers.length === 0;

const teamView = async (team: Team, caller: Caller, people: LedgerDatabase["people"]) => ({
  ...team,
  myRole: myRole(caller, team.id),
  linksAdmit: await people.linksAdmit(team.id),
});

/** By name. */
export async function visibleTeams({ roles }: Caller, { people }: LedgerDatabase): Promise<readonly Team[]> {
  const seesAll = roles.platformAdmin || roles.auditor;
  return (await people.teams()).filter(
    ({ id }) => seesAll || roles.memberOf.includes(id) || roles.teamAdminOf.includes(id),
  );
}

const myRole = ({ roles }: Caller, team: TeamId) =>
  roles.teamAdminOf.includes(team)
    ? ("teamAdmin" as const)
    : roles.memberOf.includes(team)
      ? ("member" as const)
      : null;

async function membersView(team: TeamId, { people }: LedgerDatabase, { nameOf }: Directory) {
  const bindings = await people.roleBindings(team);
  const leads = new Set(
    bindings.filter(({ role, until }) => role === "teamAdmin" && until === null).map(({ principal }) => principal),
  );
  return (await people.members(team)).map(({ principal, from, until }) => ({
    person: principal,
    name: nameOf(principal),
    role: leads.has(principal) && until === null ? ("teamAdmin" as const) : ("member" as const),
    since: from,
    until,
  }));
}

const INVITATION_DAYS = 7;

function invitationView(invitation: Invitation, url: string | null, { nameOf }: Directory) {
  const { id, team, role, email, by, createdAt, expiresAt } = invitation;
  return { id, team, role, email, by: nameOf(by), url, createdAt, expiresAt };
}

/** Accounts of the team and of everyone below them, in the order they were opened. */
async function teamAccounts(team: TeamId, { ledgers }: LedgerDatabase): Promise<readonly Account[]> {
  const found: Account[] = [];
  for (const ledger of await ledgers.ledgers()) {
    const within = new Set<string>();
    for (const account of await ledgers.accounts(ledger.id)) {
      const isOwn = account.holder.kind === "team" && account.holder.id === team;
      if (!isOwn && !within.has(account.parent ?? "")) continue;
      within.add(account.id);
      found.push(account);
    }
  }
  return found;
}
