import type { Account, CatalogDataset, Client, DatasetSummary, Person, Team } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { meantText } from "@dosimeter/core/internal";

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The one thing whose id or name is `wanted`. Ids come first; several with the same name are an error. */
async function findOne<T extends Named>(kind: string, wanted: string, all: AsyncIterable<T>): Promise<T> {
  const things = await listOf(all);
  const named = things.filter(({ name }) => name === wanted);
  const found = things.find(({ id }) => id === wanted) ?? (named.length === 1 ? named[0] : undefined);
  if (found !== undefined) return found;
  const quoted = JSON.stringify(wanted);
  if (named.length === 0) {
    const near = meantText(
      wanted,
      things.map(({ name }) => name),
    );
    const message = `${kind} ${quoted}: not found, or not visible to you${near}`;
    throw new PrivacyError("NOT_FOUND", { name: kind, got: wanted }, message);
  }
  const ids = named.map(({ id }) => id).join(", ");
  const message = `${named.length} of kind ${kind} are called ${quoted}; say which by its id: ${ids}`;
  throw new PrivacyError("CONFLICT", { name: kind, got: wanted }, message);
}

export function findDataset(client: Client, wanted: string): Promise<DatasetSummary> {
  return findOne("dataset", wanted, client.all("listDatasets"));
}

export function findListed(client: Client, wanted: string): Promise<CatalogDataset> {
  return findOne("dataset", wanted, client.all("listCatalog"));
}

export function findTeam(client: Client, wanted: string): Promise<Team> {
  return findOne("team", wanted, client.all("listTeams"));
}

export function findPerson(client: Client, wanted: string): Promise<Person> {
  return findOne("person", wanted, client.all("listPeople"));
}

/** A plan whose joined dataset is given by id or name, with the id that the server takes. */
export async function withJoinedId<P extends object>(client: Client, plan: P): Promise<P> {
  const { join } = plan as { readonly join?: { readonly dataset?: unknown } };
  if (typeof join?.dataset !== "string" || "format" in plan) return plan;
  return { ...plan, join: { ...join, dataset: (await findDataset(client, join.dataset)).id } };
}

/** The ledger of a dataset given by id or name; refused while none is open. */
export async function findLedger(
  client: Client,
  dataset: string,
): Promise<{ readonly id: string; readonly dataset: string }> {
  const found = await findDataset(client, dataset);
  if (found.ledger !== null) return { id: found.ledger.id, dataset: found.id };
  const open = `dosimeter ledger open ${JSON.stringify(found.name)} --epsilon … --delta …`;
  const message = `the dataset ${JSON.stringify(found.name)} has no ledger yet; open it: ${open}`;
  throw new PrivacyError("NOT_FOUND", { name: "ledger" }, message);
}

/**
 * An account by its id, its path (`Public health/Ana`) or the end of its path. Without one: the only account that I can
 * spend from, or set something aside in; who pays is never guessed between several.
 */
export async function findAccount(
  client: Client,
  ledger: string,
  wanted: string | undefined,
  right: "mayRelease" | "maySetAside" = "mayRelease",
): Promise<Account> {
  const accounts = await listOf(client.all("listAccounts", { ledger }));
  if (wanted === undefined) return onlyMine(accounts.filter(({ mine }) => mine[right]));
  const found = accounts.filter((account) => account.id === wanted || isPathEnd(account, wanted));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined
      ? `account ${JSON.stringify(wanted)}: not found on this ledger, or not visible to you${meantText(wanted ?? "", accounts.map(pathOf))}`
      : `${JSON.stringify(wanted)} may be ${found.map((account) => `${pathOf(account)} (${account.id})`).join(" or ")}`;
  throw new PrivacyError(only === undefined ? "NOT_FOUND" : "CONFLICT", { name: "account", got: wanted }, message);
}

function onlyMine(mine: readonly Account[]): Account {
  const [only, ...others] = mine;
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined
      ? "no budget of yours on this ledger can pay: ask for one with dosimeter request make, or, if the dataset is yours, make one with dosimeter account create and ask with a token of its person"
      : `say who pays with --account: you hold ${mine.map(pathOf).join(", ")}`;
  throw new PrivacyError("INVALID_PARAMETER", { name: "account" }, message);
}

export function pathOf(account: Pick<Account, "path">): string {
  return account.path.join("/");
}

function isPathEnd(account: Account, wanted: string): boolean {
  const path = pathOf(account);
  return path === wanted || path.endsWith(`/${wanted}`);
}
