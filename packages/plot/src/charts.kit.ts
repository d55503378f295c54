import { epsilonAmount, openTerms, readPeriod, simulate } from "@dosimeter/core";
import { agentReport, lossHistory, totalLoss } from "@dosimeter/core/accounting";
import { present } from "@dosimeter/core/internal";
import { compositionRow, jointLoss, spreadCounts } from "@dosimeter/risk";
import { epsdelta, estEpsdelta, gdp, lap, subsample } from "@dosimeter/tradeoff";
import type { Chart, ChartSize } from "./chart.ts";
import * as risk from "./charts/risk/index.ts";
import * as plot from "./index.ts";

const drawing = { ...plot, ...risk, fdp: (spec: plot.TradeoffPlot, size: ChartSize) => spec.chart(size) };
type Drawing = typeof drawing;

/** Every exported function that draws a chart. */
export type ChartName = {
  [Name in keyof Drawing]: Drawing[Name] extends (spec: never, size: ChartSize) => Chart ? Name : never;
}[keyof Drawing];

/** One chart, for tests and docs. */
interface ChartRow<Spec> {
  /** Data with awkward words and values; pictures of all are kept in `test/snapshots`. */
  readonly samples: Readonly<Record<string, Spec>>;
  readonly widths?: readonly [narrow: number, wide: number];
  readonly height?: number;
}

const periodNamed = (name: string): number => readPeriod(name)?.period ?? 0;
const spends = Array.from({ length: 40 }, () => ({ kind: "pure", epsilon: 0.1 }) as const);
const agent = agentReport([{ epsilon: 0.05, delta: 0, count: 200 }], { epsilon: 5, delta: 1e-5 });
const comparison = {
  epsilon0: 0.5,
  delta: 1e-5,
  rows: spreadCounts(20, 8).map((count) => compositionRow({ epsilon0: 0.5, delta: 1e-5, count })),
};
const terms = openTerms({ epsilon: "1", delta: "1e-6", rule: "addition" });
const course = simulate({
  blocks: 24,
  terms,
  teams: [
    { name: "research & <more>", quota: { epsilon: epsilonAmount("0.6", "down"), delta: terms.delta } },
    { name: "press", quota: { epsilon: epsilonAmount("0.3", "down"), delta: terms.delta } },
  ],
  reports: [
    { team: "research & <more>", events: [{ kind: "pure", epsilon: 0.05 }], latest: 6, every: 1 },
    { team: "press", events: [{ kind: "pure", epsilon: 0.2 }], latest: 3, every: 3 },
    { team: "press", events: [{ kind: "pure", epsilon: 0.25 }], latest: 1, every: 12 },
  ],
});
const empirical = { alpha: [0, 0.05, 0.1, 0.25, 0.5, 1], beta: [1, 0.92, 0.85, 0.7, 0.45, 0] };
const noisy = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1].map((a, i) => [a, (1 - a) ** 2 + (i % 2 && i < 6 ? 0.03 : 0)] as const);
const account = (id: string, total: string, children: readonly plot.IcicleNode[] = []): plot.IcicleNode => ({
  id,
  label: id,
  total,
  spent: "0.5",
  allocated: "0",
  free: "0",
  children,
});

