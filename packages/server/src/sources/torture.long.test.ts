import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { formatPeriod } from "@dosimeter/core";
import type { Engine } from "@dosimeter/query/plan";
import { overFile } from "@dosimeter/query/source";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { hashOf, inspectCsv } from "../../../engines/src/duckdb/csv.ts";
import { duckdbDialect } from "../../../engines/src/duckdb/dialect.ts";
import { duckdbEngine } from "../../../engines/src/duckdb/engine.ts";
import { openSandbox, query, withConnection } from "../../../engines/src/duckdb/sandbox.ts";
import { inspect, locate } from "../../../engines/src/duckdb/source.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { openConverter } from "./convert/converter.ts";
import { zipped } from "./convert/hostile.kit.ts";
import { type Files, openFiles, type Upload } from "./files.ts";

const place = temporaryFolder();
let files: Files;
let engine: Engine;
let sandbox: Awaited<ReturnType<typeof openSandbox>>;
const converter = openConverter();
beforeAll(async () => {
  files = await openFiles(place, { converter, isAlone: false });
  engine = await duckdbEngine({ root: place, threads: 2 });
  sandbox = await openSandbox({ root: place, temporaryDirectory: join(place, "spill"), threads: 2 });
});
afterAll(async () => {
  sandbox.closeSync();
  await engine.close();
  await converter.close();
});

const reader = { csv: inspectCsv, hash: hashOf, close: async () => {} };

interface Case {
  readonly sent: string | Uint8Array;
  readonly upload?: Partial<Upload>;
  readonly source?: object;
  /** Of the column x. */
  readonly x?: object;
}

const number = { type: "number", lower: 0, upper: 100_000 };
const date = { type: "date", lower: "1900-01-01", upper: "2100-01-01" };
const text = { type: "text" };

/** What the declared column x holds, in the order of its rows, by the way of an upload: sent, declared, checked, read. */
async function read({ sent, upload = {}, source: reading = {}, x = number }: Case): Promise<readonly unknown[]> {
  const bytes = new Blob([typeof sent === "string" ? sent : new Uint8Array(sent)]).stream();
  const describe = (source: Parameters<Engine["describe"]>[0]) => engine.describe(source);
  const { comment, quote } = reading as Upload;
  const file = await files.save({ name: "t", owner: "usr_1" as never, bytes, describe, comment, quote, ...upload });
  const columns = { x };
  const source = overFile({ ...reading }, file.format, `${file.id}.${file.format}`);
  const declaration = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
  await engine.check(declaration, { salt: "5e" });
  const located = await locate(place, declaration.source);
  const { from } = await inspect(located, "5e", { attached: async () => "", reader });
  const column = declaration.columns.x ?? expect.fail("no column");
  const value = duckdbDialect.typed(sql.id("x"), column, "VARCHAR");
  const rows = await withConnection(sandbox, undefined, (connection) =>
    query(connection, duckdbDialect.compile(sql`SELECT ${value} FROM ${from}`)),
  );
  return rows.map(([one]) => {
    if (one === null || typeof one === "string" || typeof one === "boolean") return one;
    return column.type === "date" ? formatPeriod(Number(one), column.calendar ?? "day") : Number(one);
  });
}

const lines = (...rows: readonly string[]) => `x;y\n${rows.map((row) => `${row};1\n`).join("")}`;
const like = (pattern: string) => ({ x: { ...number, pattern } });
const dated = (pattern: string, more: object = {}) => ({ x: { ...date, pattern, ...more } });
const words = (pattern: string) => ({ x: { type: "boolean", pattern } });
const bytes = (...of: readonly number[]) => Uint8Array.from(of);
const plain = "x,y\n1,2\n3,4\n";

