import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { measure } from "../engine/under-test.kit.ts";
import { duckdbEngine } from "./engine.ts";

const SALT = "5e".repeat(32);
const root = temporaryFolder();
let engine: Engine;

beforeAll(async () => {
  await mkdir(join(root, "years"));
  await writeFile(join(root, "years", "2020.csv"), "who,n\na,1\nb,2\n");
  await writeFile(join(root, "years", "2021.csv"), "who,n\na,3\n");
  await writeFile(join(root, "years", "notes.txt"), "who,n\nz,9\n");
  await writeFile(join(root, "years", ".hidden.csv"), "who,n\nz,9\n");
  await writer(join(root, "base.duckdb"), [
    "CREATE TABLE people AS SELECT 'p' || i AS who, i AS n FROM range(5) AS t(i)",
    "CREATE SCHEMA other; CREATE TABLE other.people AS SELECT 'q' AS who, 7 AS n",
    "CREATE VIEW passwords AS SELECT content AS who, 1 AS n FROM read_text('/etc/passwd')",
  ]);
  await writer(null, [
    `COPY (SELECT 'p' || i AS who, i AS n FROM range(5) AS t(i)) TO '${root}/a.parquet' (FORMAT parquet)`,
    `COPY (SELECT 'q' || i AS who, i AS n FROM range(7) AS t(i)) TO '${root}/b.parquet' (FORMAT parquet)`,
  ]);
  engine = await duckdbEngine({ root, threads: 1 });
});
afterAll(() => engine.close());

async function writer(path: string | null, statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path ?? ":memory:");
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  if (path !== null) await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
}

const over = (source: object): Declaration =>
  checkDeclaration({
    name: "t",
    source,
    privacyUnit: { column: "who" },
    contribution: { rows: 2 },
    columns: { who: { type: "text" }, n: { type: "integer", lower: 0, upper: 10 } },
  });
const plan: Plan = {
  statistics: [
    { statistic: "count", epsilon: 1 },
    { statistic: "sum", column: "n", epsilon: 1 },
  ],
};

test.each([
  ["a folder", { csv: "years" }, [[3n], [6n]]],
  ["a pattern", { csv: "years/20*.csv" }, [[3n], [6n]]],
  ["one letter of a pattern", { csv: "years/202?.csv" }, [[3n], [6n]]],
  ["a pattern that fits one file", { csv: "years/*1.csv" }, [[1n], [3n]]],
  ["Parquet files", { parquet: "*.parquet" }, [[12n], [31n]]],
  ["a table of a database file", { duckdb: "base.duckdb", table: "people" }, [[5n], [10n]]],
  ["a table in a schema", { duckdb: "base.duckdb", schema: "other", table: "people" }, [[1n], [7n]]],
])("%s is one table", async (_, source, expected) => {
  expect(await measure(engine, plan, over(source))).toEqual(expected);
});

test("the version of several files does not depend on their names or order, and changes with one of them", async () => {
  const version = async (csv: string) => (await engine.check(over({ csv }), { salt: SALT })).version;
  const before = await version("years");
  for (const [name, text] of [
    ["b.csv", "who,n\na,1\nb,2\n"],
    ["a.csv", "who,n\na,3\n"],
  ] as const) {
    await mkdir(join(root, "renamed"), { recursive: true });
    await writeFile(join(root, "renamed", name), text);
  }
  expect(await version("renamed")).toBe(before);
  await writeFile(join(root, "renamed", "c.csv"), "who,n\na,3\n");
  expect(await version("renamed")).not.toBe(before);
  await rm(join(root, "renamed"), { recursive: true });
});

