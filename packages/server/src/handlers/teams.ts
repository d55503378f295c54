import { PrivacyError } from "@dosimeter/core";
import type { Account, Books, Invitation, PrincipalId, Team, TeamId } from "@dosimeter/ledger";
import { holds } from "../authority.ts";
import type { HandlersOf } from "../call.ts";
import type { Caller } from "../credentials.ts";
import type { Deps } from "../deps.ts";
import { pageOf } from "../page.ts";
import { accountViews } from "../view/account.ts";
import { type Directory, directory } from "../view/directory.ts";

export const teams = {
  async listTeams({ deps, caller, input }) {
    const { items, next } = pageOf(await visibleTeams(caller, deps.books), input);
    return { items: items.map((team) => ({ ...team, myRole: myRole(caller, team.id) })), next };
  },
  async createTeam({ deps, caller, input }) {
    const { people } = deps.books;
    const by = caller.principal.id;
    const name = input.name.normalize("NFC");
    if ((await visibleTeams(caller, deps.books)).some((team) => team.name === name))
      throw new PrivacyError("CONFLICT", { name: "body.name", got: name, want: "a name that none of yours has" });
    const team = await people.createTeam({ by, name: input.name });
    await people.addMember({ by, team: team.id, principal: by });
    await people.grantRole({ by, principal: by, role: "teamAdmin", object: team.id });
    return { ...team, myRole: "teamAdmin" };
  },
  async showTeam({ deps, caller, input }) {
    const { people } = deps.books;
    const team = await people.team(input.team);
    const members = await membersView(team.id, deps.books, await directory(deps.books));
    return { ...team, myRole: myRole(caller, team.id), members };
  },
  async addMember({ deps, caller, input }) {
    const { books } = deps;
    const by = caller.principal.id;
    const { id: team } = await books.people.team(input.team);
    const { id: principal } = await books.people.principal(input.person);
    const { from, until } = await books.people.addMember({ by, team, principal });
    const role = input.role ?? "member";
    if (role === "teamAdmin") await books.people.grantRole({ by, principal, role, object: team });
    const { nameOf } = await directory(books);
    return { person: principal, name: nameOf(principal), role, since: from, until };
  },
  async removeMember({ deps, caller, input }) {
    const { id: team } = await deps.books.people.team(input.team);
    const { id: principal } = await deps.books.people.principal(input.person);
    await part({ by: caller.principal.id, principal, team }, deps);
    return undefined;
  },
  async leaveTeam({ deps, caller, input }) {
    const { id: team } = await deps.books.people.team(input.team);
    const by = caller.principal.id;
    await part({ by, principal: by, team }, deps);
    return undefined;
  },
  async setMemberRole({ deps, caller, input }) {
    const { people } = deps.books;
    const by = caller.principal.id;
    const { id: team } = await people.team(input.team);
    const { id: principal } = await people.principal(input.person);
    const stay = (await people.members(team)).find((one) => one.principal === principal && one.until === null);
    if (stay === undefined) throw new PrivacyError("NOT_FOUND", { name: "person" });
    if (input.role === "teamAdmin") await people.grantRole({ by, principal, role: "teamAdmin", object: team });
    else {
      await keepAnAdmin(team, principal, deps.books);
      await revokeRoles({ by, principal, team }, deps.books);
    }
    deps.sender?.wake();
    const { nameOf } = await directory(deps.books);
    return { person: principal, name: nameOf(principal), role: input.role, since: stay.from, until: null };
  },
  async closeTeam({ deps, caller, input }) {
    const { people, ledgers } = deps.books;
    const by = caller.principal.id;
    const { id: team } = await people.team(input.team);
    // Leaves first: an account closes only when none below it is open.
    for (const { account } of await teamAccounts(team, deps.books))
      if (account.status !== "closed") await ledgers.close({ by, account: account.id });
    for (const { principal, until } of await people.members(team))
      if (until === null) await people.removeMember({ by, team, principal });
    for (const binding of await people.roleBindings(team)) await people.revokeRole({ by, binding: binding.id });
    for (const { id } of await people.invitations(team)) await people.endInvitation({ by, invitation: id });
    const closed = await people.closeTeam({ by, team });
    deps.sender?.wake();
    return { ...closed, myRole: null };
  },
  async listTeamAccounts({ deps, caller, input }) {
    const { id: team } = await deps.books.people.team(input.team);
    const visible: Account[] = [];
    for (const { account } of (await teamAccounts(team, deps.books)).toReversed())
      if (await holds("accountReader", caller, { account: account.id }, deps)) visible.push(account);
    const { items, next } = pageOf(visible, input);
    return { items: await accountViews(items, caller, await directory(deps.books), deps), next };
  },
  async listInvitations({ deps, input }) {
    const { id: team } = await deps.books.people.team(input.team);
    const names = await directory(deps.books);
    const { items, next } = pageOf(await deps.books.people.invitations(team), input);
    return { items: items.map((invitation) => invitationView(invitation, null, names)), next };
  },
  async invite({ deps, caller, input, exchange }) {
    const { people } = deps.books;
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
    return invitationView(invitation, url, await directory(deps.books));
  },
  async endInvitation({ deps, caller, input }) {
    const { people } = deps.books;
    const invitation = await people.invitation(input.invitation);
    if (invitation.team !== input.team) throw new PrivacyError("NOT_FOUND", { name: "invitation" });
    await people.endInvitation({ by: caller.principal.id, invitation: invitation.id });
    return undefined;
  },
  async acceptInvitation({ deps, caller, input, exchange }) {
    await deps.rates.take("signIn", exchange.address);
    const { invitation, team } = await deps.books.people
      .acceptInvitation({ secret: input.secret, by: caller.principal.id })
      .catch((error: unknown) => {
        // The caller is signed in: what is wrong is the invitation.
        if (!(error instanceof PrivacyError && error.code === "UNAUTHENTICATED")) throw error;
        throw new PrivacyError(
          "NOT_FOUND",
          { name: "invitation" },
          "this invitation was used, taken back, or has expired",
        );
      });
    return { ...team, myRole: invitation.role };
  },
} satisfies HandlersOf<"teams">;

