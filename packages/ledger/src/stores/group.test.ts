import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { grouped } from "./group.ts";
import { sqliteStore } from "./sqlite/sqlite.ts";

const folder = temporaryFolder();
const store = await sqliteStore(join(folder, "books.sqlite"));
afterAll(() => store.close());

/** Three at once, of which the second meets the error: how each ends, and how many transactions there were. */
async function three(error: Error): Promise<{ ends: readonly string[]; transactions: number }> {
  let transactions = 0;
  const ask = grouped<number, number>({
    store,
    most: 10,
    open: async () => {
      transactions++;
      return { one: async (item) => (item === 1 ? Promise.reject(error) : item), settle: async () => {} };
    },
  });
  const ends = (await Promise.allSettled([0, 1, 2].map(ask))).map(({ status }) => status);
  return { ends, transactions };
}

test("an item that breaks takes no one with it: each runs again by itself", async () => {
  expect(await three(new TypeError("a fault"))).toEqual({
    ends: ["fulfilled", "rejected", "fulfilled"],
    transactions: 4,
  });
});

test("while the database is unreachable no one of the group waits for each other's turn to fail", async () => {
  const unreachable = Object.assign(new Error("no answer"), { code: "ECONNREFUSED" });
  expect(await three(unreachable)).toEqual({ ends: ["rejected", "rejected", "rejected"], transactions: 1 });
});
