import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { Release } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawable } from "../packages/plot/src/report/pdf-scene.ts";
import { formatNumber } from "../packages/plot/src/scene/number.ts";
import { cases } from "../packages/query/src/answer/coverage.kit.ts";
import { statisticNames } from "../packages/query/src/statistics/registry.ts";
import { clientOf, openTestInstance } from "../packages/server/src/instance.kit.ts";
import { convertWorkbook } from "../packages/server/src/sources/convert/xlsx.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** One thing has one number: what a release says is the same in every file, on pages, and in SQL. */
const folder = temporaryFolder();
const columns = {
  person: { type: "integer", required: true },
  age: { type: "integer", lower: 0, upper: 100, required: true },
  pay: { type: "number", lower: -20, upper: 80, granularity: 0.5, required: true },
  region: { type: "category", categories: ["a", "b", "c", "d"], required: true },
  member: { type: "boolean", required: true },
  word: { type: "text", required: true },
};
const rows = Array.from({ length: 20_000 }, (_, at) =>
  [at, (at * 37) % 100, ((at * 53) % 200) / 2 - 20, "abcd"[at % 4], at % 3 === 0, `w${at % 5}`].join(),
);

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let client: ReturnType<typeof clientOf>;
const opened = { dataset: "", account: "" };
beforeAll(async () => {
  instance = await openTestInstance();
  client = clientOf(instance, instance.operatorToken);
  const content = new TextEncoder().encode([Object.keys(columns).join(), ...rows, ""].join("\n"));
  const { id: file } = await client.uploadFile({ name: "people.csv", content });
  const declaration = {
    privacyUnit: { column: "person" },
    contribution: { rows: 1 },
    size: { assumed: 20_000 },
    columns,
  };
  const dataset = await client.createDataset({ file, name: "people", declaration: declaration as never });
  const { id: ledger } = await client.openLedger({ dataset: dataset.id, epsilon: "100000", delta: "0.01" });
  const { person } = await client.me();
  const holder = { kind: "person" as const, id: person.id };
  const account = await client.createAccount({ ledger, holder, epsilon: "100000", delta: "0.01" });
  Object.assign(opened, { dataset: dataset.id, account: account.id });
});
afterAll(() => instance.close());

/** Between words of a sentence. */
const ENDS = /[.,;:)]?(?:\s+|$)|\(/;

/** Texts of a PDF as they are set, by the table of characters of each of its fonts. */
function pdfTexts(pdf: Uint8Array): ReadonlySet<string> {
  const text = Buffer.from(pdf).toString("latin1");
  const streams = [...text.matchAll(/stream\r?\n/g)].flatMap(({ index }) => {
    const start = text.indexOf("\n", index) + 1;
    try {
      return [
        inflateSync(Buffer.from(text.slice(start, text.indexOf("endstream", start)), "latin1")).toString("latin1"),
      ];
    } catch {
      return [];
    }
  });
  const fonts = streams.flatMap((stream) => {
    const ranges = [...stream.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)];
    const codes = ranges.flatMap(([, first = "", list = ""]) =>
      [...list.matchAll(/<([0-9a-f ]*)>/gi)].map(
        ([, hex = ""], at) => [Number.parseInt(first, 16) + at, hex.replaceAll(" ", "")] as const,
      ),
    );
    return codes.length === 0 ? [] : [new Map(codes)];
  });
  const said = streams.flatMap((stream) => [...stream.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = ""]) => parts));
  const glyphs = said.map((parts) => [...parts.matchAll(/<([0-9a-f]+)>/gi)].map(([, hex]) => hex).join(""));
  const letters = (hex: string): string => Buffer.from(hex, "hex").swap16().toString("utf16le");
  return new Set(
    fonts.flatMap((font) =>
      glyphs.flatMap((hex) =>
        (hex.match(/.{4}/g) ?? [])
          .map((code) => letters(font.get(Number.parseInt(code, 16)) ?? ""))
          .join("")
          .split(ENDS),
      ),
    ),
  );
}

const csvRows = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split("\r\n")
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = ""]) =>
        cell.replaceAll(/^"|"$/g, "").replaceAll('""', '"'),
      ),
    );
const file = async ({ id }: Release, format: "csv" | "xlsx" | "pdf" | "html") =>
  new Uint8Array(await (await client.releaseReport({ release: id, format })).arrayBuffer());
