import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildFixture, type Fixture, openTestInstance } from "../instance.kit.ts";
import { connected, openTestWire, refusal, type TestWire } from "./wire.kit.ts";

let fixture: Fixture;
let wire: TestWire;
const open: pg.Client[] = [];

beforeAll(async () => {
  fixture = await buildFixture(await openTestInstance());
  wire = await openTestWire(fixture.instance);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.end();
});
afterAll(async () => {
  await wire.close();
  await fixture.instance.close();
});

async function session(more: pg.ClientConfig = {}, token = fixture.tokens.member): Promise<pg.Client> {
  const client = await connected(wire, token, more);
  open.push(client);
  return client;
}
const spent = async () => {
  const account = await fixture.as.member.showAccount({ account: fixture.memberAccount });
  return Number(account.balance.epsilon.spent);
};

describe("what drivers and pools ask", () => {
  test.each([
    ["SELECT 1", [{ "?column?": 1 }]],
    ["select 1 as one, 'it''s, so' AS \"Two\", true t, NULL", [{ one: 1, Two: "it's, so", t: true, "?column?": null }]],
    ["SELECT pg_catalog.version()", [{ version: expect.stringMatching(/^PostgreSQL 18\./) }]],
    ["select current_schema()", [{ current_schema: "public" }]],
    ["SELECT current_user, current_database()", [{ current_user: "anyone", current_database: "dosimeter" }]],
    ["SHOW transaction isolation level", [{ transaction_isolation: "read committed" }]],
    ["show standard_conforming_strings;", [{ standard_conforming_strings: "on" }]],
    ["SHOW dosimeter.session_epsilon", [{ "dosimeter.session_epsilon": "1" }]],
  ])("%s", async (text, rows) => {
    const client = await session();
    expect((await client.query(text)).rows).toEqual(rows);
    expect((await client.query({ text, name: "kept" })).rows).toEqual(rows);
  });

  test("settings of a client are taken, but for those that must stay", async () => {
    const client = await session();
    await client.query("SET application_name TO 'my tool'; SET extra_float_digits = 3; SET NAMES 'utf8'");
    expect((await client.query("SHOW application_name")).rows).toEqual([{ application_name: "my tool" }]);
    await client.query("DISCARD ALL");
    expect((await client.query("SHOW application_name")).rows).toEqual([{ application_name: "" }]);
    expect(await refusal(() => client.query("SET client_encoding = 'LATIN1'"))).toMatchObject({ code: "22023" });
    expect(await refusal(() => client.query("SET nothing_such = 1"))).toMatchObject({ code: "42704" });
    expect(await refusal(() => client.query("SET dosimeter.such = 1"))).toMatchObject({ code: "42704" });
    expect(await refusal(() => client.query("SET dosimeter.epsilon = lots"))).toMatchObject({
      code: "22023",
      message: 'dosimeter.epsilon is "lots", must be a number, such as 0.1',
    });
  });
});

const SQL = "SELECT sex, COUNT(*) AS people, DP_INTERVAL_LOW(people) AS low FROM staff GROUP BY sex ORDER BY sex";

