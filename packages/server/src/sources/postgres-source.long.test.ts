import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf, ORIGIN, openTestInstance, tokenFor } from "../instance.kit.ts";

let server: PostgresServer;
const folder = temporaryFolder();
let sources: string;
beforeAll(async () => {
  server = await openPostgres();
  sources = join(folder, "sources.json");
  const url = server.address({ role: "reader", password: "opensesame" });
  await writeFile(sources, JSON.stringify({ clinic: { url } }));
  await server.query(
    `CREATE SCHEMA ward; CREATE ROLE reader LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT 'p' || (i % 500) AS patient, (i * 7 % 90)::int AS age FROM generate_series(1, 2000) AS t(i);
     GRANT SELECT ON ward.visits TO reader`,
  );
});
afterAll(() => server.close());

const declaration = {
  name: "visits",
  source: { postgres: { connection: "clinic", schema: "ward", table: "visits" } },
  privacyUnit: { column: "patient" },
  contribution: { rows: 4 },
  columns: { patient: { type: "text" }, age: { type: "integer", lower: 0, upper: 100 } },
};

test("a table that stays in PostgreSQL: declared by a platform admin, charged, released, its password nowhere", async () => {
  const instance = await instanceOfTest({ sources });
  const operator = clientOf(instance, instance.operatorToken);
  const [{ id: admin }, { id: other }] = [
    await operator.createPerson({ name: "admin" }),
    await operator.createPerson({ name: "other" }),
  ];
  await operator.grantRole({ person: admin, role: "platformAdmin", object: { kind: "platform" } });
  const [client, stranger] = [
    clientOf(instance, await tokenFor(instance, admin)),
    clientOf(instance, await tokenFor(instance, other)),
  ];
  await expect(stranger.createDataset({ declaration })).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(stranger.listTables({ connection: "clinic", schema: "ward" })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await expect(client.listTables({ connection: "nowhere" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const listed = { schemas: ["public", "ward"], isWhole: true };
  expect(await client.listTables({ connection: "clinic" })).toEqual({ ...listed, tables: [] });
  expect(await client.listTables({ connection: "clinic", schema: "ward" })).toEqual({
    ...listed,
    tables: ["visits"],
  });

  const dataset = await client.createDataset({ declaration });
  expect(dataset.declaration).toMatchObject({ source: declaration.source });
  const ledger = await client.openLedger({ dataset: dataset.id, epsilon: "100", delta: "1e-6" });
  const account = await client.createAccount({
    ledger: ledger.id,
    holder: { kind: "person", id: admin },
    epsilon: "90",
  });
  const plan = {
    statistics: [
      { statistic: "count" as const, epsilon: "50" },
      { statistic: "mean" as const, column: "age", epsilon: "20" },
    ],
  };
  const release = await client.releaseAndWait({ dataset: dataset.id, account: account.id, plan });
  const [count, mean] = release.answers ?? [];
  expect(count?.cells[0]?.value).toBeCloseTo(2000, -1);
  expect(mean?.cells[0]?.value).toBeCloseTo(44.5, 0);

  // Its rows may change and nothing may tell: what was released is about then, and draws of different times are not averaged.
  const asked = { dataset: dataset.id, account: account.id, plan: { statistics: plan.statistics.slice(0, 1) } };
  const again = await client.releaseAndWait({ ...asked, reuse: "asAccurate" });
  expect(again.answers?.[0]).toMatchObject({ origin: { kind: "same" }, cells: count?.cells });
  expect(JSON.stringify(again.answers?.[0]?.notes)).toContain("about its rows of that time");
  const old = { where: "age > 50", epsilon: "5" };
  for (const one of [
    { statistic: "count", ...old },
    { statistic: "sum", column: "age", ...old },
  ])
    await client.releaseAndWait({ ...asked, plan: { statistics: [one] } });
  const { statistics } = await client.quotePlan({
    ...asked,
    plan: { statistics: [{ statistic: "mean", column: "age", ...old }] },
  });
  const several = statistics[0]?.reuse.offers.find(({ from }) => from.length > 1);
  expect(several).toMatchObject({ kind: "derived", asAccurate: false });
  expect(several?.notes.at(-1)).toContain("released at different times");

  // What was released before is about other rows than what is drawn now: the two are not made to agree.
  await server.query("INSERT INTO ward.visits SELECT 'q' || i, 80 FROM generate_series(1, 1000) AS t(i)");
  const both = await client.releaseAndWait({
    ...asked,
    reuse: "asAccurate",
    plan: {
      statistics: [
        { statistic: "count", ...old },
        { statistic: "mean", column: "age", where: old.where, epsilon: "4" },
      ],
    },
  });
  expect(both.answers?.map(({ origin }) => origin?.kind)).toEqual(["same", undefined]);
  expect(JSON.stringify(both.answers)).not.toContain("consistent");
  await server.query("DELETE FROM ward.visits WHERE patient LIKE 'q%'");

  await client.createVersion({ dataset: dataset.id, declaration });
  await expect(client.createRelease({ ...asked, asOf: 1 })).rejects.toMatchObject({ code: "UNSUPPORTED_QUERY" });
  const then = await client.releaseAndWait({ ...asked, asOf: 1, reuse: "asAccurate" });
  expect(then).toMatchObject({ version: 1, answers: [{ origin: { kind: "same" } }] });

  await expect(client.createDataset({ declaration, name: "twin" })).rejects.toMatchObject({ code: "CONFLICT" });
  expect(JSON.stringify([dataset, release, await client.showDataset({ dataset: dataset.id })])).not.toContain(
    "opensesame",
  );
  expect(await readFile(join(instance.folder, "ledger.sqlite"), "latin1")).not.toContain("opensesame");
});

test("where months of a table that stays are closed by hand, its earlier answers are of use only as of then: rows may have come [M167]", async () => {
  await server.query(
    `CREATE TABLE ward.stays AS SELECT 'p' || i AS patient, date '2024-01-15' + 31 * (i % 3) AS seen FROM generate_series(1, 1500) AS t(i);
     GRANT SELECT ON ward.stays TO reader`,
  );
  const instance = await instanceOfTest({ sources });
  const client = clientOf(instance, instance.operatorToken);
  const stays = {
    ...{ name: "stays", source: { postgres: { connection: "clinic", schema: "ward", table: "stays" } } },
    ...{ privacyUnit: { column: "patient" }, contribution: { rows: 1 } },
    columns: { patient: { type: "text" }, seen: { type: "date", lower: "2024-01-01", upper: "2024-03-31" } },
    blocks: { column: "seen", every: "month", zone: "UTC", closes: "by hand", closed: "2024-01" },
  };
  const { id: dataset } = await client.createDataset({ declaration: stays });
  const { id: ledger } = await client.openLedger({ dataset, epsilon: "100", delta: "1e-6" });
  const holder = { kind: "person" as const, id: (await client.me()).person.id };
  const { id: account } = await client.createAccount({ ledger, holder, epsilon: "90" });
  const january = {
    ...{ dataset, account, reuse: "asAccurate" as const },
    plan: { window: "2024-01", statistics: [{ id: "n", statistic: "count" as const, epsilon: "10" }] },
  };
  const about = ({ answers }: Awaited<ReturnType<typeof client.releaseAndWait>>) => answers?.[0]?.cells[0]?.value;
  const first = await client.releaseAndWait(january);
  // Noise of scale 1/10: off by 5 in one of 10^21 runs.
  expect(Math.abs((about(first) ?? 0) - 500)).toBeLessThan(5);
  await server.query("INSERT INTO ward.stays SELECT 'q' || i, date '2024-01-20' FROM generate_series(1, 100) AS t(i)");
  expect(await client.releaseAndWait(january)).toMatchObject({
    epsilon: "0",
    answers: [{ origin: { kind: "same" } }],
  });
  expect((await client.closeBlocks({ dataset, block: "2024-02" })).version).toBe(2);
  const latest = { ...january, plan: { ...january.plan, window: "latest 1" } };
  expect((await client.releaseAndWait(latest)).plan.window).toEqual({ blocks: ["2024-02"] });
  const fresh = await client.releaseAndWait(january);
  expect(fresh).toMatchObject({ version: 2, epsilon: "10" });
  expect(Math.abs((about(fresh) ?? 0) - 600)).toBeLessThan(5);
  const then = await client.releaseAndWait({ ...january, asOf: 1 });
  expect([then.version, then.epsilon, about(then)]).toEqual([1, "0", about(first)]);
  await expect(client.createRelease({ ...january, asOf: 1, reuse: "never" })).rejects.toMatchObject({
    code: "UNSUPPORTED_QUERY",
  });
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("an average of draws of different times, charged by an earlier program, is given as it was charged", async () => {
  const instance = await instanceOfTest({ sources });
  const { database } = instance;
  const client = clientOf(instance, instance.operatorToken);
  const { id: dataset } = await client.createDataset({ declaration });
  const { id: ledger } = await client.openLedger({ dataset, epsilon: "10", delta: "1e-6" });
  const holder = { kind: "person" as const, id: (await client.me()).person.id };
  const { id: account } = await client.createAccount({ ledger, holder, epsilon: "9" });
  await client.switchRule({ ledger });
  const plan = { statistics: [{ id: "n", statistic: "count", rho: "0.05" }] };
  const drawn = [
    await client.releaseAndWait({ dataset, account, plan }),
    await client.releaseAndWait({ dataset, account, plan }),
  ];
  const before = await database.releases.chargeOf(
    (drawn[0]?.id ?? "") as Parameters<typeof database.releases.chargeOf>[0],
  );
  const { software } = before.request as { readonly software: string };
  const from = drawn.map(({ id }) => ({ release: id, row: "n" }));
  const asked = { dataset, account, plan, reuse: "free" as const };
  await database.ledgers.charge({
    principal: before.principal,
    account: before.account,
    dataset: before.dataset,
    key: "averaged",
    request: { ...asked, asOf: null, version: 1, software, resolutions: [{ row: "n", kind: "pooled", from }] },
    events: [],
    adjacency: "addRemove",
    lease: { owner: "earlier", seconds: 0.001 },
    reusesOnly: true,
  });
  const [answer] = (await client.releaseAndWait(asked, { idempotencyKey: "averaged" })).answers ?? [];
  expect(answer?.origin).toMatchObject({ kind: "pooled", from });
  expect(JSON.stringify(answer?.notes)).toContain("released at different times");
});

test("a server without the connection refuses before anything is charged, takes over no charge, and says which sources fail", async () => {
  const data = temporaryFolder();
  const lost = join(data, "sources.json");
  await writeFile(lost, JSON.stringify({ other: { url: "postgres://reader@127.0.0.1:1/nothing" } }));
  let end = () => {};
  const step = (label: string) => {
    if (label === "release.charged") end();
  };
  const first = await openTestInstance({ folder: data, sources, step });
  const operator = clientOf(first, first.operatorToken);
  const { id: dataset } = await operator.createDataset({ declaration });
  const { id: ledger } = await operator.openLedger({ dataset, epsilon: "10", delta: "1e-6" });
  const holder = { kind: "person" as const, id: (await operator.me()).person.id };
  const { id: account } = await operator.createAccount({ ledger, holder, epsilon: "9" });
  const plan = { statistics: [{ statistic: "count" as const, epsilon: "1" }] };
  const fine = { ready: true, sources: [{ name: "clinic", problem: null }], frozen: [] };
  await expect.poll(() => operator.ready(), { timeout: 30_000 }).toEqual(fine);
  end = () => void first.drain();
  const pending = { idempotencyKey: "pending" };
  await operator.createRelease({ dataset, account, plan }, pending);
  await first.close();

  const second = await openTestInstance({ folder: data, sources: lost, metrics: true });
  try {
    const client = clientOf(second, second.operatorToken);
    const before = (await client.showAccount({ account })).balance.epsilon.spent;
    const spent = async () => (await client.showAccount({ account })).balance.epsilon.spent;
    await expect(client.createRelease({ dataset, account, plan })).rejects.toMatchObject({
      code: "NOT_READY",
      message: expect.stringContaining('this server has no connection "clinic"; nothing was charged'),
    });
    const left = await client.createRelease({ dataset, account, plan, wait: 1 }, pending);
    expect(left).toMatchObject({ stage: "queued", failure: null, tries: 1 });
    expect(await spent()).toBe(before);
    const sources = [
      { name: "clinic", problem: "this server has no connection of this name" },
      { name: "other", problem: "nothing listens at its address" },
    ];
    await expect.poll(() => client.ready(), { timeout: 30_000 }).toEqual({ ready: true, sources, frozen: [] });
    const anyone = await second.fetch(new Request(`${ORIGIN}/v1/ready`));
    expect(await anyone.json()).toEqual({ ready: true });
    const metrics = await (await second.fetch(new Request(`${ORIGIN}/metrics`))).text();
    expect(metrics).toContain('dosimeter_source_up{source="clinic"} 0');
    expect(metrics).toContain('dosimeter_source_up{source="other"} 0');
  } finally {
    await second.close();
  }
  const third = await openTestInstance({ folder: data, sources });
  const client = clientOf(third, third.operatorToken);
  expect(await client.releaseAndWait({ dataset, account, plan }, pending)).toMatchObject({ stage: "done" });
  await third.close();
});

test("without connections, and where no one answers, the owner reads why", async () => {
  const instance = await instanceOfTest();
  const client = clientOf(instance, instance.operatorToken);
  const refused = client.createDataset({ declaration });
  await expect(refused).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: 'this server knows no connection "clinic"',
  });
});
