import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@dosimeter/client";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { backUp } from "../backup/backup.ts";
import { drillRestore } from "../backup/drill.ts";
import { type Restored, restoreBackup } from "../backup/restore.ts";
import {
  buildFixture,
  clientOf,
  codeOf,
  countPlan,
  type Fixture,
  openTestInstance,
  temporaryFolder,
} from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { within } from "../threads/within.ts";
import { type ServingWitness, serveWitness } from "../witness/server.ts";
import { encrypterFor, newBackupKey } from "./age.ts";
import { generationsIn, pathOf } from "./place.ts";

/** A server that shipped in two runs, with a witness, was closed, and is lost: all but its place is gone. */
let base: Awaited<ReturnType<typeof temporaryFolder>>;
let scratch: Awaited<ReturnType<typeof temporaryFolder>>;
let witness: ServingWitness;
let fixture: Fixture;
let key: { readonly text: string; readonly recipient: string };
let between: Date;
/** What the witness knows of the lost machine. */
let kept: Buffer;
const answered = new Map<string, unknown>();

const at = (...path: string[]) => join(scratch.folder, ...path);
const place = () => at("place");
const shipping = (folder: string, more: object = {}) => ({
  folder,
  witness: witness.addresses.hospital ?? "",
  ship: { place: join(folder, "..", "place"), recipients: [key.recipient], ...more },
});
const ask = (client: Client, name: string) =>
  client.releaseAndWait(
    { plan: countPlan("0.01"), dataset: fixture.dataset, account: fixture.memberAccount, reuse: "never" },
    { idempotencyKey: name },
  );
const memberOf = (instance: Instance) => clientOf(instance, fixture.tokens.member);
const restored = (more: object = {}): Promise<Restored> =>
  restoreBackup({
    folder: at("new"),
    archive: place(),
    key: key.text,
    witness: witness.addresses.hospital ?? "",
    ...more,
  });
const newest = async () => pathOf(place(), generationsIn(place()).at(-1) ?? 0);

beforeAll(async () => {
  base = await temporaryFolder();
  witness = await serveWitness({ folder: join(base.folder, "witness"), names: ["hospital"], port: 0 });
  key = await newBackupKey();
  await mkdir(join(base.folder, "place"));
  const options = shipping(join(base.folder, "data"));
  const first = await openTestInstance(options);
  fixture = await buildFixture(first);
  for (const name of ["a", "b"]) answered.set(name, await ask(memberOf(first), name));
  await first.close();
  between = new Date();
  const second = await openTestInstance(options);
  for (const name of ["c", "d", "e"]) answered.set(name, await ask(memberOf(second), name));
  await second.close();
  kept = await readFile(join(base.folder, "witness", "hospital.json"));
});
afterAll(async () => {
  await witness.close();
  await base.remove();
});
beforeEach(async () => {
  scratch = await temporaryFolder();
  await writeFile(join(base.folder, "witness", "hospital.json"), kept);
  await cp(join(base.folder, "place"), place(), { recursive: true });
  return () => scratch.remove();
});

async function answersIn(folder: string): Promise<ReadonlyMap<string, unknown>> {
  const instance = await openTestInstance({ folder });
  try {
    const found = new Map<string, unknown>();
    for await (const one of memberOf(instance).all("listReleases", { limit: 200 })) found.set(one.id, one.state);
    expect((await instance.database.audit.verify()).problems).toEqual([]);
    return found;
  } finally {
    await instance.close();
  }
}

test("a lost machine is put together from its place alone, opens by its witness, and has every answer", async () => {
  const { frozen, manifest, said } = await restored();
  expect({ frozen, said }).toEqual({ frozen: [], said: [] });
  expect(manifest.files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["signing.key", "files/recognition.key"]),
  );
  const instance = await openTestInstance({ folder: at("new"), witness: witness.addresses.hospital ?? "" });
  for (const [name, before] of answered) expect(await ask(memberOf(instance), name)).toEqual(before);
  expect((await ask(memberOf(instance), "new")).answers).not.toBeNull();
  const { balance } = await memberOf(instance).showAccount({ account: fixture.memberAccount });
  expect(Number(balance.epsilon.spent)).toBeCloseTo(0.06, 9);
  await instance.close();
});

