import { once } from "node:events";
import { tmpdir } from "node:os";
import { reveal } from "@dosimeter/core/exact";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "../../../../test/certificate.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { openEngines } from "../engine/engines.ts";
import { measure } from "../engine/under-test.kit.ts";
import { openPool, query, withSnapshot } from "./connection.ts";
import { type PostgresConnection, postgresEngine } from "./engine.ts";
import { readerOf } from "./under-test.kit.ts";

// The specification that every engine meets: engine.long.test.ts.

const SALT = "5e".repeat(32);
const here = selfSigned("127.0.0.1");
const elsewhere = selfSigned("db.example.org");
let server: PostgresServer;
const opened: Engine[] = [];

beforeAll(async () => {
  server = await openPostgres({
    settings: { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" },
    files: { "server.crt": here.certificate, "server.key": here.key },
    access: [
      "host all guard 127.0.0.1/32 scram-sha-256",
      "hostssl all vault 127.0.0.1/32 scram-sha-256",
      "host all vault 0.0.0.0/0 reject",
    ],
  });
  await server.query(
    `${readerOf("data")}; CREATE ROLE vault LOGIN PASSWORD 'opensesame'; GRANT pg_read_all_data TO vault;
     CREATE TABLE data.people (person text, age int, pay numeric(12, 2), born date, sex char(3), member boolean, home uuid);
     INSERT INTO data.people VALUES ('p1', 30, 10.5, '1990-01-02', 'f', true, '00000000-0000-0000-0000-000000000001'),
       ('p2', 40, 'NaN', '1980-01-02', 'm', false, NULL), ('p2', NULL, 99.99, NULL, 'x', NULL, NULL);
     CREATE VIEW data.failing AS SELECT age, 1 / (age - 40) AS ratio FROM data.people;
     CREATE TABLE data.slow AS SELECT i::int AS age FROM generate_series(1, 400000) AS t(i)`,
  );
});
afterAll(async () => {
  for (const engine of opened) await engine.close();
  await server.close();
});

async function over(connection: PostgresConnection): Promise<Engine> {
  const engine = await postgresEngine({ connections: { clinic: connection } });
  opened.push(engine);
  return engine;
}
const reader = (): Promise<Engine> => over({ url: server.address({ role: "reader" }) });

const declared = (table: string, columns: object, more: object = {}): Declaration =>
  checkDeclaration({
    name: "t",
    source: { postgres: { connection: "clinic", schema: "data", table } },
    privacyUnit: "row",
    columns,
    ...more,
  });
const count: Plan = { statistics: [{ statistic: "count", epsilon: 1 }] };
const ages = { age: { type: "integer", lower: 0, upper: 100 } };

describe("what a database may hold", () => {
  const columns = {
    person: { type: "text" },
    age: ages.age,
    pay: { type: "number", lower: 0, upper: 100, granularity: 0.5 },
    born: { type: "text" },
    sex: { type: "category", categories: ["f", "m", "x"] },
    member: { type: "boolean" },
    home: { type: "text" },
  };

  test("NaN is missing in every column of numbers, and no fault of one [M86]", async () => {
    await server.query(
      `CREATE TABLE data.gaps AS SELECT n AS whole, n AS real, n AS code, n AS amount, n::double precision AS wide
       FROM (VALUES ('NaN'::numeric), (NULL), (1), (2)) AS t(n)`,
    );
    const whole = { type: "integer", lower: 0, upper: 9 };
    const real = { type: "number", lower: 0, upper: 9, granularity: 1 };
    const code = { type: "category", categories: [1, 2] };
    const columns = { whole, real, code, amount: { ...real, type: "decimal", scale: 0 }, wide: real };
    const engine = await reader();
    const statistics = Object.keys(columns).flatMap((column): Plan["statistics"][number][] => [
      { statistic: "count", where: `"${column}" is null`, epsilon: 1 },
      { statistic: "count", column, epsilon: 1 },
    ]);
    const declaration = declared("gaps", columns);
    await engine.check(declaration, { salt: SALT });
    expect(await measure(engine, { statistics }, declaration)).toEqual(
      Object.keys(columns).flatMap(() => [[2n], [2n]]),
    );
    await server.query("CREATE TABLE data.halves AS SELECT 1.5 AS whole");
    const halves = engine.check(declared("halves", { whole }), { salt: SALT });
    await expect(halves).rejects.toThrow('column "whole" holds values that are not whole numbers');
  });

  test("stored types are read as declared: fixed decimals, padded texts, dates, identifiers", async () => {
    const engine = await reader();
    const plan: Plan = {
      statistics: [
        { statistic: "sum", column: "age", epsilon: 1 },
        { statistic: "sum", column: "pay", epsilon: 1 },
        { statistic: "histogram", column: "sex", epsilon: 1 },
        { statistic: "count", where: "born = '1990-01-02' and member = true", epsilon: 1 },
        { statistic: "count", where: "home is null", epsilon: 1 },
      ],
    };
    expect(await measure(engine, plan, declared("people", columns))).toEqual([[70n], [221n], [1n, 1n, 1n], [1n], [2n]]);
    expect(await engine.describe(declared("people", columns).source)).toEqual([
      { name: "person", type: "text" },
      { name: "age", type: "integer" },
      { name: "pay", type: "numeric" },
      { name: "born", type: "date" },
      { name: "sex", type: "character" },
      { name: "member", type: "boolean" },
      { name: "home", type: "uuid" },
    ]);
  });

  test("case 19, 35: numbers that no double or 64-bit integer holds never stop a query", async () => {
    await server.query(
      `CREATE TABLE data.wide (a numeric, b numeric, k bigint, j bigint, x double precision, u text);
       INSERT INTO data.wide VALUES ('1e5000', 1, 4611686018427387904, 4611686018427387904, 5e-324, 'a'),
         ('1e-5000', 2, 1, 1, 'Infinity', 'b'), ('-Infinity', 3, -9223372036854775808, 9223372036854775807, 1e308, 'a')`,
    );
    const engine = await reader();
    const wide = declared("wide", {
      a: { type: "number", lower: 0, upper: 1000, granularity: 100 },
      b: { type: "integer", lower: 0, upper: 10 },
      k: { type: "integer", lower: 0, upper: 2 },
      j: { type: "integer", lower: 0, upper: 2 },
      x: { type: "number", lower: 0, upper: 1e6, granularity: 1000 },
    });
    const statistics: Plan["statistics"] = [
      { statistic: "sum", column: "a", epsilon: 1 },
      { statistic: "sum", column: "x", epsilon: 1 },
      { statistic: "sum", column: "b", epsilon: 1 },
      { statistic: "count", groupBy: ["k", "j"], epsilon: 1 },
      { statistic: "sum", column: "k", epsilon: 1 },
    ];
    expect(await measure(engine, { statistics }, wide)).toEqual([
      [10n],
      [2000n],
      [6n],
      [0n, 0n, 0n, 0n, 1n, 0n, 0n, 0n, 0n],
      [3n],
    ]);
    const beyond = declared("wide", { a: { type: "integer", lower: 0, upper: 10 } });
    await expect(engine.check(beyond, { salt: SALT })).rejects.toThrow("values that are not whole numbers");
  });

  test("markers are found in numbers and texts of every type", async () => {
    await server.query(
      `CREATE TABLE data.marked (r real, n numeric, s smallint, c char(5), d date, u uuid);
       INSERT INTO data.marked VALUES (-9.9, -9.9, -9, 'NA', '9999-12-31', '00000000-0000-0000-0000-000000000000'),
         (1, 1, 1, 'x', '2020-01-01', '00000000-0000-0000-0000-000000000001')`,
    );
    const number = { type: "number", lower: 0, upper: 5, granularity: 1, missing: ["-9.9", "NA"] };
    const marked = declared("marked", {
      ...{ r: number, n: number, s: { type: "integer", lower: 0, upper: 5, missing: [-9, "NA"] } },
      c: { type: "category", categories: ["x"], missing: ["NA"] },
      d: { type: "text", missing: ["9999-12-31"] },
      u: { type: "text", missing: ["00000000-0000-0000-0000-000000000000"] },
    });
    const statistics = [..."rnscdu"].map((column): Plan["statistics"][number] => ({
      ...{ statistic: "count", where: `${column} is null`, epsilon: 1 },
    }));
    expect(await measure(await reader(), { statistics }, marked)).toEqual(statistics.map(() => [1n]));
  });

  test.each([
    ["pay", { pay: { type: "text" } }, {}, 'column "pay" is stored as numeric, which cannot be read as text'],
    ["born", { born: { type: "integer" } }, {}, 'column "born" is stored as date, which cannot be read as integer'],
    ["nothing", { nothing: { type: "text" } }, {}, 'the table has no column "nothing"'],
  ])("%s is refused at registration", async (_, more, rest, message) => {
    const engine = await reader();
    await expect(engine.check(declared("people", more, rest), { salt: SALT })).rejects.toThrow(message);
  });

  test("case 36, 55: a view that fails on a row, after others were read, gives the one message of every failure, and the words of the database go nowhere", async () => {
    const engine = await reader();
    const failing = declared("failing", { ratio: { type: "integer", lower: 0, upper: 9 } });
    const plan: Plan = { statistics: [{ statistic: "sum", column: "ratio", epsilon: 1 }] };
    await expect(engine.check(failing, { salt: SALT })).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: expect.not.stringContaining("zero"),
    });
    const version = await engine.check(declared("failing", ages), { salt: SALT });
    await expect(engine.run(boundPlan(plan, failing), version)).rejects.toMatchObject({
      code: "ENGINE_FAILED",
      message: "the data engine could not run the plan; the charge stands and is run again under its key",
    });
  });

  test("case 54: a plan sees one state of the table, and another table under the same name is refused", async () => {
    await server.query("CREATE TABLE data.live (age int); INSERT INTO data.live VALUES (5)");
    const engine = await reader();
    const live = declared("live", ages);
    const version = await engine.check(live, { salt: SALT });
    await server.query("INSERT INTO data.live VALUES (6)");
    expect(reveal(await engine.run(boundPlan(count, live), version))).toEqual([[2n]]);
    await server.query("DROP TABLE data.live; CREATE TABLE data.live (age int)");
    await expect(engine.run(boundPlan(count, live), version)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });
});

