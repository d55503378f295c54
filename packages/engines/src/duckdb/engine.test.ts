import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reveal } from "@dosimeter/core/exact";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { Source } from "../../../query/src/source/kinds.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { engineKit } from "../engine/engine.kit.ts";
import { measure } from "../engine/under-test.kit.ts";
import { duckdbEngine } from "./engine.ts";
import { openSandbox } from "./sandbox.ts";
import { duckdbUnderTest } from "./under-test.kit.ts";

// With two threads, every kind of column and every statistic under every bound: engine.long.test.ts.
// A table may have 100,000 rows where it does not say: three parts.
engineKit("DuckDB over Parquet, part by part", () => duckdbUnderTest("parquet", 1, { mostHeld: 40_000 }), {
  pairs: 2,
  every: 12,
  joins: null,
  whole: false,
});

const root = temporaryFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await duckdbEngine({ root, threads: 2 });
});
afterAll(() => engine.close());

const SALT = "07".repeat(32);
const put = async (name: string, content: string | Uint8Array): Promise<Source> => {
  await writeFile(join(root, name), content);
  return { csv: name };
};
const people = {
  name: "t",
  privacyUnit: "row",
  columns: { age: { type: "integer", lower: 0, upper: 100 }, income: { type: "integer", lower: 0, upper: 500_000 } },
};
const totals: Plan = {
  statistics: [
    { statistic: "count", epsilon: 1 },
    { statistic: "sum", column: "income", epsilon: 1 },
  ],
};

