// The home page with 10³ datasets × 10² accounts, over the HTTP interface and in a browser, and reports of a ledger of 10⁵ charges.
// npx node --conditions=@dosimeter/source bench/home.bench.ts
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@dosimeter/client";
import { epsilonAmount } from "@dosimeter/core";
import { systemPrincipal as by, openBooks } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { createLog, openHouse, serve } from "@dosimeter/server";
import { tokenFor } from "../packages/server/src/house.kit.ts";
import { launch } from "../test/demo.kit.ts";

const DATASETS = 1_000;
const PEOPLE = 100;
const CHARGES = Number(process.argv[2] ?? 100_000);
const ROUNDS = 7;

const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
const store = await sqliteStore(join(folder, "ledger.sqlite"));
const books = await openBooks(store);
const { people, catalog, ledgers } = books;
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
  declaration: { name: "first", columns },
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
const account = (await ledgers.accounts(ledger.id))[0]?.id as never;
console.log(`charging ${CHARGES} times …`);
for (let done = 0; done < CHARGES; done += 1_000) {
  await Promise.all(
    Array.from({ length: 1_000 }, (_, i) =>
      ledgers
        .charge({
          principal: everyone[0] as never,
          account,
          dataset: dataset.id,
          key: `k${done + i}`,
          request: { dataset: dataset.id, account, plan: { statistics: [] } },
          events: [{ kind: "pure", epsilon: i % 3 === 0 ? "0.000001" : "0.000002" }],
          adjacency: "addRemove",
          lease: { owner: "bench", seconds: 60 },
        })
        .then(({ charge }) => books.releases.complete({ charge: charge.id, owner: "bench", answers: [] })),
    ),
  );
}
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
await books.close();

const house = await openHouse({ folder });
const clientFor = async (person: string): Promise<Client> =>
  createClient({ url: "http://bench", fetch: house.fetch, token: await tokenFor(house, person) });
const operator = createClient({ url: "http://bench", fetch: house.fetch, token: house.operatorToken });
const analyst = await clientFor(everyone[1] as string);

const time = async (run: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await run();
  return performance.now() - started;
};

async function show(what: string, run: () => Promise<unknown>): Promise<void> {
  const first = await time(run);
  const later: number[] = [];
  for (let i = 0; i < ROUNDS; i++) later.push(await time(run));
  later.sort((a, b) => a - b);
  console.log(`${what} | ${first.toFixed(0)} ms | ${later[ROUNDS >> 1]?.toFixed(0)} ms`);
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

console.log(`load ${loadavg()[0]?.toFixed(1)}`);
console.log("what | first | median of later");
await show(`home of an analyst with ${DATASETS} accounts`, home(analyst));
await show("home of a platform admin", home(operator));
for (const route of ["me", "listMyAccounts", "listDatasets", "listReleases"] as const)
  await show(`  of which ${route}, analyst`, () => analyst[route]({}));
await show("one account found among all of them", () => analyst.listMyAccounts({ text: "first_777", limit: 12 }));
await show("one ledger's page: 100 accounts", () => operator.listAccounts({ ledger: ledger.id, limit: 200 }));
await show(`report of a ledger of ${CHARGES} charges`, () => operator.reportLedger({ ledger: ledger.id }));
await show("the same at another δ each time", () =>
  operator.reportLedger({ ledger: ledger.id, delta: String(1e-7 * (1 + Math.random())) }),
);
await house.close();

// The same in a browser, over a socket: from the address to the last part of the page.
const webRoot = process.env.DOSIMETER_WEB_ROOT;
const serving = await serve({
  folder,
  log: createLog("silent"),
  port: 0,
  ...(webRoot === undefined ? {} : { webRoot }),
});
const desk = createClient({ url: serving.url, fetch: serving.house.fetch, token: serving.house.operatorToken });
const browser = await launch();
for (const [who, person] of [
  [`an analyst with ${DATASETS} accounts`, everyone[1] as string],
  [`an admin of ${DATASETS} datasets`, await adminOfAll()],
] as const) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const { pathname, hash } = new URL((await desk.createSignInLink({ person })).url);
  await page.goto(new URL(pathname + hash, serving.url).href);
  await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
  await show(`home in a browser: ${who}`, async () => {
    await page.goto(serving.url, { waitUntil: "commit" });
    await Promise.all([
      page.locator("section[aria-labelledby=spend] .card").first().waitFor(),
      page.getByRole("region", { name: "What waits for you" }).waitFor(),
      page.getByRole("region", { name: "Recent releases" }).locator(".state, table").first().waitFor(),
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
  await show(`datasets in a browser: ${who}`, async () => {
    await page.goto(`${serving.url}/datasets`, { waitUntil: "commit" });
    await page.getByRole("row").nth(20).waitFor();
  });
  await context.close();
}
await browser.close();
await serving.close();
await rm(folder, { recursive: true });

/** Someone who administers every dataset and holds no account. */
async function adminOfAll(): Promise<string> {
  const { id } = await desk.createPerson({ name: "admin of all" });
  for await (const { id: object } of desk.all("listDatasets", { limit: 200 }))
    await desk.grantRole({ person: id, role: "datasetAdmin", object: { kind: "dataset", id: object } });
  return id;
}
