import { PrivacyError } from "@dosimeter/core";
import type { Books, PrincipalId, Team, TeamId } from "@dosimeter/ledger";
import type { HandlersOf } from "../call.ts";
import type { Caller } from "../credentials.ts";
import { pageOf } from "../page.ts";
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
    const { people } = deps.books;
    const by = caller.principal.id;
    const { id: team } = await people.team(input.team);
    const { id: principal } = await people.principal(input.person);
    for (const binding of await people.roleBindings(team))
      if (binding.principal === principal && binding.until === null)
        await people.revokeRole({ by, binding: binding.id });
    await people.removeMember({ by, team, principal });
    await freezeAccounts({ by, principal, team }, deps.books);
    return undefined;
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