describe("CSV as people write it", () => {
  test.each([
    ["LF", "age,income\n59,0\n31,17000\n40,1e+05\n"],
    ["CRLF", "age,income\r\n59,0\r\n31,17000\r\n40,1e+05\r\n"],
    ["CR only", "age,income\r59,0\r31,17000\r40,1e+05\r"],
    ["no line end at the end", "age,income\n59,0\n31,17000\n40,1e+05"],
    ["a byte-order mark", "\ufeffage,income\n59,0\n31,17000\n40,1e+05\n"],
    ["quotes everywhere", '"age","income"\n"59","0"\n"31","17000"\n"40","1e+05"\n'],
    ["semicolons", "age;income\n59;0\n31;17000\n40;1e+05\n"],
    ["tabs", "age\tincome\n59\t0\n31\t17000\n40\t1e+05\n"],
    ["row names, as R writes them", '"","age","income"\n"1",59,0\n"2",31,17000\n"3",40,1e+05\n'],
    ["blank lines at the end", "age,income\n59,0\n31,17000\n40,1e+05\n\n\n"],
    ["numbers with a decimal point", "age,income\n59.0,0\n31,17000.00\n40,100000\n"],
  ])("%s", async (name, content) => {
    const source = await put(`${name}.csv`, content);
    const declaration = checkDeclaration({ ...people, source });
    expect(await measure(engine, totals, declaration)).toEqual([[3n], [117_000n]]);
  });

  test("line ends, delimiters and quotes inside quotes belong to the value", async () => {
    const source = await put("quoted.csv", 'who,n\r\n"a, ""b""\r\nc",1\r\n"d",2\r\n');
    const declaration = checkDeclaration({
      name: "t",
      source,
      privacyUnit: "row",
      columns: { who: { type: "category", categories: ['a, "b"\r\nc', "d"] } },
    });
    expect(
      await measure(engine, { statistics: [{ statistic: "count", groupBy: ["who"], epsilon: 1 }] }, declaration),
    ).toEqual([[1n, 1n]]);
  });

  test("values with many line ends that look like rows are read as values, however large the file is", async () => {
    // Threads that began 8 MB into this file took a line of a value for a row, and nothing of it could be read.
    const lines = "1,2\n".repeat(50_000);
    const source = await put(
      "rows-in-values.csv",
      `n,text\n${Array.from({ length: 90 }, (_, n) => `${n},"${lines}"\n`).join("")}`,
    );
    const columns = { n: { type: "integer", lower: 0, upper: 100 } };
    const declaration = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
    const plan: Plan = {
      statistics: [
        { statistic: "count", epsilon: 1 },
        { statistic: "sum", column: "n", epsilon: 1 },
      ],
    };
    expect(await measure(engine, plan, declaration)).toEqual([[90n], [4005n]]);
  });

  test("declared words for a missing value", async () => {
    const source = { ...(await put("na.csv", "age,income\n1,NA\n.,5\n")), missing: ["NA", "."] };
    const declaration = checkDeclaration({ ...people, source });
    expect(await measure(engine, totals, declaration)).toEqual([[2n], [5n]]);
  });

  test("describe gives names, never values", async () => {
    expect(await engine.describe(await put("d.csv", '"age","",income\n1,2,3\n'))).toEqual([
      { name: "age", type: "VARCHAR" },
      { name: "column_2", type: "VARCHAR" },
      { name: "income", type: "VARCHAR" },
    ]);
  });

  test.each([
    ["an empty file", "", "the file cannot be read: it is empty"],
    [
      "Latin-1",
      Buffer.from("age,income\n1,2\nJos\xe9,3\n", "latin1"),
      "the file cannot be read: it must hold text in UTF-8",
    ],
    [
      "a cut UTF-8 sequence",
      Buffer.concat([Buffer.from("age,income\n1,"), Buffer.from([0xc3])]),
      "the file cannot be read: it must hold text in UTF-8",
    ],
    [
      "UTF-16",
      Buffer.from("age,income\n1,2\n", "utf16le"),
      "the file cannot be read: it must hold text in UTF-8 without zero bytes",
    ],
    [
      "ragged records",
      "age,income\n1,2\n3\n",
      "the file cannot be read: it must hold as many fields in every record as in the header. Leave out lines above the header or below the table (skip, footer), or name another delimiter or quote",
    ],
    [
      "too many fields",
      "age,income\n1,2,3\n",
      "the file cannot be read: it must hold as many fields in every record as in the header. Leave out lines above the header or below the table (skip, footer), or name another delimiter or quote",
    ],
    ["mixed line ends", "age,income\n1,2\r\n3,4\n", "the file cannot be read: it must hold one kind of line end"],
    [
      "an open quote",
      'age,income\n1,"2\n',
      "the file cannot be read: it must hold a closing quote for every opening one",
    ],
    [
      "text behind a quote",
      'age,income\n1,"2"x\n',
      "the file cannot be read: it must hold nothing between a closing quote and the next delimiter",
    ],
    ["a column named twice", "age,income,Age\n1,2,3\n", 'the file cannot be read: its header names "Age" twice'],
    [
      "a column named twice but for a blank",
      "age,income,age \n1,2,3\n",
      'the file cannot be read: its header names "age " twice',
    ],
    ["a missing column", "age\n1\n", 'the file has no column "income"'],
    [
      "text in a numeric column",
      "age,income\n1,2\n3,n/a\n",
      'column "income" holds values that are not whole numbers within ±2^63, written as 1234 or in the declared pattern: declare longer ids as texts',
    ],
    [
      "a fraction in an integer column",
      "age,income\n1,2\n3,4.5\n",
      'column "income" holds values that are not whole numbers within ±2^63, written as 1234 or in the declared pattern: declare longer ids as texts',
    ],
  ])("%s is refused at registration, naming no value", async (name, content, message) => {
    const declaration = checkDeclaration({ ...people, source: await put(`bad ${name}.csv`, content) });
    await expect(engine.check(declaration, { salt: SALT })).rejects.toMatchObject({ code: "DATA_UNREADABLE", message });
  });

  test("a header alone is an empty table", async () => {
    const declaration = checkDeclaration({ ...people, source: await put("header.csv", "age,income\n") });
    expect(await measure(engine, totals, declaration)).toEqual([[0n], [0n]]);
  });

  test("a file that is not Parquet says so without its bytes", async () => {
    await put("not.parquet", "secret,4217\n");
    const declaration = checkDeclaration({ ...people, source: { parquet: "not.parquet" } });
    await expect(engine.check(declaration, { salt: SALT })).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: expect.not.stringContaining("4217"),
    });
  });
});

