// The home page with 10³ datasets × 10² accounts, over the HTTP interface and in a browser; a dataset's page and its reports
// behind 10³, 10⁴ and 10⁵ charges. npx node bench/home.bench.ts [home|reports|browser …]
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@dosimeter/client";
import { type DpEvent, epsilonAmount, PrivacyError, type Rule } from "@dosimeter/core";
import { systemPrincipal as by, openLedgerDatabase, type PrincipalId } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { createLog, openInstance, serve } from "@dosimeter/server";
import { tokenFor } from "../packages/server/src/instance.kit.ts";
import { launch } from "../test/demo.kit.ts";
import { putHistory } from "./ledger-fixture.ts";

const asked = new Set(process.argv.slice(2));
const wants = (part: string) => asked.size === 0 || asked.has(part);
const DATASETS = 1_000;
const PEOPLE = 100;
const HISTORIES = [
  [1_000, "additionThenTight"],
  [10_000, "additionThenTight"],
  [100_000, "additionThenTight"],
  [100_000, "tight"],
] as const;
/** Different ε's in a history, and accounts that spent. */
const DIFFERENT = 300;
const SPENDERS = 3;
const ROUNDS = 7;

const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
const store = await sqliteStore(join(folder, "ledger.sqlite"));
const database = await openLedgerDatabase(store, { mostCharges: 10n ** 15n });
const { people, catalog, ledgers } = database;
const decimal = (text: string) => epsilonAmount(text, "down");
const lifetime = { epsilon: decimal("100"), delta: (10n ** 12n) as never };
const population = await catalog.createPopulation({ by, name: "first", privacyUnit: "person", adjacency: "addRemove" });
const columns = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`c${i}`, { type: "integer", lower: 0, upper: 9 }]),
);
const dataset = await catalog.createDataset({
  by,
  population: population.id,
  name: "first",
  declaration: { name: "first", privacyUnit: "row", source: { csv: "a.csv" }, columns },
  source: {},
});
const ledger = await ledgers.open({ by, population: population.id, ...lifetime });
const everyone: string[] = [];
for (let i = 0; i < PEOPLE; i++) {
  const { id } = await people.createPrincipal({ by, kind: "user", name: `person ${i}` });
  everyone.push(id);
  const holder = { kind: "principal", id } as const;
  await ledgers.openAccount({ by, ledger: ledger.id, parent: null, holder, epsilon: decimal("0.5") });
}
/** A separate ledger with `size` charges and releases, of `DIFFERENT` different ε's. */
async function history(size: number, rule: Rule) {
  const name = `${size} charges, ${rule}`;
  const { id: whose } = await catalog.createPopulation({ by, name, privacyUnit: "person", adjacency: "addRemove" });
  const declaration = { name, privacyUnit: "row", source: { csv: "a.csv" }, columns };
  const { id: table } = await catalog.createDataset({ by, population: whose, name, declaration, source: {} });
  const { id: opened } = await ledgers.open({ by, population: whose, rule, ...lifetime });
  const accounts = [];
  for (const id of everyone.slice(0, SPENDERS)) {
    const holder = { kind: "principal", id: id as PrincipalId } as const;
    accounts.push((await ledgers.openAccount({ by, ledger: opened, parent: null, holder, epsilon: decimal("30") })).id);
  }
  const eventOf = (i: number): DpEvent => ({
    kind: "pure",
    epsilon: `0.000${100 + ((i * 7919) % DIFFERENT)}`,
  });
  const [account] = accounts;
  if (account === undefined) throw new Error("no account");
  const { charge } = await ledgers.charge({
    principal: everyone[0] as never,
    account,
    dataset: table,
    key: name,
    request: { dataset: table, account, plan: { statistics: [{ statistic: "count", epsilon: 0.0001 }] } },
    events: [eventOf(0)],
    adjacency: "addRemove",
    lease: { owner: "bench", seconds: 60 },
  });
  await database.releases.complete({ charge: charge.id, owner: "bench", answers: [] });
  await putHistory(store, { charge: charge.id, accounts, size: size - 1, eventOf });
  return { name, size, table, long: opened };
}
const histories: Awaited<ReturnType<typeof history>>[] = [];
for (const [size, rule] of HISTORIES) histories.push(await history(size, rule));

