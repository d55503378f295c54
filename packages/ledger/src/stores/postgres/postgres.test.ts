import { describe, expect, test } from "vitest";
import { openLedgerDatabase } from "../../ledger-database.ts";
import { buildFixture, codeOf, pure, reopenFixture } from "../../testing/fixture.kit.ts";
import { connectionErrorCode } from "../connection-error.ts";
import { migrations, SCHEMA_VERSION } from "../migrations/migrate.ts";
import type { Tx } from "../store.ts";
import { transactionKit } from "../transaction.kit.ts";
import { postgresServers } from "./postgres.kit.ts";
import { postgresStore } from "./postgres.ts";

const servers = postgresServers();

describe("postgres", () => {
  transactionKit(() => servers.open());
});

test("a number is skipped when another process wrote, and by nothing that only read", async () => {
  const schema = servers.schema();
  const [one, other] = [await servers.open({ schema }), await servers.open({ schema })];
  const number = () => one.transact(async ({ serial }) => serial);
  const first = await number();
  await other.read.selectFrom("audit").selectAll().execute();
  expect(await number()).toBe(first + 1n);
  await other.transact(async () => undefined);
  expect(await number()).toBe(first + 3n);
  // A server that forgot a commit gives its number again, and what memory kept under it is not found.
  await servers.server().query(`UPDATE ${schema}.writer SET serial = serial - 1`);
  expect(await number()).toBeGreaterThan(first + 1_000_000n);
  await one.close();
  await other.close();
});

test("what is sent behind a BEGIN that was refused writes nothing", async () => {
  const store = await servers.open();
  const shown = (tx: Tx, name: string) => tx.get(`SELECT current_setting('${name}') AS it`, []);
  await store.transact(async (tx) => {
    expect(await shown(tx, "transaction_read_only")).toEqual({ it: "off" });
    expect(await shown(tx, "default_transaction_read_only"), "outside of a transaction").toEqual({ it: "on" });
  });
  await store.close();
});

test("two processes that open an empty database at once both find their tables", async () => {
  const schema = servers.schema();
  const stores = await Promise.all(Array.from({ length: 4 }, () => servers.open({ schema })));
  for (const store of stores) {
    expect(await store.read.selectFrom("audit").selectAll().execute()).toEqual([]);
    await store.close();
  }
});

test("an older and a newer version never use one database side by side", async () => {
  const schema = servers.schema();
  const next = [...migrations, { version: 2, name: "next", statements: () => ["CREATE TABLE next (id BIGINT)"] }];
  const older = await servers.open({ schema });
  await older.vouch(null);
  expect(await codeOf(servers.open({ schema, migrations: next }))).toBe("CONFLICT");
  const { version } = await older.read
    .selectFrom("migration")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirstOrThrow();
  expect(Number(version), "nothing was changed").toBe(SCHEMA_VERSION);
  await older.close();
  const newer = await servers.open({ schema, migrations: next });
  await newer.vouch(null);
  await (await servers.open({ schema, migrations: next })).close(); // a second one of the same version joins it
  expect(await codeOf(servers.open({ schema })), "a version that knows less").toBe("CONFLICT");
  await newer.close();
});

