import { once } from "node:events";
import { connect } from "node:net";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { within } from "../../../../test/within.kit.ts";
import { buildFixture, type Fixture, openTestInstance } from "../instance.kit.ts";
import { query } from "./encode.ts";
import { openPool } from "./pool.ts";
import { connected, openTestWire, refusal, sharedSnapshot, type TestWire } from "./wire.kit.ts";

let fixture: Fixture;
let wire: TestWire;
const open: pg.Client[] = [];

beforeAll(async () => {
  fixture = await buildFixture(await openTestInstance());
  wire = await openTestWire(fixture.instance, fixture.instance.fetch, { processes: 2, seconds: 5 });
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.end();
});
afterAll(async () => {
  await wire.close();
  await fixture.instance.close();
});

async function session(token = fixture.tokens.member): Promise<pg.Client> {
  const client = await connected(wire, token);
  open.push(client);
  return client;
}
const WITHOUT_END = "SELECT COUNT(*) FROM pg_proc a, pg_proc b, pg_proc c";
const LONG = { timeout: 120_000 };

test.each([
  ["a billion rows that are counted", "SELECT COUNT(*) FROM generate_series(1, 1000000000)", /^(57014|53200)$/],
  [
    "a recursion without end",
    "WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x FROM a) SELECT COUNT(*) FROM a",
    /^(57014|53200|53100)$/,
  ],
  ["rows without a column", "SELECT FROM generate_series(1, 150000)", /^54000$/],
  ["a join that grows", "SELECT COUNT(*) FROM pg_proc a, pg_proc b, pg_proc c", /^57014$/],
  ["rows that are too many to send", "SELECT repeat('x', 10000) FROM generate_series(1, 10000)", /^54000$/],
  ["a text of a gigabyte", "SELECT length(repeat(repeat('x', 1000000), 1000))", /^(54000|53200|57014)$/],
])("%s: the statement ends, and the session goes on", LONG, async (_, text, code) => {
  const client = await session();
  await client.query("SET application_name = 'mine'");
  expect((await refusal(() => client.query(text))).code).toMatch(code);
  expect((await client.query("SHOW application_name")).rows).toEqual([{ application_name: "mine" }]);
});

test("a statement is cancelled while it runs", LONG, async () => {
  const client = await session();
  await client.query("SELECT 1");
  const running = refusal(() => client.query(WITHOUT_END));
  const { processID, secretKey } = client as unknown as { readonly processID: number; readonly secretKey: number };
  const socket = connect(wire.port, "127.0.0.1");
  const request = Buffer.alloc(16);
  for (const [place, value] of [16, 80_877_102, processID, secretKey].entries()) request.writeInt32BE(value, place * 4);
  socket.write(request);
  socket.resume();
  await within("the request", once(socket, "close"), 20_000);
  expect(await running).toMatchObject({ code: "57014" });
  expect((await client.query("SELECT 1 AS alive")).rows).toEqual([{ alive: 1 }]);
});

test.each([
  ["postgres", "template1", "postgres_"],
  ["pg_monitor", "postgres", "pg_monitor_"],
  ["a\"b'; DROP SCHEMA public CASCADE; --", "it's", "a\"b'; DROP SCHEMA public CASCADE; --"],
])("a user may have any name: %s", LONG, async (user, database, called) => {
  const client = await connected(wire, fixture.tokens.member, { user, database });
  open.push(client);
  expect((await client.query("SELECT current_user AS it")).rows).toEqual([{ it: called }]);
  expect((await client.query("SELECT to_regclass('staff') AS it")).rows).toEqual([{ it: "staff" }]);
});

test("what a token does to its PostgreSQL meets that token alone, even as its owner", LONG, async () => {
  const pool = openPool({ processes: 1, seconds: 20, memory: 2 ** 31, snapshot: sharedSnapshot() });
  const ask = async (token: string, ...texts: readonly string[]): Promise<string> => {
    const who = { token, person: token, user: "anyone", database: "dosimeter", giveBack: () => false };
    const lease = await pool.lease({ key: "none", statements: "" }, who, AbortSignal.timeout(60_000));
    let said = "";
    for (const text of texts) said = (await lease.run(query(text))).toString("latin1");
    lease.release();
    return said;
  };
  const sees = "SELECT 'schemas: ' || count(*) FROM pg_namespace WHERE nspname = 'forged'";
  try {
    const becomes = "SET SESSION AUTHORIZATION postgres; SET default_transaction_read_only = off";
    expect(await ask("mine", becomes, "CREATE SCHEMA forged", sees)).toContain("schemas: 1");
    expect(await ask("mine", sees)).toContain("schemas: 1");
    expect(await ask("other", sees)).toContain("schemas: 0");
    expect(await ask("mine", sees)).toContain("schemas: 0");
  } finally {
    await pool.close();
  }
});

