import { join } from "node:path";
import { openLedgerDatabase } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openReadiness } from "./readiness.ts";

test("a database that takes no writes is not ready, and is again when it does; many who ask cost one write", async () => {
  const place = temporaryFolder();
  const store = await sqliteStore(join(place, "ledger.sqlite"));
  const { shared, close } = await openLedgerDatabase(store);
  let [seconds, writes] = [0, 0];
  const take: typeof shared.take = (rate) => {
    writes += 1;
    return shared.take(rate);
  };
  const ready = openReadiness({ store, shared: { ...shared, take } }, () => seconds * 1000);
  // Reads go on, as they do where the disk is full.
  const run = (text: string) => store.transact(({ db }) => sql.raw(text).execute(db));
  const asked = () => Promise.all(Array.from({ length: 50 }, ready));
  try {
    expect(new Set(await asked())).toEqual(new Set([true]));
    expect(writes).toBe(1);
    await run("CREATE TRIGGER full BEFORE INSERT ON rate BEGIN SELECT RAISE(FAIL, 'full'); END");
    seconds += 10;
    expect(new Set(await asked())).toEqual(new Set([false]));
    seconds += 0.5;
    expect(await ready()).toBe(false);
    expect(writes).toBe(2);
    await run("DROP TRIGGER full");
    seconds += 1;
    expect(await ready()).toBe(true);
  } finally {
    await close();
  }
  expect(await ready(), "a database that is closed").toBe(false);
});