async function visibleTeams({ roles }: Caller, { people }: Books): Promise<readonly Team[]> {
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

async function membersView(team: TeamId, { people }: Books, { nameOf }: Directory) {
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

type Parting = { readonly by: PrincipalId; readonly principal: PrincipalId; readonly team: TeamId };

/** Leaving and being removed are the same: roles, membership and what the team funds stop; what was spent stays. */
async function part(parting: Parting, deps: Deps): Promise<void> {
  const { books } = deps;
  await keepAnAdmin(parting.team, parting.principal, books);
  await books.people.removeMember(parting);
  await revokeRoles(parting, books);
  await freezeAccounts(parting, books);
  deps.sender?.wake();
}

/** A team without an admin could not be given back or led: the last one appoints another first, or closes the team. */
async function keepAnAdmin(team: TeamId, principal: PrincipalId, { people }: Books): Promise<void> {
  const admins = (await people.roleBindings(team)).filter(({ role, until }) => role === "teamAdmin" && until === null);
  if (admins.some((one) => one.principal === principal) && admins.length === 1)
    throw new PrivacyError("CONFLICT", {}, "the last admin of a team stays: make somebody else an admin, or close it");
}

async function revokeRoles({ by, principal, team }: Parting, { people }: Books): Promise<void> {
  for (const binding of await people.roleBindings(team))
    if (binding.principal === principal && binding.until === null) await people.revokeRole({ by, binding: binding.id });
}

/** Accounts of the team and of everyone below them, leaves first. */
async function teamAccounts(team: TeamId, { ledgers }: Books): Promise<readonly { readonly account: Account }[]> {
  const found: { account: Account; depth: number }[] = [];
  for (const ledger of await ledgers.ledgers()) {
    const all = await ledgers.accounts(ledger.id);
    const byId = new Map(all.map((account) => [account.id, account]));
    for (const account of all) {
      const path: Account[] = [];
      for (
        let at: Account | undefined = account;
        at !== undefined;
        at = at.parent === null ? undefined : byId.get(at.parent)
      )
        path.push(at);
      if (path.some(({ holder }) => holder.kind === "team" && holder.id === team))
        found.push({ account, depth: path.length });
    }
  }
  return found.toSorted((a, b) => b.depth - a.depth);
}

/** The accounts that the team funds stop with the membership; what they spent stays. */
async function freezeAccounts(
  { by, principal, team }: { by: PrincipalId; principal: PrincipalId; team: TeamId },
  { ledgers }: Books,
): Promise<void> {
  for (const { id, parent, status } of await ledgers.accountsOf(principal)) {
    if (parent === null || status !== "active") continue;
    const { holder } = await ledgers.account(parent);
    if (holder.kind === "team" && holder.id === team) await ledgers.freeze({ by, account: id });
  }
}
