import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { parseSource } from "../../../query/src/source/kinds.ts";
import { hashOf, inspectCsv } from "./csv.ts";
import { duckdbDialect } from "./dialect.ts";
import { openSandbox, query, withConnection } from "./sandbox.ts";
import { inspect, locate } from "./source.ts";

const root = temporaryFolder();
let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await openSandbox({ root, temporaryDirectory: join(root, "spill"), threads: 2 });
});
afterAll(async () => {
  instance.closeSync();
});

const reader = { csv: inspectCsv, hash: hashOf, close: async () => {} };

/** The names and rows that DuckDB reads, which are as many as were counted. */
async function read(files: Readonly<Record<string, string>>, reading: object = { comment: "#" }) {
  await rm(join(root, "files"), { recursive: true, force: true });
  await mkdir(join(root, "files"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, "files", `${name}.csv`), text);
  const located = await locate(root, parseSource({ csv: "files", ...reading }));
  const { from, header, records } = await inspect(located, "5e", { attached: async () => "", reader });
  const rows = await withConnection(instance, undefined, (connection) =>
    query(connection, duckdbDialect.compile(sql`SELECT * FROM ${from}`)),
  );
  expect(rows).toHaveLength(records ?? 0);
  return { header, rows: rows.map((row) => row.join("·")).sort() };
}

const AB = ["a", "b"];

describe("lines that begin with the declared sign are no rows", () => {
  test.each([
    ["before the header", "# made in 2024\n# a,b,c\na,b\n1,2\n", ["1·2"]],
    ["before an empty line and the header", "# made in 2024\n\n# more\n\n\na,b\n1,2\n", ["1·2"]],
    ["after a byte-order mark", '\ufeff# made "in, 2024\n\n#\na,b\n# x\n1,2\n', ["1·2"]],
    ["after the header and at the end", "a,b\n#\n1,2\n#x,y,z\n3,4\n# end", ["1·2", "3·4"]],
    ["with quotes that do not close", 'a,b\n# "x\n1,2\n#,"y\n3,4\n', ["1·2", "3·4"]],
    ["and CRLF", '#"x\r\na,b\r\n#y\r\n1,2\r\n#', ["1·2"]],
    ["and CR", "#x\ra,b\r#y\r1,2\r", ["1·2"]],
    ["and semicolons", "#x;y;z\na;b\n#,,,\n1;2\n", ["1·2"]],
    ["while the sign in quotes is data", '"a",b\n#x\n"#1","2#"\n', ["#1·2#"]],
    ["while the second line of a value is data", 'a,b\n#x\n1,"2\n#3"\n', ["1·2\n#3"]],
    ["and in a file without any the sign is data", "a,b\n1#,2\n #3,#4\n", [" #3·#4", "1#·2"]],
    ["and as long as a row may be", `a,b\n1,2\n#${"x,".repeat(499_999)}\n3,4\n`, ["1·2", "3·4"]],
  ])("%s", async (_, text, rows) => {
    expect(await read({ text })).toEqual({ header: AB, rows });
  });

  test("in a table of one column, where an empty line after the header is a missing value", async () => {
    expect(await read({ text: "#x\n\na\n1\n\n#y\n2\n" })).toEqual({ header: ["a"], rows: ["", "1", "2"] });
  });

  // Where the file begins with no comment, its first line is the header, which has one empty name.
  test("after an empty first line, which is the header", async () => {
    const one = { header: ["column_1"], rows: ["1", "a"] };
    for (const mark of ["", "\ufeff"]) expect(await read({ text: `${mark}\n#x\na\n1\n` })).toEqual(one);
    expect(await read({ text: "\n\n#x\na\n1\n" })).toEqual({ ...one, rows: ["", "1", "a"] });
  });

  test("with a sign that could be a delimiter", async () => {
    expect(await read({ text: ";x;y\na,b\n1,2\n;;;;\n" }, { comment: ";" })).toEqual({ header: AB, rows: ["1·2"] });
  });

  test("in several files, of which some have none", async () => {
    const files = { one: "a,b\n1,2\n", two: "# x\na,b\n3,4\n", three: "a,b\n#\n" };
    expect(await read(files)).toEqual({ header: AB, rows: ["1·2", "3·4"] });
  });

  // Two threads that begin in the middle of such a file take quotes in comments for those of values.
  test("in a file that several threads would read", async () => {
    const text = `a,b\n${`5,6\n#${'x,"'.repeat(40)}\n`.repeat(250_000)}`;
    expect((await read({ text })).rows).toHaveLength(250_000);
  });
});

