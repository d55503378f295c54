import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkExport } from "@dosimeter/verify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, reopenByTwo } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { backUp, makeBackupKey, readBackupKey } from "./backup.ts";
import { restoreKilledAt } from "./killed.kit.ts";
import { checkBackup, restoreBackup, type restoreSteps } from "./restore.ts";

const place = temporaryFolder();
let server: PostgresServer;
let fixture: Omit<Fixture, "instance">;
let key: string;
let signed: string | null;
const at = (...path: string[]) => join(place, ...path);
const secret = "a secret that is long enough";
const archive = () => at("postgres.age");

const release = (instance: Instance, name: string) =>
  clientOf(instance, fixture.tokens.member).releaseAndWait(
    { plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount },
    { idempotencyKey: name },
  );

async function emptyDatabase(name: string): Promise<string> {
  await server.query(`CREATE DATABASE ${name}`);
  return server.address({ database: name });
}

beforeAll(async () => {
  server = await openPostgres({ settings: { fsync: "on" } });
  const recipient = await makeBackupKey(at("backup.key"));
  key = await readBackupKey(at("backup.key"));
  const options = { folder: at("data"), database: server.url, uploads: at("uploads"), keySecret: secret };
  const instance = await openTestInstance(options);
  fixture = await buildFixture(instance);
  await release(instance, "before");
  // Charges go on while the backup is made: it is of one moment.
  await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => release(instance, `during-${i}`)),
    backUp({ ...options, archive: archive(), recipients: [recipient] }),
  ]);
  await release(instance, "after");
  signed = await signerOf(instance);
  await instance.close();
});
afterAll(() => server.close());

/** The key that signs an export. */
async function signerOf(instance: Instance): Promise<string | null> {
  const file = await clientOf(instance, fixture.tokens.datasetAdmin).exportLedger({ ledger: fixture.ledger });
  return (await checkExport(await file.text())).signedBy;
}

const spentIn = async (instance: Instance) =>
  (await clientOf(instance, fixture.tokens.datasetAdmin).showLedger({ ledger: fixture.ledger })).balance.epsilon.spent;

test("a backup of a PostgreSQL database that is in use is proved without any database", async () => {
  const { verification, manifest } = await checkBackup({ archive: archive(), key });
  expect(verification).toMatchObject({ ok: true, head: manifest.head });
  expect(manifest.files.some(({ name }) => name.endsWith("operator.token"))).toBe(false);
});

test("a restore into an empty database has its uploads and its signing key, and knows what is missing", async () => {
  const database = await emptyDatabase("restored");
  const options = { folder: at("restored"), database, uploads: at("restored-uploads"), keySecret: secret };
  const { frozen } = await restoreBackup({
    ...options,
    archive: archive(),
    key,
    checkpoint: at("data", "checkpoint.json"),
  });
  expect(frozen).toMatchObject([{ ledger: fixture.ledger }]);
  const missing = Number(frozen[0]?.missing?.epsilon);
  const instance = await instanceOfTest(options);
  expect(await signerOf(instance)).toBe(signed);
  expect(Number(await spentIn(instance)) + missing).toBeCloseTo(0.7, 9);
  const lost = { ledger: fixture.ledger, epsilon: String(missing), delta: "0", reason: "lost" };
  expect((await reopenByTwo(instance, fixture, lost)).status).toBe("open");
  expect((await release(instance, "again")).answers).not.toBeNull();
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("a restore into a database that holds anything, or that a server uses, is refused", async () => {
  const full = restoreBackup({ folder: at("full"), database: server.url, archive: archive(), key });
  await expect(full).rejects.toMatchObject({ code: "CONFLICT" });
  const instance = await openTestInstance({
    folder: at("data"),
    database: server.url,
    uploads: at("uploads"),
    keySecret: secret,
  });
  const used = restoreBackup({ folder: at("used"), database: server.url, archive: archive(), key });
  await expect(used).rejects.toThrow(/a server uses the database/);
  await instance.close();
  expect(await readdir(at("used"))).toEqual(["restoring"]);
});

test("a backup of PostgreSQL can be restored into a folder alone", async () => {
  await restoreBackup({ folder: at("alone"), archive: archive(), key });
  const instance = await instanceOfTest({ folder: at("alone") });
  expect(Number(await spentIn(instance))).toBeGreaterThanOrEqual(0.1);
  expect((await instance.database.ledgers.ledger(fixture.ledger as never)).status).toBe("frozen");
});

test("a backup of a SQLite file goes into PostgreSQL frozen where its server ran on", async () => {
  await restoreBackup({ folder: at("file"), archive: archive(), key });
  const instance = await openTestInstance({ folder: at("file") });
  const opening = { ledger: fixture.ledger, epsilon: "0", delta: "0", reason: "newest" };
  expect((await reopenByTwo(instance, fixture, opening)).status).toBe("open");
  await instance.close();
  const recipient = await makeBackupKey(at("file.key"));
  await backUp({ folder: at("file"), archive: at("file.age"), recipients: [recipient] });
  const running = { ...JSON.parse(await readFile(at("file", "checkpoint.json"), "utf8")), closed: false };
  await writeFile(at("running.json"), JSON.stringify(running));
  const { frozen } = await restoreBackup({
    folder: at("from-file"),
    database: await emptyDatabase("from_file"),
    archive: at("file.age"),
    key: await readBackupKey(at("file.key")),
    checkpoint: at("running.json"),
  });
  expect(frozen).toMatchObject([{ ledger: fixture.ledger }]);
});

const killedAt: readonly (typeof restoreSteps)[number][] = ["restore.staged", "restore.copied", "restore.placed"];

test.each(killedAt)("a restore into PostgreSQL that is killed at %s ends well when it is run again", async (label) => {
  const name = label.replace(".", "_");
  const database = await emptyDatabase(name);
  const options = { folder: at(name), database, archive: archive(), key };
  expect(await restoreKilledAt(label, options)).toBe("SIGKILL");
  await expect(openTestInstance({ folder: at(name), database, keySecret: secret })).rejects.toThrow(
    /restore of this folder was broken off/,
  );
  // What is in place was put there by the restore; it is moved aside like anything else.
  const { frozen } = await restoreBackup({ ...options, replace: true });
  expect(frozen).toHaveLength(1);
  const instance = await instanceOfTest({ folder: at(name), database, keySecret: secret });
  expect((await instance.database.audit.verify()).ok).toBe(true);
});