test.each<readonly [string, Case, readonly unknown[]]>([
  // Numbers
  ["a decimal comma", { sent: lines("1,5", "-2", "0,25"), ...like("1234,5") }, [1.5, -2, 0.25]],
  [
    "points between thousands",
    { sent: lines("1.234,5", "12.345.678", "7"), ...like("1.234,5") },
    [1234.5, 12_345_678, 7],
  ],
  ["commas between thousands", { sent: lines("1,234.5", "12"), ...like("1,234.5") }, [1234.5, 12]],
  [
    "spaces between thousands",
    { sent: lines("1 234,5", "1\u00a0234", "1\u202f234"), ...like("1 234,5") },
    [1234.5, 1234, 1234],
  ],
  ["apostrophes between thousands", { sent: lines("1'234.5", "1’234"), ...like("1'234.5") }, [1234.5, 1234]],
  ["a currency", { sent: lines("1.234,50 €", "5€", "6"), ...like("1.234,5 €") }, [1234.5, 5, 6]],
  ["a currency before", { sent: lines("$1,234.50", "$ 5"), ...like("$1,234.5") }, [1234.5, 5]],
  ["a percent sign", { sent: lines("12,5 %", "3%"), ...like("1234,5 %") }, [12.5, 3]],
  ["a minus of printers", { sent: lines("−1,5", "+2"), ...like("1234,5") }, [-1.5, 2]],
  ["an exponent", { sent: lines("1,5e3", "2E-1"), ...like("1234,5") }, [1500, 0.2]],
  ["spaces around", { sent: lines(" 1,5", "2,5 ", "\u00a03,5"), ...like("1234,5") }, [1.5, 2.5, 3.5]],
  ["all numbers of a file", { sent: lines("1.234,5"), source: { numbers: "1.234,5" } }, [1234.5]],
  [
    "whole numbers with points",
    { sent: lines("1.234"), x: { type: "integer", lower: 0, upper: 9999, pattern: "1.234,5" } },
    [1234],
  ],
  [
    "exact decimals",
    { sent: lines("1.234,05"), x: { type: "decimal", scale: 2, lower: 0, upper: 9999, pattern: "1.234,5" } },
    [123_405],
  ],
  [
    "a missing word among them",
    { sent: lines("1,5", "k.A.", ""), x: { ...number, pattern: "1234,5", missing: ["k.A."] } },
    [1.5, null, null],
  ],
  [
    "several missing words",
    { sent: lines("1", "NA", "-", "n/a"), source: { missing: ["NA", "-", "n/a"] } },
    [1, null, null, null],
  ],
  // Dates
  ["days first", { sent: lines("15.03.2024"), ...dated("DD.MM.YYYY") }, ["2024-03-15"]],
  ["one digit", { sent: lines("5/3/2024"), ...dated("M/D/YYYY") }, ["2024-05-03"]],
  [
    "names of months",
    { sent: lines("15 March 2024", "1 Dez. 2023", "2 août 2020"), ...dated("D MMM YYYY") },
    ["2024-03-15", "2023-12-01", "2020-08-02"],
  ],
  [
    "names of months of SAS",
    { sent: lines("15MAR2024", "01oct1999"), ...dated("DDMMMYYYY") },
    ["2024-03-15", "1999-10-01"],
  ],
  ["a day after its month", { sent: lines("March 5, 2024"), ...dated("MMM D, YYYY") }, ["2024-03-05"]],
  [
    "two digits of a year",
    { sent: lines("15.03.29", "15.03.30"), ...dated("DD.MM.YY", { pivot: 1930 }) },
    ["2029-03-15", "1930-03-15"],
  ],
  ["names and two digits", { sent: lines("15-Mar-24"), ...dated("D-MMM-YY", { pivot: 1930 }) }, ["2024-03-15"]],
  [
    "quarters",
    { sent: lines("1974Q1", "1974q4"), ...dated("YYYYQ", { granularity: "quarter" }) },
    ["1974-Q1", "1974-Q4"],
  ],
  ["quarters first", { sent: lines("Q3 1974"), ...dated("Q YYYY", { granularity: "quarter" }) }, ["1974-Q3"]],
  ["quarters as years", { sent: lines("1974-Q1"), ...dated("YYYY-Q", { granularity: "year" }) }, ["1974"]],
  [
    "weeks",
    { sent: lines("2020-W07", "2020-W53", "2019-W01"), ...dated("YYYY-WW", { granularity: "week" }) },
    ["2020-W07", "2020-W53", "2019-W01"],
  ],
  ["months", { sent: lines("2020-07"), ...dated("YYYY-MM", { granularity: "month" }) }, ["2020-07"]],
  ["days without signs", { sent: lines("20240315"), ...dated("YYYYMMDD") }, ["2024-03-15"]],
  ["a time after the day", { sent: lines("2024-03-15 10:30"), ...dated("YYYY-MM-DD*") }, ["2024-03-15"]],
  // Truth
  ["oui and non", { sent: lines("oui", "Non", " OUI"), ...words("oui/non") }, [true, false, true]],
  ["several words", { sent: lines("o", "oui", "n"), ...words("oui,o/non,n") }, [true, true, false]],
  ["ja and nein", { sent: lines("Ja", "nein", ""), ...words("ja/nein") }, [true, false, null]],
  ["1 and 2", { sent: lines("1", "2"), ...words("1/2") }, [true, false]],
  // Signs
  ["tabs", { sent: "x\ty\n1\t2\n" }, [1]],
  ["bars", { sent: "x|y\n1|2\n" }, [1]],
  ["single quotes", { sent: "x,y\n'a,b',1\n'it''s',2\n", source: { quote: "'" }, x: text }, ["a,b", "it's"]],
  [
    "quotes that are letters",
    { sent: 'x,y\n5" pipe,1\n"open,2\n', source: { quote: "none" }, x: text },
    ['5" pipe', '"open'],
  ],
  ["line ends in a value", { sent: 'x,y\n"a\nb",1\n', x: text }, ["a\nb"]],
  ["comments", { sent: "# made\nx,y\n1,2\n", source: { comment: "#" } }, [1]],
  ["lines above the header", { sent: "A report\r\n\r\nx,y\r\n1,2\r\n", upload: { cut: { skip: 2 } } }, [1]],
  ["footnotes", { sent: "x,y\n1,2\n\nSource: us, them, others\n* p", upload: { cut: { footer: 3 } } }, [1]],
  ["a footnote with a line end", { sent: "x,y\r\n1,2\r\nTotal\r\n", upload: { cut: { footer: 1 } } }, [1]],
  ["both", { sent: "t\nx,y\n1,2\n3,4\nend\n", upload: { cut: { skip: 1, footer: 1 } } }, [1, 3]],
  // Letters
  ["a mark", { sent: "\ufeffx,y\n1,2\n" }, [1]],
  ["UTF-16", { sent: Buffer.from("\ufeffx,y\né,2\n", "utf16le"), x: text }, ["é"]],
  [
    "Windows-1250 that is declared",
    { sent: bytes(0x78, 0x0a, 0xb9, 0x0a), upload: { encoding: "windows-1250" }, x: text },
    ["ą"],
  ],
  [
    "Shift-JIS that is declared",
    { sent: bytes(0x78, 0x0a, 0x93, 0xfa, 0x0a), upload: { encoding: "Shift_JIS" }, x: text },
    ["日"],
  ],
  [
    "KOI8-R that is declared",
    { sent: bytes(0x78, 0x0a, 0xc4, 0xc1, 0x0a), upload: { encoding: "koi8-r" }, x: text },
    ["да"],
  ],
  [
    "another encoding above the header",
    { sent: bytes(0xe9, 0x0a, 0x78, 0x0a, 0xe9, 0x0a), upload: { cut: { skip: 1 } }, x: text },
    ["é"],
  ],
  // Containers
  ["gzip", { sent: gzipSync(plain) }, [1, 3]],
  ["Zstandard", { sent: zstdCompressSync(plain) }, [1, 3]],
  ["ZIP with what a Mac adds", { sent: zipped({ "t/": "", "t/x.csv": plain, "__MACOSX/._x.csv": "z" }) }, [1, 3]],
  [
    "gzip with footnotes in another encoding",
    {
      sent: gzipSync(bytes(0x78, 0x0a, 0xb9, 0x0a, 0x65, 0x0a)),
      upload: { encoding: "windows-1250", cut: { footer: 1 } },
      x: text,
    },
    ["ą"],
  ],
  ["JSON", { sent: '[{"y":1,"x":1.50},\n {"x":null},{"x":2,"z":true}]' }, [1.5, null, 2]],
  ["lines of JSON", { sent: '{"x":"a\\n\\"}"}\n{"x":9007199254740993}\n', x: text }, ['a\n"}', "9007199254740993"]],
  ["packed JSON", { sent: gzipSync('{"x":1}') }, [1]],
  ["SDMX", { sent: "STRUCTURE,STRUCTURE_ID,x,OBS_STATUS\ndataflow,ECB:EXR(1.0),1.5,A\n" }, [1.5]],
])("read right: %s", async (_, one, values) => {
  expect(await read(one)).toEqual(values);
});

