import { expect, test } from "vitest";
import { toSvg } from "../../scene/svg.ts";
import { compensationChart, compositionChart, rangeChart } from "./index.ts";

const size = { width: 640, height: 360 };

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