test("any values that are in quotes where they hold the sign are read as they were, with comments between them", async () => {
  const value = fc.string({ unit: fc.constantFrom("#", '"', ",", "\n", " ", "x"), minLength: 1, maxLength: 5 });
  const comment = fc.string({ unit: fc.constantFrom("#", '"', ",", " ", "x", "é"), maxLength: 8 });
  const row = fc.record({ values: fc.tuple(value, value), before: fc.array(comment, { maxLength: 2 }) });
  const written = (text: string) => (/[#",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), fc.array(comment), fc.boolean(), async (rows, last, isMarked) => {
      const lines = [{ values: AB, before: ["a"] }, ...rows].flatMap(({ values, before }) => [
        ...before.map((text) => `#${text}`),
        values.map(written).join(),
      ]);
      const text = [...lines, ...last.map((each) => `#${each}`)].join("\n");
      expect((await read({ text: isMarked ? `\ufeff${text}` : text })).rows).toEqual(
        rows.map(({ values }) => values.join("·")).sort(),
      );
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["words with a comma", "#made by x, on y\na,b\n1,2\n"],
  ["fewer or more names", "#a\n#a,b,c\na,b\n1,2\n"],
  ["names and an empty line", "#c,d\n\na,b\n1,2\n"],
  ["the same twice, or nothing", "#,\n#-,-\na,b\n1,2\n"],
])("a comment above the header is no header: %s", async (_, text) => {
  expect(await read({ text })).toEqual({ header: AB, rows: ["1·2"] });
});

test.each([
  ["a sign in a row without quotes", { text: "a,b\n#x\n1,C#\n" }, "next to comments, a row may hold # in quotes only"],
  ["a sign behind a space", { text: "a,b\n#x\n #1,2\n" }, "next to comments, a row may hold # in quotes only"],
  ["a sign in another file", { one: "a,b\n#x\n", two: "a,b\n1,#\n" }, "next to comments, a row may hold #"],
  ["nothing but comments", { text: "#x\n# y" }, "a header, with comments of at most 200000 bytes before it"],
  ["a header far behind", { text: `${"#x\n".repeat(70_000)}a,b\n` }, "a header, with comments of at most 200000 bytes"],
  ["a comment that is too long", { text: `a,b\n#${"x".repeat(1_000_000)}\n1,2\n` }, "no record longer than a million"],
  ["other line ends", { text: "#x\r\na,b\n1,2\n" }, "one kind of line end"],
  ["an empty line before the header", { text: "\n#x\na,b\n1,2\n" }, "as many fields in every record as in the header"],
  [
    "a header in a comment",
    { text: "#id,name\n1,Ada\n2,Bo\n" },
    "take the sign away, name another sign, or leave an empty",
  ],
  [
    "one behind a space",
    { text: "#x\n# id,name\nAda,Oslo\n" },
    "a header that does not begin with the sign of comments",
  ],
  [
    "one of a single column",
    { text: "\ufeff#id\r\n1\r\n2\r\n" },
    "a header that does not begin with the sign of comments",
  ],
  ["ragged rows", { text: "#x\na,b\n#y\n1\n" }, "as many fields in every record as in the header"],
  ["a mark in one of two files", { one: "\ufeff#\na,b\n", two: "#\na,b\n" }, "the same header, lines before it"],
] as const)("refused before a row is read: %s", async (_, files, message) => {
  const refused = read(files);
  await expect(refused).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  await expect(refused).rejects.toThrow(message);
});

test.each(["", "##", "a", "5", '"', "\n", ",", "-", ".", " ", "é", 5, null])("%j is no sign", (comment) => {
  expect(() => parseSource({ csv: "t.csv", comment })).toThrow(/^source\.comment is/);
});

test("the sign is not the delimiter", () => {
  expect(() => parseSource({ csv: "t.csv", comment: ";", delimiter: ";" })).toThrow("another sign than the delimiter");
});