test("without a witness, and of an earlier time, ledgers open frozen, with what is missing at least", async () => {
  const alone = await restored({ folder: at("alone"), witness: undefined });
  expect(alone.frozen).toMatchObject([{ ledger: fixture.ledger, missing: null }]);
  const earlier = await restored({ folder: at("earlier"), witness: undefined, until: between });
  expect(earlier.frozen).toMatchObject([{ ledger: fixture.ledger }]);
  expect(Number(earlier.frozen[0]?.missing?.epsilon)).toBeCloseTo(0.03, 9);
  expect((await answersIn(at("earlier"))).size).toBe(2);
  expect(await codeOf(restored({ folder: at("never"), until: new Date(0) }))).toBe("NOT_FOUND");
});

test("a drill works on the place, and says what lacks", async () => {
  const found = await drillRestore({ folder: at("none"), archive: place(), key: key.text });
  expect(found).toMatchObject({ ok: true, lacking: [], said: [], problems: [] });
  for (const name of await readdir(join(place(), "files")))
    if (name.endsWith(".csv.age")) await rm(join(place(), "files", name));
  expect((await drillRestore({ folder: at("none"), archive: place(), key: key.text })).lacking).toHaveLength(1);
});

type Damage = (bytes: Buffer, headerEnds: number) => Buffer | null;
const changed = (bytes: Buffer, index: number): Buffer => {
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes;
};
/** Where each segment begins. */
function segmentsOf(bytes: Buffer, headerEnds: number): readonly number[] {
  const starts: number[] = [];
  for (let at = headerEnds; at < bytes.length; at += 4 + bytes.readUInt32LE(at)) starts.push(at);
  return starts;
}
const middle = (bytes: Buffer, from: number) => segmentsOf(bytes, from).at(-3) ?? 0;

test.each<readonly [string, Damage]>([
  ["cut in its last segment", (bytes) => bytes.subarray(0, -10)],
  ["changed in its last segment", (bytes) => changed(bytes, bytes.length - 20)],
  ["changed in the length of a segment", (bytes, from) => changed(bytes, middle(bytes, from) + 3)],
  ["changed in a segment in the middle", (bytes, from) => changed(bytes, middle(bytes, from) + 30)],
  [
    "without a segment in the middle",
    (bytes, from) => {
      const [start, next] = segmentsOf(bytes, from).slice(-3);
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(next)]);
    },
  ],
  [
    "with two segments in another order",
    (bytes, from) => {
      const [one, two, three] = segmentsOf(bytes, from).slice(-3);
      return Buffer.concat([
        bytes.subarray(0, one),
        bytes.subarray(two, three),
        bytes.subarray(one, two),
        bytes.subarray(three),
      ]);
    },
  ],
  ["changed in its first copy", (bytes, from) => changed(bytes, from + 40)],
  ["cut after its first line", (bytes, from) => bytes.subarray(0, from)],
])("a newest generation that is %s gives an earlier state that says so, frozen", async (_, damage) => {
  const path = await newest();
  const bytes = await readFile(path);
  await writeFile(path, damage(bytes, bytes.indexOf(10) + 1) ?? "");
  const { said, frozen, manifest } = await restored();
  expect(said.join()).toMatch(/it was cut short/);
  expect(frozen).toMatchObject([{ ledger: fixture.ledger }]);
  expect(manifest.lines).toBeGreaterThan(0);
  await answersIn(at("new"));
});

test("a generation that is gone is missed by the witness; what stands in its place of another key is refused", async () => {
  await rm(await newest());
  const { frozen } = await restored();
  expect(frozen).toMatchObject([{ ledger: fixture.ledger }]);
  expect(Number(frozen[0]?.missing?.epsilon)).toBeCloseTo(0.03, 9);
  const { text } = await newBackupKey();
  expect(await codeOf(restored({ folder: at("other"), key: text }))).toBe("INVALID_PARAMETER");
  const path = await newest();
  await writeFile(path, (await readFile(path, "latin1")).replace('"madeAt":"2', '"madeAt":"3'), "latin1");
  expect(await codeOf(restored({ folder: at("changed") }))).toBe("NOT_FOUND");
});