test("a version that expands joins the one before while both charge; the next one, which contracts, waits for its end", async () => {
  const schema = servers.schema();
  const expand = { version: 2, name: "expand: next", statements: () => ["CREATE TABLE next (id BIGINT)"] };
  const contract = { version: 3, name: "contract", statements: () => ["DROP TABLE next"] };
  const store = await servers.open({ schema });
  const older = await buildFixture(store);
  await store.vouch(null);
  const newer = await reopenFixture(await servers.open({ schema, migrations: [...migrations, expand] }), older);
  const charge = (key: string) => [older, newer].map((one, index) => one.charge(`${index}${key}`, pure("0.01")));
  const entries = (await Promise.all(["a", "b", "c"].flatMap(charge))).map(({ charge: { entry } }) => entry);
  const first = Math.min(...entries);
  expect(entries.map((entry) => entry - first).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  const balances = [older, newer].map(({ database }) => database.ledgers.balance(older.adas.id));
  expect(await balances[0]).toEqual(await balances[1]);
  expect((await older.database.audit.verify()).problems).toEqual([]);
  const next = { schema, migrations: [...migrations, expand, contract] };
  expect(await codeOf(servers.open(next))).toBe("CONFLICT");
  await Promise.all([older.database.close(), newer.database.close()]);
  await (await servers.open(next)).close();
  expect(await codeOf(servers.open({ schema }))).toBe("CONFLICT");
});

test("what the server undid runs again, all of it, and is charged once; undone for ever, it is given up", async () => {
  const schema = servers.schema();
  const { database, charge } = await buildFixture(await servers.open({ schema }));
  await servers.server().query(
    `SET search_path = ${schema}; CREATE SEQUENCE tries;
      CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') % 4 <> 0 THEN RAISE EXCEPTION 'restart' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER undo BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION undo()`,
  );
  const first = await charge("k", pure("0.5"));
  expect(first.repeated).toBe(false);
  expect(await charge("k", pure("0.5"))).toMatchObject({ repeated: true, charge: { id: first.charge.id } });
  expect(await servers.server().query(`SELECT last_value FROM ${schema}.tries`)).toEqual([{ last_value: "4" }]);
  await servers.server().query(`ALTER SEQUENCE ${schema}.tries INCREMENT 4 RESTART 1`);
  expect(connectionErrorCode(await charge("other", pure("0.5")).catch((error: unknown) => error))).toBe("40001");
  expect(await database.audit.verify()).toMatchObject({ problems: [] });
  await database.close();
});

test("what another process wrote is never guessed away: a key it charged, and what it spent", async () => {
  const schema = servers.schema();
  const { database, charge, dataset, ada, adas } = await buildFixture(await servers.open({ schema }), {
    share: "1",
  });
  const other = await openLedgerDatabase(await servers.open({ schema }));
  const there = (key: string, epsilon: string) =>
    other.ledgers.charge({
      principal: ada.id,
      account: adas.id,
      dataset: dataset.id,
      key,
      request: { plan: key },
      events: pure(epsilon),
      adjacency: "addRemove",
      lease: { owner: "there", seconds: 60 },
    });
  const here = async (key: string, epsilon = "0.01") => (await charge(key, pure(epsilon))).charge;
  const first = await here("a");
  expect((await here("a")).id).toBe(first.id);
  await there("b", "0.5");
  expect(await codeOf(charge("c", pure("0.5")))).toBe("QUOTA_EXHAUSTED");
  for (let n = 0; n < 9; n++) await here(`d${n}`);
  const spent = await there("e", "0.1");
  expect(await here("e")).toMatchObject({ id: spent.charge.id, entry: first.entry + 11 });
  for (let n = 0; n < 9; n++) await here(`f${n}`);
  await here("g", "0.21");
  // nothing is left, and still a key answers as it did
  expect(await codeOf(charge("h", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
  expect((await here("a")).id).toBe(first.id);
  expect((await database.audit.verify()).problems).toEqual([]);
  await other.close();
  await database.close();
});

test.each([["synchronous_commit=off", { query: "options=-c%20synchronous_commit%3Doff" }]])(
  "%s is refused: a power cut would forget charges",
  async (_, address) => {
    const refused = postgresStore(servers.server().address(address), { schema: servers.schema() });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  },
);

test.each(["LedgerDatabase", "a b", "x;drop schema public", ""])("a schema named %j is refused", async (schema) => {
  await expect(postgresStore(servers.server().url, { schema })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});

test("history cannot be updated, deleted or truncated, whatever the client", async () => {
  const schema = servers.schema();
  const { database, charge } = await buildFixture(await servers.open({ schema }));
  await charge("k", pure("0.5"));
  const { query } = servers.server();
  for (const statement of [
    `UPDATE ${schema}.entry SET events = '[]'`,
    `DELETE FROM ${schema}.entry`,
    `TRUNCATE ${schema}.audit`,
    `UPDATE ${schema}.ledger SET state_epsilon = 0`,
    `DELETE FROM ${schema}.account`,
  ]) {
    await expect(query(statement), statement).rejects.toThrow(/append-only|never/);
  }
  for (const [change, rule] of [
    ["ledger SET state_epsilon = cap_epsilon + 1", "ledger_check"],
    ["ledger SET entries = entries - 1", "ledger: entries_are_never_forgotten"],
    ["ledger SET mode = 'free'", "ledger_mode_check"],
    ["account SET state_remaining_mu2 = cap_mu2 + 1", "account_check"],
    ["account SET query_epsilon = 0", "account_query_epsilon_check"],
    ["account SET holder_id = 'me'", "account: place_is_fixed"],
  ]) {
    await expect(query(`UPDATE ${schema}.${change}`), change).rejects.toThrow(rule);
  }
  const copy =
    query(`SET search_path = ${schema}; INSERT INTO entry (seq, ledger_id, number, kind, principal_id, active_rule, events,
      price_delta, at, prev_hash, hash) SELECT seq + 1, ledger_id, number + 1, kind, principal_id, active_rule, events, price_delta,
      at, prev_hash, hash FROM entry WHERE kind = 'charge'`);
  await expect(copy).rejects.toThrow("entry_check");
  expect((await database.audit.verify()).ok).toBe(true);
  await database.close();
});

test("a copy that took over is written to only by what compares it, until this process knows it [M404]", async () => {
  const store = await servers.open();
  const write = (compares?: string | null) => codeOf(store.transact(async () => undefined, [], compares));
  expect(await write()).toBe("done");
  await store.vouch("the copy that was in use before");
  expect([await write(), await write(null), await write()]).toEqual(["NOT_READY", "done", "NOT_READY"]);
  const copy = await store.copy();
  expect([await write(copy), await write("what others read")], "the copy that is compared").toEqual([
    "done",
    "NOT_READY",
  ]);
  await store.vouch(copy);
  const connection = () => store.transact((tx) => tx.get("SELECT pg_backend_pid() AS of", []));
  const before = await connection();
  expect(await connection()).toEqual(before);
  await write("another");
  expect(await connection(), "one to the copy before is not kept for ever").not.toEqual(before);
  await store.close();
});

test("queries of a snapshot that are asked at once are answered one after another, and who gets an idle connection does not wait", async () => {
  const store = await servers.open();
  const warned: string[] = [];
  const hear = ({ message }: Error) => warned.push(message);
  process.on("warning", hear);
  const audit = () => store.read.selectFrom("audit").selectAll().execute();
  await Promise.all([audit(), audit(), audit()]);
  const answers = Promise.all([audit(), audit(), audit()]);
  const waiting: unknown[] = [];
  for (let step = 0; step < 40; step++) waiting.push(await Promise.resolve(store.connections()?.waiting));
  expect(new Set(waiting)).toEqual(new Set([0]));
  await answers;
  const found = await store.snapshot((read) =>
    Promise.allSettled([
      read.selectFrom("audit").selectAll().execute(),
      read.selectFrom("audit").selectAll().limit(1).execute(),
    ]),
  );
  expect(found.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  await new Promise(setImmediate);
  process.off("warning", hear);
  expect(warned.filter((text) => text.includes("already executing"))).toEqual([]);
  await store.close();
});
