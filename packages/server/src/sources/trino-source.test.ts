import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, Plan } from "@dosimeter/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { noTrino, openPassage, openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { clientOf, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";

/** What an error of Trino quotes of a row that it cannot read. */
const SECRET = "secret-row-value";

/** `reader` may read what it is not forbidden to; the operator may do everything. */
const rulesWith = (...more: readonly object[]) => ({
  schemas: [{ user: "operator", owner: true }],
  tables: [
    { user: "operator", privileges: ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP", "GRANT_SELECT"] },
    ...[
      ...more,
      { table: "salaries", privileges: [] },
      { table: "inbox", privileges: ["INSERT"] },
      { table: "wages", privileges: ["SELECT"], columns: [{ name: "age", allow: false }] },
      { privileges: ["SELECT"] },
    ].map((rule) => ({ user: "reader", catalog: "memory", schema: "ward", ...rule })),
  ],
});

const declarationOf = (table: string, regions: readonly string[] = ["north", "south"], more: object = {}) => ({
  name: table,
  source: { trino: { connection: "lake", schema: "ward", table, ...more } },
  privacyUnit: { column: "patient" },
  contribution: { rows: 4 },
  columns: {
    patient: { type: "text" },
    age: { type: "integer", lower: 0, upper: 100 },
    region: { type: "category", categories: regions },
  },
});

/** More than fits in a statement. */
const manyRegions = Array.from({ length: 4000 }, (_, at) => `'${at}'`.padEnd(200, "'"));

interface Place {
  readonly client: Client;
  readonly instance: Instance & { readonly folder: string };
  readonly logged: string[];
}

const count = (epsilon = "50"): Plan => ({ statistics: [{ statistic: "count", epsilon }] });

describe.skipIf(noTrino !== null)(`tables of a real Trino${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let server: TrinoServer;
  const folder = temporaryFolder();
  let options: Partial<InstanceOptions>;
  /** What `reader` may not read in addition, from the next second on. */
  let forbid: (...more: readonly object[]) => Promise<void>;
  /** What happens before a statement of the connection `watched` is run. */
  let before: (statement: string) => Promise<unknown> = async () => {};
  let passage: Awaited<ReturnType<typeof openPassage>>;

  beforeAll(async () => {
    const file = join(folder, "rules.json");
    forbid = (...more) => writeFile(file, JSON.stringify(rulesWith(...more)));
    await forbid();
    const control = ["access-control.name=file", `security.config-file=${file}`, "security.refresh-period=1s"];
    server = await openTrino({ files: { "access-control.properties": control } });
    passage = await openPassage(server, (statement) => before(statement));
    const rows = (people: number) =>
      `SELECT 'p' || CAST(i % ${people} AS varchar) AS patient, CAST(i * 7 % 90 AS integer) AS age, IF(i % 2 = 0, 'north', 'south') AS region FROM UNNEST(sequence(1, 2000)) AS t(i)`;
    await server.query("CREATE SCHEMA memory.ward");
    await server.query("CREATE SCHEMA memory.vault");
    for (const table of ["ward.visits", "ward.salaries", "ward.inbox", "ward.wages", "ward.stays", "vault.visits"])
      await server.query(`CREATE TABLE memory.${table} AS ${rows(500)}`);
    await server.query(
      `CREATE TABLE memory.ward.letters AS SELECT patient, CAST(age AS varchar) AS age, region FROM (${rows(500)})`,
    );
    // Its column is a number, whatever its rows are.
    await server.query(
      "CREATE VIEW memory.ward.numbers AS SELECT patient, CAST(age AS bigint) AS age, region FROM memory.ward.letters",
    );
    await server.query(
      "CREATE VIEW memory.ward.others AS SELECT patient, 5 AS age, CAST(age AS varchar) AS region FROM memory.ward.numbers",
    );
    await writeFile(
      join(folder, "sources.json"),
      JSON.stringify({ lake: { url: server.address("reader") }, watched: { url: passage.address("reader") } }),
    );
    options = { sources: join(folder, "sources.json") };
  });
  afterAll(async () => {
    await passage.close();
    await server.close();
  });

  /** A server over a dataset, and what it costs so far. */
  async function at<T>(job: (place: Place) => Promise<T>): Promise<T> {
    const logged: string[] = [];
    const log = (line: object): void => void logged.push(JSON.stringify(line));
    const instance = await openTestInstance({
      ...options,
      log: { info: (...all) => log(all), error: (...all) => log(all) },
    });
    try {
      return await job({ client: clientOf(instance, instance.operatorToken), instance, logged });
    } finally {
      await instance.close();
    }
  }

  /** A dataset with an account of its admin, and what of it is spent. */
  async function open({ client }: Place, declaration: object) {
    const { id: dataset } = await client.createDataset({ declaration: declaration as never });
    const { id: ledger } = await client.openLedger({ dataset, epsilon: "200", delta: "1e-6" });
    const holder = { kind: "person" as const, id: (await client.me()).person.id };
    const { id: account } = await client.createAccount({ ledger, holder, epsilon: "190" });
    const spent = async () => (await client.showAccount({ account })).balance.epsilon.spent;
    return { asked: { dataset, account }, spent };
  }

  test("a table is found by names and types only, declared, charged and released", async () => {
    await at(async (place) => {
      const { client } = place;
      expect((await client.listConnections()).items).toContainEqual(
        expect.objectContaining({ name: "lake", kind: "trino" }),
      );
      const listed = await client.listTables({ connection: "lake", schema: "WARD" });
      expect(listed.schemas).toContain("ward");
      expect(listed.schemas).not.toContain("vault");
      expect(listed.tables).toContain("visits");
      expect(listed.tables).not.toContain("salaries");
      expect((await client.listTables({ connection: "lake", schema: "vault" })).tables).toEqual([]);
      const { columns } = await client.describeTable({ connection: "lake", schema: "ward", table: "visits" });
      expect(columns.map(({ name, type }) => [name, type])).toEqual([
        ["patient", "varchar"],
        ["age", "integer"],
        ["region", "varchar(5)"],
      ]);
      const { asked, spent } = await open(place, declarationOf("visits"));
      const statistics = [
        { statistic: "count" as const, groupBy: ["region"], epsilon: "50" },
        { statistic: "mean" as const, column: "age", epsilon: "20" },
      ];
      const { answers } = await client.releaseAndWait({ ...asked, plan: { statistics } });
      for (const { value } of answers?.[0]?.cells ?? []) expect(value).toBeCloseTo(1000, -1);
      expect(answers?.[1]?.cells[0]?.value).toBeCloseTo(44.5, 0);
      expect(Number(await spent())).toBeCloseTo(70, 6);
    });
  });

  test.each([
    ["a table that is not there", declarationOf("nothing"), /^connection "lake" shows no table "ward"."nothing"$/],
    [
      "one that its user may not read",
      declarationOf("salaries"),
      /^connection "lake" shows no table "ward"."salaries"$/,
    ],
    [
      "one of a schema that its user may not see",
      declarationOf("visits", undefined, { schema: "vault" }),
      /^connection "lake" shows no table "vault"."visits"$/,
    ],
    ["a column that its user may not read", declarationOf("wages"), /^the table has no column "age"$/],
    [
      "a table that its user may only write to",
      declarationOf("inbox"),
      /^connection "lake" cannot be used: its user has no right to read this table$/,
    ],
    [
      "numbers that are stored as texts",
      declarationOf("letters"),
      /^column "age" is stored as varchar, which cannot be read as integer/,
    ],
  ])("%s is refused when it is declared", async (_, declaration, message) => {
    await at(async ({ client }) => {
      await expect(client.createDataset({ declaration: declaration as never })).rejects.toMatchObject({
        code: "DATA_UNREADABLE",
        message: expect.stringMatching(message),
      });
      expect((await client.listDatasets()).items).toEqual([]);
    });
  });

  test("a plan whose statement is too long for Trino is refused by its row, and nothing is charged", async () => {
    await at(async (place) => {
      const { asked, spent } = await open(place, declarationOf("visits", manyRegions));
      const before = await spent();
      const statistics = [
        { statistic: "count" as const, epsilon: "1" },
        { statistic: "count" as const, groupBy: ["region"], epsilon: "1" },
      ];
      await expect(place.client.createRelease({ ...asked, plan: { statistics } })).rejects.toMatchObject({
        code: "INVALID_PARAMETER",
        message: expect.stringMatching(/^statistics\[1\] is \d{7}, must be at most 1000000 letters of SQL/),
      });
      expect(await spent()).toBe(before);
      expect((await place.client.listReleases()).items).toEqual([]);
    });
  });

  test("a row that Trino cannot read: one constant failure, charged once, its value nowhere; its key runs it again", async () => {
    await at(async (place) => {
      const { client, instance, logged } = place;
      const { asked, spent } = await open(place, declarationOf("numbers"));
      await server.query(`INSERT INTO memory.ward.letters VALUES ('p1', '${SECRET}', 'north')`);
      const again = { idempotencyKey: "again" };
      const request = {
        ...asked,
        plan: { statistics: [{ statistic: "mean" as const, column: "age", epsilon: "20" }] },
      };
      const failed = await client.createRelease({ ...request, wait: 60 }, again);
      expect(failed).toMatchObject({ failure: { code: "ENGINE_FAILED" }, answers: null });
      const paid = await spent();
      expect(Number(paid)).toBeCloseTo(20, 6);
      // A view that fails while it is declared is refused, without the value too.
      await expect(client.createDataset({ declaration: declarationOf("others") as never })).rejects.toMatchObject({
        code: "DATA_UNREADABLE",
        message: "the table cannot be read: it is damaged or not what its declaration says",
      });
      const ledger = await readFile(join(instance.folder, "ledger.sqlite"), "latin1");
      for (const text of [JSON.stringify(failed), ledger, ...logged]) expect(text).not.toContain(SECRET);
      expect(logged.join()).toContain("ENGINE_FAILED");

      await server.query("DROP TABLE memory.ward.letters");
      await server.query(
        "CREATE TABLE memory.ward.letters AS SELECT patient, CAST(age AS varchar) AS age, region FROM memory.ward.visits",
      );
      const done = await client.releaseAndWait(request, again);
      expect(done.answers?.[0]?.cells[0]?.value).toBeCloseTo(44.5, 0);
      expect(await spent()).toBe(paid);
    });
  });

  test.each([
    ["a table", { table: "visits", privileges: [] }],
    ["a column", { table: "visits", privileges: ["SELECT"], columns: [{ name: "age", allow: false }] }],
    ["everything of a schema", { privileges: [] }],
  ])(
    "a right to read %s that is taken away: one constant failure, charged once; given back, its key runs it",
    async (_, rule) => {
      await at(async (place) => {
        const { client } = place;
        const { asked, spent } = await open(place, declarationOf("visits"));
        const columns = async () => {
          const described = client.describeTable({ connection: "lake", schema: "ward", table: "visits" });
          return (await described.catch(() => ({ columns: [] }))).columns.length;
        };
        const request = { ...asked, plan: count("20") };
        const again = { idempotencyKey: "again" };
        await forbid(rule);
        await expect.poll(columns, { timeout: 60_000 }).toBeLessThan(3);
        const failed = await client.createRelease({ ...request, wait: 60 }, again);
        expect(failed).toMatchObject({ failure: { code: "ENGINE_FAILED" }, answers: null });
        const paid = await spent();
        expect(Number(paid)).toBeCloseTo(20, 6);
        await forbid();
        await expect.poll(columns, { timeout: 60_000 }).toBe(3);
        const done = await client.releaseAndWait(request, again);
        expect(done.answers?.[0]?.cells[0]?.value).toBeCloseTo(2000, -1);
        expect(await spent()).toBe(paid);
      });
    },
  );

  test("a table that is dropped before the second statistic is measured: no answer, one constant failure, charged once", async () => {
    await at(async (place) => {
      const { client, logged } = place;
      const { asked, spent } = await open(place, declarationOf("stays", undefined, { connection: "watched" }));
      const statistics = [
        { statistic: "count" as const, epsilon: "2" },
        { statistic: "mean" as const, column: "age", epsilon: "3" },
      ];
      before = async (statement) => {
        if (statement.includes("sum(")) await server.query("DROP TABLE IF EXISTS memory.ward.stays");
      };
      const gone = await client.createRelease({ ...asked, plan: { statistics }, wait: 60 });
      expect(gone).toMatchObject({ failure: { code: "ENGINE_FAILED" }, answers: null });
      expect(Number(await spent())).toBeCloseTo(5, 6);
      expect(await server.query("SHOW TABLES FROM memory.ward LIKE 'stays'")).toEqual([]);
      expect(logged.join()).toContain("ENGINE_FAILED");
      expect(logged.join()).not.toContain("does not exist");
    });
  });

  test("a table that is gone, and a cluster that is gone: the charge stands once, with the same words", async () => {
    await at(async (place) => {
      const { client } = place;
      const { asked, spent } = await open(place, declarationOf("visits"));
      await server.query("ALTER TABLE memory.ward.visits RENAME TO memory.ward.moved");
      const gone = await client.createRelease({ ...asked, plan: count("1"), wait: 60 }, { idempotencyKey: "gone" });
      expect(gone).toMatchObject({ failure: { code: "ENGINE_FAILED" }, answers: null });
      await server.kill();
      const lost = await client.createRelease({ ...asked, plan: count("2"), wait: 60 }, { idempotencyKey: "lost" });
      expect(lost.failure).toEqual(gone.failure);
      expect(Number(await spent())).toBeCloseTo(3, 6);
      await expect(client.createDataset({ declaration: declarationOf("moved") as never })).rejects.toMatchObject({
        code: "DATA_UNREADABLE",
        message: 'connection "lake" cannot be used: nothing listens at its address',
      });
      expect(Number(await spent())).toBeCloseTo(3, 6);
    });
  });
});
