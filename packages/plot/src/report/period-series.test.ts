import { formatDate } from "@dosimeter/core";
import { expect, test } from "vitest";
import { toCsv } from "../chart.ts";
import { toSvg } from "../scene/svg.ts";
import { textWidth } from "../scene/text.ts";
import type { ReportedAnswer } from "./answer.ts";
import { periodChart, periodSeries, periodTable } from "./period-series.ts";

const answer = (cells: readonly (readonly [ward: string, value: number])[]): ReportedAnswer => ({
  shows: { chart: "bars", value: "rows" },
  ...{ id: "n", statistic: "count", label: "count by ward", column: null, groupBy: ["ward"] },
  ...{ cost: { epsilon: "0.1" }, confidence: 0.95, noise: { kind: "laplace" }, notes: [] },
  cells: cells.map(([ward, value]) => ({ group: { ward }, value, interval: [value - 5, value + 5] })),
});

const reports = [
  { block: "2023-12", answers: [answer([["a", 10]])] },
  { block: "2024-01", answers: null },
  {
    block: "2024-02",
    answers: [
      answer([
        ["a", 30],
        ["b", 7],
      ]),
    ],
  },
];

test("each number of a report is a line over time; a report without answers, or without a group, leaves a gap", () => {
  const series = periodSeries(reports);
  expect(series.map(({ name, values }) => [name, values.map(({ block, cell }) => [block, cell.value])])).toEqual([
    [
      "a",
      [
        ["2023-12", 10],
        ["2024-02", 30],
      ],
    ],
    ["b", [["2024-02", 7]]],
  ]);
  expect(toCsv({ table: periodTable(series, "month") })).toBe(
    [
      "month,id,answer,group,value,lower,upper,confidence",
      "2023-12,n,Count by ward,a,10,5,15,0.95",
      "2024-02,n,Count by ward,a,30,25,35,0.95",
      "2024-02,n,Count by ward,b,7,2,12,0.95",
      "",
    ].join("\r\n"),
  );
  const { summary, table } = periodChart({ series, every: "month" }, { width: 400 });
  expect(summary).toBe(
    "a: 30 in 2024-02; b: 7 in 2024-02. Each whisker holds the answer without noise in 95 of 100 cases.",
  );
  expect(table.rows).toHaveLength(3);
});

test.each([340, 620, 1080])("the last month is named in full at %d px", (width) => {
  const months = Array.from({ length: 10 }, (_, at) => `2023-${String(at + 3).padStart(2, "0")}`);
  const reports = months.map((block, at) => ({ block, answers: [answer([["a", at]])] }));
  const svg = toSvg(periodChart({ series: periodSeries(reports), every: "month" }, { width }).scene);
  const ends = [...svg.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="middle"[^>]*>(2023-\d\d)</g)].map(
    ([, x, text = ""]) => Number(x) + textWidth(text, 12) / 2,
  );
  expect(Math.max(...ends)).toBeGreaterThan(width - 60);
  expect(Math.max(...ends)).toBeLessThanOrEqual(width + 0.01); // places are rounded
});

test("before the first report there is an empty picture that says so", () => {
  expect(periodSeries([])).toEqual([]);
  expect(periodChart({ series: [], every: "month" }, { width: 400 }).summary).toBe("No report has come yet.");
});

test.each(["week", "month", "quarter", "year"] as const)(
  "one report alone, of a %s, has only its neighbours beside it",
  (every) => {
    const block = formatDate(12, every);
    const series = periodSeries([{ block, answers: [answer([["a", 10]])] }]);
    const svg = toSvg(periodChart({ series, every }, { width: 1600 }).scene);
    const marks = [11, 12, 13].map((period) => formatDate(period, every));
    const shown = [...svg.matchAll(/>([^<>]*)<\/text>/g)].map(([, text]) => text);
    expect(shown.filter((text) => /^\d{4}/.test(text ?? ""))).toEqual(marks);
  },
);
