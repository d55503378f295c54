import type { Account, Client } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { findAccount, findDataset, findLedger, findListed, findPerson, findTeam } from "../find.ts";
import { wholeNumber } from "../flags/values.ts";
import type { Finder, Given, Scene } from "./row.ts";

/** What the name of a field means, where its row does not say it. */
export const finders: Readonly<Record<string, Finder>> = {
  dataset: "dataset",
  ledger: "ledger",
  account: "account",
  parent: "account",
  person: "person",
  agent: "person",
  actor: "person",
  onBehalfOf: "person",
  recipients: "people",
  team: "team",
  amendment: "amendment",
};

export const finderWords: Readonly<Record<Exclude<Finder, null>, string>> = {
  dataset: "a dataset, by name or id",
  listed: "a dataset, by name or id",
  ledger: "the dataset, by name or id",
  population: "a dataset of the same people, by name or id",
  account: "a budget, by path or id",
  aside: "a budget of mine, by path or id (default: the only one that I hold)",
  person: "by name or id",
  people: "a person, by name or id; may come several times",
  team: "a team, by name or id",
  amendment: "the id of a raise (default: the one that is asked for)",
  version: "only if it is still this version (default: as it is now)",
};

const ID = /^(dat|led|acc|usr|tem|pop|amd)_[0-9a-z]{16,}$/;

/** The ids that names mean. What has the form of an id stays as it is: one may know it of what one cannot list. */
export async function found(finder: Exclude<Finder, null>, name: string | undefined, scene: Scene): Promise<unknown> {
  const { client } = scene;
  if (name !== undefined && (ID.test(name) || finder === "version"))
    return finder === "version" ? wholeNumber("--if-version", name) : name;
  return reading[finder](client, name, scene.raw);
}

type Reading = (client: Client, name: string | undefined, raw: Given) => Promise<unknown>;

const named =
  (find: (client: Client, name: string) => Promise<{ readonly id: string }>): Reading =>
  async (client, name) =>
    name === undefined ? undefined : (await find(client, name)).id;

const accountFor =
  (right: "mayRelease" | "maySetAside"): Reading =>
  async (client, name, raw) =>
    (await accountOn(client, raw, name, right))?.id;

const reading: Readonly<Record<Exclude<Finder, null>, Reading>> = {
  dataset: named(findDataset),
  listed: named(async (client, name) => ((await seen(client, name)) ? findDataset : findListed)(client, name)),
  ledger: named(findLedger),
  population: async (client, name) => (name === undefined ? undefined : (await findDataset(client, name)).population),
  account: accountFor("mayRelease"),
  aside: accountFor("maySetAside"),
  person: named(findPerson),
  people: named(findPerson),
  team: named(findTeam),
  async amendment(client, _, raw) {
    const { items } = await client.listAmendments({ ledger: await ledgerIn(client, raw) });
    const open = items.find(({ status }) => status === "proposed");
    if (open === undefined) throw new PrivacyError("NOT_FOUND", { name: "amendment" }, "no raise waits for a decision");
    return open.id;
  },
  version: async (client, _, raw) => (await client.showRequest({ request: String(raw.request) })).version,
};

const seen = async (client: Client, name: string): Promise<boolean> =>
  (await client.listDatasets({ name })).items.length > 0;

/** The ledger that the command names: its own id, or by a dataset. */
async function ledgerIn(client: Client, { ledger, dataset }: Given): Promise<string> {
  const name = String(ledger ?? dataset);
  return ID.test(name) && name.startsWith("led_") ? name : (await findLedger(client, name)).id;
}

/** Without a ledger the account stands for itself, by its id. */
async function accountOn(
  client: Client,
  raw: Given,
  name: string | undefined,
  right: "mayRelease" | "maySetAside",
): Promise<Pick<Account, "id"> | undefined> {
  if (raw.ledger === undefined && raw.dataset === undefined) return name === undefined ? undefined : { id: name };
  return findAccount(client, await ledgerIn(client, raw), name, right);
}