test("times of every type count to the second, rounded down, however far they lie", async () => {
  const stamps = ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"];
  const values = ["1969-12-31 23:59:59.999", "1970-01-01 00:00:00", "2024-02-10 10:00:00.5", "infinity", "-infinity"];
  const writer = await DuckDBInstance.create(join(root, "stamps.duckdb"));
  const connection = await writer.connect();
  const fields = stamps.map((type) => `"${type}" ${type}`).join();
  await connection.run(`CREATE TABLE stamps (${fields})`);
  for (const value of values)
    await connection.run(
      `INSERT INTO stamps VALUES (${stamps.map((type) => `CAST('${value}${type === "TIMESTAMPTZ" && value.includes(" ") ? "+00" : ""}' AS ${type})`).join()})`,
    );
  const far = stamps.map(
    (type) =>
      `CAST('${type === "TIMESTAMP_NS" ? "2262-04-11 23:47:16" : "9999-12-31 23:59:59"}${type === "TIMESTAMPTZ" ? "+00" : ""}' AS ${type})`,
  );
  await connection.run(`INSERT INTO stamps VALUES (${far.join()})`);
  connection.closeSync();
  writer.closeSync();
  const columns = Object.fromEntries(
    stamps.map((type) => [type, { type: "timestamp", zone: "UTC", lower: "1969-12-31", upper: "2024-12-31" }]),
  );
  const statistics = stamps.flatMap((column): Plan["statistics"][number][] => [
    { statistic: "clippedValues", column, epsilon: 1 },
    { statistic: "count", where: `"${column}" = '1969-12-31T23:59:59Z'`, epsilon: 1 },
    { statistic: "count", where: `"${column}" = '2024-02-10T10:00:00Z'`, epsilon: 1 },
  ]);
  const declaration = checkDeclaration({
    ...people,
    source: { duckdb: "stamps.duckdb", table: "stamps" },
    columns,
  });
  expect(await measure(engine, { statistics }, declaration)).toEqual(
    // Without parts of a second the time is rounded to the next one as it is stored.
    stamps.flatMap((type) => [[0n, 3n, 1n], [type === "TIMESTAMP_S" ? 0n : 1n], [type === "TIMESTAMP_S" ? 0n : 1n]]),
  );
});

test("markers are found in numbers of every type, and in an enumeration", async () => {
  const writer = await DuckDBInstance.create(join(root, "marked.duckdb"));
  const connection = await writer.connect();
  await connection.run(
    "CREATE TABLE marked AS SELECT CAST(v AS FLOAT) AS f, CAST(v AS DECIMAL(9, 1)) AS d, CAST(v AS TINYINT) AS i, CAST(v AS HUGEINT) AS h, CAST(CAST(v AS VARCHAR) AS ENUM('-9.9', '1.0', 'NA')) AS e FROM (VALUES (-9.9), (1.0), (NULL)) t(v)",
  );
  connection.closeSync();
  writer.closeSync();
  const number = { type: "number", lower: 0, upper: 5, granularity: 1, missing: ["-9.9", "1e300"] };
  const integer = { type: "integer", lower: 0, upper: 5, missing: ["-10"] };
  const declaration = checkDeclaration({
    ...{ name: "t", source: { duckdb: "marked.duckdb", table: "marked" }, privacyUnit: "row" },
    columns: { f: number, d: number, i: integer, h: integer, e: { ...number, missing: ["-9.9", "NA"] } },
  });
  const statistics = [..."fdihe"].map((column): Plan["statistics"][number] => ({
    ...{ statistic: "count", column, epsilon: 1 },
  }));
  expect(await measure(engine, { statistics }, declaration)).toEqual(statistics.map(() => [1n]));
});

describe("NaN is missing in every column of numbers, and where it is stored as a number [M86]", () => {
  const numbers = {
    whole: { type: "integer", lower: 0, upper: 9 },
    real: { type: "number", lower: 0, upper: 9, granularity: 1 },
    code: { type: "category", categories: [1, 2] },
  };
  const nulls = (columns: object): Plan["statistics"] =>
    Object.keys(columns).flatMap((column): Plan["statistics"][number][] => [
      { statistic: "count", where: `"${column}" is null`, epsilon: 1 },
      { statistic: "count", column, epsilon: 1 },
    ]);

  test("in a text file, however it is written", async () => {
    const columns = { ...numbers, amount: { type: "decimal", scale: 2, lower: 0, upper: 9 } };
    const words = ["NaN", "nan", "-NaN", ""].map((word) => `${[word, word, word, word].join()}\n`).join("");
    const source = await put("nan.csv", `whole,real,code,amount\n${words}1,1,1,1.00\n2,2,2,2.00\n`);
    const declaration = checkDeclaration({ ...people, source, columns });
    await engine.check(declaration, { salt: SALT });
    expect(await measure(engine, { statistics: nulls(columns) }, declaration)).toEqual(
      Object.keys(columns).flatMap(() => [[4n], [2n]]),
    );
    for (const [name, word] of [
      ["whole", "inf"],
      ["amount", "inf"],
      ["whole", "NaNa"],
    ]) {
      const column = columns[name as "whole" | "amount"];
      const bad = { ...people, source: await put("inf.csv", `${name}\n${word}\n`), columns: { [name ?? ""]: column } };
      await expect(engine.check(checkDeclaration(bad), { salt: SALT })).rejects.toThrow(
        `column "${name}" holds values`,
      );
    }
  });

  test.each(["FLOAT", "DOUBLE"])("in Parquet as %s", async (type) => {
    const columns = { ...numbers, label: { type: "text" }, word: { type: "category", categories: ["1.0", "nan"] } };
    const writer = await DuckDBInstance.create(":memory:");
    const connection = await writer.connect();
    const fields = Object.keys(columns).map((name) => `CAST(v AS ${type}) AS "${name}"`);
    await connection.run(
      `COPY (SELECT ${fields.join()} FROM (VALUES ('nan'), (NULL), ('1'), ('2')) t(v)) TO '${join(root, `${type}.parquet`)}' (FORMAT parquet)`,
    );
    connection.closeSync();
    writer.closeSync();
    const declaration = checkDeclaration({ ...people, source: { parquet: `${type}.parquet` }, columns });
    await engine.check(declaration, { salt: SALT });
    const statistics: Plan["statistics"] = [...nulls(columns), { statistic: "histogram", column: "word", epsilon: 1 }];
    expect(await measure(engine, { statistics }, declaration)).toEqual([
      ...Object.keys(columns).flatMap(() => [[2n], [2n]]),
      [1n, 0n],
    ]);
    const required = { ...people, source: declaration.source, columns: { code: { ...numbers.code, required: true } } };
    expect(
      await measure(engine, { statistics: [{ statistic: "count", epsilon: 1 }] }, checkDeclaration(required)),
    ).toEqual([[2n]]);
  });
});