test("an upload that was changed is refused, and nothing is put in place", async () => {
  const name = (await readdir(join(place(), "files"))).find((one) => one.endsWith(".csv.age")) ?? "";
  const bytes = await readFile(join(place(), "files", name));
  await writeFile(join(place(), "files", name), changed(bytes, bytes.length - 5));
  expect(await codeOf(restored())).toBe("CONFLICT");
  expect(await readdir(at("new")).catch(() => [])).toEqual([]);
});

test("a file that someone else encrypted for the keys of backups, or under another name, is refused by its name", async () => {
  const files = await readdir(join(place(), "files"));
  for (const end of [".csv.age", ".json.age"]) {
    const name = files.find((one) => one.endsWith(end)) ?? "";
    const path = join(place(), "files", name);
    const bytes = await readFile(path);
    for (const other of [await encrypterFor([key.recipient]).encrypt("person,visits\np,1\n".padEnd(99)), bytes]) {
      const to = other === bytes ? path.replace(/fil_./, (start) => (start === "fil_0" ? "fil_1" : "fil_0")) : path;
      await rename(path, at("kept"));
      await writeFile(to, other);
      await expect(restored()).rejects.toThrow(to);
      await rm(to);
      await rename(at("kept"), path);
    }
  }
  expect((await restored()).said).toEqual([]);
});

test("an archive of before anything was shipped goes on in the same place, whose files are still those that were shipped", async () => {
  const [data, older, other, place] = ["data", "older", "other", "other/place"].map((name) =>
    at("unshipped", name),
  ) as [string, string, string, string];
  for (const folder of [at("unshipped"), other, place]) await mkdir(folder);
  const archive = at("unshipped", "archive.age");
  const ship = { place, recipients: [key.recipient] };
  const first = await openTestInstance({ folder: data });
  await buildFixture(first);
  await first.close();
  await backUp({ folder: data, archive, recipients: [key.recipient] });
  const csv = expect.stringMatching(/fil_\w+\.csv(\.age)?$/);
  const second = await openTestInstance({ folder: data, ship });
  await expect.poll(() => readdir(join(place, "files")).catch(() => [])).toContainEqual(csv);
  await second.close();
  await restoreBackup({ folder: older, archive, key: key.text });
  await (await openTestInstance({ folder: older, ship })).close();
  const { said, manifest } = await restored({ folder: at("new"), archive: place, witness: undefined });
  expect(said).toEqual([]);
  expect(manifest.files.map(({ name }) => name)).toContainEqual(csv);
});

test("of two servers that write to one place, the first stops charging, and cannot come back; the restore shows both", async () => {
  await restored({ folder: at("data") });
  await cp(at("data"), at("copy"), { recursive: true });
  const open = (folder: string) => openTestInstance({ folder, ship: shipping(folder).ship });
  const first = await open(at("data"));
  await ask(memberOf(first), "first");
  const second = await open(at("copy"));
  await ask(memberOf(second), "second");
  expect(await codeOf(ask(memberOf(first), "late"))).toBe("NOT_READY");
  await second.close();
  await first.close();
  const back = await open(at("data"));
  expect(await codeOf(ask(memberOf(back), "back"))).toBe("NOT_READY");
  await back.close();
  const { said, frozen } = await restored();
  expect(said.join()).toMatch(/two servers wrote here/);
  expect(frozen).toHaveLength(1);
});

test("while the place is away answers are shown for as long as is set, then nothing is charged, until it is back", async () => {
  await restored({ folder: at("data") });
  const seen: string[] = [];
  const log = { info: () => undefined, error: (code: string) => void seen.push(code) };
  const instance = await openTestInstance({ ...shipping(at("data"), { graceSeconds: 4 }), log });
  const member = memberOf(instance);
  await ask(member, "before");
  await rename(place(), at("away"));
  expect((await ask(member, "meanwhile")).answers).not.toBeNull();
  expect(seen).toContain("NOT_SHIPPED");
  // One that was charged in time waits to be stored until the place is back.
  const next = () => Promise.race([codeOf(ask(member, `try-${performance.now()}`)), sleep(2000, "waits")]);
  await expect.poll(next, { timeout: 60_000, interval: 500 }).toBe("NOT_READY");
  expect((await member.me()).person.id).not.toBe("");
  await rename(at("away"), place());
  await expect.poll(() => codeOf(ask(member, "after")), { timeout: 60_000, interval: 500 }).toBe("done");
  expect(seen).toContain("SHIPPED_AGAIN");
  await instance.close();
  const { frozen, said } = await restored();
  expect({ frozen, said }).toEqual({ frozen: [], said: [] });
  expect((await answersIn(at("new"))).size).toBeGreaterThanOrEqual(8);
});