// The other 999 are copies of the first, without its charges: the pages read rows, not hashes.
await store.transact(async (tx) => {
  for (let i = 1; i < DATASETS; i++) {
    const copy = (table: string, changed: Readonly<Record<string, string>>, all: readonly string[]) =>
      tx.run(
        `INSERT INTO ${table} (${all.join(", ")}) SELECT ${all.map((c) => changed[c] ?? c).join(", ")} FROM ${table}
        WHERE ${table === "account" || table === "guarantee_version" ? "ledger_id" : table === "dataset_version" ? "dataset_id" : "id"} = ?`,
        [table === "population" ? population.id : table.startsWith("dataset") ? dataset.id : ledger.id],
      );
    const named = (id: string) => `${id} || '_${i}'`;
    const columnsOf = async (table: string) =>
      (await tx.all(`SELECT name FROM pragma_table_info('${table}')`, [])).map(({ name }) => String(name));
    await copy("population", { id: named("id"), name: named("name") }, await columnsOf("population"));
    await copy(
      "dataset",
      { id: named("id"), name: named("name"), population_id: named("population_id") },
      await columnsOf("dataset"),
    );
    await copy(
      "dataset_version",
      { id: named("id"), dataset_id: named("dataset_id") },
      await columnsOf("dataset_version"),
    );
    await copy(
      "ledger",
      { id: named("id"), population_id: named("population_id"), entries: "1" },
      await columnsOf("ledger"),
    );
    await copy("guarantee_version", { ledger_id: named("ledger_id") }, await columnsOf("guarantee_version"));
    await copy("account", { id: named("id"), ledger_id: named("ledger_id") }, await columnsOf("account"));
  }
});
await database.close();

const instance = await openInstance({ folder });
const clientFor = async (person: string): Promise<Client> =>
  createClient({ url: "http://bench", fetch: instance.fetch, token: await tokenFor(instance, person) });
const operator = createClient({ url: "http://bench", fetch: instance.fetch, token: instance.operatorToken });
const analyst = await clientFor(everyone[1] as string);

const time = async (run: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await run();
  return performance.now() - started;
};

async function show(what: string, run: () => Promise<unknown>): Promise<void> {
  const first = await time(run);
  const later: { readonly took: number; readonly busy: number }[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const before = process.cpuUsage();
    const took = await time(run);
    const { user, system } = process.cpuUsage(before);
    later.push({ took, busy: (user + system) / 1e3 });
  }
  const median = (of: "took" | "busy") =>
    later
      .map((one) => one[of])
      .sort((a, b) => a - b)
      [ROUNDS >> 1]?.toFixed(0);
  console.log(`${what} | ${first.toFixed(0)} ms | ${median("took")} ms | ${median("busy")} ms`);
}

/** What the home page asks when it opens. */
const home = (client: Client) => () =>
  Promise.all([
    client.me(),
    client.listMyAccounts({ limit: 12 }),
    client.listReleases({ limit: 6 }),
    client.listRequests({ box: "received", limit: 200 }),
    client.listRequests({ box: "submitted", limit: 200 }),
    client.listNotifications({ limit: 30 }),
  ]);

/** The median and the 99th percentile of `/api/health`-like requests, one every few milliseconds, while something runs. */
async function meanwhile(run: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  let isRunning = true;
  const asking = (async () => {
    while (isRunning) {
      times.push(await time(() => operator.health()));
      await new Promise((resume) => setTimeout(resume, 2));
    }
  })();
  const took = await time(run);
  isRunning = false;
  await asking;
  times.sort((a, b) => a - b);
  const at = (part: number) => `${times[Math.min(times.length - 1, Math.floor(part * times.length))]?.toFixed(1)} ms`;
  return `${took.toFixed(0)} ms, health meanwhile: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} of ${times.length}`;
}

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(`what | first | median of ${ROUNDS} later | processor time of this process, median`);
if (wants("home")) {
  await show(`home of an analyst with ${DATASETS} accounts`, home(analyst));
  await show("home of a platform admin", home(operator));
  await show(`home of an admin of ${DATASETS} datasets`, home(await clientFor(await adminOfAll(operator))));
  await show("home of the head of a team without a release", home(await clientFor(await headOfTeam())));
  for (const route of ["me", "listMyAccounts", "listDatasets", "listReleases"] as const)
    await show(`  of which ${route}, analyst`, () => analyst[route]({}));
  await show("one account found among all of them", () => analyst.listMyAccounts({ text: "first_777", limit: 12 }));
  await show("one dataset found by the search of all", () => operator.search({ text: "first_777" }));
  await show("one ledger's page: 100 accounts", () => operator.listAccounts({ ledger: ledger.id, limit: 200 }));
}
if (wants("reports"))
  for (const { name, size, table, long } of histories) {
    console.log(`-- ${name}, load ${loadavg()[0]?.toFixed(1)}`);
    const [account] = (await operator.listAccounts({ ledger: long })).items;
    const person = everyone[0] as string;
    await show("the dataset's page", () =>
      Promise.all([
        operator.showDataset({ dataset: table }),
        operator.showLedger({ ledger: long }),
        operator.listAccounts({ ledger: long, limit: 200 }),
        operator.listEntries({ ledger: long, limit: 20 }),
      ]),
    );
    await show("  its ledger, line 500 of the table", () =>
      operator.listEntries({ ledger: long, cursor: String(size - 500), limit: 20 }),
    );
    await show("  its ledger, one account, one person, charges", () =>
      operator.listEntries({ ledger: long, account: account?.id ?? "", person, kind: "charge", limit: 20 }),
    );
    await show("  its ledger, openings: one line of all", () =>
      operator.listEntries({ ledger: long, kind: "open", limit: 20 }),
    );
    console.log(`report of the ledger | ${await meanwhile(() => operator.reportLedger({ ledger: long }))}`);
    const anyDelta = () => String(1e-7 * (1 + Math.random()));
    await show("  the same again", () => operator.reportLedger({ ledger: long }));
    await show("  the same at another δ each time", () => operator.reportLedger({ ledger: long, delta: anyDelta() }));
    await show("  burn-down of one account", () =>
      operator.reportAccount({ account: account?.id ?? "", delta: anyDelta() }),
    );
    console.log(
      `  at another δ | ${await meanwhile(() => operator.reportLedger({ ledger: long, delta: anyDelta() }))}`,
    );
  }
