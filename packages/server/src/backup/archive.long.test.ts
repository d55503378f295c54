import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, reopenByTwo } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { newBackupKey } from "../ship/age.ts";
import { writeArchive } from "./archive.ts";
import { backUp, backupSteps, makeBackupKey, readBackupKey } from "./backup.ts";
import { drillRestore } from "./drill.ts";
import { backupKilledAt, restoreKilledAt } from "./killed.kit.ts";
import { checkBackup, restoreBackup, restoreSteps } from "./restore.ts";

const place = temporaryFolder();
let fixture: Omit<Fixture, "instance">;
let recipient: string;
let key: string;
/** The key that the server signs exports with. */
let signedBefore: string;
const at = (...path: string[]) => join(place, ...path);

const release = (instance: Instance, name: string) =>
  clientOf(instance, fixture.tokens.member).releaseAndWait(
    { plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount },
    { idempotencyKey: name },
  );
const stateOf = async (folder: string) => {
  const instance = await openTestInstance({ folder });
  const { status, balance } = await clientOf(instance, fixture.tokens.datasetAdmin).showLedger({
    ledger: fixture.ledger,
  });
  await instance.close();
  return { status, spent: balance.epsilon.spent };
};

beforeAll(async () => {
  recipient = await makeBackupKey(at("backup.key"));
  key = await readBackupKey(at("backup.key"));
  const auditStream = pathToFileURL(at("audit.jsonl")).href;
  const instance = await openTestInstance({ folder: at("data"), auditStream, deliver: true });
  fixture = await buildFixture(instance);
  await release(instance, "before");
  await instance.publish("http://localhost:1"); // as a server that answers
  await backUp({ folder: at("data"), archive: at("running.age"), recipients: [recipient] });
  await cp(at("data", "checkpoint.json"), at("then.json"));
  await release(instance, "after");
  await instance.close();
  signedBefore = await readFile(at("data", "signing.key"), "utf8");
  await backUp({ folder: at("data"), archive: at("stopped.age"), recipients: [recipient] });
});

