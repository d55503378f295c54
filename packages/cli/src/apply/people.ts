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
  // A newcomer chooses the own name: only an address that both have makes sure who is meant.
  if (there?.kind === "user" && kind === "user" && (email === undefined || there.email !== email))
    problems.push(
      `${name}: someone of this name is here ${there.email === null ? "without an address" : `as ${there.email}`}; the file must give the same address, set by hand where there is none`,
    );
  const steps: Step[] = [];
  if (there === undefined)
    steps.push({
      says: `add ${kind === "user" ? "person" : kind} ${name}`,
      run: async () =>
        ids.people.set(name, (await client.createPerson({ name, kind, ...(email === undefined ? {} : { email }) })).id),
    });
  else if (there.kind !== kind) problems.push(`${name} is a ${there.kind}, not a ${kind}`);
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
  { client, ids, problems }: Scene,
  me: string,
): Promise<readonly Step[]> {
  const there = ids.teams.get(name);
  const now = there === undefined ? [] : (await client.showTeam({ team: there })).members;
  // Anyone may make a team: one of this name that others lead is not the one that the file means.
  for (const { name: lead, person } of now.filter(({ until, role }) => until === null && role === "teamAdmin"))
    if (person !== me && !admins.some((one) => ids.people.get(one) === person))
      problems.push(`${name}: ${lead} leads a team of this name, and the file does not name them as its admin`);
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