test("infinite timestamps are missing, whatever their precision", async () => {
  const stamps = ["TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_NS"];
  const writer = await DuckDBInstance.create(":memory:");
  const connection = await writer.connect();
  const fields = stamps.map((type) => `CAST(CAST(v AS TIMESTAMP) AS ${type}) AS "${type}"`).join();
  await connection.run(
    `COPY (SELECT ${fields} FROM (VALUES ('infinity'), ('-infinity'), ('2024-02-10 23:59:59'), (NULL)) t(v)) TO '${join(root, "stamps.parquet")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  writer.closeSync();
  const columns = Object.fromEntries(
    stamps.map((type) => [type, { type: "date", lower: "2020-01-01", upper: "2024-12-31" }]),
  );
  const statistics = stamps.flatMap((column): Plan["statistics"][number][] => [
    { statistic: "clippedValues", column, epsilon: 1 },
    { statistic: "count", where: `"${column}" = '2024-02-10'`, epsilon: 1 },
    { statistic: "histogram", column, bins: "year", epsilon: 1 },
  ]);
  const declaration = checkDeclaration({ ...people, source: { parquet: "stamps.parquet" }, columns });
  expect(await measure(engine, { statistics }, declaration)).toEqual(
    stamps.flatMap(() => [[0n, 1n, 0n], [1n], [0n, 0n, 0n, 0n, 1n]]),
  );
});

describe("the sandbox", () => {
  test.each(["../outside.csv", "/etc/passwd", "link.csv", ".", "nowhere.csv", "star*.csv"])(
    "%s cannot be read",
    async (path) => {
      await writeFile(join(root, "..", "outside.csv"), "age,income\n1,2\n");
      await symlink("/etc/passwd", join(root, "link.csv")).catch(() => undefined);
      await put("star*.csv", "age,income\n1,2\n");
      await expect(engine.describe({ csv: path })).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
      await rm(join(root, "..", "outside.csv"));
    },
  );

  test("the database itself refuses other files, extensions, the network and a change of its settings", async () => {
    const instance = await openSandbox({ root, temporaryDirectory: join(root, "spill"), threads: 1 });
    const connection = await instance.connect();
    for (const sql of [
      "SELECT * FROM read_csv('/etc/passwd')",
      "SELECT * FROM read_text('/etc/hostname')",
      `SELECT * FROM read_csv('${root}/../*.csv')`,
      `SELECT * FROM read_csv('${root}/link.csv')`,
      "COPY (SELECT 1) TO '/tmp/dosimeter-escaped.csv'",
      "ATTACH '/tmp/dosimeter-escaped.db'",
      "INSTALL httpfs",
      "LOAD httpfs",
      "SELECT * FROM read_csv('http://localhost:1/x.csv')",
      "SET enable_external_access = true",
      "SET threads = 9",
    ])
      await expect(connection.run(sql), sql).rejects.toThrow();
    connection.closeSync();
    instance.closeSync();
  });
});

describe("the same integers", () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    const x = (index * 7919) % 10_007;
    return `p${(index * 31) % 997},${x % 4},${(x / 7).toFixed(3)}`;
  });
  const plan: Plan = {
    statistics: [
      { statistic: "mean", column: "x", groupBy: ["g"], epsilon: 1 },
      { statistic: "sum", column: "x", epsilon: 1, where: "g != 2" },
      { statistic: "distinctUnits", groupBy: ["g"], epsilon: 1 },
      { statistic: "histogram", column: "x", bins: 20, epsilon: 1 },
    ],
  };
  const declared = (source: Source, contribution: object) =>
    checkDeclaration({
      name: "t",
      source,
      privacyUnit: { column: "u" },
      contribution,
      columns: {
        u: { type: "text" },
        g: { type: "category", categories: [0, 1, 2, 3] },
        x: { type: "number", lower: 0, upper: 1000 },
      },
    });

  test.each([{ rows: 4 }, { groups: 2, rowsPerGroup: 3 }, { rows: 5, groups: 3 }, { rows: 5000 }])(
    "whatever the row order and the number of threads: %j",
    async (contribution) => {
      const here = await put("order-1.csv", ["u,g,x", ...rows].join("\n"));
      const there = await put("order-2.csv", ["u,g,x", ...rows.toReversed()].join("\n"));
      const single = await duckdbEngine({ root, threads: 1, cachedTables: 0 });
      const parted = await duckdbEngine({ root, threads: 2, cachedTables: 0, mostHeld: 15_000 });
      const first = await measure(engine, plan, declared(here, contribution));
      expect(await measure(engine, plan, declared(there, contribution))).toEqual(first);
      expect(await measure(single, plan, declared(there, contribution))).toEqual(first);
      expect(await measure(parted, plan, declared(there, contribution))).toEqual(first);
      await single.close();
      await parted.close();
    },
  );

  test("[M88] a cached bounded table answers the next question as a fresh one would, and another filter or salt is another table", async () => {
    const declaration = declared(await put("cache.csv", ["u,g,x", ...rows].join("\n")), { rows: 3 });
    const fresh = await duckdbEngine({ root, threads: 2, cachedTables: 0 });
    const kept = await duckdbEngine({ root, threads: 2, cachedTables: 1 });
    const ask = (where: string): Plan => ({
      statistics: [
        { statistic: "mean", column: "x", where, groupBy: ["g"], epsilon: 1 },
        { statistic: "sum", column: "x", where, epsilon: 1 },
      ],
    });
    for (const where of ["g = 1", "g = 1", "g = 2", "x > 30", "g = 1"])
      expect(await measure(kept, ask(where), declaration)).toEqual(await measure(fresh, ask(where), declaration));
    expect(await measure(kept, ask("g = 1"), declaration, "other")).not.toEqual(
      await measure(kept, ask("g = 1"), declaration),
    );
    await fresh.close();
    await kept.close();
  });

  test("case 54: a file that changed after registration is refused, not read", async () => {
    const declaration = declared(await put("changed.csv", "u,g,x\np,1,2\n"), { rows: 3 });
    const version = await engine.check(declaration, { salt: SALT });
    await put("changed.csv", "u,g,x\np,1,3\n");
    await expect(engine.run(boundPlan(plan, declaration), version)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    await put("changed.csv", "u,g,x\np,1,2\n");
    expect(reveal(await engine.run(boundPlan(plan, declaration), version))[1]).toHaveLength(1);
  });

  test("jobs run side by side, also on one bounded table", async () => {
    const declaration = declared(await put("parallel.csv", ["u,g,x", ...rows].join("\n")), { rows: 3 });
    const all = await Promise.all(Array.from({ length: 8 }, () => measure(engine, plan, declaration)));
    for (const one of all) expect(one).toEqual(all[0]);
  });

  test("an abort stops a running query and leaves the engine usable", async () => {
    const declaration = declared(await put("abort.csv", ["u,g,x", ...rows].join("\n")), { groups: 2, rowsPerGroup: 3 });
    const version = await engine.check(declaration, { salt: SALT });
    const wide: Plan = {
      statistics: Array.from({ length: 60 }, (_, index) => ({
        statistic: "sum",
        column: "x",
        where: `x > ${index}.5`,
        groupBy: ["g"],
        epsilon: 1,
      })),
    };
    await expect(
      engine.run(boundPlan(wide, declaration), { ...version, signal: AbortSignal.timeout(60) }),
    ).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(reveal(await engine.run(boundPlan(plan, declaration), version))).toHaveLength(4);
  });
});
