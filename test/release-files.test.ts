import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reportMedia } from "../packages/client/src/routes.ts";
import { table } from "../packages/plot/src/chart.ts";
import type { ReportedRelease } from "../packages/plot/src/report/answer.ts";
import { formats, formatted } from "../packages/plot/src/report/formats.ts";
import { parquetOf } from "../packages/plot/src/report/parquet.ts";
import { workbookOf } from "../packages/plot/src/report/workbook.ts";
import { openParts } from "../packages/server/src/sources/convert/package-parts.ts";
import { convertWorkbook } from "../packages/server/src/sources/convert/xlsx.ts";
import { temporaryFolder } from "./folder.kit.ts";

const folder = temporaryFolder();

const duckdb = await (await DuckDBInstance.create()).connect();
const rowsOf = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJson();

async function sheetOf(bytes: Uint8Array, sheet?: string): Promise<readonly (readonly string[])[]> {
  const path = join(folder, "book.xlsx");
  writeFileSync(path, bytes);
  const read: (readonly string[])[] = [];
  const writer = {
    header: (row: readonly string[]) => read.push(row),
    row: (row: readonly string[]) => read.push(row),
  };
  await convertWorkbook(path, writer as never, { sheet, unpacked: 2 ** 24 });
  return read;
}

const release: ReportedRelease = {
  ...{ id: "chg_1", title: "Incomes", note: "=cmd|' /c calc'!A0", datasetName: "adults", version: 2, byName: "Ana" },
  ...{ chargedAt: "2026-11-01T10:00:00Z", releasedAt: "2026-11-01T10:00:03Z", plan: {} },
  answers: [
    {
      ...{
        id: "s1",
        statistic: "mean",
        label: "mean of income by sex",
        column: "income",
        groupBy: ["sex"],
        notes: ["capped"],
      },
      ...{ shows: { chart: "number", value: "named", measures: "place" }, cost: { epsilon: "0.3" }, confidence: 0.95 },
      noise: { kind: "laplace" },
      cells: [
        { group: { sex: "=cmd" }, value: 41_230.123456789, interval: [40_890.9876, 41_570.1234] },
        { group: { sex: "-1+2" }, value: 3, interval: [0, 90_000], unreliable: true },
      ],
    },
  ],
  receipt: {
    ...{ entry: 4, entryHash: "a", answersHash: "b", epsilon: "0.3", delta: "0" },
    ...{ guarantee: "Whatever anyone asks.", guaranteeVersion: 1, at: "2026-11-01T10:00:03Z" },
  },
};

test("an Excel file has the cells of the CSV with their intervals and marks, and what vouches for them; a formula is a text", async () => {
  const bytes = (await formatted("xlsx", release)) as Uint8Array;
  const [head, first, second] = await sheetOf(bytes);
  expect(head).toEqual([
    "id",
    "statistic",
    "label",
    "column",
    "sex",
    "bin",
    "value",
    "lower",
    "upper",
    "confidence",
    "epsilon",
    "rho",
    "mark",
  ]);
  expect(first?.slice(4, 10)).toEqual(["=cmd", "", "41230", "40890", "41571", "0.95"]);
  expect(second?.slice(4, 13)).toEqual(["-1+2", "", "3", "0", "90000", "0.95", "0.3", "", "unreliable"]);
  const about = await sheetOf(bytes, "About");
  expect(about).toContainEqual(["Note", "=cmd|' /c calc'!A0"]);
  expect(about).toContainEqual(["Hash of the answers", "b"]);
  expect(about).toContainEqual(["", "capped"]);
  const exact = await sheetOf((await formatted("xlsx", release, { isExact: true })) as Uint8Array);
  expect(exact[1]?.slice(6, 9)).toEqual(["41230.123456789", "40890.9876", "41570.1234"]);
});

test("no cell of a workbook is a formula, and the same tables make the same bytes", async () => {
  const path = join(folder, "parts.xlsx");
  const bytes = (await formatted("xlsx", release)) as Uint8Array;
  writeFileSync(path, bytes);
  const parts = await openParts(path, 2 ** 24);
  const tags: string[] = [];
  await parts.read("xl/worksheets/sheet1.xml", { open: (tag, { s = "" }) => tags.push(`${tag}${s}`) });
  parts.close();
  expect(tags).not.toContain("f");
  expect(tags, "quoted, so that it stays a text when someone edits it").toContain("c2");
  expect(bytes).toEqual(await formatted("xlsx", release));
});

test("DuckDB reads the Parquet file as the CSV has it", async () => {
  const path = join(folder, "answers.parquet");
  writeFileSync(path, (await formatted("parquet", release)) as Uint8Array);
  expect(await rowsOf(`SELECT sex, value, lower, upper, mark FROM '${path}'`)).toEqual([
    ["=cmd", 41_230, 40_890, 41_571, ""],
    ["-1+2", 3, 0, 90_000, "unreliable"],
  ]);
  expect(await formatted("csv", release)).toContain(",'=cmd,,41230,40890,41571,");
});

const texts = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => text.isWellFormed());
const cells = fc.oneof(
  texts,
  fc.constantFrom("=1+1", "_x0041_", "a\r\nb", " x ", "\u0000", "\ufffe"),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);

/** Of a file that is written again DuckDB may still have what it read. */
let written = 0;

test("whatever a table holds, DuckDB reads the same from Parquet, and Excel's reader the same texts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cells, cells), { minLength: 1, maxLength: 5 }), async (rows) => {
      const path = join(folder, `any-${written++}.parquet`);
      writeFileSync(path, await parquetOf(table(["a", "b"], rows)));
      const columns = (await rowsOf(`DESCRIBE SELECT * FROM '${path}'`)).map(([name]) => String(name));
      const read = await rowsOf(`SELECT * FROM '${path}'`);
      const cellAt = (row: number, name: string) =>
        read[row]?.[columns.indexOf(name)] ??
        (columns.includes(`${name}_text`) ? read[row]?.[columns.indexOf(`${name}_text`)] : null) ??
        null;
      for (const [at, row] of rows.entries())
        for (const [place, name] of ["a", "b"].entries()) {
          const found = cellAt(at, name);
          const want = row[place] ?? null;
          expect(typeof want === "number" ? Number(found) : found).toBe(typeof want === "number" ? want + 0 : want);
        }
      const kept = rows.map(([a, b]) => ["x", a, b] as const);
      const sheet = await sheetOf(workbookOf([{ name: "S", table: table(["k", "a", "b"], kept) }]));
      for (const [at, [, ...row]] of kept.entries())
        for (const [place, want] of row.entries())
          if (typeof want === "string") expect(sheet[at + 1]?.[place + 1]).toBe(want);
    }),
    { numRuns: 60 },
  );
});

test("a file says the same of itself on a page and from the server", () => {
  const media = Object.entries(formats).map(([name, format]) => [name, format.media]);
  expect({ pdf: "application/pdf", ...Object.fromEntries(media) }).toEqual(reportMedia);
});
