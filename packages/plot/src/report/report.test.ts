import { execFileSync } from "node:child_process";
import { inflateSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { table } from "../chart.ts";
import type { ReportedAnswer, ReportedRelease } from "./answer.ts";
import { formatted } from "./formats.ts";
import { reportHtml } from "./html.ts";
import { reportPdf } from "./pdf.ts";
import { drawable, drawableCode, drawableProse } from "./pdf-scene.ts";
import { quoted, releaseReport } from "./release-report.ts";
import { workbookOf } from "./workbook.ts";

const base = {
  column: "age",
  groupBy: [],
  cost: { epsilon: "0.3" },
  confidence: 0.95,
  noise: { kind: "laplace" },
  notes: ["Values outside 0 to 100 were counted as the nearer bound."],
} as const;
const answers: readonly ReportedAnswer[] = [
  {
    ...base,
    id: "n",
    statistic: "count",
    shows: { chart: "number", value: "rows" },
    label: "count",
    cells: [{ group: {}, value: 1003, interval: [993, 1013] }],
  },
  {
    ...base,
    id: "h",
    statistic: "histogram",
    shows: { chart: "bars", value: "rows" },
    label: "histogram of <race> & more",
    cells: ["a", "b", "c"].map((label, index) => ({
      group: {},
      bin: { label },
      value: 20 * index - 3,
      interval: [Math.max(0, 20 * index - 13), 20 * index + 7] as const,
    })),
  },
  {
    ...base,
    id: "q",
    statistic: "quantiles",
    shows: { chart: "bars", value: "column", bin: "share of rows" },
    label: "quantiles of age",
    noise: { kind: "selection" },
    cells: ["25 %", "75 %"].map((label, index) => ({
      group: {},
      bin: { label },
      value: 30 + index,
      interval: [0, 100] as const,
      rank: 47,
    })),
  },
];
const release: ReportedRelease = {
  id: "chg_1",
  title: "Count, histogram of race and 1 more, ε 0.9",
  note: "For the board.",
  version: 2,
  datasetName: "California's sample",
  byName: "Ana <script>",
  chargedAt: "2026-11-21T12:00:00.000Z",
  releasedAt: "2026-11-21T12:00:01.000Z",
  plan: { statistics: [{ statistic: "count", epsilon: "0.3" }] },
  answers,
  receipt: {
    entry: 7,
    entryHash: "ab".repeat(32),
    answersHash: "cd".repeat(32),
    epsilon: "0.9",
    delta: "0",
    guarantee: "ε = 1.",
    guaranteeVersion: 1,
    at: "2026-11-21T12:00:01.000Z",
  },
};

test("one HTML file that stands alone: every answer, its chart, its cost, the receipt and the command that repeats it", () => {
  const html = reportHtml(releaseReport(release));
  for (const words of [
    "Summary",
    "For the board.",
    "Count, histogram of race and 1 more, ε 0.9",
    "Histogram of &lt;race&gt; &amp; more",
    "ε 0.3",
    "ab".repeat(32),
    "below zero",
  ])
    expect(html).toContain(words);
  expect(html).toContain("dosimeter release &#39;California&#39;\\&#39;&#39;s sample&#39; --plan plan.json");
  expect(html.match(/<svg/g)).toHaveLength(2);
  expect(html).toContain("at most 47 rows lie between each answer");
  expect(html).not.toMatch(/<script|<link|<img|src=|href=|@import|url\(http/);
});

test("a report over months says that it hides what is recorded in one of them, not a whole person", () => {
  const noun = { one: "person", many: "people" };
  const hidden = (plan: object, more: { protects?: "person" } = {}): string | undefined =>
    /whether (.*) is in the data/.exec(
      reportHtml(releaseReport({ ...release, plan, words: { noun, columns: {}, ...more } })),
    )?.[1];
  expect(hidden(release.plan)).toBe("any one person");
  const window = { blocks: ["2023-01 to 2023-12", "2024-03"] };
  expect(hidden({ ...release.plan, window })).toBe("what is recorded of any one person in any one month");
  expect(hidden({ ...release.plan, window: { blocks: ["2023-W05"] } })).toContain("in any one week");
  // A cohort is of people.
  expect(hidden({ ...release.plan, window }, { protects: "person" })).toBe("any one person");
});

test("the same report as PDF: the same words, and vectors for charts", async () => {
  const at = new Date("2026-11-21T12:00:00Z");
  const pdf = await reportPdf(releaseReport(release), { at });
  const latin = Buffer.from(pdf).toString("latin1");
  expect(latin.startsWith("%PDF-1.")).toBe(true);
  expect(latin.trimEnd().endsWith("%%EOF")).toBe(true);
  expect(latin, "read aloud: headings, charts by their sentence, tables by their heads").toMatch(/\/Marked true/);
  for (const part of ["H1", "H2", "Figure", "Table", "TH", "TD"]) expect(latin).toContain(`/S /${part}\n`);
  const pages = (bytes: string): number => Number(/\/Count (\d+)/.exec(bytes)?.[1]);
  expect(pages(latin)).toBeGreaterThan(1);
  expect(Buffer.from(await reportPdf(releaseReport(release), { at })).equals(Buffer.from(pdf)), "same bytes").toBe(
    true,
  );
  expect(curves(pdf)).toBeGreaterThan(20);
});

test("what the report's font lacks is written so that it can be read, and never as another text", () => {
  expect(drawable("ε 2×10⁻⁸ ± 0.5 ≤ 10⁶ − ž 10²")).toBe("ε 2×10^−8 ± 0.5 ≤ 10^6 − ž 10²");
  expect(drawableProse("Mean of income, ε 0.1, δ 10⁻⁸")).toBe("Mean of income, ε\u00a00.1, δ\u00a010^−8");
  expect(drawable("年 → 𝄞")).toBe("\\u5e74 \\u2192 \\ud834\\udd1e");
  const names = ["10⁶", "10^6", "1e6", "10⁶3", "10⁶³", "10^63", "10⁴", "年", "\\u5e74", "\\\\u5e74", "10⁻⁸", "10^−8"];
  expect(new Set(names.map(drawable)).size).toBe(names.length);
});

test("code with letters that the font lacks still runs as written", () => {
  const plan = { where: "city = '東京' and unit = '10⁶' or note = '\\u6771 𝄞 ^2 ž'" };
  const json = drawableCode(JSON.stringify(plan, null, 2), "json");
  expect(json).not.toMatch(/[東⁶𝄞]/u);
  expect(JSON.parse(json)).toEqual(plan);
  for (const name of ["adults", "東京", "it's 10⁶ in 東京 \\u6771 𝄞9"]) {
    const word = drawableCode(quoted(name), "shell");
    expect(word).toMatch(/^[ -~]*$/);
    expect(execFileSync("bash", ["-c", `printf %s ${word}`], { timeout: 10_000 }).toString()).toBe(name);
  }
});

test("a table of many columns stays within the page", async () => {
  const groupBy = ["region of residence", "employment_status", "education", "household"];
  const wide: ReportedAnswer = {
    ...base,
    id: "w",
    statistic: "mean",
    shows: { chart: "number", value: "named" },
    label: "mean of income",
    column: "income_in_currency_units",
    groupBy,
    cells: [
      {
        group: Object.fromEntries(groupBy.map((name) => [name, `${name} and a_long_word_that_has_no_space`])),
        value: 1_234_567.5,
        interval: [1_134_567.5, 1_334_567.5],
        standardError: 50_123.25,
        consistent: { value: 1_234_567.5, interval: [1_134_567.5, 1_334_567.5] },
      },
    ],
  };
  for (const answer of [wide, { ...wide, groupBy: [...groupBy, "a", "b", "c", "d", "e", "f"] }]) {
    const pdf = await reportPdf(releaseReport({ ...release, answers: [answer] }), { at: new Date(0) });
    const lefts = streams(pdf).flatMap((text) => [...text.matchAll(/^1 0 0 1 ([\d.]+) [\d.]+ Tm$/gm)]);
    expect(lefts.length).toBeGreaterThan(30);
    expect(Math.max(...lefts.map(([, x]) => Number(x)))).toBeLessThan(545);
  }
});

const found = (count: number, name = "word"): ReportedAnswer => ({
  ...base,
  id: "k",
  statistic: "topValues",
  shows: { chart: "bars", value: "people" },
  label: "people for each value of occupation",
  column: null,
  groupBy: ["occupation"],
  cells: Array.from({ length: count }, (_, index) => ({
    group: { occupation: `${name} ${index + 1}` },
    value: 4000 - 130 * index,
    interval: [3900 - 130 * index, 4100 - 130 * index] as const,
  })),
});

test.each([1, 2, 5, 12, 20, 26, 27, 28, 33, 39, 40, 41, 59, 60])(
  "no page of a report has a heading without what it heads, nor one row of a table alone: %i found keys",
  async (count) => {
    const sets = [[found(count)], [...answers, found(count), found(count, "a longer name of an occupation, in words")]];
    for (const set of sets) {
      const pages = partsOfPages(await reportPdf(releaseReport({ ...release, answers: set }), { at: new Date(0) }));
      expect(pages.length).toBeGreaterThan(1);
      for (const parts of pages) {
        expect(parts.at(-1), parts.join(" ")).not.toMatch(/^H\d$/);
        expect(parts.length, parts.join(" ")).toBeGreaterThan(1);
        // Heads that are repeated are not read; a row has four cells.
        const cells = parts.filter((part) => part === "TD").length;
        if (!parts.includes("TH") && cells > 0) expect(cells).toBeGreaterThanOrEqual(8);
      }
      expect(pages[0], "the summary is the first page").toEqual(expect.arrayContaining(["H1", "H2", "TH"]));
      expect(pages[0]).not.toContain("Figure");
    }
  },
);

/** What is read on each page, in order: H1, P, Figure, TH, TD … */
const partsOfPages = (pdf: Uint8Array): readonly (readonly string[])[] =>
  streams(pdf)
    .map((text) => [...text.matchAll(/^\/(\w+) <<[^>]*MCID \d+[^>]*>> BDC/gm)].map(([, tag = ""]) => tag))
    .filter((parts) => parts.length > 0);

/** Path operators in the streams of a PDF. */
const curves = (pdf: Uint8Array): number =>
  streams(pdf).reduce((count, text) => count + (text.match(/ (re|l|c|m)\n/g)?.length ?? 0), 0);

function streams(pdf: Uint8Array): readonly string[] {
  const text = Buffer.from(pdf).toString("latin1");
  return [...text.matchAll(/stream\r?\n/g)].flatMap(({ index }) => {
    const start = text.indexOf("\n", index) + 1;
    try {
      return [
        inflateSync(Buffer.from(text.slice(start, text.indexOf("endstream", start)), "latin1")).toString("latin1"),
      ];
    } catch {
      return []; // Fonts and other streams are not of interest here.
    }
  });
}

test("a word is quoted as a shell reads it", () => {
  expect(quoted("adults")).toBe("adults");
  expect(quoted("it's $HOME")).toBe("'it'\\''s $HOME'");
});

test("a release of very many answers is written, whatever its groups are called", async () => {
  const groupBy = ["value", "statistic", "value_"];
  const cells = Array.from({ length: 150_000 }, (_, at) => ({
    group: { value: `v${at}`, statistic: at, value_: "x" },
    value: at,
    interval: [at - 1, at + 1] as const,
  }));
  const like = (shown: typeof cells): ReportedRelease => ({
    ...release,
    answers: answers.slice(0, 1).map((answer) => ({ ...answer, groupBy, cells: shown })),
  });
  expect(await formatted("html", like(cells))).toContain("150000 answers");
  const long = {
    name: "Long",
    table: table(
      ["n"],
      cells.map(({ value }) => [value]),
    ),
  };
  expect(workbookOf([long]).length).toBeGreaterThan(150_000);
  const bytes = await formatted("parquet", like(cells.slice(0, 2)));
  const rows = await parquetReadObjects({ file: Uint8Array.from(Buffer.from(bytes)).buffer });
  expect(rows).toMatchObject([
    { statistic: "count", statistic_: "0", value: "v0", value_: "x", value__: 0 },
    { value: "v1", value__: 1 },
  ]);
});

test("a set of tables as SDMX-CSV: totals are _T, and wide intervals say so", async () => {
  const cells = [
    { group: {}, value: 100, interval: [95, 105] as const },
    { group: { "Home region": "north-west (a)" }, value: 8, interval: [0, 16] as const },
    { group: { "Home region": "north-west [a]" }, value: 92, interval: [82, 102] as const },
  ];
  const set = answers.slice(0, 1).map((answer) => ({ ...answer, id: "t1", groupBy: ["Home region"], cells }));
  const csv = String(await formatted("sdmx", { ...release, datasetName: "2024 staff", version: 3, answers: set }));
  const [head = "", ...lines] = csv.trim().split(/\r?\n/);
  expect(head).toBe(
    "STRUCTURE,STRUCTURE_ID,ACTION,MEASURE,INDICATOR,HOME_REGION,Home region,BIN,OBS_VALUE,OBS_LOWER,OBS_UPPER,OBS_AGREED,CONFIDENCE,OBS_STATUS,CONF_STATUS",
  );
  expect(lines.map((line) => line.split(",").slice(1))).toEqual(
    [
      "_T,Total,,100,95,105,,0.95,A,F",
      "north-west_a_,north-west (a),,8,0,16,,0.95,U,F",
      "north-west_a__2,north-west [a],,92,82,102,,0.95,A,F",
    ].map((line) => ["DOSIMETER:C_2024_STAFF_T1(3.0.0)", "I", "count", "age", ...line.split(",")]),
  );
});
