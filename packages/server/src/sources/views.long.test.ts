import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { clientOf, openTestInstance, tokenFor } from "../instance.kit.ts";

let server: PostgresServer;
const folder = temporaryFolder();
let instance: Awaited<ReturnType<typeof openTestInstance>>;
let admin: Client;

beforeAll(async () => {
  server = await openPostgres();
  const sources = join(folder, "sources.json");
  const url = server.address({ role: "reader", password: "opensesame" });
  await writeFile(sources, JSON.stringify({ clinic: { url }, again: { url } }));
  await server.query(
    `CREATE SCHEMA ward; CREATE ROLE reader LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT 'p' || (i % 50) AS patient, (i * 7 % 90)::int AS age FROM generate_series(1, 200) AS t(i);
     CREATE VIEW ward.plain AS SELECT * FROM ward.visits;
     CREATE VIEW ward.deep AS SELECT patient, age + 0 AS age FROM (SELECT * FROM ward.plain WHERE age > 3) AS x;
     CREATE MATERIALIZED VIEW ward.kept AS SELECT * FROM ward.deep;
     CREATE TABLE ward.parts (patient text, age int) PARTITION BY RANGE (age);
     CREATE TABLE ward.young PARTITION OF ward.parts FOR VALUES FROM (0) TO (40);
     CREATE TABLE ward.old PARTITION OF ward.parts FOR VALUES FROM (40) TO (200);
     CREATE TABLE ward.parent (patient text, age int); CREATE TABLE ward.child () INHERITS (ward.parent);
     CREATE TABLE ward.others AS SELECT 'q' || i AS patient, 5 AS age FROM generate_series(1, 20) AS t(i);
     CREATE TABLE ward.secret AS SELECT 'r' || i AS patient, 5 AS age FROM generate_series(1, 20) AS t(i);
     ALTER TABLE ward.secret ENABLE ROW LEVEL SECURITY; CREATE POLICY half ON ward.secret TO reader USING (patient < 'r15');
     CREATE VIEW ward.over_secret AS SELECT * FROM ward.secret;
     GRANT SELECT ON ALL TABLES IN SCHEMA ward TO reader`,
  );
  instance = await openTestInstance({ sources });
  const operator = clientOf(instance, instance.operatorToken);
  const { id } = await operator.createPerson({ name: "admin" });
  await operator.grantRole({ person: id, role: "platformAdmin", object: { kind: "platform" } });
  admin = clientOf(instance, await tokenFor(instance, id));
});
afterAll(async () => {
  await instance.close();
  await server.close();
});

const over = (table: string, connection = "clinic") => ({
  name: `${table} of ${connection}`,
  source: { postgres: { connection, schema: "ward", table } },
  privacyUnit: { column: "patient" },
  contribution: { rows: 4 },
  columns: { patient: { type: "text" }, age: { type: "integer", lower: 0, upper: 100 } },
});

test("what reads the same table in any way is about the same people, or says why not, on both", async () => {
  const first = await admin.createDataset({ declaration: over("visits") });
  expect(first.lineage).toEqual({ rowSecurity: [], sameRows: [] });
  const others: readonly (readonly [string, string])[] = [
    ["plain", "clinic"],
    ["deep", "clinic"],
    ["kept", "clinic"],
    ["visits", "again"],
    ["deep", "again"],
  ];
  for (const [table, connection] of others)
    await expect(admin.createDataset({ declaration: over(table, connection) }), table).rejects.toMatchObject({
      code: "CONFLICT",
      details: { name: "body.population", want: first.population, dataset: first.id },
    });
  const { population } = first;
  expect((await admin.createDataset({ declaration: over("plain"), population })).lineage?.sameRows).toEqual([]);
  const reason = "a training copy, whose people agreed to two studies";
  const second = await admin.createDataset({ declaration: over("deep"), secondLedger: reason });
  expect(second.population).not.toBe(population);
  const said = (dataset: { id: string; name: string }) =>
    expect.objectContaining({ dataset: dataset.id, name: dataset.name, reason });
  expect(second.lineage?.sameRows).toContainEqual(said(first));
  expect((await admin.showDataset({ dataset: first.id })).lineage?.sameRows).toEqual([said(second)]);
  await admin.createDataset({ declaration: over("others") });
});

test.each([
  ["young", "old"],
  ["young", "parts"],
  ["child", "parent"],
])("parts of one table are of one people: %s and %s", async (one, other) => {
  const known = (await admin.listDatasets({})).items.find(({ name }) => name === `${one} of clinic`);
  if (known === undefined) await admin.createDataset({ declaration: over(one) });
  await expect(admin.createDataset({ declaration: over(other) })).rejects.toMatchObject({ code: "CONFLICT" });
});

test("a view that is pointed at another table is declared again with what it reads now", async () => {
  await server.query(
    `CREATE VIEW ward.moving AS SELECT * FROM (VALUES ('a', 1)) AS v(patient, age); GRANT SELECT ON ward.moving TO reader`,
  );
  const dataset = await admin.createDataset({ declaration: over("moving") });
  expect(dataset.lineage?.sameRows).toEqual([]);
  await server.query("CREATE OR REPLACE VIEW ward.moving AS SELECT * FROM ward.visits");
  await admin.createVersion({ dataset: dataset.id, declaration: over("moving") });
  expect((await admin.showDataset({ dataset: dataset.id })).lineage?.sameRows.length).toBeGreaterThan(0);
});

test("rows that the role of a connection does not see are said when a table is declared", async () => {
  const { lineage } = await admin.createDataset({ declaration: over("secret") });
  expect(lineage).toEqual({ rowSecurity: ["ward.secret"], sameRows: [] });
  const { population } = (await admin.listDatasets({ name: "secret of clinic" })).items[0] ?? { population: "" };
  const view = await admin.createDataset({ declaration: over("over_secret"), population });
  expect(view.lineage?.rowSecurity).toEqual(["ward.secret"]);
});
