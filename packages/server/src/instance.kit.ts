import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Client, createClient, type Plan } from "@dosimeter/client";
import { routes } from "@dosimeter/client/routes";
import { PrivacyError } from "@dosimeter/core";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import pg from "pg";
import type { z } from "zod";
import { type RateName, usualRates } from "./access/rates.ts";
import { LEDGER_FILE } from "./instance/database.ts";
import type { InstanceOptions, TestOptions } from "./instance/options.ts";
import { type Instance, openInstance } from "./instance.ts";
import { inSharedProcess } from "./measuring/shared.kit.ts";

/** An address that nothing listens on: every request of these clients goes to `instance.fetch`. */
export const ORIGIN = "http://instance.test";

/**
 * A client that throws where an answer has a field that its schema does not name: handlers answer with records of the domain, and what
 * such a record has beyond that is not for the caller.
 */
export function clientOf(instance: Instance, token: string): Client {
  const client = createClient({ url: ORIGIN, fetch: instance.fetch, token });
  const strict = Object.entries(routes).flatMap(([name, { response, events }]) => {
    if (response === null || events) return [];
    const ask = client[name as "me"];
    return [
      [name, async (...given: Parameters<typeof ask>) => namedAlone(name, response, await ask(...given))] as const,
    ];
  });
  return { ...client, ...Object.fromEntries(strict) };
}

/** The answer, if it has the fields of its schema and no others. */
export function namedAlone<T>(name: string, schema: z.ZodType, answer: T): T {
  if (isDeepStrictEqual(schema.parse(answer), answer)) return answer;
  throw new Error(`${name} answers with more than its schema names: ${JSON.stringify(answer)}`);
}

/** A client that keeps its cookie, as a browser does. */
export function browserOf(fetch: Instance["fetch"], url = ORIGIN): Client {
  let cookie = "";
  return createClient({
    url,
    async fetch(request) {
      if (cookie !== "") request.headers.set("cookie", cookie);
      const response = await fetch(request);
      const set = response.headers.getSetCookie()[0]?.split(";")[0];
      if (set !== undefined) cookie = set;
      return response;
    },
  });
}

/** The code of the error that a request ends with; "done" when it has none. */
export async function codeOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    if (error instanceof PrivacyError) return error.code;
    throw error;
  }
  return "done";
}

/** A folder of its own for one test; removed by `remove`. */
export async function temporaryFolder(): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-instance-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** No file of an instance can be read meanwhile: what is charged stays pending. */
export async function withoutRows<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const files = join(folder, "files");
  const tables = (await readdir(files)).filter((name) => name.endsWith(".csv"));
  const move = async (from: string, to: string) => {
    for (const table of tables) await rename(join(files, `${table}${from}`), join(files, `${table}${to}`));
  };
  await move("", ".away");
  try {
    return await run();
  } finally {
    await move(".away", "");
  }
}

/** Waits until the run of each has failed: asked again before, a release would tell of that run. */
export async function haveFailed({ as }: Fixture, releases: readonly { readonly id: string }[]): Promise<void> {
  for (const { id: release } of releases) {
    const { state, failure } = await as.datasetAdmin.showRelease({ release, wait: 20 });
    if (state !== "charged" || failure?.code !== "ENGINE_FAILED") throw new Error(`${state}: ${failure?.code}`);
  }
}

/** No machine is too fast for a test; those that are about rates give theirs. */
export const unhurried = Object.fromEntries(
  Object.keys(usualRates).map((name) => [name, { burst: 1e9, perMinute: 1e9 }]),
) as Record<RateName, { readonly burst: number; readonly perMinute: number }>;

/** Of a folder, where the tests run on PostgreSQL (`on-postgres.setup.ts`): a database of its own. */
export async function databaseOf(folder: string): Promise<Pick<InstanceOptions, "database">> {
  const address = process.env.TEST_DATABASE;
  if (address === undefined) return {};
  const name = `of_${createHash("sha256").update(folder).digest("hex").slice(0, 20)}`;
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  return { database: address.replace(/[^/]*$/, name) };
}

let empty: Buffer | undefined;

/** A ledger database without rows, made once: its tables take half of the processor time of opening an instance. */
async function emptyLedger(): Promise<Buffer> {
  if (empty !== undefined) return empty;
  const { folder, remove } = await temporaryFolder();
  const path = join(folder, LEDGER_FILE);
  await (await sqliteStore(path)).close();
  empty = await readFile(path);
  await remove();
  return empty;
}

export async function openTestInstance(
  options: Partial<InstanceOptions & TestOptions> = {},
): Promise<Instance & { readonly folder: string }> {
  const { folder, remove } =
    options.folder === undefined ? await temporaryFolder() : { folder: options.folder, remove: null };
  const database = await databaseOf(folder);
  if (remove !== null && database.database === undefined && options.database === undefined)
    await writeFile(join(folder, LEDGER_FILE), await emptyLedger(), { mode: 0o600 });
  const instance = await openInstance({
    ...{ rates: unhurried, startMeasuring: inSharedProcess, ...database, ...options, folder },
  });
  return {
    ...instance,
    folder,
    close: async () => {
      await instance.close();
      await remove?.();
    },
  };
}

