import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { openLedgerDatabase } from "../ledger-database.ts";
import { buildFixture, by, eps } from "./fixture.kit.ts";
import { openPlace, type Place } from "./place.kit.ts";
import { canCutPower, type Disk, newDisk } from "./power.kit.ts";
import type { Orders } from "./worker.kit.ts";

const worker = fileURLToPath(new URL("./worker.kit.ts", import.meta.url));
const cuts = test.skipIf(!canCutPower());
const TIMES = 3;

/** A disk, and what is found after a cut, for one test. */
function disk(megabytes: number): Disk {
  const made = newDisk(megabytes);
  onTestFinished(() => made.remove());
  return made;
}

function cut(from: Disk): Disk {
  const found = from.cut();
  onTestFinished(() => found.remove());
  return found;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Spending {
  readonly child: ChildProcess;
  /** Keys whose charge was acknowledged. */
  readonly acknowledged: () => readonly string[];
}

/** A process that charges one key after another, as fast as it can, until it is stopped. */
function spend(orders: Orders): Spending {
  const args = ["--no-warnings", worker, JSON.stringify(orders)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], timeout: 300_000 });
  let said = "";
  child.stdout.on("data", (data) => {
    said += String(data);
  });
  const acknowledged = () =>
    said
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" "))
      .flatMap(([what, key = ""]) => (what === "charged" ? [key] : []));
  return { child, acknowledged };
}

const keys = Array.from({ length: 8000 }, (_, index) => `k${index}`);

async function ordersOn(place: Place): Promise<Orders> {
  const { database, ada, adas, dataset } = await buildFixture(await openPlace(place), { quota: "4", share: "2" });
  await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
  await database.close();
  const who = { principal: ada.id, account: adas.id, dataset: dataset.id };
  return { place, ...who, keys, epsilon: "0.0001", callers: 8, release: false, declares: true };
}

async function enough({ child, acknowledged }: Spending): Promise<void> {
  while (acknowledged().length < 200) {
    if (child.exitCode !== null) throw new Error("the spending process ended by itself");
    await pause(20);
  }
  await pause(Math.random() * 200);
}

async function missing(place: Place, acknowledged: readonly string[]): Promise<readonly string[]> {
  const store = await openPlace(place);
  const database = await openLedgerDatabase(store);
  const charged = new Set((await store.read.selectFrom("charge").select("key").execute()).map(({ key }) => key));
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
  return acknowledged.filter((key) => !charged.has(key));
}

cuts("a power cut loses no acknowledged charge on SQLite", async () => {
  let total = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const here = disk(128);
    const at = (where: Disk): Place => ({ kind: "sqlite", path: join(where.path, "ledger.sqlite") });
    const spending = spend(await ordersOn(at(here)));
    await enough(spending);
    spending.child.kill("SIGSTOP");
    await pause(50);
    const acknowledged = spending.acknowledged();
    const found = cut(here);
    spending.child.kill("SIGKILL");
    await once(spending.child, "exit");
    expect(await missing(at(found), acknowledged)).toEqual([]);
    total += acknowledged.length;
  }
  console.log(`${total} acknowledged charges survived ${TIMES} power cuts on SQLite`);
});

cuts("a power cut loses no acknowledged charge on PostgreSQL", async () => {
  const here = disk(512);
  const server = await openPostgres({ settings: { fsync: "on" }, root: here.path });
  onTestFinished(() => server.close());
  const place: Place = { kind: "postgres", url: server.url, schema: "books", pidFile: server.pidFile };
  const spending = spend(await ordersOn(place));
  await enough(spending);
  await server.pause();
  await pause(50);
  const acknowledged = spending.acknowledged();
  const found = cut(here);
  spending.child.kill("SIGKILL");
  await once(spending.child, "exit");
  await server.kill();
  const again = await openPostgres({ settings: { fsync: "on" }, root: found.path, data: server.data });
  onTestFinished(() => again.close());
  expect(acknowledged.length).toBeGreaterThanOrEqual(200);
  expect(await missing({ ...place, url: again.url, pidFile: again.pidFile }, acknowledged)).toEqual([]);
  console.log(`${acknowledged.length} acknowledged charges survived a power cut on PostgreSQL`);
});

cuts("the cut is a real one: what was never synced is gone", () => {
  const here = disk(64);
  const careless = new DatabaseSync(join(here.path, "careless.sqlite"));
  careless.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE row (n INTEGER)");
  for (let n = 0; n < 100; n += 1) careless.exec(`INSERT INTO row VALUES (${n})`);
  const found = cut(here);
  const left = new DatabaseSync(join(found.path, "careless.sqlite"));
  const tables = left.prepare("SELECT count(*) AS n FROM sqlite_master").get() as { n: number };
  const rows = tables.n === 0 ? { n: 0 } : (left.prepare("SELECT count(*) AS n FROM row").get() as { n: number });
  expect(rows.n).toBeLessThan(100);
  for (const each of [careless, left]) each.close();
});
