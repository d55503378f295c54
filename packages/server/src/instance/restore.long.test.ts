import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { copyStore } from "@dosimeter/ledger/copy";
import { postgresStore } from "@dosimeter/ledger/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { clientOf, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { verifyFolder } from "./database.ts";
import { answeredAfter, askAgain, expectLost, kept, type Pending } from "./restore.kit.ts";

/** With its owners. */
const copied = (from: string, to: string) => void execFileSync("cp", ["-a", from, to], { timeout: 60_000 });

describe("on PostgreSQL, a charge that is pending in a backup and was answered after it is not measured again", () => {
  const root = temporaryFolder();
  let server: PostgresServer;
  let pending: Pending;
  const at = (...path: string[]) => join(root, ...path);
  /** Data folders with the last checkpoint, and with one of the moment of the backup. */
  const checkpoints = ["last", "older"] as const;

  /** A base backup of the whole cluster, as `pg_basebackup` makes it. */
  async function baseBackup(): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query("SELECT pg_backup_start('base', true)");
    const data = join(tmpdir(), server.data);
    copied(data, at("base"));
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    await client.end();
    copied(join(data, "pg_wal"), at("base"));
    await rm(at("base", "postmaster.pid"), { force: true });
    // The files of a recovery, with the owner that the server wants.
    for (const [name, text] of [
      ["backup_label", (rows[0] as { labelfile: string }).labelfile],
      ["recovery.signal", ""],
    ] as const) {
      copied(join(data, "PG_VERSION"), at("base", name));
      await writeFile(at("base", name), text);
    }
  }

  beforeAll(async () => {
    await chmod(root, 0o755); // the database server runs as another user
    server = await openPostgres({ settings: { fsync: "on" } });
    await server.query("CREATE DATABASE restored");
    pending = await answeredAfter({ folder: at("last"), database: server.url }, async ({ database }) => {
      const [from, to] = [
        await postgresStore(server.url),
        await postgresStore(server.address({ database: "restored" })),
      ];
      await copyStore(from, to);
      await baseBackup();
      await cp(at("last"), at("older"), { recursive: true });
      await rm(at("older", "lock.json"), { force: true });
      await kept(at("older")).write({ ...(await database.audit.checkpoint()), copy: await from.copy(), closed: false });
      for (const store of [from, to]) await store.close();
    });
  });
  afterAll(() => server.close());

  test.each(checkpoints)("from a dump, with the %s checkpoint", async (name) => {
    const database = `restored_${name}`;
    await server.query(`CREATE DATABASE ${database} TEMPLATE restored`);
    const folder = at(`dump-${name}`);
    await cp(at(name), folder, { recursive: true });
    await expectLost({ folder, database: server.address({ database }) }, pending);
  });

  test.each(checkpoints)("from an earlier state that takes over, with the %s checkpoint", async (name) => {
    copied(at("base"), at(`cluster-${name}`));
    const standby = await openPostgres({
      root,
      data: `cluster-${name}`,
      settings: { fsync: "on", restore_command: "false" },
    });
    const folder = at(`standby-${name}`);
    await cp(at(name), folder, { recursive: true });
    await expect.poll(() => standby.query("SELECT pg_is_in_recovery() AS waits")).toEqual([{ waits: false }]);
    await expectLost({ folder, database: standby.url }, pending);
    await standby.close();
  });

  test("a database that comes without its checkpoint starts frozen; next to a server that knows it, it does not", async () => {
    const { ledger } = pending.fixture;
    const status = ({ database }: Instance) => database.ledgers.ledger(ledger as never).then((one) => one.status);
    await server.query("CREATE DATABASE restored_alone TEMPLATE restored");
    const alone = await openTestInstance({
      folder: at("alone"),
      database: server.address({ database: "restored_alone" }),
    });
    expect(await status(alone)).toBe("frozen");
    await alone.close();
    const knowing = await openTestInstance({ folder: at("last"), database: server.url });
    const joining = await openTestInstance({ folder: at("joining"), database: server.url });
    expect([await status(knowing), await status(joining)]).toEqual(["open", "open"]);
    await knowing.close();
    await joining.close();
  });

  test("verifying reads a database in read-only transactions, and makes nothing in an empty one", async () => {
    const folder = at("verifying");
    const written = () => server.query("SELECT serial FROM dosimeter.writer");
    const before = await written();
    expect(await verifyFolder({ folder, database: server.url })).toMatchObject({ ok: true, problems: [] });
    expect(await written()).toEqual(before);
    await server.query("CREATE DATABASE nothing");
    const database = server.address({ database: "nothing" });
    await expect(verifyFolder({ folder, database })).rejects.toMatchObject({ code: "CONFLICT" });
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'dosimeter'");
    await client.end();
    expect(rows).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test("the database itself goes on with both", async () => {
    for (const name of checkpoints) {
      const instance = await openTestInstance({ folder: at(name), database: server.url });
      expect((await instance.database.ledgers.ledger(pending.fixture.ledger as never)).status).toBe("open");
      await instance.close();
    }
  });

  test("a server that runs while another copy takes over writes nothing before it froze what may lack charges [M404]", async () => {
    const instance = await openTestInstance({ folder: at("last"), database: server.url });
    const { audit } = instance.database;
    const before = Number((await audit.checkpoint())?.seq);
    // To the server another table `writer` and broken connections are another copy, as after a promotion.
    await server.query(`BEGIN; ALTER TABLE dosimeter.writer RENAME TO before;
      CREATE TABLE dosimeter.writer (LIKE dosimeter.before INCLUDING ALL);
      INSERT INTO dosimeter.writer SELECT * FROM dosimeter.before; COMMIT`);
    await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ 'dosimeter'");
    const client = clientOf(instance, instance.operatorToken);
    let refused = 0;
    const tried = async () => {
      const name = `team ${refused}`;
      return client.createTeam({ name }).then(
        () => "done",
        (error: { code?: string }) => {
          refused += 1;
          return error.code ?? String(error);
        },
      );
    };
    await expect.poll(tried, { timeout: 60_000, interval: 20 }).toBe("done");
    const [first] = await audit.linesAfter({ sequence: before, limit: 1 });
    expect(first?.action).toBe("ledger.freeze");
    await instance.close();
  });
});

describe("on SQLite, a charge that is pending in a hot backup and was answered after it", () => {
  const place = temporaryFolder();
  let pending: Pending;
  const at = (...path: string[]) => join(place, ...path);

  beforeAll(async () => {
    pending = await answeredAfter({ folder: at("data") }, async ({ database }) => {
      const source = new DatabaseSync(at("data", "ledger.sqlite"), { readOnly: true });
      await backup(source, at("backup.sqlite"));
      source.close();
      await kept(place).write({ ...(await database.audit.checkpoint()), copy: null, closed: false });
      // What a server that was killed at this moment leaves behind.
      await cp(at("data"), at("killed"), { recursive: true });
      await cp(at("checkpoint.json"), at("killed", "checkpoint.json"));
    });
  });

  /** As the page for operators says it. */
  async function restore(name: string): Promise<string> {
    const folder = at(name);
    await cp(at("data"), folder, { recursive: true });
    for (const file of ["ledger.sqlite-wal", "ledger.sqlite-shm", "lock.json"])
      await rm(join(folder, file), { force: true });
    await cp(at("backup.sqlite"), join(folder, "ledger.sqlite"));
    return folder;
  }

  test("is not measured again: it stays charged, and its person is notified", async () => {
    const folder = await restore("restored");
    await expectLost({ folder }, pending);
  });

  test("nor when the newest checkpoint is older than the answer, so that the restored database ends where it should", async () => {
    const folder = await restore("last-second");
    await cp(at("checkpoint.json"), join(folder, "checkpoint.json"));
    await expectLost({ folder }, pending);
  });

  test("nor when the checkpoint knows that it was answered, whatever line the database ends with", async () => {
    const folder = await restore("answered");
    const then = await kept(place).read();
    await kept(folder).write({ ...then, closed: true, pending: [] });
    await expectLost({ folder }, pending);
  });

  test("is finished, at no further cost, when the server was killed and the database is its own", async () => {
    const folder = at("killed");
    await rm(join(folder, "lock.json"), { force: true });
    const { fixture } = pending;
    const instance = await openTestInstance({ folder });
    expect((await askAgain(instance, fixture)).answers).not.toBeNull();
    const member = clientOf(instance, fixture.tokens.member);
    expect((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent).toBe("0.1");
    expect((await member.showLedger({ ledger: fixture.ledger })).status).toBe("open");
    await instance.close();
  });
});
