import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sqliteStore } from "./sqlite.ts";
import { storeKit } from "./store.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const path = () => join(folder, `${files++}.sqlite`);

storeKit("sqlite", () => sqliteStore(path()));

test.each(["normal", "off", "0", "OFF; PRAGMA user_version = 7"])(
  "synchronous = %s is refused",
  async (synchronous) => {
    await expect(sqliteStore(path(), { synchronous })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  },
);

test("synchronous = extra is taken", async () => {
  await (await sqliteStore(path(), { synchronous: "extra" })).close();
});

test("a database in memory is refused: nothing in it survives", async () => {
  await expect(sqliteStore(":memory:")).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});
