import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readShipped, type Until } from "../backup/shipped.ts";
import { newBackupKey } from "./age.ts";
import { readHeader } from "./generation.ts";
import { generationsIn, pathOf, refuseNested, Taken } from "./place.ts";
import { Emptied, openShipper, type ShipTo } from "./shipper.ts";

const { recipient, text } = await newBackupKey();
let folder = "";
const at = (...path: string[]) => join(folder, ...path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dosimeter-shipper-"));
  for (const name of ["place", "data"]) mkdirSync(at(name));
  return () => rmSync(folder, { recursive: true });
});

/** A ledger database with as much as a shipper reads, and one that ships it. */
function openLedger(name: string, lines = ["first"], more: Partial<ShipTo> = {}) {
  mkdirSync(at(name, "files"), { recursive: true });
  const ledger = at(name, "ledger.sqlite");
  const database = new DatabaseSync(ledger);
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, hash TEXT);
     CREATE TABLE IF NOT EXISTS instance_secret (name TEXT PRIMARY KEY, secret TEXT); INSERT OR IGNORE INTO instance_secret VALUES ('ship', 'c2VjcmV0')`,
  );
  const add = (hash: string) => database.prepare("INSERT INTO audit (hash) VALUES (?)").run(hash);
  lines.forEach(add);
  const shipper = openShipper({
    ...{ place: at("place"), recipients: [recipient], ledger, uploads: at(name, "files"), keepDays: 7 },
    ...{ more: [at(name, "signing.key")], ...more },
  });
  return { add, database, shipper, ledger };
}

async function shippedInto(ledger: string, until: Until = "newest") {
  const placeOf = (name: string) => (name === "ledger.sqlite" ? ledger : null);
  return (await readShipped(at("place"), text, { until, placeOf })).manifest;
}

function ended({ shipper, database }: ReturnType<typeof openLedger>): void {
  shipper.end();
  database.close();
}

test("a place that lacks what was written there is not written to: it is not mounted", async () => {
  const first = openLedger("data");
  await first.shipper.ship(0);
  rmSync(at("place"), { recursive: true });
  mkdirSync(at("place"));
  first.add("second");
  await expect(first.shipper.ship(0)).rejects.toThrow();
  await expect(first.shipper.ship(0)).rejects.toThrow(Emptied);
  ended(first);
  const second = openLedger("data", []);
  await expect(second.shipper.ship(0)).rejects.toThrow(Emptied);
  rmSync(at("data", "ship.json"));
  await second.shipper.ship(0);
  expect(generationsIn(at("place"))).toEqual([1]);
  ended(second);
});

test("an older generation that is damaged stays, and holds up nothing", async () => {
  for (let count = 0; count < 3; count += 1) {
    const one = openLedger("data", ["line"]);
    await one.shipper.ship(0);
    ended(one);
  }
  writeFileSync(pathOf(at("place"), 2), "damaged");
  const last = openLedger("data", []);
  await last.shipper.ship(0);
  last.add("next");
  await last.shipper.ship(0);
  expect(generationsIn(at("place"))).toEqual([1, 2, 3, 4]);
  ended(last);
});

test("a new ledger database does not take the place of another", async () => {
  const one = openLedger("data");
  await one.shipper.ship(0);
  ended(one);
  const other = openLedger("other", []);
  await expect(other.shipper.ship(0)).rejects.toThrow(Taken);
  ended(other);
});

test("a link that someone put into the place is not followed", async () => {
  const one = openLedger("data");
  writeFileSync(at("data", "signing.key"), "key");
  writeFileSync(at("data", "fil_a.csv"), "not an upload");
  symlinkSync(at("data", "fil_a.csv"), at("place", "signing.key.age.partial"));
  await one.shipper.files();
  expect(readFileSync(at("data", "fil_a.csv"), "utf8")).toBe("not an upload");
  expect(readdirSync(at("place"))).toContain("signing.key.age");
  ended(one);
});

test("after a fold a log starts again at once or not at all: what another program folds ends the generation", async () => {
  const one = openLedger("data");
  await one.shipper.ship(0);
  const reader = new DatabaseSync(one.ledger);
  reader.exec("BEGIN; SELECT * FROM audit");
  one.database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  one.add("goes on in the log, which a reader holds");
  await one.shipper.ship(1);
  reader.close();
  one.add("not shipped");
  one.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  one.add("starts the log again");
  await expect(one.shipper.ship(1)).rejects.toThrow("started again");
  ended(one);
});

test("what a commit that failed left in the log is not shipped, and the next commit is", async () => {
  const one = openLedger("data");
  await one.shipper.ship(0);
  for (const end of ["", "-wal"]) copyFileSync(`${one.ledger}${end}`, at(`copy.sqlite${end}`));
  const copy = new DatabaseSync(at("copy.sqlite"));
  copy.exec("INSERT INTO audit (hash) VALUES ('failed')");
  const size = statSync(`${one.ledger}-wal`).size;
  appendFileSync(`${one.ledger}-wal`, readFileSync(at("copy.sqlite-wal")).subarray(size));
  copy.close();
  await one.shipper.ship(0);
  one.add("next");
  await one.shipper.ship(0);
  expect(generationsIn(at("place"))).toEqual([1]);
  const manifest = await shippedInto(at("built.sqlite"));
  expect(manifest.lines).toBe(2);
  const built = new DatabaseSync(at("built.sqlite"));
  expect(built.prepare("SELECT hash FROM audit ORDER BY seq").all()).toMatchObject([
    { hash: "first" },
    { hash: "next" },
  ]);
  built.close();
  ended(one);
});

const DAY = 86_400_000;

/** Each day a line is added and shipped; then what was there on each kept day is put together again. */
async function daysOf(ledger: ReturnType<typeof openLedger>, days: number, keepDays: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const ends: number[] = [];
  const there: number[] = [];
  for (let day = 1; day <= days; day += 1) {
    ledger.add(`day ${day} ${randomBytes(800).toString("hex")}`);
    await ledger.shipper.ship(0);
    ends.push(Date.now());
    vi.setSystemTime(Date.now() + DAY / 2);
    for (const [before, end] of ends.entries()) {
      if (Date.now() - end > keepDays * DAY) continue;
      const until = new Date(end + 1000);
      expect((await shippedInto(at("built.sqlite"), until)).lines, `day ${before + 1} on day ${day}`).toBe(before + 2);
    }
    expect((await shippedInto(at("built.sqlite"))).lines).toBe(day + 1);
    const database = new DatabaseSync(at("built.sqlite"));
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
    there.push(generationsIn(at("place")).length);
    vi.setSystemTime(Date.now() + DAY / 2);
  }
  return there;
}

test("a generation that grew ends, and what is removed by age is needed by no day that is kept", async () => {
  const one = openLedger("data", ["first"], { keepDays: 3, endBytes: 20_000 });
  const there = await daysOf(one, 40, 3);
  expect(generationsIn(at("place")).at(-1)).toBeGreaterThan(3);
  expect(generationsIn(at("place"))[0]).toBeGreaterThan(1);
  expect(Math.max(...there)).toBeLessThan(5);
  ended(one);
});

test("a generation that never grows ends when it is as old as what is kept: what was erased leaves the place", async () => {
  const one = openLedger("data", ["first"], { keepDays: 3 });
  await daysOf(one, 12, 3);
  const [oldest = 0] = generationsIn(at("place"));
  const { madeAt } = readHeader(pathOf(at("place"), oldest)).header;
  expect(Date.UTC(2026, 0, 13) - Date.parse(madeAt)).toBeLessThanOrEqual(2 * (3 + 1) * DAY); // a change comes once a day
  ended(one);
});

test("a server that starts again and again fills no disk, and removes nothing of another server", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const ends: number[] = [];
  for (let start = 1; start <= 90; start += 1) {
    const one = openLedger(start < 4 ? "data" : "new", [`start ${start}`]);
    await one.shipper.ship(0);
    ended(one);
    ends.push(Date.now());
    if (start === 3) cpSync(at("data"), at("new"), { recursive: true, filter: (path) => !path.endsWith("ship.json") });
    vi.setSystemTime(Date.now() + 2 * 60_000);
  }
  expect(generationsIn(at("place"))).toEqual([1, 3, 4, 33, 62, 90]);
  for (const [index, end] of ends.entries()) {
    const { lines } = await shippedInto(at("built.sqlite"), new Date(end + 1000));
    expect(lines).toBeLessThanOrEqual(index + 1);
    expect(lines).toBeGreaterThan(index + 1 - 30);
  }
  expect((await shippedInto(at("built.sqlite"))).lines).toBe(90);
});

test("the place is apart from the data folder, by any path", () => {
  symlinkSync(at("data"), at("link"));
  for (const place of [at("data"), at("data", "place"), at("link"), folder])
    expect(() => refuseNested(place, at("data"))).toThrow(/another disk/);
  expect(() => refuseNested(at("data"), at("link", "not there yet"))).toThrow(/another disk/);
  expect(() => refuseNested(at("data2"), at("data"))).not.toThrow();
});

test("an upload that is erased in the place is not shipped again from the folder that still has it", async () => {
  const one = openLedger("data");
  for (const id of ["fil_1", "fil_2"]) writeFileSync(at("data", "files", `${id}.csv`), "a\n1\n");
  await one.shipper.files();
  await one.shipper.erase("fil_1");
  writeFileSync(at("data", "files", "fil_3.csv"), "a\n1\n");
  await one.shipper.files();
  expect(readdirSync(at("place", "files")).sort()).toEqual(["fil_2.csv.age", "fil_3.csv.age"]);
  ended(one);
});
