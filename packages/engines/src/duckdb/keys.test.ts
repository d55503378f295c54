import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import { duckdbDialect } from "./dialect.ts";
import { duckdbEngine } from "./engine.ts";
import { openSandbox, query, withConnection } from "./sandbox.ts";
import { keySql } from "./source.ts";

const root = temporaryFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await duckdbEngine({ root, threads: 2 });
});
afterAll(() => engine.close());

test("two rows have one key exactly where all parts are the same [M405]", async () => {
  const sandbox = await openSandbox({ root, temporaryDirectory: join(root, "spill"), threads: 1 });
  const part = fc.string({ unit: fc.constantFrom("1", ":", "2", "é", "e\u0301", "😀", " "), maxLength: 5 });
  const pair = fc.tuple(fc.tuple(part, part), fc.tuple(part, part));
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 40 }), async (pairs) => {
      const rows = pairs.flat();
      const values = sql.join(rows.map(([a, b], at) => sql`(${at}, ${a}, ${b})`));
      const found = await withConnection(sandbox, undefined, (connection) =>
        query(
          connection,
          duckdbDialect.compile(sql`SELECT ${keySql(["a", "b"])} FROM (VALUES ${values}) AS t(i, a, b) ORDER BY i`),
        ),
      );
      const keys = found.map(([key]) => key);
      const nfc = rows.map((row) => row.map((text) => text.normalize("NFC")));
      for (const [at, [a, b]] of nfc.entries()) expect(keys[at] === null).toBe(a === "" || b === "");
      for (let at = 0; at < rows.length; at += 2)
        if (keys[at] !== null && keys[at + 1] !== null)
          expect(keys[at] === keys[at + 1]).toBe(JSON.stringify(nfc[at]) === JSON.stringify(nfc[at + 1]));
    }),
    { numRuns: 40 },
  );
  sandbox.closeSync();
});

const unit = { privacyUnit: { column: "home" }, contribution: { rows: 2 } };
const home = { type: "text" };
const x = { type: "integer", lower: 0, upper: 9 };

test("a key is the privacy unit of a file: its rows are bounded together, and rows are appended without it", async () => {
  await writeFile(
    join(root, "t.csv"),
    "street,no,x,day\na,1,1,2024-01-01\na,1,2,2024-01-02\na,1,3,2024-01-03\na,12,4,2024-01-01\na1,2,4,2024-01-01\n,1,5,2024-01-01\n",
  );
  const day = { type: "date", lower: "2024-01-01", upper: "2024-12-31" };
  const source = { csv: "t.csv", keys: { home: ["street", "no"] } };
  const blocks = { column: "day", every: "month", zone: "UTC" };
  const declared = { name: "t", source, ...unit, columns: { home, x, day } };
  const declaration = checkDeclaration({ ...declared, blocks });
  expect((await engine.describe(declaration.source)).map(({ name }) => name)).toEqual([
    "home",
    "street",
    "no",
    "x",
    "day",
  ]);
  await engine.check(declaration, { salt: "5e" });
  const { unit: found } = await engine.fit(checkDeclaration(declared), { fewerThan: 1 });
  expect(found).toEqual({ missing: 1, over: 1, cut: 1, most: 3 });
});

test.each([
  [{ home: ["street", "nowhere"] }, 'it has no column "nowhere"'],
  [{ x: ["street", "no"] }, "it has a column of that name: give the key another"],
])("keys %j are refused", async (keys, message) => {
  const declaration = checkDeclaration({
    name: "t",
    source: { csv: "t.csv", keys },
    privacyUnit: "row",
    columns: { x },
  });
  await expect(engine.check(declaration, { salt: "5e" })).rejects.toThrow(message);
});

test("several columns in the privacy unit are refused with the way", () => {
  const declared = { name: "t", source: { csv: "t.csv" }, privacyUnit: { columns: ["a", "b"] }, columns: { x } };
  expect(() => checkDeclaration(declared)).toThrow("name them together, source.keys");
  const one = { csv: "t.csv", keys: { home: ["street"] } };
  expect(() => checkDeclaration({ ...declared, privacyUnit: "row", source: one })).toThrow("2 to 8 different columns");
});
