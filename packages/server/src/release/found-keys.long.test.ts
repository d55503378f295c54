import { expect, onTestFinished, test } from "vitest";
import { openStrangersTable } from "./found-keys.kit.ts";
import { CLASS_MS } from "./timetable.ts";

const ROWS = 60_000;

test("the departure of found keys is the same whether no row matches or nine in ten", async () => {
  const table = await openStrangersTable(ROWS, {});
  onTestFinished(table.close);
  await table.took(1); // files are read in full only once
  const least = { 2: Number.POSITIVE_INFINITY, 0: Number.POSITIVE_INFINITY, 1: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 3; run += 1)
    for (const part of [2, 0, 1] as const) least[part] = Math.min(least[part], await table.took(part));
  // Nothing is said of its size, so that it may hold 100,000 rows and as many values: 1.6 to 3.2 s. A busy machine misses some, whatever matches, and not all three of a part.
  for (const ms of Object.values(least)) {
    expect(ms).toBeGreaterThanOrEqual(16 * CLASS_MS);
    expect(ms).toBeLessThan(32 * CLASS_MS);
  }
});

test("what may take more memory than there is is refused before anything is charged, whatever the table holds", async () => {
  const table = await openStrangersTable(100, { mostRows: 3_000_000 });
  onTestFinished(table.close);
  await expect(table.took(1)).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    message: expect.stringMatching(
      /^statistics\[0\] \(most values of word\) is 3000000, must be at most 415800, .* declare mostValues/,
    ),
  });
  const { balance } = await table.fixture.as.datasetAdmin.showAccount({ account: table.account });
  expect(Number(balance.epsilon.left)).toBe(40);
  const fewer = await openStrangersTable(100, { mostRows: 3_000_000, mostValues: 100 });
  onTestFinished(fewer.close);
  expect(await fewer.took(1)).toBeGreaterThan(CLASS_MS);
});