test("many long statements of one person keep no other waiting for more than one of them", LONG, async () => {
  const many = await Promise.all(Array.from({ length: 4 }, () => session()));
  const other = await session(fixture.tokens.auditor);
  const running = many.map((client) => client.query(WITHOUT_END).catch(() => undefined));
  const start = performance.now();
  expect((await other.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  expect(performance.now() - start).toBeLessThan(15_000);
  await Promise.all(running);
});

test(
  "a text with thousands of SELECT is refused before it is read for long, and ends no one else's statement",
  LONG,
  async () => {
    const [mine, other] = [await session(), await session(fixture.tokens.auditor)];
    await other.query("BEGIN; DECLARE mine CURSOR FOR SELECT 7 AS seven");
    const text = `SELECT ${Array.from({ length: 2500 }, () => "(SELECT COUNT(*) FROM staff)").join(", ")}`;
    expect(await refusal(() => mine.query(text))).toMatchObject({ code: "54000" });
    expect((await other.query("FETCH mine")).rows).toEqual([{ seven: 7 }]);
    await other.query("COMMIT");
  },
);

test("a session sees nothing of another: settings, cursors, names, transactions", LONG, async () => {
  const [mine, other] = [await session(), await session(fixture.tokens.stranger)];
  await mine.query("SET my.note = 'secret'; SET search_path = pg_catalog");
  await mine.query("BEGIN; DECLARE mine CURSOR FOR SELECT 7 AS seven; SAVEPOINT here");
  for (let each = 0; each < 4; each += 1) {
    expect((await other.query("SELECT current_setting('my.note', true) AS note")).rows).toEqual([{ note: null }]);
    expect((await other.query("SELECT COUNT(*) AS n FROM pg_cursors")).rows).toEqual([{ n: "0" }]);
    expect((await other.query("SELECT COUNT(*) AS n FROM pg_prepared_statements")).rows).toEqual([{ n: "0" }]);
    expect((await other.query("SHOW search_path")).rows).toEqual([{ search_path: "public" }]);
    expect((await other.query("SELECT to_regclass('public.staff') AS it")).rows).toEqual([{ it: null }]);
  }
  expect((await mine.query("FETCH mine")).rows).toEqual([{ seven: 7 }]);
  expect((await mine.query("ROLLBACK TO here; SHOW my.note; COMMIT")) as unknown).toHaveLength(3);
});

test("of statements that come at once, each is answered to its own session", LONG, async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => session()));
  await Promise.all(clients.map((client, place) => client.query(`SET my.note = 'of ${place}'`)));
  for (let turn = 0; turn < 25; turn += 1) {
    const said = await Promise.all(
      clients.map((client) => client.query("SELECT current_setting('my.note', true) AS note")),
    );
    expect(said.map(({ rows }) => rows[0].note)).toEqual(clients.map((_, place) => `of ${place}`));
  }
});

