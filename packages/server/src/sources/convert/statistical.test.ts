import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync, gunzipSync } from "node:zlib";
import { present } from "@dosimeter/core/internal";
import type { PrincipalId } from "@dosimeter/ledger";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { type Converter, openConverter } from "./converter.ts";
import { openSasTable } from "./sas-table.ts";
import { ibmNumber, openTransport } from "./sas-transport.ts";
import { openSpss } from "./spss.ts";
import { type OpenedTable, writeStatTable } from "./stat-table.ts";
import { openStata } from "./stata.ts";
import { openTableWriter } from "./table-writer.ts";

const place = temporaryFolder();
const converter = openConverter();
afterAll(() => converter.close());

const person = "usr_1" as PrincipalId;
const golden = (name: string) => join(import.meta.dirname, "golden", name);
const formatOf = (name: string) =>
  (["sas7bdat", "xpt", "dta"] as const).find((one) => name.endsWith(`.${one}`)) ?? "sav";
let made = 0;

/** In a process of its own where there is a converter, else in this one. */
async function convert(from: string, { by, encoding }: { readonly by?: Converter; readonly encoding?: string } = {}) {
  made += 1;
  const to = join(place, `${made}.csv`);
  const asked = { format: formatOf(from), from, to, largest: 1e6, encoding } as const;
  const found = by === undefined ? written(from, to, encoding) : await by.convert(asked, { person, sent: 1e4 });
  return { says: "says" in found ? found.says : undefined, text: await readFile(to, "utf8") };
}

function open(path: string, encoding?: string): OpenedTable {
  const format = formatOf(path);
  if (format === "sas7bdat") return openSasTable(path, encoding);
  if (format === "sav") return openSpss(path, { encoding, unpacked: 1e7 });
  return format === "dta" ? openStata(path, encoding) : openTransport(path, encoding);
}

function written(from: string, to: string, encoding?: string) {
  const writer = openTableWriter(to, { largest: 1e6 });
  try {
    const { table, close } = open(from, encoding);
    try {
      const found = writeStatTable(table, writer);
      writer.end();
      return found;
    } finally {
      close();
    }
  } finally {
    writer.close();
  }
}

const MOMENTS = [
  "1960-01-01,2024-03-15T10:30:15",
  "2024-02-29,1969-12-31T23:59:59",
  ",",
  "1899-12-31,9999-12-31T23:59:59",
];
const STORIES = ["x".repeat(600), '"say ""y"",\nz"', "", "end".repeat(100)];
const rowsOf = (heads: readonly string[], hasStory: boolean) =>
  heads.map((head, at) => `${head},${MOMENTS[at]}${hasStory ? `,${STORIES[at]}` : ""}\n`).join("");

const SPSS = `"person","age","age_missing","sex","sex_missing","income","born","seen","story"\n${rowsOf(
  ["a,31,,1,,0.1", "b,99,,2,,1000000000.25", "ü😀,,-1,,9,-3.5", ",0,,,,"],
  true,
)}`;

test.each(["people.sav", "people-rows.sav", "people.zsav"])(
  "%s of SPSS is written with its labels and missing codes",
  async (name) => {
    const { text, says } = await convert(golden(name), name === "people.zsav" ? { by: converter } : {});
    expect(text).toBe(SPSS);
    expect(says?.kind).toBe("SPSS");
    expect(says?.declaration).toEqual({
      columns: {
        person: { type: "text", label: "Who" },
        age: { type: "integer", label: "Age" },
        age_missing: {
          type: "category",
          categories: [-1],
          valueLabels: { "-1": "refused" },
          label: "Why Age is missing",
        },
        sex: {
          type: "category",
          categories: [1, 2],
          valueLabels: { "1": "male", "2": "female" },
          label: "Sex at birth",
        },
        sex_missing: {
          ...{ type: "category", categories: [9], valueLabels: { "9": "no answer" } },
          label: "Why Sex at birth is missing",
        },
        income: { type: "number", label: "Income" },
        born: { type: "date", label: "Born" },
        seen: { type: "timestamp", label: "Seen" },
        story: { type: "text", label: "Story" },
      },
    });
  },
);