test.each<readonly [string, Case, string]>([
  ["a decimal comma that is not declared", { sent: lines("1,5") }, "or in the declared pattern, such as 1.234,5"],
  [
    "1.5 under a pattern of thousands",
    { sent: lines("1.5"), ...like("1.234,5") },
    'column "x" holds values that are not numbers',
  ],
  [
    "0.123 under a pattern of thousands",
    { sent: lines("1.234", "0.123"), ...like("1.234,5") },
    'column "x" holds values that are not numbers',
  ],
  ["12.34.567", { sent: lines("12.34.567"), ...like("1.234,5") }, 'column "x" holds values that are not numbers'],
  ["1,234 where it is not said which", { sent: lines("1,234"), ...like("1,234") }, "1234.5 as the file writes it"],
  [
    "a fraction of a whole number",
    { sent: lines("1,5"), x: { type: "integer", lower: 0, upper: 9, pattern: "1234,5" } },
    "not whole numbers",
  ],
  [
    "a long id",
    { sent: lines("18446744073709551615"), x: { type: "integer", lower: 0, upper: 9 } },
    "declare longer ids as texts",
  ],
  [
    "a word that is no month",
    { sent: lines("5 Foo 2024"), ...dated("D MMM YYYY") },
    "such as DD.MM.YYYY, D MMM YYYY or YYYYQ",
  ],
  ["a day that is none", { sent: lines("31 Feb 2024"), ...dated("D MMM YYYY") }, "not dates in the declared pattern"],
  [
    "a 53rd week that is none",
    { sent: lines("2021-W53"), ...dated("YYYY-WW", { granularity: "week" }) },
    "not dates in the declared pattern",
  ],
  ["quarters as days", { sent: lines("1974Q1"), ...dated("YYYYQ") }, "quarter or year: its texts name quarters"],
  [
    "two digits without a century",
    { sent: lines("15.03.24"), ...dated("DD.MM.YY") },
    "the first of the hundred years that YY may mean",
  ],
  [
    "words of truth that are not declared",
    { sent: lines("oui"), x: { type: "boolean" } },
    "words of the declared pattern, such as yes/no",
  ],
  ["one word of truth", { sent: lines("oui"), ...words("oui") }, "words of true and of false, such as yes/no"],
  ["lines above the header", { sent: "A report\nx,y\n1,2\n" }, "(skip, footer)"],
  ["a footnote", { sent: "x,y\n1,2\nSource\n" }, "(skip, footer)"],
  [
    "backslashes before quotes",
    { sent: 'x,y\n"a\\"b",1\n', x: text },
    "nothing between a closing quote and the next delimiter",
  ],
  ["letters that are none", { sent: bytes(0x78, 0x0a, 0xe9, 0x0a) }, "a text in UTF-8, or say its encoding"],
  ["an unknown encoding", { sent: plain, upload: { encoding: "utf-13" } }, "one that browsers know, such as utf-8"],
  ["UTF-32", { sent: bytes(0xff, 0xfe, 0, 0, 0x78, 0, 0, 0) }, "and not in UTF-32"],
  ["two files", { sent: zipped({ a: plain, b: plain }) }, "a ZIP file with one file in it"],
  ["packed twice", { sent: gzipSync(gzipSync(plain)) }, "unpack it once"],
  ["a cut gzip file", { sent: gzipSync(plain.repeat(99)).subarray(0, 40) }, "a whole gzip file"],
  ["a bomb", { sent: gzipSync(Buffer.alloc(2 ** 27, "1\n")) }, "at most 64000000 bytes when unpacked"],
  ["nested JSON", { sent: '[{"x":{"y":1}}]' }, "whose values are texts, numbers, true, false or null"],
  ["a list of lists", { sent: "[[1,2]]" }, "an array of objects, or an object a line"],
  ["JSON that ends early", { sent: '[{"x":1},' }, "an array of objects, or an object a line"],
  ["bzip2", { sent: "BZh91AY&SY..............." }, "packed with gzip, ZIP or Zstandard, or not at all: bunzip2"],
  [
    "SAS's own format, cut short",
    { sent: Buffer.concat([Buffer.alloc(12), bytes(0xc2, 0xea, 0x81, 0x60), Buffer.alloc(99)]) },
    "a whole",
  ],
  [
    "labels of SAS without their table",
    { sent: Buffer.concat([Buffer.alloc(12), bytes(0xc2, 0xea, 0x81, 0x63), Buffer.alloc(99)]) },
    "haven::write_sav",
  ],
  [
    "a bomb in a ZIP file",
    { sent: zipped({ "t.csv": `x\n${"1\n".repeat(2 ** 26)}` }) },
    "at most 64000000 bytes when unpacked",
  ],
  [
    "an R data frame",
    { sent: gzipSync(Buffer.from("X\n\0\0\0\x03................")) },
    "arrow::write_parquet(readRDS(path)",
  ],
  ["a database", { sent: "SQLite format 3\0................" }, "sqlite3 -header -csv"],
])("refused with the way: %s", async (_, one, message) => {
  const refused = read(one);
  await expect(refused).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:DATA_UNREADABLE|INVALID_PARAMETER|PAYLOAD_TOO_LARGE)$/),
  });
  await expect(refused).rejects.toThrow(message);
});

test.each([
  ["postgres", { ...number, pattern: "1234,5" }],
  ["trino", { ...date, pattern: "D MMM YYYY" }],
])("a table of %s has casts of its own", (kind, x) => {
  const source = { [kind]: { connection: "c", schema: "s", table: "t" } };
  expect(() => checkDeclaration({ name: "t", source, privacyUnit: "row", columns: { x } })).toThrow(
    "Make a view that casts x",
  );
});
