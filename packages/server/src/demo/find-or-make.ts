import type { Account, Client, DatasetSummary, Team } from "@dosimeter/client";
import { type Declaration, declarationJson } from "@dosimeter/query/declaration";

export async function namesToIds(operator: Client): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { name, id } of operator.all("listPeople")) ids.set(name, id);
  return ids;
}

export function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new RangeError(`${name} is not there`);
  return id;
}

/** The dataset of that name, made from its rows where it is not there. */
export async function datasetOf(
  admin: Client,
  declaration: Declaration,
  csv: () => string,
  population?: string,
): Promise<DatasetSummary> {
  for await (const dataset of admin.all("listDatasets")) if (dataset.name === declaration.name) return dataset;
  const content = new TextEncoder().encode(csv());
  const file = await admin.uploadFile({ name: `${declaration.name}.csv`, content });
  const declared = declarationJson(declaration);
  return admin.createDataset({ file: file.id, declaration: declared, ...(population ? { population } : {}) });
}

export async function teamOf(admin: Client, name: string): Promise<Team> {
  for await (const team of admin.all("listTeams")) if (team.name === name) return team;
  return admin.createTeam({ name });
}

export async function memberOf(admin: Client, team: Team, person: string, role: "member" | "teamAdmin"): Promise<void> {
  const { members } = await admin.showTeam({ team: team.id });
  if (!members.some((member) => member.person === person)) await admin.addMember({ team: team.id, person, role });
}

interface Wanted {
  readonly ledger: string;
  readonly parent: string | null;
  readonly holder: { readonly kind: "team" | "person"; readonly id: string };
  readonly epsilon: string;
}

export async function accountOf(granter: Client, { ledger, parent, holder, epsilon }: Wanted): Promise<Account> {
  for await (const account of granter.all("listAccounts", { ledger })) {
    if (account.parent === parent && account.holder.id === holder.id) return account;
  }
  return granter.createAccount({ ledger, ...(parent === null ? {} : { parent }), holder, epsilon });
}