describe("what a connection shows", () => {
  const at = (schema: string) => ({ postgres: { connection: "clinic", schema, table: "" } });

  test("names that its role may read: schemas, and tables and views of one, without partitions", async () => {
    await server.query(
      `CREATE SCHEMA shown; CREATE SCHEMA hidden; GRANT USAGE ON SCHEMA shown TO reader;
       CREATE TABLE shown.visits (day date) PARTITION BY RANGE (day);
       CREATE TABLE shown.visits_2024 PARTITION OF shown.visits FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
       CREATE TABLE shown.salaries (n int); CREATE TABLE hidden.people (n int); CREATE SEQUENCE shown.numbers;
       CREATE VIEW shown."Zoë" AS SELECT day FROM shown.visits;
       GRANT SELECT ON shown.visits, shown.visits_2024, shown."Zoë", shown.numbers TO reader; GRANT SELECT ON hidden.people TO reader`,
    );
    const engine = await reader();
    const { schemas, ...listed } = await engine.list(at("shown"));
    expect(schemas).toEqual(["data", "public", "shown"]);
    expect(listed).toEqual({ tables: ["Zoë", "visits"], isWhole: true });
    for (const schema of ["hidden", "nowhere", "pg_catalog'; --"])
      expect((await engine.list(at(schema))).tables, schema).toEqual([]);
  });

  test("at most 1,000 names, and says that there are more", async () => {
    await server.query(
      `CREATE SCHEMA many; GRANT USAGE ON SCHEMA many TO reader;
       DO $$ BEGIN FOR i IN 1..1001 LOOP EXECUTE format('CREATE VIEW many.t%s AS SELECT 1 AS n', lpad(i::text, 4, '0')); END LOOP; END $$;
       GRANT SELECT ON ALL TABLES IN SCHEMA many TO reader`,
    );
    const engine = await reader();
    const { tables, isWhole } = await engine.list(at("many"));
    expect([tables.length, tables[0], tables.at(-1), isWhole]).toEqual([1000, "t0001", "t1000", false]);
    await server.query("DROP VIEW many.t0001");
    expect((await engine.list(at("many"))).isWhole).toBe(true);
  });

  test("a connection that cannot be used is named, without the words of its server", async () => {
    const unreached = await over({ url: "postgres://reader@127.0.0.1:1/postgres" });
    await expect(unreached.list(at("data"))).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: 'connection "clinic" cannot be used: nothing listens at its address',
    });
    const elsewhere = { postgres: { connection: "nowhere", schema: "data", table: "" } };
    await expect(unreached.list(elsewhere)).rejects.toThrow('this server knows no connection "nowhere"');
  });
});

