import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf, csvBytes, openTestInstance, tokenFor, unhurried } from "../instance.kit.ts";

let server: PostgresServer;
let place: string;
const at = (...path: string[]) => join(place, ...path);

beforeAll(async () => {
  // Roles sign in with their passwords, the superuser without one.
  server = await openPostgres({ settings: { fsync: "on" }, access: ["host all reader 127.0.0.1/32 scram-sha-256"] });
  place = temporaryFolder();
  await writeFile(at("reader"), "opensesame\n");
  await server.query(
    `CREATE SCHEMA ward; CREATE ROLE reader LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT 'p' || i AS patient, (i % 90)::int AS age FROM generate_series(1, 500) AS t(i);
     GRANT SELECT ON ward.visits TO reader`,
  );
  await server.query("CREATE DATABASE theirs TEMPLATE postgres");
});
afterAll(() => server.close());

const host = () => `127.0.0.1:${server.port}`;
const connectionHosts = () => ({
  inline: {
    [host()]: { secrets: { reader: { passwordFile: "reader" } } },
    "*.example.org:5432": { secrets: { far: { passwordFile: "reader" } } },
  },
  folder: place,
});
const url = (database = "postgres") => `postgres://reader@${host()}/${database}`;
const declaration = (connection = "clinic") => ({
  name: "visits",
  source: { postgres: { connection, schema: "ward", table: "visits" } },
  privacyUnit: { column: "patient" },
  contribution: { rows: 1 },
  columns: { patient: { type: "text" }, age: { type: "integer", lower: 0, upper: 100 } },
});