describe("a query about a dataset", () => {
  test("without ε is refused with its quote as a hint, and nothing is paid", async () => {
    const client = await session();
    const before = await spent();
    expect(await refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age > 20"))).toMatchObject({
      severity: "ERROR",
      code: "22023",
      message: "no ε is stated, and there is no default",
      hint: expect.stringMatching(/^SET dosimeter\.epsilon = 0\.1 would fit\..* within ± \d+.*the next query alone\.$/),
    });
    expect(await spent()).toBe(before);
  });

  test("by several groupings has a row for values that are missing, also of numbers and truth values", async () => {
    const client = await session();
    await client.query("SET dosimeter.epsilon = 0.01");
    const { rows } = await client.query(
      "SELECT age > 30 AS old, COUNT(*) AS n FROM staff GROUP BY ROLLUP (old) ORDER BY old",
    );
    expect(rows.map(({ old }) => old)).toEqual(["false", "true", null, "missing"]);
  });

  test("is bought by SET for one statement; the same again is free, with and without ε; another one is refused", async () => {
    const client = await session();
    const notices: string[] = [];
    client.on("notice", ({ message = "" }) => notices.push(message));
    const before = await spent();
    await client.query("SET dosimeter.epsilon = 0.1");
    const { rows, fields, command, rowCount } = await client.query(SQL);
    expect(rows).toEqual([
      { sex: "f", people: expect.stringMatching(/^-?\d+$/), low: expect.any(Number) },
      { sex: "m", people: expect.stringMatching(/^-?\d+$/), low: expect.any(Number) },
    ]);
    expect({ command, rowCount }).toEqual({ command: "SELECT", rowCount: 2 });
    expect(fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
      ["sex", 25],
      ["people", 20],
      ["low", 701],
    ]);
    expect(await spent()).toBeCloseTo(before + 0.1, 12);
    expect(notices.at(-1)).toMatch(/^paid ε = 0\.1; release chg_/);
    expect((await client.query("SHOW dosimeter.epsilon")).rows).toEqual([{ "dosimeter.epsilon": "" }]);

    expect((await client.query(SQL)).rows).toEqual(rows);
    expect(notices.at(-1)).toMatch(/^free: from earlier answers; release chg_/);
    const other = await session();
    await other.query("SET dosimeter.epsilon = 0.1");
    expect((await other.query({ text: SQL, name: "again" })).rows).toEqual(rows);
    expect(await spent()).toBeCloseTo(before + 0.1, 12);

    // The price was for the query before.
    expect(await refusal(() => client.query("SELECT AVG(age) FROM staff"))).toMatchObject({ code: "22023" });
  });

  test("is quoted by EXPLAIN, which pays nothing and uses nothing up", async () => {
    const client = await session();
    const before = await spent();
    await client.query("SET dosimeter.epsilon = 0.05");
    for (const query of [
      "EXPLAIN SELECT AVG(age) FROM staff",
      { name: "q", text: "explain SELECT AVG(age) FROM staff" },
    ]) {
      const { rows, command } = await client.query(query as string);
      expect(command).toBe("EXPLAIN");
      expect(rows.map((row) => row["QUERY PLAN"])).toEqual([
        "costs ε = 0.05",
        expect.stringMatching(/within ± [\d.]+ in 95 of 100 cases; question [0-9a-f]{64}$/),
        ...rows.slice(2).map(() => expect.any(String)),
      ]);
    }
    expect((await client.query("SHOW dosimeter.epsilon")).rows).toEqual([{ "dosimeter.epsilon": "0.05" }]);
    await client.query("SET dosimeter.epsilon = 0.0001");
    const vain = (await client.query("EXPLAIN SELECT AVG(age) FROM staff WHERE sex = 'f'")).rows;
    expect(vain.map((row) => row["QUERY PLAN"])).toContainEqual(
      expect.stringMatching(/cannot be distinguished from nothing/),
    );
    await client.query("SET dosimeter.epsilon = 0.05");
    expect(await refusal(() => client.query("EXPLAIN SELECT AVG(aeg) FROM staff"))).toMatchObject({
      code: "42703",
      position: "20",
    });
    expect(await spent()).toBe(before);
  });

  test("of a stranger's earlier answers sees none", async () => {
    const client = await session({}, fixture.tokens.stranger);
    expect(await refusal(() => client.query(SQL))).toMatchObject({
      code: "42P01",
      message: 'relation "staff" does not exist',
    });
  });

  test("is the same query in two sessions at once: paid once", async () => {
    const before = await spent();
    const text = "SELECT COUNT(*) AS n FROM staff WHERE age < 50";
    const clients = [await session(), await session(), await session()];
    for (const client of clients) await client.query("SET dosimeter.epsilon = 0.02");
    const all = await Promise.all(clients.map((client) => client.query(text)));
    expect(new Set(all.map(({ rows }) => rows[0].n)).size).toBe(1);
    expect(await spent()).toBeCloseTo(before + 0.02, 12);
  });

  test("is drawn afresh under a name, and once under the same name", async () => {
    const client = await session();
    const before = await spent();
    const text = "SELECT COUNT(*) AS n FROM staff";
    const named = async (key: string) => {
      await client.query(`SET dosimeter.epsilon = 0.01; SET dosimeter.key = '${key}'`);
      return (await client.query(text)).rows;
    };
    const first = await named("mine-1");
    expect(await named("mine-1")).toEqual(first);
    expect(await spent()).toBeCloseTo(before + 0.01, 12);
    await named("mine-2");
    expect(await spent()).toBeCloseTo(before + 0.02, 12);
    await client.query("SET dosimeter.epsilon = 0.03; SET dosimeter.key = 'mine-2'");
    expect(await refusal(() => client.query(text))).toMatchObject({ code: "42710" });
  });

  test("several SELECT are one plan, and each answers its own rows; commands may stand before them", async () => {
    const client = await session();
    const before = await spent();
    const results = (await client.query(
      "SET dosimeter.epsilon = 0.04; SELECT COUNT(*) AS n FROM staff WHERE age > 30; -- both\nSELECT sex, AVG(age) AS age FROM staff GROUP BY 1;",
    )) as unknown as readonly pg.QueryResult[];
    expect(results.map(({ command, fields }) => [command, ...fields.map(({ name }) => name)])).toEqual([
      ["SET"],
      ["SELECT", "n"],
      ["SELECT", "sex", "age"],
    ]);
    expect(await spent()).toBeCloseTo(before + 0.04, 12);
  });

  test("takes values, which are never read as anything else", async () => {
    const client = await session();
    const text = "SELECT COUNT(*) AS n FROM staff WHERE age >= $1 AND sex = $2 AND age -$1 < 50";
    await client.query("SET dosimeter.epsilon = 0.02");
    expect((await client.query(text, [30, "f"])).rows).toEqual([{ n: expect.stringMatching(/^-?\d+$/) }]);
    expect((await client.query(text, [30, "f"])).rows).toHaveLength(1);
    for (const value of ["f' OR age > 0 --", "f'; SELECT COUNT(*) FROM staff; --", "\\' OR 1=1"]) {
      await client.query("SET dosimeter.epsilon = 0.02");
      const said = await refusal(() => client.query(text, [30, value]));
      expect(said.message).toContain("must be one of the declared categories");
      expect(Number(said.position)).toBe(text.indexOf("age >=") + 1);
    }
    expect(await refusal(() => client.query(text, [30]))).toMatchObject({ code: "08P01" });
  });

  test.each([
    ["SELECT COUNT(*)\nFROM staff WHERE aeg > 3", "42703", "34"],
    ["SET dosimeter.epsilon = 1; /* ü😀 */ SELECT sum(aeg) FROM staff", "42703", "48"],
    ["SELECT COUNT(*) FROM staff WHERE age IN (SELECT 1)", "42601", "42"],
    ["SELECT sex FROM staff", "42501", "17"],
    ["SELECT * FROM (SELECT age FROM staff) a JOIN (SELECT 1) b ON true", "42501", "32"],
    ["WITH a AS (SELECT age FROM public.staff) SELECT 'ü', age FROM a", "42501", "28"],
    ["SELECT 1 WHERE EXISTS (SELECT FROM staff)", "42501", "36"],
    ["COPY staff TO STDOUT", "42501", "6"],
    ["COPY (SELECT 1) TO PROGRAM 'cat'", "42501", "1"],
    ["COPY (SELECT COUNT(*) FROM staff) TO '/tmp/x'", "42501", "1"],
    ["INSERT INTO elsewhere SELECT COUNT(*) FROM staff", "25006", "1"],
    ["CREATE TABLE mine AS SELECT COUNT(*) FROM staff", "25006", "1"],
    ["CREATE VIEW mine AS SELECT COUNT(*) FROM staff", "25006", "1"],
    ["PREPARE mine AS SELECT COUNT(*) FROM staff", "0A000", "1"],
    ["DO $$ BEGIN PERFORM COUNT(*) FROM staff; END $$", "0A000", "1"],
    ["DROP TABLE staff", "25006", "1"],
    ["CREATE TEMP TABLE mine (a int)", "25006", "1"],
    ["SELECT query_to_xml('SELECT age FROM staff', true, true, '')", "42501", undefined],
    ["SELECT table_to_xml('staff', true, true, '')", "42501", undefined],
    ["SELECT lo_import('/etc/passwd')", "42501", undefined],
    ["SELECT pg_read_file('/etc/passwd')", "42501", undefined],
    ["SET SESSION AUTHORIZATION postgres", "42501", "1"],
    ["SELECT set_config('session_' || 'authorization', 'postgres', false)", "42501", "8"],
    ["SET ROLE postgres", "42501", "1"],
    ["RESET SESSION AUTHORIZATION", "42501", "1"],
    ["SET SESSION AUTHORIZATION DEFAULT", "42501", "1"],
    ["SET row_security = off", "42501", "1"],
    ["SELECT set_config('row_security', 'off', false)", "42501", "8"],
    ["SELECT * FROM set_config('default_transaction_read_only', 'off', false)", "42501", "15"],
    ["EXPLAIN ANALYZE UPDATE pg_settings SET setting = 'off' WHERE name = 'row_security'", "25006", "1"],
    ["SELECT COUNT(*) FROM staff TABLESAMPLE BERNOULLI (10)", "0A000", expect.any(String)],
    ["SELECT EXISTS (SELECT FROM staff TABLESAMPLE BERNOULLI (0))", "0A000", expect.any(String)],
    [
      "SELECT 1 FROM (SELECT 1) a, LATERAL (SELECT FROM public.staff TABLESAMPLE SYSTEM (0)) b",
      "0A000",
      expect.any(String),
    ],
    ["SELECT COUNT(*) INTO y FROM staff", "0A000", "22"],
    ["SELECT pg_sleep(1)", "42501", undefined],
    [`SELECT ${"(SELECT COUNT(*) FROM staff), ".repeat(101)} 1`, "54000", "1"],
    ["SELECT COUNT(*) FROM elsewhere", "42P01", "22"],
    ["SELECT 'open", "42601", "8"],
  ])("%j is refused at its place", async (text, code, position) => {
    const client = await session();
    const said = await refusal(() => client.query(text));
    expect({ code: said.code, position: said.position }).toEqual({ code, position });
    expect(said.message).not.toMatch(/^line/);
    expect((await client.query("SELECT 1 AS alive")).rows).toEqual([{ alive: 1 }]);
  });

  test.each([
    ["SELECT AVERAGE(age) FROM staff", /^Did you mean AVG\? SELECT/],
    ["SELECT x FROM (SELECT 1 + averge(age) AS x FROM staff) t", /^Did you mean AVG\? SELECT/],
    ["SELECT AVERAGE(age) FROM staff GROUP BY sex", /^Did you mean AVG\?$/],
    ["SELECT ROUND(AVG(aeg), 1) FROM staff", /^Did you mean age\?$/],
    ["CREATE TABLE t AS SELECT COUNT(*) FROM staff", /^Send its SELECT alone/],
    ["DROP TABLE staff", /^undefined$/],
    ["SELECT AVG(aeg) FROM staff", /^Did you mean age\?$/],
    ["SELECT sexx, COUNT(*) FROM staff GROUP BY sexx", /^Did you mean sex\?$/],
    ["SELECT abs(age), lower(sex), round(age), length(sex) FROM staff", /^SELECT COUNT/],
  ])("a hint has the word that was meant: %s", async (text, hint) => {
    const said = await refusal(async () => (await session()).query(text));
    expect(String(said.hint)).toMatch(hint);
    expect(said.message).not.toContain("did you mean");
  });

  test.each([
    "COPY (SELECT nosuch(t.c) FROM (SELECT COUNT(*) AS c FROM staff WHERE age > 33) t) TO STDOUT",
    "COPY (SELECT COUNT(*) AS c FROM staff WHERE age > 33) TO STDOUT (FORMAT nosuch)",
    "DECLARE mine CURSOR FOR SELECT COUNT(*) FROM staff WHERE age > 33",
    "BEGIN; DECLARE mine CURSOR FOR SELECT nosuch(t.c) FROM (SELECT COUNT(*) AS c FROM staff WHERE age > 33) t",
    "SELECT COUNT(*), 1 / 0 FROM staff WHERE age > 33",
  ])("is not paid for where PostgreSQL refuses what stands around it: %s", async (text) => {
    const client = await session();
    const before = await spent();
    await client.query("SET dosimeter.epsilon = 0.02");
    await refusal(() => client.query(text));
    await client.query("ROLLBACK; SET dosimeter.epsilon = 0.02");
    if (!text.startsWith("BEGIN")) await refusal(() => client.query({ text, name: "kept" }));
    expect(await spent()).toBe(before);
  });

  test("that the budget cannot pay says what would fit", async () => {
    const client = await session({ options: "-c dosimeter.session_epsilon=100" });
    // What was refused uses nothing of the session's own limit, which twice 60 would exceed.
    for (const _ of [1, 2]) {
      await client.query("SET dosimeter.epsilon = 60");
      expect(await refusal(() => client.query("SELECT SUM(age) FROM staff"))).toMatchObject({
        code: "53400",
        hint: expect.stringMatching(/^SET dosimeter\.epsilon = 0\.\d+ would fit\.$/),
      });
    }
  });
});