describe("who may read", () => {
  const people = (): Declaration => declared("people", ages);

  test("a superuser, an owner and a role that may write are refused, unless that is accepted", async () => {
    const engine = await over({ url: server.url });
    await expect(engine.check(people(), { salt: SALT })).rejects.toThrow(
      'the role of connection "clinic" is a superuser',
    );
    const allowed = await over({ url: server.url, allowWritable: true });
    expect(await measure(allowed, count, people())).toEqual([[3n]]);
    await server.query("CREATE TABLE data.diary (age int); GRANT INSERT ON data.diary TO reader");
    const writer = await reader();
    await expect(writer.check(declared("diary", ages), { salt: SALT })).rejects.toThrow('could change "diary"');
    await server.query("REVOKE INSERT ON data.diary FROM reader; REVOKE SELECT ON data.diary FROM reader");
    await expect(writer.check(declared("diary", ages), { salt: SALT })).rejects.toThrow('may not read "diary"');
    await expect(writer.check(declared("nowhere", ages), { salt: SALT })).rejects.toThrow('no table "data"."nowhere"');
  });

  test("every transaction is read-only, whatever the role could do", async () => {
    await server.query(
      "CREATE TABLE data.log (n int); CREATE FUNCTION data.note() RETURNS int LANGUAGE sql AS 'INSERT INTO data.log VALUES (1) RETURNING n'; CREATE VIEW data.writing AS SELECT data.note() AS age",
    );
    const engine = await over({ url: server.url, allowWritable: true });
    await expect(engine.check(declared("writing", ages), { salt: SALT })).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
    });
    expect(await server.query("SELECT count(*)::int AS n FROM data.log")).toEqual([{ n: 0 }]);
  });

  test("TLS: certificate and host name are checked, and no secret is in any message", async () => {
    const url = server.address({ role: "vault", password: "opensesame" });
    const good = await over({ url, tls: "verify-full", ca: here.certificate });
    expect(await measure(good, count, people())).toEqual([[3n]]);
    const refused = [
      [{ url, tls: "verify-full" }, "is not trusted"],
      [{ url, tls: "verify-full", ca: elsewhere.certificate }, "is not trusted"],
      [{ url: url.replace("127.0.0.1", "localhost"), tls: "verify-full", ca: here.certificate }, "is for another host"],
      [{ url }, "its role is not admitted"],
      [{ url: url.replace("opensesame", "guess"), tls: "verify-full", ca: here.certificate }, "its password is wrong"],
      [{ url: server.address({ role: "reader", database: "none" }) }, "its database does not exist"],
      [{ url: "postgres://reader:opensesame@127.0.0.1:1/postgres" }, "nothing listens"],
    ] as const;
    for (const [connection, words] of refused) {
      const engine = await over(connection);
      const failure = await engine.check(people(), { salt: SALT }).then(
        () => new Error("nothing failed"),
        (error: Error) => error,
      );
      expect(failure.message).toContain(words);
      expect(JSON.stringify([failure, failure.message, failure.stack])).not.toMatch(/opensesame|guess|127\.0\.0\.1:/);
    }
    await expect(over({ url: `${url}?sslmode=require` })).rejects.toThrow('without "sslmode"');
    // What follows a NUL would be read as further parameters.
    for (const part of ["%00options%00-c%20role%3Downer", "%0A", "%zz"])
      for (const address of [`${url}${part}`, url.replace("vault", `vault${part}`), url.replace("same", part)])
        await expect(over({ url: address })).rejects.toMatchObject({ details: { name: "sources.clinic.url" } });
  });

  test("a password given apart from the address signs in by SCRAM; one that is not given is named as the reason", async () => {
    const address = { url: server.address({ role: "vault" }), tls: "verify-full", ca: here.certificate } as const;
    const good = await over({ ...address, password: "opensesame" });
    expect(await measure(good, count, people())).toEqual([[3n]]);
    expect(await good.probe()).toEqual({ clinic: null });
    for (const [more, words] of [
      [{}, "its server asks for a password, and none is set"],
      [{ password: "" }, "its server asks for a password, and none is set"],
      [{ password: "guess" }, "its password is wrong"],
    ] as const) {
      const engine = await over({ ...address, ...more });
      await expect(engine.check(people(), { salt: SALT })).rejects.toThrow(`"clinic" cannot be used: ${words}`);
      expect(await engine.probe()).toEqual({ clinic: words });
    }
  });

  test("a password that was refused is not sent by every probe, but by each job", async () => {
    const clinic = { url: server.address({ role: "guard" }), password: "right" };
    const engines = await openEngines({ files: { root: tmpdir() }, connections: { clinic } });
    try {
      await server.query("CREATE ROLE guard LOGIN PASSWORD 'other'");
      expect(await engines.probe()).toEqual({ clinic: "its password is wrong" });
      await server.query("ALTER ROLE guard PASSWORD 'right'");
      expect(await engines.probe()).toEqual({ clinic: "its password is wrong" });
      await engines.list(people().source);
      expect(await engines.probe()).toEqual({ clinic: null });
      await server.query("ALTER ROLE guard PASSWORD 'other'");
      for (let probes = 0; probes < 3; probes += 1)
        expect(await engines.probe()).toEqual({ clinic: "its password is wrong" });
      await server.query("ALTER ROLE guard PASSWORD 'right'");
      await expect.poll(() => engines.probe()).toEqual({ clinic: null });
    } finally {
      await engines.close();
    }
  });

  test("while connections change, those that stay are read through as before, also where another cannot be opened", async () => {
    const clinic = { url: server.address({ role: "reader" }) };
    const engines = await openEngines({ files: { root: tmpdir() }, connections: { clinic } });
    const lasting = new Set<unknown>();
    const signedIn = async (): Promise<number> => {
      await engines.check(people(), { salt: SALT });
      // A probe's has run no statement.
      for (const { pid } of await server.query("SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT'"))
        lasting.add(pid);
      return lasting.size;
    };
    try {
      const before = await signedIn();
      await engines.use({ clinic: { ...clinic }, ward: { url: clinic.url } }, Promise.resolve());
      expect(Object.keys(await engines.probe())).toEqual(["clinic", "ward"]);
      const broken = engines.use({ clinic, ward: { url: "gopher://secret@host" } }, Promise.resolve());
      await expect(broken).rejects.toMatchObject({ details: { name: "sources.ward.url" } });
      expect(await engines.probe()).toEqual({ clinic: null });
      expect(await signedIn()).toBe(before);
      await engines.use({}, Promise.resolve());
      await expect(signedIn()).rejects.toThrow('knows no connection "clinic"');
    } finally {
      await engines.close();
    }
  });

  test("an unknown connection is refused", async () => {
    const other = declared("people", ages, {
      source: { postgres: { connection: "elsewhere", schema: "data", table: "people" } },
    });
    await expect((await reader()).check(other, { salt: SALT })).rejects.toThrow('no connection "elsewhere"');
  });
});