test.each([
  ["people-113.dta", false, "c"],
  ["people-118.dta", true, "ü😀"],
])("%s of Stata is written with its labels and missing codes", async (name, hasStory, third) => {
  const { text, says } = await convert(golden(name));
  const heads = ["a,31,1,,0.1", "b,99,2,,1000000000.25", `${third},-1,,.a,-3.5`, ",0,,,"];
  const header = `"person","age","sex","sex_missing","income","born","seen"${hasStory ? ',"story"' : ""}\n`;
  expect(text).toBe(header + rowsOf(heads, hasStory));
  expect(says?.declaration).toMatchObject({
    columns: { age: { type: "number" }, sex: { categories: [1, 2] }, sex_missing: { categories: [".a"] } },
  });
});

test.each(["kinds-114.dta", "kinds-117.dta", "kinds-119.dta"])(
  "every kind of number and period of %s",
  async (name) => {
    const { text, says } = await convert(golden(name));
    const long = (value: string) => (name === "kinds-114.dta" ? "" : `${value},`);
    expect(text).toBe(`"b","i","l","f","d","c",${long('"st"')}"tw","tm","tq","th","ty"
1,1,1,0.1,0.1,1,${long("l".repeat(3000))}1960-01-01,1960-01-01,1960-01-01,1960h1,1960
100,32740,2147483620,1${"0".repeat(30)},,0,${long("")}2024-02-26,2024-02-01,2024-01-01,2024h1,2024
-127,-5,-5,,-1${"0".repeat(21)},1,${long("q")},,,,
`);
    expect(says?.declaration).toMatchObject({
      columns: {
        ...{ c: { type: "category", categories: [0, 1], valueLabels: { "0": "hi", "1": "lo" } } },
        ...{
          tm: { granularity: "month" },
          tq: { granularity: "quarter" },
          th: { type: "text" },
          ty: { type: "integer", unit: "year" },
        },
      },
    });
  },
);

test.each([
  ["people-5.xpt", "income", ""],
  ["people-8.xpt", "income_of_the_household", ", of which this label says more than forty letters"],
])("%s of SAS is written with its labels", async (name, income, more) => {
  const { text, says } = await convert(golden(name));
  const heads = ["a,31,1,0.1", "b,99,2,1000000000.25", "c,-1,9,-3.5", ",0,,"];
  expect(text).toBe(`"person","age","sex","${income}","born","seen"\n${rowsOf(heads, false)}`);
  expect(says?.declaration).toMatchObject({
    columns: { born: { type: "date", label: `Born${more}` }, seen: { type: "timestamp" } },
  });
});

test("a number of SAS with fewer bytes, and a missing one of each kind", () => {
  const read = (hex: string) => ibmNumber(Buffer.from(hex, "hex"));
  expect(["41100000", "c1200000", "00", "8000", "421f", "40800000"].map(read)).toEqual([1, -2, 0, 0, 31, 0.5]);
  expect(["2e00000000000000", "41000000", "5f00", "5a000000"].map(read)).toEqual([null, null, null, null]);
});

test("texts of before Stata 14 are read in the encoding that is given", async () => {
  const path = join(place, "old.dta");
  const bytes = await readFile(golden("people-113.dta"));
  bytes.write("\xe9", bytes.indexOf("Income"), "latin1");
  await writeFile(path, bytes);
  const label = async (encoding?: string) =>
    (await convert(path, present({ encoding }))).says?.columns.find(({ names }) => names[0] === "income")?.label;
  expect([await label(), await label("windows-1251")]).toEqual(["éncome", "йncome"]);
  await expect(convert(path, { encoding: "utf-8" })).rejects.toThrow("say another encoding, such as windows-1252");
  await expect(convert(path, { encoding: "utf-13" })).rejects.toMatchObject({ details: { got: "utf-13" } });
});

