import type { Account, Team } from "@dosimeter/client";

/** What a person can request on a ledger: more quota for an account, or a first account. */
export interface Target {
  readonly key: string;
  readonly label: string;
  readonly input: { readonly account?: string; readonly team?: string; readonly parent?: string };
}

const isActive = ({ status }: Account): boolean => status === "active";

/** More for me and the teams I administer, then the places where there is no account yet. */
export function targetsOf(accounts: readonly Account[], teams: readonly Team[], person: string): readonly Target[] {
  const administered = teams.filter(({ myRole }) => myRole === "teamAdmin");
  const holds = (id: string, parent: string | null) =>
    accounts.some((account) => account.holder.id === id && account.parent === parent && account.status !== "closed");
  const mine = accounts.filter(({ holder }) => holder.kind === "person" && holder.id === person);
  const led = accounts.filter(({ holder }) => administered.some(({ id }) => id === holder.id));
  const more = [...mine, ...led].filter(isActive).map(({ id, path }) => ({
    key: id,
    label: `More for ${path.join(" › ")}`,
    input: { account: id },
  }));
  const below = accounts.filter(
    (account) =>
      isActive(account) &&
      account.holder.kind === "team" &&
      teams.some(({ id, myRole }) => id === account.holder.id && myRole !== null) &&
      !holds(person, account.id),
  );
  return [
    ...more,
    ...below.map(({ id, name }) => ({ key: `in ${id}`, label: `Access for me in ${name}`, input: { parent: id } })),
    ...administered
      .filter(({ id }) => !holds(id, null))
      .map(({ id, name }) => ({ key: id, label: `Access for the team ${name}`, input: { team: id } })),
    ...(holds(person, null) ? [] : [{ key: "me", label: "Access for myself", input: {} }]),
  ];
}
