import type { Client } from "@dosimeter/client";
import { listOf } from "../find.ts";
import { datasetSteps } from "./datasets.ts";
import { personSteps, teamSteps } from "./people.ts";
import { byName, type Roles, roleKey, type Scene, type Step } from "./scene.ts";
import type { Wanted } from "./wanted.ts";

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