interface SasSaid {
  readonly names: readonly string[];
  readonly labels: readonly string[];
  readonly count: number;
  readonly rows: readonly (readonly (string | number | null)[])[];
}
const sasFiles = JSON.parse(readFileSync(golden("sas.json"), "utf8")) as Readonly<Record<string, SasSaid>>;

/** A real file of SAS, unpacked. */
async function sasFile(name: string, change: (bytes: Buffer) => unknown = () => undefined): Promise<string> {
  made += 1;
  const path = join(place, `${made}.sas7bdat`);
  const bytes = gunzipSync(readFileSync(golden(name)));
  const found = change(bytes);
  await writeFile(path, Buffer.isBuffer(found) ? found : bytes);
  return path;
}

function sasRows(path: string, encoding?: string) {
  const { table, close } = openSasTable(path, encoding);
  try {
    const rows = Array.from(table.rows, (row) => table.columns.map(({ value }) => value(row)));
    return { columns: table.columns, rows };
  } finally {
    close();
  }
}

test.each(Object.entries(sasFiles).filter(([name]) => name !== "sas-deleted.sas7bdat.gz"))(
  "%s is read as another program reads it",
  async (name, { names, labels, count, rows: want }) => {
    const { columns, rows } = sasRows(await sasFile(name));
    expect(columns.map((one) => one.name)).toEqual(names);
    expect(columns.map(({ words }) => words.label)).toEqual(labels);
    expect(rows).toHaveLength(count);
    const shown = [...rows.slice(0, 4), ...rows.slice(-2)].map((row) =>
      row.map((cell, at) => (columns[at]?.words.type === "number" && cell !== "" ? Number(cell) : cell)),
    );
    const seconds = (time: string) => time.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
    expect(shown).toEqual(
      want.map((row) =>
        row.map((cell, at) =>
          typeof cell === "string" && columns[at]?.words.unit === "s" ? seconds(cell) : (cell ?? ""),
        ),
      ),
    );
  },
);

test("a table of SAS is converted in a process of its own, with its labels and dates for the declaration", async () => {
  const { text, says } = await convert(await sasFile("sas-dates.sas7bdat.gz"), { by: converter });
  expect(text.split("\n")[1]).toBe("2015-02-02T14:42:12,2015-02-02,2015-02-02,2015-02-02,52932");
  expect(says).toMatchObject({
    kind: "SAS",
    declaration: { columns: { VAR1: { type: "timestamp" }, VAR2: { type: "date" } } },
  });
});

test("a table of SAS that lies is refused, and says what to do", async () => {
  const refused = async (name: string, change?: (bytes: Buffer) => unknown) => {
    const path = await sasFile(name, change);
    return expect(() => sasRows(path));
  };
  (await refused("sas-deleted.sas7bdat.gz")).toThrow("without rows that were deleted: in SAS, data t; set t; run;");
  for (const cut of [10, 287, 1100, 5000])
    (await refused("sas-dates.sas7bdat.gz", (bytes) => bytes.subarray(0, cut))).toThrow("a whole table of SAS");
  (await refused("sas-dates.sas7bdat.gz", (bytes) => bytes.writeUInt8(41, 70))).toThrow(
    "say which, such as windows-1252",
  );
  // The part that says how many rows and columns there are begins with these bytes.
  const rowsAt = (bytes: Buffer) => bytes.indexOf("f7f7f7f7", "hex");
  const columnsAt = (bytes: Buffer) => bytes.indexOf("f6f6f6f6", "hex");
  const name = "sas-labels.sas7bdat.gz";
  (await refused(name, (bytes) => bytes.writeUInt32LE(9, rowsAt(bytes) + 24))).toThrow("fewer rows than it says");
  (await refused(name, (bytes) => bytes.writeUInt32LE(2 ** 31, rowsAt(bytes) + 20))).toThrow("a whole table of SAS");
  (await refused(name, (bytes) => bytes.writeUInt32LE(100_000, columnsAt(bytes) + 4))).toThrow("at most 4096 columns");
  const control = await sasFile(name, (bytes) => bytes.write("\u0007\u001b[31m", bytes.indexOf("The instructor was")));
  expect((await convert(control)).says?.columns[3]?.label).toBe("[31mstructor was well prepared");
});

