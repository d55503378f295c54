import type { Me, Person } from "@dosimeter/client";
import type { LedgerDatabase, Principal, PrincipalId, RoleBinding } from "@dosimeter/ledger";
import { type Facts, opensTeams } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { type Directory, directory } from "./directory.ts";

export type Behind = ReadonlyMap<string, PrincipalId>;

export function personView(
  principal: Principal,
  { full, behind }: { readonly full: boolean; readonly behind: Behind },
): Person {
  return { ...principal, email: full ? principal.email : null, onBehalfOf: behind.get(principal.id) ?? null };
}

const kindOf = { platformAdmin: "platform", auditor: "platform", datasetAdmin: "dataset", teamAdmin: "team" } as const;

export function roleView({ id, principal, role, object, from }: RoleBinding, { nameOf }: Directory) {
  return { id, person: principal, name: nameOf(principal), role, object: objectOf(role, object), since: from };
}

const objectOf = (role: RoleBinding["role"], object: string | null) => ({
  kind: role === "auditor" && object !== null ? ("dataset" as const) : kindOf[role],
  id: object,
});

/** The caller; in a demo also the people whom they can switch to. */
export async function meView(
  caller: Pick<Caller, "principal" | "scopes" | "via">,
  { database, teams }: Pick<Facts, "database" | "teams">,
  demoIsOn: boolean,
): Promise<Me> {
  const { principal, scopes } = caller;
  const names = await directory(database);
  const bindings = (await database.people.roleBindings()).filter(
    (binding) => binding.principal === principal.id && binding.until === null,
  );
  const viaDemo = demoIsOn && principal.demo && caller.via === "session";
  return {
    person: personView(principal, { full: true, behind: await database.people.analystsBehind() }),
    roles: bindings.map(({ role, object }) => ({
      role,
      object: objectOf(role, object),
      objectName: object === null ? null : names.nameOf(object),
    })),
    scopes,
    hasPassword: (await database.people.passwordOf(principal.id)) !== null,
    opensTeams: opensTeams({ platformAdmin: bindings.some(({ role }) => role === "platformAdmin") }, teams),
    viaDemo,
    demoPeople: viaDemo ? await demoPeople(database, names, principal.id) : null,
  };
}

export async function demoPeople(database: LedgerDatabase, names: Directory, current: string | null) {
  const people = (await database.people.principals()).filter(({ demo, removedAt }) => demo && removedAt === null);
  return Promise.all(
    people.map(async ({ id, name }) => ({
      id,
      name,
      description: describe(await database.people.rolesOf(id), names),
      current: id === current,
    })),
  );
}

function describe(roles: Awaited<ReturnType<LedgerDatabase["people"]["rolesOf"]>>, { nameOf }: Directory): string {
  const parts = [
    ...(roles.platformAdmin ? ["platform admin"] : []),
    ...(roles.auditor ? ["auditor"] : []),
    ...roles.datasetAdminOf.map((id) => `admin of ${nameOf(id)}`),
    ...roles.auditorOf.map((id) => `auditor of ${nameOf(id)}`),
    ...roles.teamAdminOf.map((id) => `lead of ${nameOf(id)}`),
    ...roles.memberOf.filter((id) => !roles.teamAdminOf.includes(id)).map((id) => `analyst in ${nameOf(id)}`),
  ];
  return parts.length === 0 ? "no role yet" : parts.join(", ");
}
