import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openLedgerDatabase } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openRates, type RateName, usualRates } from "./rates.ts";

test("a burst, then a number per minute, and no one pays for someone else", async () => {
  let time = 0;
  const rates = openRates({ ...usualRates, mail: { burst: 2, perMinute: 6 } }, { now: () => time });
  await rates.take("mail", "a");
  await rates.take("mail", "a");
  await expect(rates.take("mail", "a")).rejects.toThrowError(/10 s/);
  await rates.take("mail", "b");
  time += 9_000;
  await expect(rates.take("mail", "a")).rejects.toThrowError(expect.objectContaining({ code: "RATE_LIMITED" }));
  time += 1_001;
  rates.check("mail", "a");
  await rates.take("mail", "a");
  expect(() => rates.check("mail", "a")).toThrow();
});

test("two processes: what is written or guessed counts together; requests count in each, and cost no write", async () => {
  const folder = temporaryFolder();
  const store = await sqliteStore(join(folder, "books.sqlite"));
  const { shared, close } = await openLedgerDatabase(store);
  onTestFinished(close);
  const two = { burst: 2, perMinute: 1 };
  const names = Object.keys(usualRates) as RateName[];
  const rates = Object.fromEntries(names.map((name) => [name, two])) as Record<RateName, typeof two>;
  const [here, there] = [openRates(rates, { shared }), openRates(rates, { shared })];
  const RATE_LIMITED = { code: "RATE_LIMITED" };
  for (const name of ["refusal", "upload", "signIn"] as const) {
    await here.take(name, "ana");
    await there.take(name, "ana");
    await expect(there.take(name, "ana")).rejects.toMatchObject({ ...RATE_LIMITED, details: { seconds: 60 } });
    expect(() => there.check(name, "ana"), "nothing is written to find out again").toThrow(/60 s/);
    await expect(here.take(name, "ana")).rejects.toMatchObject(RATE_LIMITED);
  }
  const rows = async () => (await store.read.selectFrom("rate").selectAll().execute()).length;
  const before = await rows();
  for (const process of [here, there]) {
    for (const name of ["request", "anonymous"] as const) {
      await process.take(name, "ana");
      await process.take(name, "ana");
      await expect(process.take(name, "ana")).rejects.toMatchObject(RATE_LIMITED);
    }
  }
  expect(await rows()).toBe(before);
});

test("the page for operators has every rate", () => {
  const page = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.endsWith("by each server |") || line.endsWith("by all together |"));
  const shown = rows.map((row) => row.split(" | ").slice(2, 4).map(Number));
  expect(shown).toEqual(Object.values(usualRates).map(({ burst, perMinute }) => [burst, perMinute]));
});