/** A table of CSV or of a workbook, each row by its headings. */
const named = ([head = [], ...body]: readonly (readonly string[])[]) =>
  body.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""])));

const asked = statisticNames.flatMap((name) => {
  const ask = (cases[name].declared ?? cases[name].found)?.ask;
  return ask === undefined || name === "syntheticTable"
    ? []
    : [{ ...ask, ...(ask.delta === undefined ? {} : { delta: "1e-6" }), id: name, statistic: name }];
});

/** At the second price intervals tell more digits than a page has room for elsewhere. */
test.each(["0.37", "500"])(
  "every statistic for ε %s has one value, interval and price in CSV, Excel, PDF and HTML",
  async (each) => {
    const plan = { statistics: asked.map((row) => ({ ...row, epsilon: each })) } as never;
    const release = await client.releaseAndWait({ ...opened, plan });
    const csv = named(csvRows(Buffer.from(await file(release, "csv")).toString()));
    expect(new Set(csv.map(({ statistic }) => statistic)).size).toBe(asked.length);
    const sheet: (readonly string[])[] = [];
    const push = (row: readonly string[]) => sheet.push(row);
    const path = join(folder, "book.xlsx");
    writeFileSync(path, await file(release, "xlsx"));
    await convertWorkbook(path, { header: push, row: push } as never, { sheet: undefined, unpacked: 2 ** 26 });
    const excel = named(sheet);
    expect(excel).toHaveLength(csv.length);
    const html = Buffer.from(await file(release, "html")).toString();
    const onPage = new Set([...html.matchAll(/>([^<>]+)</g)].flatMap(([, text = ""]) => [text, ...text.split(ENDS)]));
    const inPdf = pdfTexts(await file(release, "pdf"));
    const different: string[] = [];
    const shown = new Map((release.answers ?? []).map(({ id, cells }) => [id, cells.length]));
    for (const [at, row] of csv.entries())
      for (const part of ["value", "lower", "upper"] as const) {
        const written = Number(row[part]);
        if (row[part] === "" || Number(excel[at]?.[part]) !== written)
          different.push(`Excel ${row.id} ${part} ${row[part]}`);
        // Long tables are in the CSV alone; a quantile errs in rows; what is marked says nothing.
        const isShort = (shown.get(row.id ?? "") ?? 0) <= 60;
        if (!isShort || row.mark === "unreliable" || (part !== "value" && /rows/.test(row.label ?? ""))) continue;
        const text = formatNumber(written, 15);
        if (!onPage.has(text)) different.push(`HTML ${row.id} ${part} ${text}`);
        if (!inPdf.has(drawable(text))) different.push(`PDF ${row.id} ${part} ${text}`);
      }
    expect(different).toEqual([]);
    expect(csv.every(({ epsilon }) => epsilon === each)).toBe(true);
  },
);

test("SQL and the files of its release have the same numbers, and its notes the same ends", async () => {
  const sql =
    "SELECT region, count(*) AS n, avg(pay) AS mean, stddev(pay) AS spread, dp_interval_low(mean) AS low, dp_interval_high(mean) AS high FROM people GROUP BY region";
  const { release, tables } = await client.releaseSqlAndWait({ sql, epsilon: "30", account: opened.account } as never);
  const csv = named(csvRows(Buffer.from(await file(release, "csv")).toString()));
  const cell = (statistic: string, region: unknown) =>
    csv.find((row) => row.statistic === statistic && row.region === region);
  const found = tables?.[0]?.rows.map(([region, n, mean, spread, low, high]) => ({
    region,
    n,
    mean,
    spread,
    low,
    high,
  }));
  expect(found).toHaveLength(4);
  const notes = tables?.[0]?.notes.join("\n");
  for (const row of found ?? []) {
    for (const statistic of ["count", "standardDeviation"]) {
      const { lower, upper } = cell(statistic, row.region) ?? {};
      expect(notes).toContain(`${formatNumber(Number(lower), 15)} to ${formatNumber(Number(upper), 15)}`);
    }
    expect(row.n).toBe(Number(cell("count", row.region)?.value));
    expect(row.spread).toBe(Number(cell("standardDeviation", row.region)?.value));
    const mean = cell("mean", row.region);
    expect([row.mean, row.low, row.high]).toEqual([mean?.value, mean?.lower, mean?.upper].map(Number));
  }
});
