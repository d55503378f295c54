import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { newBackupKey } from "./age.ts";
import { openShip } from "./ship.ts";

test("a reader who keeps a long log from starting again does not make each commit wait for the place", async () => {
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
  const ship = openShip({
    place,
    recipients: [recipient],
    ledger,
    uploads,
    more: [],
    keepDays: 7,
    graceSeconds: 60,
    log,
  });
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