test("an admin adds a database, checks it, declares a table of it, and cannot remove it any more", async () => {
  const sources = {
    inline: { theirs: { url: url("theirs").replace("reader@", "reader:opensesame@") } },
    folder: place,
  };
  const lines: string[] = [];
  const log = {
    info: (...said: unknown[]) => lines.push(JSON.stringify(said)),
    error: (...said: unknown[]) => lines.push(JSON.stringify(said)),
  };
  const instance = await openTestInstance({ folder: at("one"), connectionHosts: connectionHosts(), sources, log });
  try {
    const client = clientOf(instance, instance.operatorToken);
    const { id } = await client.createPerson({ name: "other" });
    const stranger = clientOf(instance, await tokenFor(instance, id));
    const asked = { name: "clinic", url: url(), secret: "reader" };
    for (const ask of [
      () => stranger.addConnection(asked),
      () => stranger.testConnection({ connection: "theirs" }),
      () => stranger.removeConnection({ connection: "theirs" }),
    ])
      await expect(ask()).rejects.toMatchObject({ code: "FORBIDDEN" });

    await expect(client.addConnection({ ...asked, name: "theirs" })).rejects.toMatchObject({ code: "CONFLICT" });
    // A second name for a database would give its tables a second budget.
    await expect(client.addConnection({ ...asked, url: url("theirs") })).rejects.toThrow("theirs reads this database");
    for (const wrong of [
      { url: "postgres://reader@localhost/postgres" },
      { url: `${url()}?host=/tmp` },
      { url: url().replace("reader@", "reader:opensesame@") },
      { secret: "far" },
      { secret: "PATH" },
      { secret: "../reader" },
      { name: "a/b" },
      { name: "__proto__" },
    ])
      await expect(client.addConnection({ ...asked, ...wrong })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });

    const added = await client.addConnection(asked);
    expect(added).toMatchObject({
      name: "clinic",
      kind: "postgres",
      problem: "not tried yet",
      added: { url: url(), secret: "reader" },
    });
    await expect(client.addConnection(asked)).rejects.toMatchObject({ code: "CONFLICT" });
    const again = { ...asked, name: "again", url: `postgresql://other@${host()}/%70ostgres` };
    await expect(client.addConnection(again)).rejects.toThrow("clinic reads this database");
    expect(await client.testConnection({ connection: "clinic" })).toEqual({
      problem: null,
      schemas: ["public", "ward"],
    });
    expect(await client.testConnection({ connection: "theirs" })).toMatchObject({ problem: null });
    await client.addConnection({ name: "wrong", url: `${url()}_not`, secret: "reader" });
    const { problem } = await client.testConnection({ connection: "wrong" });
    expect(problem).toBe('connection "wrong" cannot be used: its database does not exist');
    const { items, hosts } = await client.listConnections();
    expect(items.map(({ name, added: one }) => [name, one?.byName ?? null])).toEqual([
      ["theirs", null],
      ["clinic", "operator"],
      ["wrong", "operator"],
    ]);
    expect(hosts).toEqual([
      { host: host(), secrets: ["reader"] },
      { host: "*.example.org:5432", secrets: ["far"] },
    ]);
    await expect
      .poll(async () => (await client.ready()).sources?.map(({ name, problem: why }) => [name, why === null]))
      .toEqual([
        ["theirs", true],
        ["clinic", true],
        ["wrong", false],
      ]);

    const { id: dataset } = await client.createDataset({ declaration: declaration() });
    const { id: ledger } = await client.openLedger({ dataset, epsilon: "10", delta: "1e-6" });
    const holder = { kind: "person" as const, id: (await client.me()).person.id };
    const { id: account } = await client.createAccount({ ledger, holder, epsilon: "9" });
    const plan = { statistics: [{ statistic: "count" as const, epsilon: "1" }] };
    expect(await client.releaseAndWait({ dataset, account, plan })).toMatchObject({ stage: "done" });
    await client.createDataset({ declaration: declaration("theirs"), name: "others" });
    // An earlier version of a dataset counts too; what refuses names no dataset.
    const file = await client.uploadFile({ name: "visits.csv", content: csvBytes("patient,age\np1,30\np2,40\n") });
    const overFile = { ...declaration(), source: { csv: "visits.csv" } };
    await client.createVersion({ dataset, file: file.id, declaration: overFile });
    await expect(client.removeConnection({ connection: "clinic" })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.not.stringContaining("visits"),
    });
    await expect(client.removeConnection({ connection: "theirs" })).rejects.toMatchObject({ code: "CONFLICT" });
    await client.removeConnection({ connection: "wrong" });
    await expect(client.removeConnection({ connection: "wrong" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(client.listTables({ connection: "wrong" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const audit = (await client.listAudit({ action: "connection" })).items;
    expect(audit.map(({ action, subject }) => [action, subject])).toEqual([
      ["connection.remove", "wrong"],
      ["connection.add", "wrong"],
      ["connection.add", "clinic"],
    ]);
    for (const text of [
      ...lines,
      JSON.stringify([added, items, audit]),
      await readFile(join(instance.folder, "ledger.sqlite"), "latin1"),
    ])
      expect(text).not.toContain("opensesame");
  } finally {
    await instance.close();
  }
  // Nor does anyone take over what was read through a connection that the operator no longer names.
  const later = await openTestInstance({ folder: at("one"), connectionHosts: connectionHosts() });
  const client = clientOf(later, later.operatorToken);
  await expect(client.addConnection({ name: "theirs", url: url(), secret: "reader" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await later.close();
});

test("what an admin adds, or removes, on one server is so on the others at once; a replaced secret too", async () => {
  await server.query("CREATE DATABASE ledgers");
  const database = server.address({ database: "ledgers" });
  const hosts = connectionHosts();
  const open = (name: string) =>
    openTestInstance({ folder: at(name), database, uploads: at("uploads"), connectionHosts: hosts });
  const first = await open("first");
  const second = await open("second");
  try {
    const [one, two] = [clientOf(first, first.operatorToken), clientOf(second, second.operatorToken)];
    await expect(two.listTables({ connection: "clinic" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await one.addConnection({ name: "clinic", url: url(), secret: "reader" });
    expect(await two.listTables({ connection: "clinic", schema: "ward" })).toMatchObject({ tables: ["visits"] });

    const { id: dataset } = await two.createDataset({ declaration: declaration() });
    const { id: ledger } = await two.openLedger({ dataset, epsilon: "10", delta: "1e-6" });
    const holder = { kind: "person" as const, id: (await two.me()).person.id };
    const { id: account } = await two.createAccount({ ledger, holder, epsilon: "9" });
    const plan = { statistics: [{ statistic: "count" as const, epsilon: "1" }] };
    for (const client of [one, two])
      expect(await client.releaseAndWait({ dataset, account, plan, reuse: "never" })).toMatchObject({ stage: "done" });

    await server.query("ALTER ROLE reader PASSWORD 'another'");
    await writeFile(at("reader"), "another");
    for (const client of [one, two])
      expect(await client.testConnection({ connection: "clinic" })).toMatchObject({ problem: null });

    await one.addConnection({ name: "spare", url: url("theirs"), secret: "reader" });
    expect(await two.testConnection({ connection: "spare" })).toMatchObject({ problem: null });
    await two.removeConnection({ connection: "spare" });
    await expect(one.testConnection({ connection: "spare" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  } finally {
    await second.close();
    await first.close();
  }
  // Its operator allows the host no more: the connection is there, and nothing is charged for what cannot be read.
  const third = await openTestInstance({ folder: at("third"), database, uploads: at("uploads"), metrics: true });
  try {
    const client = clientOf(third, third.operatorToken);
    const { items, hosts: none } = await client.listConnections();
    const problem = `the operator of this server lists no host ${host()} in DOSIMETER_CONNECTION_HOSTS`;
    expect(none).toEqual([]);
    expect(items).toMatchObject([{ name: "clinic", problem }]);
    expect(await client.testConnection({ connection: "clinic" })).toEqual({ problem, schemas: [] });
    const [dataset] = (await client.listDatasets({})).items;
    const [account = ""] = dataset?.myAccounts ?? [];
    const plan = { statistics: [{ statistic: "count" as const, epsilon: "1" }] };
    await expect(
      client.createRelease({ dataset: dataset?.id ?? "", account, plan, reuse: "never" }),
    ).rejects.toMatchObject({
      code: "NOT_READY",
    });
    await expect.poll(async () => (await client.ready()).sources).toEqual([{ name: "clinic", problem }]);
  } finally {
    await third.close();
  }
});

test("an admin adds few connections at once: every server signs in to each", async () => {
  const rates = { ...unhurried, test: { burst: 2, perMinute: 1e-3 } };
  const instance = await instanceOfTest({ connectionHosts: connectionHosts(), rates });
  const client = clientOf(instance, instance.operatorToken);
  const add = (name: string) => client.addConnection({ name, url: url(name), secret: "reader" });
  await expect(client.addConnection({ name: "x", url: "wrong", secret: "reader" })).rejects.toThrow("must be");
  await add("a");
  await add("b");
  await expect(add("c")).rejects.toMatchObject({ code: "RATE_LIMITED" });
});

test("a connection that is replaced while a table of it is checked gets no dataset", async () => {
  const instance = await openTestInstance({ connectionHosts: connectionHosts() });
  const locking = new pg.Client({ connectionString: server.url });
  await locking.connect();
  try {
    const client = clientOf(instance, instance.operatorToken);
    const asked = { name: "clinic", url: url(), secret: "reader" };
    await client.addConnection(asked);
    await locking.query("BEGIN; LOCK TABLE ward.visits IN ACCESS EXCLUSIVE MODE");
    const declaring = client.createDataset({ declaration: declaration() }).catch((error: unknown) => error);
    const waiting = "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND usename = 'reader'";
    await expect.poll(async () => (await server.query(waiting)).length, { timeout: 20_000 }).toBeGreaterThan(0);
    await client.removeConnection({ connection: "clinic" });
    await client.addConnection({ ...asked, url: url("theirs") });
    await locking.query("COMMIT");
    expect(await declaring).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("clinic was changed") });
    expect((await client.listDatasets({})).items).toEqual([]);
    await client.removeConnection({ connection: "clinic" });
    await client.addConnection(asked);
    await client.createDataset({ declaration: declaration() });
  } finally {
    await locking.end();
    await instance.close();
  }
});
