import type { Client, Person } from "@dosimeter/client";
import { listOf } from "../find.ts";
import { datasetSteps } from "./datasets.ts";
import { byName, idOf, type Roles, roleKey, type Scene, type Step } from "./scene.ts";
import type { Wanted, WantedPerson, WantedTeam } from "./wanted.ts";

function personSteps(
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

async function teamSteps(
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

/**
 * What is missing for what a file asks for, in the order in which it can be done; nothing where all of it is there. Takes nothing away: what the
 * file does not name stays. `problems` are differences that another way has to settle; then nothing is to be done.
 */
export async function stepsTo(
  wanted: Wanted,
  { client, declare }: Pick<Scene, "client" | "declare">,
): Promise<{ readonly steps: readonly Step[]; readonly problems: readonly string[] }> {
  const people = (await listOf(client.all("listPeople"))).filter(({ removedAt }) => removedAt === null);
  const teams = (await listOf(client.all("listTeams"))).filter(({ closedAt }) => closedAt === null);
  const problems: string[] = [];
  const ids = { people: byName("person", people, problems), teams: byName("team", teams, problems) };
  const scene: Scene = { client, declare, ids, datasets: await listOf(client.all("listDatasets")), problems };
  const roles = await rolesOf(client);
  const steps: Step[] = [];
  for (const one of wanted.people) steps.push(...personSteps(one, scene, people, roles));
  const { person: me } = await client.me();
  for (const one of wanted.teams) steps.push(...(await teamSteps(one, scene, me.id)));
  for (const one of wanted.datasets) steps.push(...(await datasetSteps(one, scene, wanted, roles)));
  // A name alone does not say who is meant.
  const known = new Set(wanted.people.map(({ name }) => name));
  for (const name of new Set(namedIn(wanted)))
    if (!known.has(name)) problems.push(`the file lists no person called ${JSON.stringify(name)}, with an address`);
  return { steps, problems };
}

const namedIn = ({ teams, datasets }: Wanted): readonly string[] => [
  ...teams.flatMap(({ admins, members }) => [...admins, ...members]),
  ...datasets.flatMap(({ admins, auditors, quotas }) => [
    ...admins,
    ...auditors,
    ...quotas.flatMap(({ person }) => (person === undefined ? [] : [person])),
  ]),
];

async function rolesOf(client: Client): Promise<Roles> {
  const roles = await listOf(client.all("listRoles"));
  return new Set(roles.map(({ role, person, object }) => roleKey(role, person, object.id)));
}
