import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { newBackupKey } from "./age.ts";
import { generationsIn } from "./place.ts";
import { openShip, type Ship } from "./ship.ts";
import type { ShipTo } from "./shipper.ts";

/** A SQLite file in a folder of its own, and what ships it. */
async function shipped({ keepDays = 7 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "dosimeter-fold-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [place, uploads, ledger] = ["place", "files", "ledger.sqlite"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [place, uploads]) mkdirSync(one);
  const database = new DatabaseSync(ledger);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE audit (seq INTEGER PRIMARY KEY, hash TEXT)",
  );
  const log = { info: () => undefined, error: () => undefined };
  const { recipient } = await newBackupKey();
  const to = { place, recipients: [recipient], ledger, uploads, more: [], keepDays };
  const ship = openShip({ ...to, graceSeconds: 60, log });
  return { place, ledger, database, ship, to };
}

test("what is erased leaves the place of a server that takes no change", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { place, database, ship } = await shipped({ keepDays: 2 / 86_400 });
  await ship.start();
  expect(generationsIn(place)).toEqual([1]);
  for (const there of [
    [1, 2],
    [2, 3],
  ]) {
    await sleep(2500);
    vi.advanceTimersByTime(3_600_000);
    expect(await ship.mayShow()).toBe(true);
    expect(generationsIn(place)).toEqual(there);
  }
  await ship.end();
  database.close();
  await ship.close();
});

test("a server whose place is another's erases nothing there", async () => {
  const { place, database, ship } = await shipped();
  await ship.start();
  mkdirSync(join(place, "files"), { recursive: true });
  writeFileSync(join(place, "files", "fil_1.csv.age"), "the other server's");
  writeFileSync(join(place, "00000002.ship"), "{}");
  database.exec("INSERT INTO audit (hash) VALUES ('next')");
  await ship.committed(() => undefined);
  await expect.poll(() => codeOfRefusal(ship), { timeout: 30_000 }).toBe("NOT_READY");
  await expect(ship.erase("fil_1")).rejects.toMatchObject({ code: "NOT_READY" });
  await expect(ship.upload()).rejects.toMatchObject({ code: "NOT_READY" });
  expect(readdirSync(join(place, "files"))).toEqual(["fil_1.csv.age"]);
  await ship.end();
  database.close();
  await ship.close();
});

function codeOfRefusal({ refuseStopped }: Ship): unknown {
  try {
    return refuseStopped();
  } catch (error) {
    return (error as { readonly code?: string }).code;
  }
}

/** A server that is killed when its process is asked for a first copy, which stops before it has looked at the place. */
const killed = (to: ShipTo) => `
import { spawnSync } from "node:child_process";
const { openThread } = await import(${JSON.stringify(new URL("../threads/thread.ts", import.meta.url).href)});
const thread = openThread("ship.worker", ${JSON.stringify(import.meta.url)}, { isProcess: true });
void thread.ask({ to: ${JSON.stringify(to)}, what: { ship: 0 } });
const [pid] = spawnSync("pgrep", ["-P", String(process.pid), "-f", "ship.worker"], { encoding: "utf8" }).stdout.split("\\n");
process.kill(Number(pid), "SIGSTOP");
spawnSync("sleep", ["0.5"]);
console.log(pid);
process.kill(process.pid, "SIGKILL");`;

test("a process that outlives its server takes the place from no other", async () => {
  const { place, database, ship, to } = await shipped();
  const node = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", killed(to)];
  const left = Number(spawnSync(process.execPath, node, { encoding: "utf8" }).stdout);
  await ship.start();
  process.kill(left, "SIGCONT");
  await expect.poll(() => spawnSync("kill", ["-0", String(left)]).status, { timeout: 20_000 }).not.toBe(0);
  database.exec("INSERT INTO audit (hash) VALUES ('next')");
  await ship.committed(() => undefined);
  expect([await ship.mayShow(), generationsIn(place)]).toEqual([true, [1]]);
  ship.refuseStopped();
  await ship.end();
  database.close();
  await ship.close();
});

test("a first copy has as long as its file needs, and one that hangs is ended after that", async () => {
  const { place, ledger, database, ship } = await shipped();
  truncateSync(ledger, 2 ** 30); // SQLite minds no more at the end than its first page names
  spawnSync("mkfifo", [join(place, "00000001.ship")]); // who reads it waits
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const children = () =>
    spawnSync("pgrep", ["-P", String(process.pid), "-f", "ship.worker"], { encoding: "utf8" }).stdout;
  void ship.start();
  await expect.poll(children).not.toBe("");
  const first = children();
  await vi.advanceTimersByTimeAsync(1_600_000);
  await sleep(500);
  expect(children()).toBe(first);
  await vi.advanceTimersByTimeAsync(100_000);
  await expect.poll(children).not.toBe(first);
  database.close();
  await ship.close();
});

test("a reader who keeps a long log from starting again does not make each commit wait for the place", async () => {
  const { ledger, database, ship } = await shipped();
  await ship.start();
  let folds = 0;
  const fold = () => {
    folds += 1;
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  };
  async function commit(bytes: number): Promise<void> {
    database.prepare("INSERT INTO audit (hash) VALUES (hex(randomblob(?)))").run(bytes / 2);
    await ship.committed(fold);
    expect(await ship.mayShow()).toBe(true);
  }
  const reader = new DatabaseSync(ledger, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM audit").get();
  await commit(17e6);
  for (let count = 0; count < 20; count += 1) await commit(100);
  expect(folds).toBe(1);
  await commit(17e6);
  await commit(100);
  expect(folds).toBe(2);
  reader.close();
  await commit(17e6);
  for (let count = 0; count < 5; count += 1) await commit(100);
  expect(folds).toBe(3);
  await commit(17e6); // into a log that started again
  await commit(100);
  expect(folds).toBe(4);
  database.close();
  await ship.close();
});
