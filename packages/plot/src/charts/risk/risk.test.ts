import { compositionRow, jointLoss, spreadCounts } from "@dosimeter/risk";
import { expect, test } from "vitest";
import { toSvg } from "../../scene/svg.ts";
import {
  bothSourcesChart,
  compensationChart,
  compositionChart,
  distancesChart,
  lossChart,
  lossDistributionChart,
  rangeChart,
  replicationChart,
  riskChart,
  sampleSizeChart,
} from "./index.ts";

const comparison = {
  epsilon0: 0.5,
  delta: 1e-5,
  rows: spreadCounts(20, 8).map((count) => compositionRow({ epsilon0: 0.5, delta: 1e-5, count })),
};
const size = { width: 640, height: 360 };

test("every chart of privacy at risk has a picture, a table and a sentence", () => {
  const charts = [
    riskChart({ settings: [{ epsilon0: 1, k: 1 }], exact: true, marked: 0.5 }, size),
    sampleSizeChart({ accuracies: [0.01, 0.1] }, size),
    bothSourcesChart({ epsilon0: 1, settings: [{ accuracy: 0.01, samples: 10_000, ratio: 1.1333 }] }, size),
    riskChart({ settings: [{ epsilon0: 1, k: 3 }], exact: "even" }, size),
    compositionChart(comparison, size),
    replicationChart(comparison, size),
    lossChart({ noise: { kind: "laplace", epsilon0: 1, k: 1, split: "one" }, marked: 0.5 }, size),
    lossChart({ noise: { kind: "laplace", epsilon0: 1, k: 4, split: "even" } }, size),
    lossChart({ noise: { kind: "count", epsilon0: 1, sensitivity: 1 } }, size),
    lossChart({ noise: { kind: "gaussian", mu: 0.5 } }, size),
    lossDistributionChart({ title: "Law of the loss", loss: jointLoss({ levels: [0.5, 0.25] }) }, size),
    rangeChart(
      { title: "Ranges", steps: [1, 2, 3].map((i) => ({ label: `step ${i}`, least: 0.1 * i, most: 0.9 / i })) },
      size,
    ),
    distancesChart({ distances: [3, 1, 2], level: 0.9, sensitivity: 3 }, size),
  ];
  for (const chart of charts) {
    expect(toSvg(chart.scene)).not.toMatch(/NaN|undefined|Infinity/);
    expect(chart.table.rows.length).toBeGreaterThan(2);
    expect(chart.summary.length).toBeGreaterThan(20);
  }
});

test("figure 8 says where the minimum is and what a budget affords", () => {
  const model = { epsilon0: 0.5, compensation: 5500, people: 100, label: "as published" };
  const chart = compensationChart({ models: [model], budget: 40_000 }, size);
  expect(chart.summary).toContain("least 37,806 at ε = 0.2741");
  expect(chart.summary).toContain("affords ε from 0.2201 to 0.3272");
  expect(compensationChart({ models: [model], budget: 100 }, size).summary).toContain("below every level's cost");
});

test("an empty comparison is an empty chart, not a crash", () => {
  expect(toSvg(compositionChart({ epsilon0: 0.5, delta: 1e-5, rows: [] }, size).scene)).not.toMatch(/NaN|undefined/);
});

test("a range whose ends have crossed is a conflict, in words", () => {
  const steps = [{ label: "wishes", least: 3, most: 1 }];
  expect(rangeChart({ title: "Ranges", steps }, size).summary).toContain("conflict, needs 3 and allows 1");
  expect(rangeChart({ title: "Ranges", steps: [] }, size).summary).toBe("No answers yet.");
});