await instance.close();

if (wants("browser")) await inBrowser();
await rm(folder, { recursive: true });

/** The same in a browser, over a socket: from the navigation to the last part of the page. */
async function inBrowser(): Promise<void> {
  const webRoot = process.env.DOSIMETER_WEB_ROOT;
  const serving = await serve({
    folder,
    log: createLog("silent"),
    port: 0,
    ...(webRoot === undefined ? {} : { webRoot }),
  });
  const operatorClient = createClient({
    url: serving.url,
    fetch: serving.instance.fetch,
    token: serving.instance.operatorToken,
  });
  const browser = await launch();
  const signedIn = async (person: string) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const { pathname, hash } = new URL((await operatorClient.createSignInLink({ person })).url);
    await page.goto(new URL(pathname + hash, serving.url).href);
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    return page;
  };
  console.log(`-- in Chromium, load ${loadavg()[0]?.toFixed(1)}`);
  const admin = await adminOfAll(operatorClient);
  for (const [who, person] of [
    [`an analyst with ${DATASETS} accounts`, everyone[1] as string],
    [`an admin of ${DATASETS} datasets`, admin],
  ] as const) {
    const page = await signedIn(person);
    await show(`home: ${who}`, async () => {
      await page.goto(serving.url, { waitUntil: "commit" });
      await Promise.all([
        page.locator("section[aria-labelledby=spend] .budget-rows").first().waitFor(),
        page.getByRole("region", { name: "What waits for you" }).waitFor(),
        page.getByRole("region", { name: "Latest answers" }).locator(".state, .latest").first().waitFor(),
      ]);
    });
    const search = page.getByLabel("Find a dataset or an account");
    if (await search.isVisible())
      await show("  one account found by typing", async () => {
        await search.fill("first_777");
        await page.getByRole("link", { name: "first_777", exact: true }).waitFor();
        await search.fill("");
        await page.getByRole("link", { name: "first_777", exact: true }).waitFor({ state: "detached" });
      });
    await show(`datasets: ${who}`, async () => {
      await page.goto(`${serving.url}/datasets`, { waitUntil: "commit" });
      await page.getByRole("row").nth(20).waitFor();
    });
    await page.context().close();
  }
  const page = await signedIn(admin);
  for (const { name: what, table } of histories) {
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    await show(`dataset of ${what}: its guarantee, budget and ledger`, async () => {
      await page.goto(`${serving.url}/datasets/${table}`, { waitUntil: "commit" });
      await part("Budget").locator("svg").first().waitFor();
      await part("Ledger").getByRole("row").nth(20).waitFor();
    });
    await show("  with every accountant over time", async () => {
      await page.goto(`${serving.url}/datasets/${table}`, { waitUntil: "commit" });
      await part("What every accountant says").locator("figure svg").first().waitFor();
    });
  }
  await browser.close();
  await serving.close();
}

/** Repeats after a second while the server answers that it gets too many requests. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PrivacyError && error.code === "RATE_LIMITED")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
}

/** Someone who administers every dataset and holds no account. */
async function adminOfAll(client: Client): Promise<string> {
  const { id } = await client.createPerson({ name: "admin of all" });
  for await (const { id: object } of client.all("listDatasets", { limit: 200 }))
    await patiently(() =>
      client.grantRole({ person: id, role: "datasetAdmin", object: { kind: "dataset", id: object } }),
    );
  return id;
}

/** Someone with a team, who may read none of what others released. */
async function headOfTeam(): Promise<string> {
  const { id } = await operator.createPerson({ name: "head of a team" });
  const { id: team } = await operator.createTeam({ name: "a team" });
  await operator.addMember({ team, person: id, role: "teamAdmin" });
  return id;
}