const restored = (folder: string, more: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
  restoreBackup({ folder: at(folder), archive: at("running.age"), key, ...more });

test("a drill says what a restore would give now, what would be missing and which upload no one has, and changes nothing", async () => {
  const before = await readdir(at("data"), { recursive: true });
  const drilled = await drillRestore({ folder: at("data"), archive: at("running.age"), key });
  expect(drilled).toMatchObject({ ok: true, problems: [], lacking: [], frozen: [{ ledger: fixture.ledger }] });
  expect(drilled.missingLines).toBeGreaterThan(1);
  expect(Number(drilled.frozen[0]?.missing?.epsilon)).toBeGreaterThan(0);
  await mkdir(at("archives"));
  await cp(at("data"), at("robbed"), { recursive: true });
  const [upload = ""] = (await readdir(at("robbed", "files"))).filter((name) => name.endsWith(".csv"));
  await rm(at("robbed", "files", upload));
  await backUp({ folder: at("robbed"), archive: at("archives", "robbed.age"), recipients: [recipient] });
  const robbed = await drillRestore({ folder: at("elsewhere"), archive: at("archives"), key });
  expect(robbed).toMatchObject({ archive: at("archives", "robbed.age"), lacking: [upload], missingLines: null });
  expect(await readdir(at("data"), { recursive: true })).toEqual(before);
  await expect(drillRestore({ folder: at("data"), archive: at("data"), key })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

describe("a backup", () => {
  test("of a server that runs and of one that was stopped is proved by its key, and says its head", async () => {
    const [running, stopped] = [at("running.age"), at("stopped.age")];
    const [first, second] = [
      await checkBackup({ archive: running, key }),
      await checkBackup({ archive: stopped, key }),
    ];
    expect([first.verification.ok, second.verification.ok]).toEqual([true, true]);
    expect(first.verification.head).toBe(first.manifest.head);
    expect(first.manifest.files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["ledger.sqlite", "signing.key", "files/recognition.key"]),
    );
    expect(second.manifest.lines).toBeGreaterThan(first.manifest.lines);
  });

  test("holds no token and nothing that can be read, and only its owner may read the file", async () => {
    const { manifest } = await checkBackup({ archive: at("running.age"), key });
    expect(manifest.files.some(({ name }) => /token|checkpoint|lock/.test(name))).toBe(false);
    const bytes = await readFile(at("running.age"), "latin1");
    expect(bytes.startsWith("age-encryption.org/v1\n")).toBe(true);
    for (const word of ["SQLite format", "staff.csv", "PRIVATE KEY", "datasetAdmin"]) expect(bytes).not.toContain(word);
    expect((await stat(at("running.age"))).mode & 0o777).toBe(0o600);
  });

  test("leaves no log behind in a folder that no server holds, and no copy in its own", async () => {
    expect((await readdir(at("data"))).filter((name) => /-wal|-shm|backup|lock/.test(name))).toEqual([]);
  });

  test("is refused where the file is there, where no one could read it, and of a folder without a ledger database", async () => {
    const make = (more: object) =>
      backUp({ folder: at("data"), archive: at("new.age"), recipients: [recipient], ...more });
    await expect(make({ archive: at("running.age") })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(make({ recipients: [] })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    await expect(make({ recipients: ["age1nobody"] })).rejects.toThrow(/recipient is "age1nobody", must be age1…/);
    await expect(make({ folder: at("nothing") })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(makeBackupKey(at("backup.key"))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await readdir(place)).not.toContain("new.age");
  });

  test("of a ledger database that does not add up is refused, and leaves nothing", async () => {
    await cp(at("data"), at("changed"), { recursive: true });
    const database = new DatabaseSync(at("changed", "ledger.sqlite"));
    database.exec("DROP TRIGGER entry_no_update; UPDATE entry SET hash = 'x' || substr(hash, 2) WHERE number = 1");
    database.close();
    const made = backUp({ folder: at("changed"), archive: at("changed.age"), recipients: [recipient] });
    await expect(made).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("no backup was made"),
    });
    expect(await readdir(place)).not.toContain("changed.age");
  });
});

describe("a backup that is killed", () => {
  test.each(backupSteps)(
    "at %s leaves no archive, changes nothing, and is made when it is run again",
    async (label) => {
      const before = await readdir(at("data"));
      const archive = at(`${label}.age`);
      const options = { folder: at("data"), archive, recipients: [recipient] };
      expect(await backupKilledAt(label, options)).toBe("SIGKILL");
      expect(await readdir(place)).not.toContain(`${label}.age`);
      expect(await readdir(at("data"))).toEqual(before);
      // What it leaves is encrypted, and no archive that a restore would take for one.
      await backUp(options);
      expect((await checkBackup({ archive, key })).verification.ok).toBe(true);
      expect(await readdir(place)).not.toContain(`${label}.age.partial`);
    },
  );
});

describe("a restore", () => {
  test("into a folder of uploads that has a key of its own keeps that key aside", async () => {
    await mkdir(at("apart-files"));
    await writeFile(at("apart-files", "recognition.key"), "the key of another server");
    await restored("apart", { uploads: at("apart-files") });
    const [aside = ""] = (await readdir(at("apart-files"))).filter((name) => name.startsWith("replaced-"));
    expect(await readFile(at("apart-files", aside, "recognition.key"), "utf8")).toBe("the key of another server");
    expect(await readdir(at("apart-files"))).toContain("recognition.key");
    expect(await readFile(at("apart-files", "recognition.key"), "utf8")).not.toBe("the key of another server");
  });

  test("on a machine that knows nothing freezes the ledgers; two people open them, and no head that the archive says itself", async () => {
    const { frozen, manifest, aside } = await restored("fresh");
    expect(aside).toBeNull();
    expect(frozen).toMatchObject([{ ledger: fixture.ledger, missing: null }]);
    expect(await readFile(at("fresh", "signing.key"), "utf8")).toBe(signedBefore);
    const instance = await openTestInstance({ folder: at("fresh") });
    const admin = clientOf(instance, fixture.tokens.datasetAdmin);
    await expect(release(instance, "frozen")).rejects.toMatchObject({ code: "ACCOUNT_CLOSED" });
    const opening = { ledger: fixture.ledger, epsilon: "0", delta: "0", reason: "newest" };
    await expect(admin.reopenLedger({ ...opening, head: manifest.head } as never)).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
    });
    expect((await admin.reopenLedger(opening)).status).toBe("frozen");
    expect((await reopenByTwo(instance, fixture, opening)).status).toBe("open");
    expect((await release(instance, "again")).answers).not.toBeNull(); // the uploads are there too
    await instance.close();
  });

  test("next to the newest checkpoint knows what is missing, and takes no less", async () => {
    const { frozen } = await restored("known", { checkpoint: at("data", "checkpoint.json") });
    expect(frozen).toMatchObject([{ ledger: fixture.ledger, missing: { epsilon: "0.1" } }]);
    const instance = await openTestInstance({ folder: at("known") });
    const open = (epsilon: string) =>
      reopenByTwo(instance, fixture, { ledger: fixture.ledger, epsilon, delta: "0", reason: "lost" });
    await expect(open("0.05")).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    expect((await open("0.1")).balance.epsilon.spent).toBe("0.2");
    await instance.close();
  });

  test("with the audit stream knows the charges after the archive, and takes no less; then the same rule holds", async () => {
    const { frozen, known } = await restored("streamed", { auditStream: at("audit.jsonl") });
    expect(known).toEqual([{ ledger: fixture.ledger, charges: 1, unpriced: 0 }]);
    expect(frozen).toMatchObject([{ ledger: fixture.ledger, missing: { epsilon: "0.1" } }]);
    const instance = await openTestInstance({ folder: at("streamed") });
    const lost = { ledger: fixture.ledger, delta: "0", reason: "lost" };
    await expect(reopenByTwo(instance, fixture, { ...lost, epsilon: "0.05" })).rejects.toThrow("at least (0.1, 0)");
    const admin = clientOf(instance, fixture.tokens.datasetAdmin);
    expect((await admin.reopenLedger({ ...lost, epsilon: "0.1" })).status).toBe("frozen");
    const opened = await reopenByTwo(instance, fixture, { ...lost, epsilon: "0.1" });
    expect(opened).toMatchObject({ status: "open", balance: { epsilon: { spent: "0.2" } } });
    expect((await instance.database.audit.verify()).problems).toEqual([]);
    await instance.close();
    await writeFile(at("other.jsonl"), '{"sequence":1,"at":"x","action":"a.b","ledger":null,"detail":{},"hash":"y"}\n');
    await expect(restored("other-stream", { auditStream: at("other.jsonl") })).rejects.toThrow(/shares no line/);
    expect((await readdir(at("other-stream"))).filter((name) => !name.startsWith("lock"))).toEqual([]);
    await expect(restored("no-stream", { auditStream: at("monday.csv") })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("with the checkpoint that an archive ends with is frozen too: both may be older than what was spent", async () => {
    const { frozen } = await restored("newest", {
      archive: at("stopped.age"),
      checkpoint: at("data", "checkpoint.json"),
    });
    expect(frozen).toMatchObject([{ missing: { epsilon: "0" } }]);
    expect(await stateOf(at("newest"))).toEqual({ status: "frozen", spent: "0.2" });
  });

  test("of an older state than a checkpoint that was itself old is frozen all the same where it lacks a line", async () => {
    const { frozen } = await restored("old-checkpoint", { archive: at("running.age"), checkpoint: at("then.json") });
    expect(frozen).toHaveLength(1); // the server was running: nothing says that this is the newest
  });

  test("that goes on after the line at which a server ended in order is frozen: it has run since", async () => {
    const monday = { ...JSON.parse(await readFile(at("then.json"), "utf8")), closed: true };
    await writeFile(at("monday.json"), JSON.stringify(monday));
    const { frozen } = await restored("ran-on", { archive: at("stopped.age"), checkpoint: at("monday.json") });
    expect(frozen).toMatchObject([{ ledger: fixture.ledger }]);
  });

  test("over a folder in use is refused; with --replace what was there is moved aside, and its checkpoint stays", async () => {
    await cp(at("data"), at("used"), { recursive: true });
    await expect(restored("used")).rejects.toThrow(/is there already, and a restore would take its place/);
    expect(await stateOf(at("used"))).toEqual({ status: "open", spent: "0.2" });
    const { aside, frozen } = await restored("used", { replace: true });
    expect(frozen).toMatchObject([{ missing: { epsilon: "0.1" } }]);
    expect(await readdir(aside ?? "")).toEqual(expect.arrayContaining(["ledger.sqlite", "files", "signing.key"]));
    expect(await stateOf(at("used"))).toEqual({ status: "frozen", spent: "0.1" });
  });

  test("over a running server is refused, and nothing changes", async () => {
    await cp(at("data"), at("running"), { recursive: true });
    const instance = await openTestInstance({ folder: at("running") });
    await instance.publish("http://localhost:1");
    await expect(restored("running", { replace: true })).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
    expect((await release(instance, "meanwhile")).answers).not.toBeNull();
    await instance.close();
  });

  test("with the checkpoint of another ledger database is refused, and nothing is in place", async () => {
    const other = await openTestInstance({ folder: at("other") });
    await other.close();
    const mixed = restored("mixed", { checkpoint: at("other", "checkpoint.json") });
    await expect(mixed).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await readdir(at("mixed"))).toEqual([]);
  });

  test("whose ledger database does not add up leaves nothing of itself, and no key, and what was there goes on", async () => {
    const bad = at("bad");
    await mkdir(bad);
    for (const name of ["ledger.sqlite", "signing.key"]) await cp(at("data", name), join(bad, name));
    const ledger = new DatabaseSync(join(bad, "ledger.sqlite"));
    ledger.exec("PRAGMA wal_checkpoint(TRUNCATE); DROP TABLE IF EXISTS none");
    const { hash, lines } = ledger
      .prepare("SELECT max(seq) AS lines, (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1) AS hash FROM audit")
      .get() as { hash: string; lines: number };
    ledger.exec("UPDATE principal SET name = 'forged'");
    ledger.close();
    const members = await Promise.all(
      ["ledger.sqlite", "signing.key"].map(async (name) => ({
        name,
        path: join(bad, name),
        size: (await stat(join(bad, name))).size,
      })),
    );
    const files = members.map(({ name, size }) => ({ name, size }));
    const manifest = { format: 1 as const, version: "0", madeAt: new Date().toISOString(), head: hash, lines, files };
    await writeArchive(at("bad.age"), { recipients: [recipient], manifest, members });
    await cp(at("data"), at("kept"), { recursive: true });
    const before = await readdir(at("kept"));
    await expect(restored("kept", { archive: at("bad.age"), replace: true })).rejects.toThrow(/does not add up/);
    expect(await readdir(at("kept"))).toEqual(before);
    expect(await stateOf(at("kept"))).toEqual({ status: "open", spent: "0.2" });
  });
});

describe("an archive that is not whole", () => {
  const whole = () => readFile(at("running.age"));
  test("is refused wherever it is cut short, before anything is written", async () => {
    const { length } = await whole();
    for (const part of [0, 20, 200, 300, Math.floor(length / 2), length - 65_552, length - 16, length - 1]) {
      await cp(at("running.age"), at("cut.age"), { force: true });
      await truncate(at("cut.age"), Math.max(0, part));
      await expect(restored("cut", { archive: at("cut.age") }), `${part} bytes`).rejects.toMatchObject({
        code: "CONFLICT",
      });
    }
    expect(await readdir(place)).not.toContain("cut");
  });

  test("is refused wherever a bit of it has changed", async () => {
    const bytes = await whole();
    for (const index of [250, 1000, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await writeFile(at("bit.age"), changed);
      await expect(restored("bit", { archive: at("bit.age") }), `byte ${index}`).rejects.toMatchObject({
        code: "CONFLICT",
      });
    }
    expect(await readdir(place)).not.toContain("bit");
  });

  test("or that lacks a file or leads out of the folder is refused; so is another key, and a file that holds none", async () => {
    await writeFile(at("a.csv"), "a");
    const member = { name: "files/a.csv", path: at("a.csv"), size: 1 };
    const manifest = {
      format: 1,
      version: "0",
      madeAt: "2026-01-01T00:00:00.000Z",
      head: "0".repeat(64),
      lines: 0,
    } as const;
    const make = (name: string, files: { name: string; size: number }[]) =>
      writeArchive(at(name), { recipients: [recipient], manifest: { ...manifest, files }, members: [member] });
    await make("lacks.age", [member, { name: "ledger.sqlite", size: 4 }]);
    await make("leads.age", [{ name: "files/../../a.csv", size: 1 }]);
    await make("more.age", [{ name: "files/b.csv", size: 1 }]);
    await make("token.age", [{ name: "files/operator.token", size: 1 }]);
    for (const archive of ["lacks.age", "leads.age", "more.age", "token.age"])
      await expect(restored("forged", { archive: at(archive) }), archive).rejects.toMatchObject({ code: "CONFLICT" });
    const other = (await newBackupKey()).text;
    await expect(restored("forged", { key: other })).rejects.toThrow(/encrypted for other keys/);
    await expect(restored("forged", { key: "nothing" })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    await expect(restored("forged", { archive: at("none.age") })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await readdir(place)).not.toContain("forged");
  });
});

describe.each(restoreSteps)("a restore that is killed at %s", (label) => {
  test("leaves a folder that no server starts on, loses nothing, and ends well when it is run again", async () => {
    const name = `killed-${label}`;
    const options = { folder: at(name), archive: at("running.age"), key, replace: true };
    await cp(at("data"), at(name), { recursive: true });
    expect(await restoreKilledAt(label, options)).toBe("SIGKILL");
    await expect(openTestInstance({ folder: at(name) })).rejects.toThrow(/restore of this folder was broken off/);
    const { frozen } = await restoreBackup(options);
    expect(frozen).toMatchObject([{ ledger: fixture.ledger, missing: { epsilon: "0.1" } }]);
    expect(await stateOf(at(name))).toEqual({ status: "frozen", spent: "0.1" });
    // The ledger database that was there before is in one of the folders that were moved aside.
    const spent: string[] = [];
    for (const aside of (await readdir(at(name))).filter((each) => each.startsWith("replaced-"))) {
      if (!(await readdir(at(name, aside))).includes("ledger.sqlite")) continue;
      await rm(at("before"), { recursive: true, force: true });
      await mkdir(at("before"));
      await cp(at(name, aside, "ledger.sqlite"), at("before", "ledger.sqlite"));
      spent.push(`${(await stateOf(at("before"))).spent}`);
    }
    expect(spent).toContain("0.2");
  });
});
