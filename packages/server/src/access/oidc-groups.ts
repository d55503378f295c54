import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { type LedgerDatabase, type Principal, type Roles, systemPrincipal, type Team } from "@dosimeter/ledger";
import type { Log } from "../telemetry/log.ts";
import type { GroupGrant, GroupTable, OidcProvider } from "./oidc-provider.ts";

/**
 * The groups that a provider names. UNAUTHENTICATED where there is a table and the provider names none as a list of texts: taken for no
 * group, a claim that is missing would take away what the person has.
 */
export function groupsOf(claims: Readonly<Record<string, unknown>>, { groups, groupsClaim = "groups" }: OidcProvider) {
  if (groups === undefined) return null;
  const claim = claims[groupsClaim];
  if (Array.isArray(claim) && claim.every((one) => typeof one === "string")) return new Set<string>(claim);
  throw new PrivacyError(
    "UNAUTHENTICATED",
    { why: "NO_GROUPS" },
    `the provider does not say which groups you are in: its operator lets it send the claim ${groupsClaim} as a list`,
  );
}

/**
 * Gives a person what the table says of their groups, and takes what it says of other groups only: nothing that no row names. The last admin
 * stays, and a team that does not exist is not made; the log says so.
 */
export async function applyGroups(
  { id: principal }: Principal,
  groups: ReadonlySet<string>,
  { table, people, log }: { readonly table: GroupTable; readonly people: LedgerDatabase["people"]; readonly log: Log },
): Promise<void> {
  const open = (await people.teams()).filter(({ closedAt }) => closedAt === null);
  const roles = await people.rolesOf(principal);
  for (const target of targetsOf(table, groups)) {
    try {
      if (target.team === undefined) await setRole({ people, principal, roles }, target);
      else
        await setTeams(
          { people, principal, roles },
          { ...target, named: open.filter(({ id, name }) => id === target.team || name === target.team) },
        );
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      log.error("GROUP_NOT_APPLIED", { cause: error.code });
    }
  }
}

interface Target {
  readonly team?: string;
  readonly role: NonNullable<GroupGrant["role"]> | "member";
  readonly isWanted: boolean;
}

/** Every role that the table names, once; memberships after the admins of their teams, whom they include. */
function targetsOf(table: GroupTable, groups: ReadonlySet<string>): readonly Target[] {
  const targets = new Map<string, Target>();
  for (const [group, { team, role = "member" }] of Object.entries(table)) {
    const add = (as: Target["role"]) => {
      const key = JSON.stringify([team, as]);
      const isWanted = groups.has(group) || targets.get(key)?.isWanted === true;
      targets.set(key, { ...present({ team }), role: as, isWanted });
    };
    add(role);
    if (role === "teamAdmin") add("member");
  }
  return [...targets.values()].toSorted((a, b) => Number(a.role === "member") - Number(b.role === "member"));
}

interface Changing {
  readonly people: LedgerDatabase["people"];
  readonly principal: Principal["id"];
  readonly roles: Roles;
}

const by = systemPrincipal;

async function setRole({ people, principal, roles }: Changing, { role, isWanted }: Target): Promise<void> {
  if (role !== "platformAdmin" && role !== "auditor") return;
  if (isWanted === roles[role]) return;
  if (isWanted) await people.grantRole({ principal, role, by });
  else await endRole({ people, principal, roles }, role, null);
}

/** Anyone may open a team of the same name: of several, a person is put into none, and taken out of all. */
async function setTeams(
  changing: Changing,
  { named, ...target }: Omit<Target, "team"> & { readonly named: readonly Team[] },
): Promise<void> {
  if (!target.isWanted) for (const { id } of named) await setTeam(changing, { ...target, team: id });
  else if (named.length !== 1) throw new PrivacyError("NOT_FOUND", { name: "team" });
  else for (const { id } of named) await setTeam(changing, { ...target, team: id });
}

async function setTeam(
  { people, principal, roles }: Changing,
  { team, role, isWanted }: Omit<Target, "team"> & { readonly team: Team["id"] },
): Promise<void> {
  const has = role === "teamAdmin" ? roles.teamAdminOf.includes(team) : roles.memberOf.includes(team);
  if (isWanted === has) return;
  if (isWanted) await people.addMember({ team, principal, ...(role === "teamAdmin" ? { role } : {}), by });
  else if (role === "teamAdmin") await endRole({ people, principal, roles }, role, team);
  else await people.removeMember({ team, principal, by });
}

async function endRole(
  { people, principal }: Changing,
  role: "platformAdmin" | "auditor" | "teamAdmin",
  object: Team["id"] | null,
): Promise<void> {
  for (const binding of await people.roleBindings(object ?? undefined))
    if (binding.principal === principal && binding.role === role && binding.object === object)
      await people.revokeRole({ binding: binding.id, by });
}