describe("a statement that takes too long", () => {
  test("ends at the time-out, and on an abort, on the server too", async () => {
    const slow = declared("slow", ages, { mostRows: 400_000 });
    const hasty = await over({ url: server.address({ role: "reader" }), timeout: 500 });
    const engine = await reader();
    const version = await engine.check(slow, { salt: SALT });
    // While another transaction holds the table, no machine is fast enough.
    const holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    try {
      await holder.query("BEGIN; LOCK TABLE data.slow IN ACCESS EXCLUSIVE MODE");
      await expect(hasty.check(slow, { salt: SALT })).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
      await expect(
        engine.run(boundPlan(count, slow), { ...version, signal: AbortSignal.timeout(500) }),
      ).rejects.toMatchObject({ code: "ENGINE_FAILED" });
      const busy = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'";
      await expect.poll(() => server.query(busy)).toEqual([{ n: 0 }]);
    } finally {
      await holder.end();
    }
    expect(reveal(await engine.run(boundPlan(count, slow), version))).toEqual([[400_000n]]);
  });

  test("a connection that the server ends between two statements fails the next one, not the process", async () => {
    const connection = { url: server.address({ role: "reader" }) };
    const pool = openPool("clinic", connection);
    try {
      const idle = withSnapshot(pool, 30, undefined, async (client) => {
        await once(client, "end", { signal: AbortSignal.timeout(60_000) });
        return query(client, { text: "SELECT 1", parameters: [] });
      });
      await expect(idle).rejects.toThrow();
      expect(
        await withSnapshot(pool, 10_000, undefined, (client) => query(client, { text: "SELECT 1", parameters: [] })),
      ).toEqual([["1"]]);
    } finally {
      await pool.end();
    }
  });
});