/** The charts of this package: the type asks for a row for each exported function that draws one. */
export const charts: { readonly [Name in ChartName]: ChartRow<Parameters<Drawing[Name]>[0]> } = {
  budgetBar: {
    samples: {
      "budget-bar": {
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
      "budget-bar-over": {
        title: "Over budget",
        total: "1",
        unit: "ε",
        over: "0.4",
        segments: [
          { label: "Spent", amount: "0.8", kind: "spent" },
          { label: "This plan", amount: "0.6", kind: "pending" },
        ],
      },
    },
  },
  gaugeDial: {
    widths: [48, 200],
    samples: {
      "gauge-dial": {
        title: "Budget of research-team",
        unit: "ε",
        total: "2",
        spent: "0.3",
        promised: "0.95",
        free: "0.75",
        more: { count: 3, isAtLeast: false },
      },
      "gauge-dial-used-up": { title: "Used up", unit: "μ²", total: "0.01", spent: "0.01", promised: "0", free: "0" },
    },
  },
  blockStrip: {
    samples: {
      "block-strip": {
        title: "Blocks of visits",
        every: "month",
        from: periodNamed("2024-01"),
        to: periodNamed("2025-12"),
        rows: [
          {
            name: "The ledger & <more>",
            runs: [
              { from: periodNamed("2024-01"), to: periodNamed("2024-12"), used: 0.4 },
              { from: periodNamed("2025-01"), to: periodNamed("2025-03"), used: 0.15, earmarked: 0.3 },
              { from: periodNamed("2025-04"), to: periodNamed("2025-12"), used: 0, earmarked: 0.45 },
            ],
          },
          { name: "research", runs: [{ from: periodNamed("2024-03"), to: periodNamed("2024-03"), used: 1 }] },
          { name: "nobody yet", runs: [] },
        ],
      },
      "block-strip-ten-years-of-days": {
        title: "Blocks of visits",
        every: "day",
        from: periodNamed("2015-01-01"),
        to: periodNamed("2024-12-31"),
        rows: [
          {
            name: "The ledger",
            runs: Array.from({ length: 3653 }, (_, index) => ({
              from: periodNamed("2015-01-01") + index,
              to: periodNamed("2015-01-01") + index,
              used: index === 1000 ? 1 : ((index * 37) % 500) / 1000,
            })),
          },
          { name: "one day", runs: [{ from: periodNamed("2020-02-29"), to: periodNamed("2020-02-29"), used: 0.7 }] },
        ],
      },
    },
  },
  budgetCourseChart: {
    samples: { "budget-course": { title: "One lifetime against blocks", every: "month", course } },
  },
  barStrip: {
    widths: [120, 240],
    samples: {
      "bar-strip": {
        title: "People by region",
        bars: [
          { name: "north", value: { value: 520, low: 480, high: 560 } },
          { name: "south & <more>", value: { value: -12, low: -40, high: 16 } },
          { name: "west", value: null },
          { name: "east", value: { value: 310 } },
          { name: "abroad", value: { value: 20 } },
        ],
      },
    },
  },
  columnChart: {
    samples: {
      columns: {
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
    },
  },
  dotRows: {
    samples: {
      "dot-rows": {
        title: "Mean of income capped at 90,000 by the highest schooling that people ever completed, and by sex",
        subtitle: "People of adults, 2024-01 to 2024-12 · ± 1,200 to 8,330 dollars in 95 of 100 cases",
        names: ["No schooling", "High school graduate or equivalent", "Bachelor’s degree", "Doctorate & <more>"],
        nameLabel: "education",
        valueLabel: "dollars",
        confidence: "95 %",
        notes: ["n ≈ 412", "n ≈ 9,120", null, "n ≈ 31"],
        series: [
          {
            name: "women",
            values: [12_000, 21_500, 41_900, 66_000].map((value) => ({ value, low: value * 0.9, high: value * 1.1 })),
          },
          { name: "men", values: [{ value: 14_000 }, { value: 29_500 }, null, { value: 83_250, isFaint: true }] },
        ],
      },
      "dot-rows-below-zero": {
        title: "People by region",
        names: Array.from({ length: 16 }, (_, at) => `region ${at}`),
        nameLabel: "region",
        valueLabel: "people",
        includeZero: true,
        series: [
          {
            name: "count",
            values: Array.from({ length: 16 }, (_, at) => ({
              value: 900 - 61 * at,
              low: 840 - 61 * at,
              high: 960 - 61 * at,
            })),
          },
        ],
      },
    },
  },
  heatTable: {
    samples: {
      heat: {
        title: "People by region and sex",
        subtitle: "± 40 people in 95 of 100 cases",
        rows: ["north", "south & <more>", "a region with a long name"],
        columns: ["female", "male", "not stated"],
        rowLabel: "region",
        columnLabel: "sex",
        valueLabel: "people",
        cells: [
          [{ value: 1200, text: "1,200", note: "1,160–1,240" }, { value: 620, text: "620", note: "580–660" }, null],
          [
            { value: -12, text: "−12", note: "−52–28" },
            { value: 300, text: "300", note: "260–340", isFaint: true },
            { value: 88, text: "88", note: "" },
          ],
          [{ value: 0, text: "0", note: "−40–40" }, { value: 410, text: "410", note: "370–450" }, null],
        ],
      },
    },
  },
  regionMap: {
    samples: {
      map: {
        title: "Mean income by state",
        subtitle: "± $300 in 95 of 100 cases",
        placeLabel: "state & <more>",
        valueLabel: "mean income",
        width: 120,
        height: 60,
        shapes: ["a", "b", "c", "d"].map((id, at) => ({ id, path: `M${at * 30} 5h28v50h-28z` })),
        values: [
          { id: "a", name: "Alpha", value: 41_000, text: "$41,000", note: "$40,700–$41,300" },
          { id: "b", name: "Beta & <more>", value: 52_000, text: "$52,000", note: "$51,700–$52,300" },
          { id: "c", name: "Gamma", value: 3, text: "–", note: "", isFaint: true },
        ],
      },
    },
  },
  pyramidChart: {
    samples: {
      pyramid: {
        title: "People by age and sex",
        names: ["0–9", "10–19", "20–29", "30–39", "40–49", "50–59", "60–69", "70–79", "80–89", "90–99"],
        nameLabel: "age",
        valueLabel: "people",
        confidence: "95 %",
        series: [
          {
            name: "female",
            values: [610, 640, 700, 720, 690, 610, 500, 380, 210, -8].map((value) => ({
              value,
              low: value - 45,
              high: value + 45,
            })),
          },
          {
            name: "male & <more>",
            values: [630, 660, 690, 700, 640, 560, 420, 260, 90, 12].map((value, at) => ({
              value,
              low: value - 45,
              high: value + 45,
              ...(at === 9 ? { isFaint: true } : {}),
            })),
          },
        ],
      },
    },
  },
  smallMultiples: {
    samples: {
      multiples: {
        title: "Visits to date by ward",
        summary: "Visits to date by ward, three of them.",
        table: { columns: [{ name: "ward", align: "left" }], rows: [["surgery"]] },
        panels: ["surgery", "children & <more>", "a ward whose name is much too long for its panel"].map(
          (name, panel) => ({
            name,
            draw: (size) =>
              plot.lineChart(
                {
                  title: name,
                  x: { label: "month" },
                  y: { label: "visits", domain: [0, 400] },
                  series: [
                    {
                      name,
                      draw: "both",
                      points: [1, 2, 3, 4].map((x) => [x, 30 * x * (panel + 1)] as const),
                      faint: [[5, 200]],
                    },
                  ],
                },
                size,
              ),
          }),
        ),
      },
    },
  },
  lineChart: {
    samples: {
      lines: {
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
      bands: {
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
    },
  },
  spanChart: {
    height: 16,
    samples: { span: { title: "Error of mean age", lower: 0, upper: 100, error: 7.4, unit: "years" } },
  },
  intervalDot: {
    samples: {
      "interval-dot": {
        title: "Mean of income",
        value: 41_230,
        interval: [40_890, 41_570],
        range: [0, 90_000],
        confidence: 0.95,
        unit: "dollars",
        ends: true,
      },
      "interval-dot-beyond": { title: "Count", value: -12, interval: [-40, 16], range: null, confidence: 0.95 },
      "interval-dot-no-interval": { title: "Median", value: 41, interval: null, range: [0, 100], confidence: 0.95 },
    },
    widths: [160, 480],
  },
  dotPlot: {
    samples: {
      dots: {
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
    },
  },
  drawsStrip: {
    samples: {
      draws: { title: "Nine hypothetical answers", draws: [1, -3, 0.2, 8, -1, 2, -2.5, 0, 4], error: 5 },
    },
  },
  oddsGrid: {
    samples: {
      odds: { title: "Who took part?", times: 73.1, event: "someone guesses right whether you took part" },
    },
  },
  icicleChart: {
    samples: {
      icicle: {
        title: "Accounts of the lifetime budget",
        unit: "ε",
        root: account("Lifetime", "5", [
          account("Team A", "2", [account("Ana", "1"), account("Ben <b>", "0.5")]),
          { ...account("Team B", "2"), mark: "frozen" },
        ]),
      },
    },
  },
  accountantsChart: {
    samples: {
      accountants: {
        delta: 1e-6,
        curves: (["advanced", "optimal"] as const).map((label) => ({
          label,
          points: [1e-9, 1e-6, 1e-3].map((delta) => ({ delta, epsilon: totalLoss(spends, { delta }, label).epsilon })),
        })),
      },
    },
  },
  lossHistoryChart: {
    samples: {
      "loss-history": {
        delta: 1e-6,
        budget: 3,
        histories: [{ label: "optimal", points: lossHistory(spends, { delta: 1e-6, method: "optimal" }) }],
      },
    },
  },
  reportChart: {
    samples: {
      report: {
        delta: "0.000001",
        series: [
          { label: "Basic composition", points: [1, 2, 3].map((charges) => ({ charges, epsilon: charges / 10 })) },
          { label: "Rényi", points: [1, 2, 3].map((charges) => ({ charges, epsilon: charges > 1 ? 0.15 : null })) },
        ],
      },
    },
  },
  agentReportChart: { samples: { agent } },
  burnDownChart: {
    samples: {
      "burn-down": {
        unit: "mu2",
        left: ["1", "0.7", null, "0.2"].map((left, charges) => ({ charges, left })),
      },
    },
  },
  fdp: {
    widths: [340, 620],
    samples: {
      // The plots of the R package's pages, and the views it lacks.
      "tradeoff-configurations": plot.fdp(epsdelta(0.5), epsdelta(1), epsdelta(1, 0.01)),
      "tradeoff-mechanisms": plot.fdp(epsdelta(1), epsdelta(1, 0.01), gdp(1), { legend: "Privacy Mechanism" }),
      "tradeoff-empirical": plot.fdp(
        plot.named(empirical, "empirical"),
        estEpsdelta(empirical, { delta: 0.01 }).curve,
        { legend: "Trade-off", advantage: true },
      ),
      "tradeoff-log": plot.fdp(gdp(1), lap(1), subsample(0.1, gdp(2)), { axes: "log" }),
      "tradeoff-probit": plot.fdp(gdp(0.5), gdp(3), epsdelta(2, 0.01), { axes: "probit", from: 1e-4 }),
      "tradeoff-tail": plot.fdp(gdp(6), epsdelta(6)),
      "tradeoff-hidden": plot.fdp(
        plot.asPoints(plot.named(noisy, "hull only"), { hide: true }),
        plot.named(noisy, "with its points"),
      ),
    },
  },
  riskChart: {
    samples: {
      risk: { settings: [{ epsilon0: 1, k: 1 }], exact: true, marked: 0.5 },
      "risk-even": { settings: [{ epsilon0: 1, k: 3 }], exact: "even" },
    },
  },
  sampleSizeChart: { samples: { "sample-size": { accuracies: [0.01, 0.1] } } },
  bothSourcesChart: {
    samples: {
      "both-sources": { epsilon0: 1, settings: [{ accuracy: 0.01, samples: 10_000, ratio: 1.1333 }] },
    },
  },
  compensationChart: {
    samples: {
      compensation: {
        models: [{ epsilon0: 0.5, compensation: 5500, people: 100, label: "as published" }],
        budget: 40_000,
      },
    },
  },
  distancesChart: { samples: { distances: { distances: [3, 1, 2], level: 0.9, sensitivity: 3 } } },
  compositionChart: { samples: { composition: comparison } },
  replicationChart: { samples: { replication: comparison } },
  lossChart: {
    samples: {
      loss: { noise: { kind: "laplace", epsilon0: 1, k: 1, split: "one" }, marked: 0.5 },
      "loss-even": { noise: { kind: "laplace", epsilon0: 1, k: 4, split: "even" } },
      "loss-count": { noise: { kind: "count", epsilon0: 1, sensitivity: 1 } },
      "loss-gaussian": { noise: { kind: "gaussian", mu: 0.5 } },
    },
  },
  lossDistributionChart: {
    samples: { "loss-distribution": { title: "Distribution of the loss", loss: jointLoss({ levels: [0.5, 0.25] }) } },
  },
  rangeChart: {
    samples: {
      range: {
        title: "Ranges",
        steps: [1, 2, 3].map((i) => ({ label: `step ${i}`, least: 0.1 * i, most: 0.9 / i })),
      },
    },
  },
};

/** A picture of every sample, for snapshot tests and for review by eye. */
export const gallery = (Object.keys(charts) as ChartName[]).flatMap((chart) => {
  const { samples, widths = [340, 720], height } = charts[chart];
  const draw = drawing[chart] as (spec: never, size: ChartSize) => Chart;
  return Object.entries(samples).map(([name, sample]) => ({
    chart,
    name,
    widths,
    draw: (width: number) => draw(sample as never, { width, heading: true, ...present({ height }) }),
  }));
});