test("idle transactions keep no one waiting, and go on where they were", LONG, async () => {
  const idle = [await session(), await session(), await session()];
  for (const client of idle) await client.query("BEGIN; SET LOCAL my.note = 'kept'; SAVEPOINT here");
  const other = await session();
  expect((await other.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  for (const client of idle) {
    expect((await client.query("SELECT current_setting('my.note') AS note")).rows).toEqual([{ note: "kept" }]);
    await client.query("ROLLBACK TO here; COMMIT");
    expect((await client.query("SELECT current_setting('my.note', true) AS note")).rows).not.toEqual([
      { note: "kept" },
    ]);
  }
});

test("what a rollback undoes stays undone in another process, and what is set outside is kept", LONG, async () => {
  const client = await session();
  await client.query("SET my.note = 'first'");
  await client.query("BEGIN; SET my.note = 'second'; ROLLBACK");
  expect((await client.query("SHOW my.note")).rows).toEqual([{ "my.note": "first" }]);
  await client.query("BEGIN; SET my.note = 'second'; COMMIT");
  expect((await client.query("SHOW my.note")).rows).toEqual([{ "my.note": "second" }]);
});

test("a client that drops in the middle leaves the process to others", LONG, async () => {
  // As many as there are processes.
  for (let each = 0; each < 2; each += 1) {
    const client = await connected(wire, fixture.tokens.auditor);
    await client.query("BEGIN; DECLARE mine CURSOR FOR SELECT 1");
    const ended = client.query(WITHOUT_END).catch(() => undefined);
    (
      client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
    await ended;
  }
  expect((await (await session()).query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
});

test("a right that ends, ends here too: the table is gone, and its answers", LONG, async () => {
  const secret = await fixture.as.member.createToken({ name: "short", scopes: ["read", "release"] });
  const client = await session(secret.secret);
  expect((await client.query("SELECT to_regclass('staff') AS it")).rows).toEqual([{ it: "staff" }]);
  await fixture.as.member.revokeToken({ token: secret.id });
  await expect
    .poll(() => refusal(() => client.query("SELECT 1")), { timeout: 20_000, interval: 300 })
    .toMatchObject({ code: "28000" });
});

test("what no parser saw is an error, and no silent count of an empty table", LONG, async () => {
  const client = await session();
  // A name that is put together, so that only the policy of the table can refuse.
  expect(await refusal(() => client.query("SELECT database_to_xml(true, true, '')"))).toMatchObject({
    code: "42501",
    message: "rows of a dataset are private: they are read by an aggregate alone",
  });
});

test(
  "released answers are tables: joins, windows, sub-selects and unions around plans are free, and asked again too",
  LONG,
  async () => {
    const client = await session();
    const before = await fixture.as.member.showAccount({ account: fixture.memberAccount });
    await client.query("SET dosimeter.epsilon = 0.1");
    const counts = "SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex";
    const { rows } = await client.query(counts);
    const [f = 0, m = 0] = rows.map(({ n }) => Number(n));
    const texts = [
      [`SELECT SUM(n) AS it FROM (${counts}) t`, f + m],
      [`WITH t AS (${counts}) SELECT a.n - b.n AS it FROM t a JOIN t b ON a.sex < b.sex`, f - m],
      [`SELECT it FROM (SELECT sex, SUM(n) OVER () AS it FROM (${counts}) t) u LIMIT 1`, f + m],
      [`SELECT 2 * COUNT(*) AS it FROM staff GROUP BY sex ORDER BY sex LIMIT 1`, 2 * f],
      [
        `SELECT CAST(COUNT(*) AS integer) AS it FROM public.staff AS s WHERE true GROUP BY s.sex ORDER BY s.sex DESC LIMIT 1`,
        m,
      ],
      [`SELECT n AS it FROM (${counts} UNION ALL SELECT 'x', 1) t WHERE sex = 'x'`, 1],
      [`SELECT (SELECT n FROM (${counts}) t WHERE sex = 'f') AS it`, f],
    ] as const;
    for (const [text, want] of texts) {
      expect(Number((await client.query(text)).rows[0].it), text).toBe(want);
      expect(Number((await client.query({ text, name: text.slice(0, 60) })).rows[0].it), text).toBe(want);
    }
    const ends = (await client.query(`SELECT n, n_low, n_high FROM (${counts}) t`)).rows;
    expect(ends.every(({ n, n_low, n_high }) => n_low <= Number(n) || n_high >= Number(n))).toBe(true);
    const after = await fixture.as.member.showAccount({ account: fixture.memberAccount });
    expect(Number(after.balance.epsilon.spent)).toBeCloseTo(Number(before.balance.epsilon.spent) + 0.1, 12);
  },
);

test("two plans of one statement are one charge", LONG, async () => {
  const client = await session();
  const spent = async () =>
    Number((await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent);
  const before = await spent();
  await client.query("SET dosimeter.epsilon = 0.02");
  const { rows } = await client.query(
    "SELECT COUNT(*) AS n FROM staff WHERE age < 31 UNION ALL SELECT COUNT(*) FROM staff WHERE age < 32",
  );
  expect(rows).toHaveLength(2);
  expect(await spent()).toBeCloseTo(before + 0.02, 12);
});

test.each([
  "SELECT nope FROM (SELECT COUNT(*) AS n FROM staff WHERE age < 33) t",
  "SELECT age, 2 * COUNT(*) FROM staff WHERE age < 33 GROUP BY sex",
  "SELECT n + true FROM (SELECT COUNT(*) AS n FROM staff WHERE age < 33) t",
])("what PostgreSQL refuses around a plan is refused before it pays: %s", LONG, async (text) => {
  const client = await session();
  const spent = async () =>
    (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;
  const before = await spent();
  for (const query of [text, { text, name: "kept" }, { text: `${text} LIMIT $1`, values: [1] }]) {
    await client.query("SET dosimeter.epsilon = 0.02");
    expect((await refusal(() => client.query(query as string))).code).toMatch(/^42/);
  }
  expect(await spent()).toBe(before);
});
