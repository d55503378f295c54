import type { Chart, ChartSize } from "./chart.ts";
import { budgetBar, columnChart, dotPlot, drawsStrip, lineChart, oddsGrid, rowChart, spanChart } from "./index.ts";

/** One picture of every chart, with awkward words and values: read by snapshot tests and looked at by people. */
export const gallery: Readonly<Record<string, (size: ChartSize) => Chart>> = {
  "budget-bar": (size) =>
    budgetBar(
      {
        title: "Budget of research-team",
        total: "2",
        unit: "ε",
        segments: [
          { label: "Spent", amount: "0.3", kind: "spent" },
          { label: "This plan", amount: "0.25", kind: "pending" },
          { label: "Allocated to members", amount: "0.95", kind: "allocated" },
          { label: "Free", amount: "0.5", kind: "free" },
        ],
      },
      size,
    ),
  "budget-bar-over": (size) =>
    budgetBar(
      {
        title: "Over budget",
        total: "1",
        unit: "ε",
        over: "0.4",
        segments: [
          { label: "Spent", amount: "0.8", kind: "spent" },
          { label: "This plan", amount: "0.6", kind: "pending" },
        ],
      },
      size,
    ),
  columns: (size) =>
    columnChart(
      {
        title: "People by age",
        names: ["0–19", "20–39", "40–59", "60–79", "80–99"],
        nameLabel: "age",
        valueLabel: "people",
        confidence: "95 %",
        series: [
          {
            name: "count",
            values: [5210, 6120.5, 4980, 2875, -12].map((value) => ({ value, low: value - 130, high: value + 130 })),
          },
        ],
      },
      size,
    ),
  rows: (size) =>
    rowChart(
      {
        title: "Mean income by education",
        names: ["No schooling", "High school graduate or equivalent", "Bachelor’s degree", "Doctorate & <more>"],
        nameLabel: "education",
        valueLabel: "dollars",
        confidence: "95 %",
        series: [
          {
            name: "women",
            values: [12_000, 21_500, 41_900, 66_000].map((value) => ({ value, low: value * 0.9, high: value * 1.1 })),
          },
          { name: "men", values: [{ value: 14_000 }, { value: 29_500 }, null, { value: 83_250 }] },
        ],
      },
      size,
    ),
  lines: (size) =>
    lineChart(
      {
        title: "Error against ε",
        x: { label: "ε", scale: "log", domain: [0.01, 10] },
        y: { label: "error ± (people)", scale: "log" },
        series: [1, 2, 4].map((sensitivity) => ({
          name: `sensitivity ${sensitivity}`,
          points: Array.from({ length: 31 }, (_, i) => 10 ** (-2 + i / 10)).map(
            (epsilon) => [epsilon, (sensitivity * Math.log(20)) / epsilon] as const,
          ),
        })),
        references: [{ axis: "y", value: 20, label: "what you would accept" }],
        markers: [{ x: 0.5, y: 2 * Math.log(20), label: "ε 0.5" }],
      },
      size,
    ),
  bands: (size) =>
    lineChart(
      {
        title: "A curve with its band",
        x: { label: "false-positive rate" },
        y: { label: "true-positive rate", includeZero: true },
        series: [
          {
            name: "power",
            draw: "both",
            points: [0, 0.25, 0.5, 0.75, 1].map((x) => [x, Math.sqrt(x)] as const),
            band: [0, 0.25, 0.5, 0.75, 1].map((x) => ({
              x,
              low: Math.sqrt(x) * 0.9,
              high: Math.min(1, Math.sqrt(x) * 1.1),
            })),
          },
        ],
      },
      size,
    ),
  span: (size) =>
    spanChart({ title: "Error of mean age", lower: 0, upper: 100, error: 7.4, unit: "years" }, { ...size, height: 16 }),
  dots: (size) =>
    dotPlot(
      {
        title: "What mean of income could come out as",
        dots: Array.from(
          { length: 20 },
          (_, i) => (i < 10 ? 1 : -1) * 1500 * Math.log((2 * (i < 10 ? i + 0.5 : 19.5 - i)) / 20),
        ),
        error: 4493.6,
        confidence: 0.95,
        target: 2000,
        unit: "dollars",
        shown: 3,
      },
      size,
    ),
  draws: (size) =>
    drawsStrip({ title: "Nine hypothetical answers", draws: [1, -3, 0.2, 8, -1, 2, -2.5, 0, 4], error: 5 }, size),
  odds: (size) =>
    oddsGrid({ title: "Who took part?", times: 73.1, event: "someone guesses right whether you took part" }, size),
};