test("case 54: a database file that changed after registration is refused, and readable again when declared again", async () => {
  const path = join(root, "changing.duckdb");
  await writer(path, ["CREATE TABLE t AS SELECT 'a' AS who, 1 AS n"]);
  const declaration = over({ duckdb: "changing.duckdb", table: "t" });
  const version = await engine.check(declaration, { salt: SALT });
  await rm(path);
  await writer(path, ["CREATE TABLE t AS SELECT 'a' AS who, 2 AS n"]);
  await expect(engine.run(boundPlan(plan, declaration), version)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  expect(await measure(engine, plan, declaration)).toEqual([[1n], [2n]]);
});

test.each([
  ["the same name", ["who", "n", "n"], "n"],
  ["the same name but for a blank", ["who", "n", "n "], "n "],
  ["another case", ["who", "n", "N"], "N"],
  ["the same letters, written in another way", ["who", "n", "\u00e9", "e\u0301"], "e\u0301"],
  ["a name that would have been made of it", ["who", "n", "n_1", "n"], "n"],
])("a Parquet file with two columns of %s is refused by their name", async (_, names, twice) => {
  const parquet = async (columns: readonly string[]): Promise<Uint8Array> => {
    const bytes = new ByteWriter();
    const schema = columns.map((name) => ({ name, type: "INT64", repetition_type: "REQUIRED" }) as const);
    const file = new ParquetWriter({
      writer: bytes,
      schema: [{ name: "root", num_children: columns.length }, ...schema],
    });
    await file.write({ columnData: columns.map((name, at) => ({ name, data: [BigInt(at)] })) });
    await file.finish();
    return bytes.getBytes();
  };
  await mkdir(join(root, "twice"), { recursive: true });
  await writeFile(join(root, "twice", "b.parquet"), await parquet(names));
  const said = `the file cannot be read: it names "${twice}" twice`;
  await expect(engine.describe({ parquet: "twice/b.parquet" })).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: expect.stringContaining(said),
  });
  // The second file of a folder, whose names no one would look at.
  await writeFile(
    join(root, "twice", "a.parquet"),
    await parquet([...new Set(names.map((name) => name.normalize("NFC").trim().toLowerCase()))]),
  );
  await expect(engine.check(over({ parquet: "twice" }), { salt: SALT })).rejects.toThrow(said);
  await rm(join(root, "twice"), { recursive: true });
});

test("fields within a column may have the names of columns", async () => {
  await mkdir(join(root, "deep"));
  await writer(null, [
    `COPY (SELECT 'a' AS who, 1 AS n, {'n': 3, 'who': [{'n': 1}]} AS deep, 5 AS last) TO '${root}/deep/deep.parquet' (FORMAT parquet)`,
  ]);
  expect((await engine.describe({ parquet: "deep" })).map(({ name }) => name)).toEqual(["who", "n", "deep", "last"]);
});

describe("what is not a table of the data folder", () => {
  test.each([
    ["a pattern that fits nothing", { csv: "years/*.tsv" }, "there is no such file in the data folder"],
    ["a pattern in a folder's name", { csv: "ye*/2020.csv" }, "there is no such file in the data folder"],
    ["a pattern outside", { csv: "../*.csv" }, "there is no such file in the data folder"],
    ["a folder without tables", { parquet: "years" }, "there is no such file in the data folder"],
    ["a folder as a database", { duckdb: "years", table: "t" }, "there is no such file in the data folder"],
    ["a text as a database", { duckdb: "years/2020.csv", table: "t" }, "it is not a database of DuckDB"],
    ["a table that is not there", { duckdb: "base.duckdb", table: "nobody" }, 'the database has no table "nobody"'],
    ["a view, which could read anything", { duckdb: "base.duckdb", table: "passwords" }, 'has no table "passwords"'],
    [
      "a table of the engine's own",
      { duckdb: "base.duckdb", schema: "information_schema", table: "tables" },
      "no table",
    ],
  ])("%s", async (_, source, words) => {
    await expect(engine.check(over(source), { salt: SALT })).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: expect.stringContaining(words),
    });
  });

  test("files that differ in their header, a link out of the folder, and a database left open", async () => {
    await mkdir(join(root, "mixed"));
    await writeFile(join(root, "mixed", "1.csv"), "who,n\na,1\n");
    await writeFile(join(root, "mixed", "2.csv"), "n,who\n1,a\n");
    await expect(engine.check(over({ csv: "mixed" }), { salt: SALT })).rejects.toThrow("the same header");
    await rm(join(root, "mixed", "2.csv"));
    await symlink("/etc/hostname", join(root, "mixed", "3.csv"));
    await expect(engine.check(over({ csv: "mixed" }), { salt: SALT })).rejects.toThrow("no such file");
    await writeFile(join(root, "base.duckdb.wal"), "x");
    const base = over({ duckdb: "base.duckdb", table: "people" });
    await expect(engine.check(base, { salt: "another" })).rejects.toThrow("unfinished changes");
    await rm(join(root, "base.duckdb.wal"));
  });
});