type Lie = readonly [name: string, claim: string, change: (bytes: Buffer) => unknown];

/** A copy of a file with bytes written into it, or what was made of it. */
async function changed(name: string, change: Lie[2]): Promise<string> {
  const bytes = await readFile(golden(name));
  made += 1;
  const path = join(place, `${made}-${name}`);
  const found = change(bytes);
  await writeFile(path, Buffer.isBuffer(found) ? found : bytes);
  return path;
}

test.each<Lie>([
  ["people-118.dta", "more rows than there are", (bytes) => bytes.writeUInt32LE(9, bytes.indexOf("<N>") + 3)],
  ["people-118.dta", "fewer rows", (bytes) => bytes.writeUInt32LE(2, bytes.indexOf("<N>") + 3)],
  ["people-118.dta", "2⁶⁰ rows", (bytes) => bytes.writeUInt32LE(2 ** 28, bytes.indexOf("<N>") + 7)],
  ["people-118.dta", "bytes at its end", (bytes) => Buffer.concat([bytes, bytes])],
  ["people-113.dta", "no value labels", (bytes) => bytes.subarray(0, bytes.length - 100)],
  ["people.sav", "more rows than there are", (bytes) => bytes.writeInt32LE(5, 80)],
  ["people.sav", "fewer rows", (bytes) => bytes.subarray(0, bytes.length - 8)],
  ["people-rows.sav", "more rows", (bytes) => bytes.writeInt32LE(3, 80)],
  ["people.zsav", "blocks beyond its end", (bytes) => bytes.writeInt32LE(2 ** 30, bytes.length - 4)],
  ["people.zsav", "a block of 2 GB", (bytes) => bytes.writeInt32LE(2 ** 31 - 1, bytes.length - 8)],
  ["people-5.xpt", "a width of no number", (bytes) => bytes.writeUInt16BE(9, 640 + 140 + 4)],
])("%s that claims %s is refused", async (name, _, change) => {
  await expect(convert(await changed(name, change))).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
});

/** A dictionary of numbers alone. */
function spssOf(variables: number, rows: Buffer, compression = 0): Buffer {
  const head = Buffer.alloc(176, " ");
  head.write(compression === 2 ? "$FL3" : "$FL2");
  for (const [at, value] of [2, variables, compression, 0, -1].entries()) head.writeInt32LE(value, 64 + 4 * at);
  head.writeDoubleLE(100, 84);
  const one = Buffer.alloc(32);
  one.writeInt32LE(2, 0);
  one.write("X       ", 24);
  const all = Buffer.alloc(32 * variables);
  for (let at = 0; at < variables; at += 1) one.copy(all, 32 * at);
  const end = Buffer.alloc(8);
  end.writeInt32LE(999, 0);
  return Buffer.concat([head, all, end, rows]);
}

test("a file without a row count whose last row is cut is refused, and says so", async () => {
  const path = join(place, "cut.sav");
  const rows = Buffer.alloc(16);
  rows.writeDoubleLE(3, 0);
  await writeFile(path, spssOf(1, rows));
  expect((await convert(path)).text).toBe('"X"\n3\n0\n');
  for (let cut = 1; cut < 8; cut += 1) {
    await writeFile(path, spssOf(1, rows.subarray(0, 16 - cut)));
    await expect(convert(path)).rejects.toThrow("truncated within its last row");
  }
});

