import { expect, test } from "vitest";
import {
  bothSourcesChart,
  compensationChart,
  compositionChart,
  distancesChart,
  riskChart,
  sampleSizeChart,
} from "./risk.ts";
import { toSvg } from "./svg.ts";

const size = { width: 640, height: 360 };

test("every chart of privacy at risk has a picture, a table twin and a sentence", () => {
  const charts = [
    riskChart({ settings: [{ epsilon0: 1, k: 1 }], exact: true, marked: 0.5 }, size),
    sampleSizeChart({ accuracies: [0.01, 0.1] }, size),
    bothSourcesChart({ epsilon0: 1, settings: [{ accuracy: 0.01, samples: 10_000, ratio: 1.1333 }] }, size),
    compositionChart({ epsilon0: 0.5, delta: 1e-5, most: 20, asPlotted: true }, size),
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