test("while the place is away nothing is shown that no witness knows: an older copy would open", async () => {
  await mkdir(at("place2"));
  const own = await serveWitness({ folder: at("witness"), names: ["hospital"], port: 0 });
  const ship = { place: at("place2"), recipients: [key.recipient] };
  const instance = await openTestInstance({ folder: at("data"), witness: own.addresses.hospital ?? "", ship });
  const { tokens, dataset, memberAccount: account } = await buildFixture(instance);
  const member = clientOf(instance, tokens.member);
  const once = (idempotencyKey: string) =>
    member.releaseAndWait({ plan: countPlan("0.01"), dataset, account, reuse: "never" }, { idempotencyKey });
  await once("before");
  await rename(at("place2"), at("away"));
  expect((await once("told")).answers).not.toBeNull();
  await own.close();
  expect(await codeOf(once("not-told"))).toBe("NOT_READY");
  await instance.close();
});

/** A server in a process of its own, which is sent a signal with all that it started. Returns its exit code, and what it said. */
async function servedUntil(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly said: string }> {
  const script = `import { openTestInstance, clientOf } from "${import.meta.resolve("../instance.kit.ts")}";
    const log = { info: () => undefined, error: (code) => console.log(code) };
    const instance = await openTestInstance({ ...${JSON.stringify(shipping(at("data")))}, log });
    process.once("${signal}", async () => {
      await clientOf(instance, "${fixture.tokens.teamAdmin}").createTeam({ name: "last" }).catch(() => undefined);
      await instance.close();
      clearInterval(open);
      console.log("closed");
    });
    const open = setInterval(() => undefined, 1e9);
    console.log("open");`;
  await writeFile(at("server.mts"), script);
  const child = spawn(process.execPath, [at("server.mts")], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain("open");
  process.kill(-(child.pid ?? 0), signal);
  const [code] = (await within(60_000, once(child, "exit"), () => ["hangs"])) as [number | null];
  return { code, said };
}

test("what is committed while a signal ends all processes of a server is shipped", async () => {
  await restored({ folder: at("data") });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const before = generationsIn(place()).length;
    expect(await servedUntil(signal), signal).toEqual({ code: 0, said: "open\nclosed\n" });
    expect(generationsIn(place())).toHaveLength(before + 1);
    const lines = (await restored({ folder: at(signal) })).manifest.lines;
    const instance = await openTestInstance({ folder: at(signal) });
    const teams = (await clientOf(instance, fixture.tokens.teamAdmin).listTeams({})).items.map(({ name }) => name);
    expect(teams.includes("last"), `${lines} lines`).toBe(true);
    await instance.close();
  }
});

test("a server starts and ends in time, and so does its process, with a place that hangs", async () => {
  await restored({ folder: at("data") });
  const hanging = (await newest()).replace(/\d+\.ship/, "00000099.ship");
  await rm(await newest());
  expect(spawnSync("mkfifo", [hanging]).status).toBe(0);
  expect(await servedUntil("SIGTERM")).toEqual({
    code: 0,
    said: expect.stringMatching(/open\nNOT_SHIPPED\n.*closed\n/s),
  });
});

