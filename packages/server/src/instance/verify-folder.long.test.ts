import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, countPlan } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { openStore, verifyFolder } from "./database.ts";

test("every scrambled page that carries data is found, and stops the start", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "ledger.sqlite");
  const instance = await openInstance({ folder });
  const { as, dataset, memberAccount: account } = await buildFixture(instance);
  await as.member.releaseAndWait({ plan: countPlan(), dataset, account }, { idempotencyKey: "k" });
  await instance.close();
  // Pages that are free again: what they hold means nothing.
  const file = new DatabaseSync(path);
  file.exec("CREATE TABLE filler (t TEXT)");
  for (let row = 0; row < 20; row += 1) file.prepare("INSERT INTO filler VALUES (?)").run("x".repeat(3000));
  file.exec("DROP TABLE filler; PRAGMA wal_checkpoint(TRUNCATE)");
  const one = (sql: string) => Number(Object.values(file.prepare(sql).get() ?? {})[0]);
  const [size, free] = [one("PRAGMA page_size"), one("PRAGMA freelist_count")];
  file.close();
  const whole = await readFile(path);
  const pages = whole.length / size;
  const [missed, started]: number[][] = [[], []];
  for (let page = 0; page < pages; page += 1) {
    const scrambled = Buffer.from(whole);
    randomBytes(size).copy(scrambled, page * size);
    await writeFile(path, scrambled);
    const { ok } = await verifyFolder({ folder });
    if (ok) missed?.push(page);
    const store = await openStore(folder).catch(() => null);
    if (store !== null) started?.push(page);
    await store?.close();
  }
  // The free pages but the first, which lists the others.
  expect(free).toBeGreaterThan(10);
  expect(missed).toHaveLength(free - 1);
  expect(started).toEqual(missed);
});
