import type { Person } from "@dosimeter/client";
import { idOf, type Roles, roleKey, type Scene, type Step } from "./scene.ts";
import type { WantedPerson, WantedTeam } from "./wanted.ts";

export function personSteps(
  { name, email, kind, ...holds }: WantedPerson,
  { client, ids, problems }: Scene,
  people: readonly Person[],
  roles: Roles,
): readonly Step[] {
  const there = people.find((one) => one.name === name);
  const steps: Step[] = [];
  if (there === undefined)
    steps.push({
      says: `add ${kind === "user" ? "person" : kind} ${name}`,
      run: async () =>
        ids.people.set(name, (await client.createPerson({ name, kind, ...(email === undefined ? {} : { email }) })).id),
    });
  else if (there.kind !== kind) problems.push(`${name} is a ${there.kind}, not a ${kind}`);
  else if (email !== undefined && there.email !== email)
    steps.push({
      says: `give ${name} the address ${email}`,
      run: () => client.setPerson({ person: there.id, email }),
    });
  for (const role of ["platformAdmin", "auditor"] as const)
    if (holds[role] && !roles.has(roleKey(role, there?.id, null)))
      steps.push({
        says: `make ${name} ${role === "auditor" ? "an auditor" : "an admin"} of the platform`,
        run: () => client.grantRole({ person: idOf(ids.people, name), role, object: { kind: "platform" } }),
      });
  return steps;
}

export async function teamSteps(
  { name, admins, members }: WantedTeam,
  { client, ids }: Scene,
): Promise<readonly Step[]> {
  const there = ids.teams.get(name);
  const now = there === undefined ? [] : (await client.showTeam({ team: there })).members;
  const steps: Step[] = [];
  if (there === undefined)
    steps.push({
      says: `make the team ${name}`,
      run: async () => ids.teams.set(name, (await client.createTeam({ name })).id),
    });
  const all = [
    ...members.filter((one) => !admins.includes(one)).map((one) => [one, "member"] as const),
    ...admins.map((one) => [one, "teamAdmin"] as const),
  ];
  for (const [person, role] of all) {
    const as = now.find((one) => one.until === null && one.person === ids.people.get(person))?.role;
    if (as === role || (as === "teamAdmin" && role === "member")) continue;
    const what = () => ({ team: idOf(ids.teams, name), person: idOf(ids.people, person), role });
    if (as === undefined)
      steps.push({
        says: `add ${person} to ${name}${role === "teamAdmin" ? " as an admin" : ""}`,
        run: async () => client.addMember(what()),
      });
    else steps.push({ says: `make ${person} an admin of ${name}`, run: async () => client.setMemberRole(what()) });
  }
  return steps;
}
