import { randomBytes } from "node:crypto";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readGeneration, sealer } from "./generation.ts";
import { readTransactions } from "./wal.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dosimeter-ship-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A database whose log no one folds by itself, and the log as a file that is open. */
function openDatabase(name: string) {
  const path = join(folder, name);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  return { path, database, log: openSync(`${path}-wal`, "r") };
}

/** The file with these pages in their places. */
function withPages(base: Buffer, changes: readonly ReturnType<typeof readTransactions>[]): Buffer {
  let bytes = base;
  for (const { pages, size, position } of changes) {
    const pageSize = position?.pageSize ?? 0;
    const next = Buffer.alloc((size ?? 0) * pageSize);
    bytes.copy(next);
    for (const [number, page] of pages) page.copy(next, (number - 1) * pageSize);
    bytes = next;
  }
  return bytes;
}

test("pages of whole transactions, read a few at a time, are the file that SQLite makes of its log", () => {
  const { path, database, log } = openDatabase("log.sqlite");
  const base = readFileSync(path);
  const changes: ReturnType<typeof readTransactions>[] = [];
  const follow = () => changes.push(readTransactions(log, changes.at(-1)?.position ?? null));
  follow();
  for (let round = 0; round < 20; round += 1) {
    database.exec(`BEGIN; ${"INSERT INTO t VALUES (randomblob(900));".repeat(30)} COMMIT`);
    if (round % 3 === 0) follow();
  }
  database.exec("DELETE FROM t; VACUUM");
  follow();
  database.exec("BEGIN; INSERT INTO t VALUES (1)");
  expect(readTransactions(log, changes.at(-1)?.position ?? null).pages.size).toBe(0);
  database.exec("ROLLBACK");
  const made = withPages(base, changes);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(made.equals(readFileSync(path))).toBe(true);
  database.close();
});

test("a log that started again has other salts, and is read from its start; a frame that does not fit ends it", async () => {
  const { path, database, log } = openDatabase("again.sqlite");
  database.exec("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)");
  const before = readTransactions(log, null);
  database.exec("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO t VALUES (3)");
  const after = readTransactions(log, before.position);
  expect(after.position?.salts).not.toBe(before.position?.salts);
  expect(after.pages.size).toBe(1);
  database.exec("INSERT INTO t VALUES (4)");
  await truncate(`${path}-wal`, (after.position?.offset ?? 0) + 4000);
  expect(readTransactions(log, after.position)).toMatchObject({ size: null, position: after.position });
  database.close();
});

test("every byte of a segment is what was written, or it ends what can be read", () => {
  const path = join(folder, "one.ship");
  const key = randomBytes(32);
  const header = { format: 1, version: "0", madeAt: new Date().toISOString(), database: null, key: "" } as const;
  const text = `${JSON.stringify(header)}\n`;
  const seal = sealer(text, key);
  const meta = { at: header.madeAt, size: 2, pageSize: 512, seq: 1, hash: "a" };
  const pages = new Map([[2, randomBytes(512)]]);
  writeFileSync(path, Buffer.concat([Buffer.from(text), seal(meta, pages), seal({ ...meta, seq: 2 }, pages)]));
  const read = (with_ = key) => {
    const found: unknown[] = [];
    const segments = readGeneration(path, with_);
    let step = segments.next();
    for (; step.done !== true; step = segments.next()) found.push([step.value.meta.seq, step.value.pages().get(2)]);
    return { found, unread: step.value };
  };
  expect(read()).toEqual({
    found: [
      [1, pages.get(2)],
      [2, pages.get(2)],
    ],
    unread: 0,
  });
  expect(read(randomBytes(32)).found).toEqual([]);
});