describe("a session", () => {
  test("pays at most what it may, by a limit that only its beginning can raise", async () => {
    const client = await session({ options: "-c dosimeter.session_epsilon=0.05" });
    const before = await spent();
    await client.query("SET dosimeter.epsilon = 0.03");
    await client.query("SELECT COUNT(*) FROM staff WHERE age < 33");
    await client.query("SET dosimeter.epsilon = 0.03");
    expect(await refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age < 34"))).toMatchObject({
      code: "53400",
      hint: "SET dosimeter.epsilon = 0.02 would fit.",
    });
    for (const text of [
      "SET dosimeter.session_epsilon = 9",
      "SET SESSION dosimeter.session_epsilon TO 9",
      "RESET dosimeter.session_epsilon",
      "SET dosimeter.session_epsilon = DEFAULT",
    ])
      expect(await refusal(() => client.query(text))).toMatchObject({ code: "42501" });
    await client.query("DISCARD ALL; RESET ALL; SET dosimeter.session_epsilon = 0.04");
    await client.query("SET dosimeter.epsilon = 0.02");
    expect(await refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age < 34"))).toMatchObject({
      code: "53400",
    });
    // What OPTIONS state counts as well.
    const stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.02) COUNT(*) FROM staff WHERE age < 34";
    expect(await refusal(() => client.query(stated))).toMatchObject({ code: "53400" });
    expect(await spent()).toBeCloseTo(before + 0.03, 12);
  });

  test.each(["session_authorization=postgres", "role=postgres", "default_transaction_read_only=off"])(
    "cannot begin with %s",
    async (said) => {
      const started = connected(wire, fixture.tokens.member, {
        options: `-c default_transaction_read_only=on -c ${said}`,
      });
      expect(await refusal(() => started)).toMatchObject({ severity: "FATAL", code: "42501" });
    },
  );

  test.each(["dosimeter.epsilon=0.1", "dosimeter.key=mine"])(
    "cannot begin with %s, which is for one query",
    async (said) => {
      expect(await refusal(() => connected(wire, fixture.tokens.member, { options: `-c ${said}` }))).toMatchObject({
        severity: "FATAL",
        code: "22023",
      });
    },
  );

  test("is in a transaction, which a refusal breaks until its end; a rollback takes nothing back, and says so", async () => {
    const client = await session();
    const notices: string[] = [];
    client.on("notice", ({ message = "" }) => notices.push(message));
    await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY");
    await client.query("SET dosimeter.epsilon = 0.01");
    await client.query("SELECT COUNT(*) FROM staff WHERE age < 77");
    await refusal(() => client.query("SELECT nothing FROM staff"));
    expect(await refusal(() => client.query("SELECT 1"))).toMatchObject({ code: "25P02" });
    expect((await client.query("ROLLBACK")).command).toBe("ROLLBACK");
    expect(notices.at(-1)).toBe("what was released stays released and paid: nothing takes it back");
    expect(((await client.query("BEGIN; SELECT 1 AS one; COMMIT")) as unknown as pg.QueryResult[])[1]?.rows).toEqual([
      { one: 1 },
    ]);
  });

  test("ends at once with a wrong token, and at the next query when its token is revoked", async () => {
    expect(await refusal(() => connected(wire, "dos_wrong"))).toMatchObject({ severity: "FATAL", code: "28P01" });
    const { secret, token } = await fixture.as.member
      .createToken({ name: "short", scopes: ["read", "release"] })
      .then((made) => ({ secret: made.secret, token: made.id }));
    const client = await session({}, secret);
    await client.query("SELECT 1");
    await fixture.as.member.revokeToken({ token });
    expect(await refusal(() => client.query("SELECT COUNT(*) FROM staff"))).toMatchObject({ code: "28000" });
  });

  test("of a token that may only read gets earlier answers refused before anything is charged", async () => {
    const { secret } = await fixture.as.member.createToken({ name: "reader", scopes: ["read"] });
    const client = await session({}, secret);
    await client.query("SET dosimeter.epsilon = 0.01");
    expect(await refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age < 60"))).toMatchObject({
      code: "42501",
    });
  });
});
