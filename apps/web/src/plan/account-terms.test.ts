import { expect, test } from "vitest";
import { sampleSize } from "./account-terms.ts";

test("only the one table of a ledger, of a fixed number of people, can be read as a secret sample", () => {
  const table = { source: { csv: "t.csv" }, size: { public: 1000 }, adjacency: "replace", privacyUnit: "row" } as const;
  const alone = { tables: 1 };
  expect(sampleSize({ version: 1 }, alone, table)).toBe(1000);
  expect(sampleSize({ version: 2 }, alone, table), "a second version may be a second draw").toBeNull();
  expect(sampleSize({ version: 1 }, { tables: 2 }, table)).toBeNull();
  for (const other of [
    { size: { assumed: 1000 } },
    { adjacency: "addRemove" },
    { source: { postgres: { connection: "c", table: "t" } } },
    { privacyUnit: { column: "person" } },
    { blocks: { column: "day", every: "month", from: "2024-01" } },
  ] as const)
    expect(
      sampleSize({ version: 1 }, alone, { ...table, ...(other as Partial<typeof table>) }),
      JSON.stringify(other),
    ).toBeNull();
});