test("missing codes of texts of more than eight bytes are no values", async () => {
  const head = spssOf(0, Buffer.alloc(0)).subarray(0, 176);
  const whole = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [at, value] of values.entries()) bytes.writeInt32LE(value, 4 * at);
    return bytes;
  };
  const text = (said: string, width: number) => Buffer.from(said.padEnd(width));
  const variable = [whole(2, 12, 0, 0, 0, 0), text("ANSWER", 8), whole(2, -1, 0, 0, 0, 0), text("", 8)];
  const marked = (name: string, ...codes: readonly Buffer[]) => {
    const data = Buffer.concat([whole(name.length), Buffer.from(name), Buffer.of(2), whole(8), ...codes]);
    return [whole(7, 22, 1, data.length), data];
  };
  const rows = ["yes", "refused", "refused to", "n/a", ""].map((said) => text(said, 16));
  const fileOf = (record: readonly Buffer[]) => Buffer.concat([head, ...variable, ...record, whole(999, 0), ...rows]);
  const path = join(place, "long.sav");
  const codes = [text("refused", 8), text("n/a", 8)];
  for (const of of [codes, [...codes.slice(0, 1), whole(8), ...codes.slice(1)]]) {
    await writeFile(path, fileOf(marked("ANSWER", ...of)));
    expect((await convert(path)).text).toBe('"ANSWER"\nyes\n\nrefused to\n\n\n');
  }
  for (const record of [
    marked("OTHER", ...codes),
    marked("ANSWER", ...codes.slice(1)),
    marked("ANSWER", whole(1, 2)),
  ]) {
    await writeFile(path, fileOf(record));
    await expect(convert(path)).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  }
});

test("10⁵ variables are refused, and so is what unpacks to more than it may", async () => {
  const path = join(place, "wide.sav");
  await writeFile(path, spssOf(100_000, Buffer.alloc(0)));
  await expect(convert(path)).rejects.toThrow("at most 4096 columns");
  const block = deflateSync(Buffer.alloc(2 ** 22)); // all are codes that say nothing
  const count = 200;
  const dictionary = spssOf(1, Buffer.alloc(0), 2);
  const list = Buffer.alloc(24 + 24 * count);
  const head = Buffer.alloc(24);
  head.writeBigInt64LE(BigInt(dictionary.length + 24 + block.length), 8);
  head.writeBigInt64LE(BigInt(list.length), 16);
  list.writeInt32LE(count, 20);
  for (let at = 24; at < list.length; at += 24) {
    list.writeBigInt64LE(BigInt(dictionary.length + 24), at + 8);
    list.writeInt32LE(2 ** 22, at + 16);
    list.writeInt32LE(block.length, at + 20);
  }
  await writeFile(path, Buffer.concat([dictionary, head, block, list]));
  await expect(convert(path)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("bytes that are changed or cut anywhere give a table or an error, and take little", async () => {
  const names = [
    "people.sav",
    "people-rows.sav",
    "people.zsav",
    "people-113.dta",
    "people-118.dta",
    "kinds-117.dta",
    "people-5.xpt",
    "people-8.xpt",
  ];
  const tables = Object.keys(sasFiles).filter((name) => name !== "sas-wide.sas7bdat.gz");
  const files = [
    ...names.map((name) => ({ name, bytes: readFileSync(golden(name)) })),
    ...tables.map((name) => ({ name: name.replace(".gz", ""), bytes: gunzipSync(readFileSync(golden(name))) })),
  ];
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(change, { maxLength: 4 }),
      fc.option(fc.nat()),
      async (file, changes, cut) => {
        const bytes = Buffer.from(file.bytes);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const path = join(place, `mutant-${file.name}`);
        await writeFile(path, cut === null ? bytes : bytes.subarray(0, cut % bytes.length));
        const to = join(place, "mutant.csv");
        await rm(to, { force: true });
        const before = process.cpuUsage();
        try {
          written(path, to);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
        expect(process.cpuUsage(before).user).toBeLessThan(3e6);
      },
    ),
    { numRuns: 400 },
  );
});
