import { type Holder, type LedgerDatabase, type Principal, systemPrincipal, type Team } from "@dosimeter/ledger";

/** Names of people, teams, datasets and accounts, read once for one answer. */
export interface Directory {
  readonly person: (id: string) => Principal | undefined;
  readonly team: (id: string) => Team | undefined;
  readonly nameOf: (id: string) => string;
  /** Whether a principal is a person, a service or an agent. */
  readonly kindOf: (id: string) => Principal["kind"];
}

export async function directory({ people, catalog }: LedgerDatabase): Promise<Directory> {
  const [principals, teams, datasets] = await Promise.all([people.principals(), people.teams(), catalog.names()]);
  const person = byId(principals);
  const team = byId(teams);
  const dataset = byId(datasets);
  return {
    person: (id) => person.get(id),
    team: (id) => team.get(id),
    kindOf: (id) => person.get(id)?.kind ?? "service",
    nameOf: (id) =>
      id === systemPrincipal ? "Dosimeter" : ((person.get(id) ?? team.get(id) ?? dataset.get(id))?.name ?? id),
  };
}

const byId = <T extends { readonly id: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((item) => [item.id, item]));

/** A holder as the wire names it: a principal is a person there. */
export function holderView({ kind, id }: Holder, { nameOf }: Directory) {
  return { kind: kind === "principal" ? ("person" as const) : kind, id, name: nameOf(id) };
}