test("a process that ships and hangs holds up no one for long, and another takes over", async () => {
  await restored({ folder: at("data") });
  const seen: string[] = [];
  const log = { info: () => undefined, error: (code: string) => void seen.push(code) };
  const instance = await openTestInstance({ ...shipping(at("data")), log });
  const before = generationsIn(place()).length;
  const [pid] = spawnSync("pgrep", ["-P", String(process.pid), "-f", "ship.worker"], { encoding: "utf8" }).stdout.split(
    "\n",
  );
  process.kill(Number(pid), "SIGSTOP");
  expect((await within(25_000, ask(memberOf(instance), "meanwhile"), () => null))?.answers).not.toBeNull();
  await expect.poll(() => generationsIn(place()).length, { timeout: 60_000, interval: 500 }).toBe(before + 1);
  await ask(memberOf(instance), "after");
  expect(seen).toEqual(expect.arrayContaining(["NOT_SHIPPED", "SHIPPED_AGAIN"]));
  await instance.close();
  const { frozen, said } = await restored();
  expect({ frozen, said }).toEqual({ frozen: [], said: [] });
  expect((await answersIn(at("new"))).size).toBe(7);
});

const disk = mkdtempSync(join(tmpdir(), "ship-disk-"));
const mounts = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]).status === 0;
afterAll(() => {
  if (mounts) spawnSync("umount", ["-l", disk]);
  return rm(disk, { recursive: true });
});

test.skipIf(!mounts)("a full disk of the place is a place that is away", async () => {
  await restored({ folder: at("data") });
  const ship = { place: disk, recipients: [key.recipient], graceSeconds: 0 };
  const instance = await openTestInstance({ folder: at("data"), witness: witness.addresses.hospital ?? "", ship });
  const member = memberOf(instance);
  await ask(member, "room");
  await writeFile(join(disk, "full"), Buffer.alloc(4e6)).catch(() => undefined);
  await expect
    .poll(() => codeOf(ask(member, `full-${performance.now()}`)), { timeout: 60_000, interval: 100 })
    .toBe("NOT_READY");
  await rm(join(disk, "full"));
  await expect.poll(() => codeOf(ask(member, "after")), { timeout: 60_000, interval: 500 }).toBe("done");
  await instance.close();
  const { frozen, said } = await restored({ archive: disk });
  expect({ frozen, said }).toEqual({ frozen: [], said: [] });
});

test("with no time to go on, nothing that is not in the place is shown", async () => {
  await restored({ folder: at("data") });
  const instance = await openTestInstance(shipping(at("data"), { graceSeconds: 0 }));
  const member = memberOf(instance);
  const before = await ask(member, "before");
  await rename(place(), at("away"));
  expect(await codeOf(ask(member, "strict"))).toBe("NOT_READY");
  expect(await codeOf(member.showRelease({ release: before.id }))).toBe("NOT_READY");
  await rename(at("away"), place());
  await expect.poll(() => codeOf(ask(member, "strict")), { timeout: 60_000, interval: 500 }).toBe("done");
  await instance.close();
});

test("a log that is folded and starts again goes on in the same generation", async () => {
  await restored({ folder: at("data") });
  const instance = await openTestInstance(shipping(at("data")));
  const before = generationsIn(place());
  const admin = clientOf(instance, fixture.tokens.teamAdmin);
  const salts = async () => (await readFile(at("data", "ledger.sqlite-wal"))).toString("hex", 16, 24);
  const first = await salts();
  for (let count = 0; (await salts()) === first && count < 4000; count += 1)
    await Promise.all(["a", "b", "c", "d"].map((name) => admin.createTeam({ name: `${name}${count}` })));
  expect(await salts()).not.toBe(first);
  await ask(memberOf(instance), "after");
  await instance.close();
  expect(generationsIn(place())).toEqual(before);
  const { frozen, said } = await restored();
  expect({ frozen, said }).toEqual({ frozen: [], said: [] });
  expect((await answersIn(at("new"))).size).toBe(6);
});

test("an upload that is erased is erased in the place too", async () => {
  await restored({ folder: at("data") });
  const instance = await openTestInstance(shipping(at("data")));
  const csvs = async () => (await readdir(join(place(), "files"))).filter((name) => name.endsWith(".csv.age"));
  expect(await csvs()).toHaveLength(1);
  await clientOf(instance, fixture.tokens.datasetAdmin).eraseUploads({ dataset: fixture.dataset });
  expect(await csvs()).toEqual([]);
  await instance.close();
});