/** Six people; the last one's age lies outside the declared bounds. Salaries are marked so that a leak can be searched for. */
export const CSV = [
  "person,age,sex,salary",
  "1,31,f,71234501",
  "2,45,m,71234502",
  "3,62,f,71234503",
  "4,28,m,71234504",
  "5,53,f,71234505",
  "6,97,m,71234506",
  "",
].join("\n");

export const declaration = {
  name: "staff",
  source: { csv: "staff.csv" },
  privacyUnit: { column: "person" },
  adjacency: "addRemove",
  contribution: { rows: 1 },
  size: { assumed: 6 },
  columns: {
    person: { type: "integer", provenance: "public" },
    age: { type: "integer", lower: 18, upper: 90, provenance: "public" },
    sex: { type: "category", categories: ["f", "m"], provenance: "public" },
    salary: { type: "integer", lower: 0, upper: 100_000_000, provenance: "asserted" },
  },
} as const;

export const countPlan = (epsilon = "0.1"): Plan => ({ statistics: [{ id: "people", statistic: "count", epsilon }] });

/** What the SDK takes as a file. */
export const csvBytes = (text: string = CSV): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Everyone a route can meet, each with a token of all scopes. */
export interface Cast {
  readonly platformAdmin: string;
  readonly datasetAdmin: string;
  readonly teamAdmin: string;
  readonly member: string;
  readonly auditor: string;
  readonly stranger: string;
}

/** Reopens a ledger where charges may be missing: an admin of its datasets and one of the platform give the same amounts. */
export async function reopenByTwo(
  instance: Instance,
  { tokens }: Pick<Fixture, "tokens">,
  amounts: Parameters<Client["reopenLedger"]>[0],
) {
  await clientOf(instance, tokens.datasetAdmin).reopenLedger(amounts);
  return clientOf(instance, tokens.platformAdmin).reopenLedger(amounts);
}

export interface Fixture {
  readonly instance: Instance;
  readonly tokens: Cast;
  readonly people: Cast;
  readonly as: Readonly<Record<keyof Cast, Client>>;
  readonly dataset: string;
  readonly ledger: string;
  readonly team: string;
  readonly teamAccount: string;
  readonly memberAccount: string;
}

const everything = ["read", "release", "manage", "admin"] as const;

/** A token of this person, made by signing in through a link as anybody would. */
export async function tokenFor(
  instance: Instance,
  person: string,
  scopes: readonly (typeof everything)[number][] = everything,
): Promise<string> {
  const { url } = await clientOf(instance, instance.operatorToken).createSignInLink({ person });
  const browser = browserOf(instance.fetch);
  await browser.signIn({ link: new URL(url).hash.slice(1) });
  return (await browser.createToken({ name: "test", scopes: [...scopes] })).secret;
}

/** A dataset with lifetime (5, 1e-6), a team with quota 2, a lead, an analyst with quota 1, an auditor and a stranger. */
export async function buildFixture(instance: Instance): Promise<Fixture> {
  const operator = clientOf(instance, instance.operatorToken);
  const people: Partial<Record<keyof Cast, string>> = {};
  const tokens: Partial<Record<keyof Cast, string>> = {};
  for (const role of ["platformAdmin", "datasetAdmin", "teamAdmin", "member", "auditor", "stranger"] as const) {
    const { id } = await operator.createPerson({ name: role });
    people[role] = id;
    tokens[role] = await tokenFor(instance, id);
  }
  const cast = people as Cast;
  const as = Object.fromEntries(
    Object.entries(tokens).map(([role, token]) => [role, clientOf(instance, token)]),
  ) as Fixture["as"];
  await operator.grantRole({ person: cast.platformAdmin, role: "platformAdmin", object: { kind: "platform" } });

  const file = await as.datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes() });
  const { id: dataset } = await as.datasetAdmin.createDataset({ file: file.id, declaration });
  await operator.grantRole({ person: cast.auditor, role: "auditor", object: { kind: "dataset", id: dataset } });
  const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-6" });

  const { id: team } = await as.teamAdmin.createTeam({ name: "analysis" });
  await as.teamAdmin.addMember({ team, person: cast.member });
  const fixture = { instance, tokens: tokens as Cast, people: cast, as, dataset, ledger, team };
  return { ...fixture, ...(await openAccounts(fixture, ledger, "2", "1")) };
}

/** An account of the team on a ledger, and the member's below it. */
export async function openAccounts(
  { as, team, people }: Pick<Fixture, "as" | "team" | "people">,
  ledger: string,
  ofTeam: string,
  ofMember: string,
): Promise<Pick<Fixture, "teamAccount" | "memberAccount">> {
  const holder = { kind: "team", id: team } as const;
  const { id: teamAccount } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: ofTeam });
  const person = { kind: "person", id: people.member } as const;
  const below = { ledger, parent: teamAccount, holder: person, epsilon: ofMember };
  return { teamAccount, memberAccount: (await as.teamAdmin.createAccount(below)).id };
}
