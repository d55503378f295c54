import { expect, test } from "vitest";
import { normalCdf, normalQuantile } from "../numeric/special.ts";
import { type CalibrationTarget, calibrate, largestPower } from "./calibrate.ts";
import { privacyLossDistribution } from "./pld.ts";
import { totalLoss } from "./report.ts";

const gaussian = { kind: "gaussian" };

test.each<[string, unknown, CalibrationTarget]>([
  ["one Gaussian", gaussian, { epsilon: 1, delta: 1e-6 }],
  ["one Laplace", { kind: "laplace" }, { epsilon: 0.5, delta: 1e-9 }],
  [
    "ten discrete Laplaces",
    { kind: "repeated", count: 10, event: { kind: "discreteLaplace", sensitivity: 2 } },
    { epsilon: 2, delta: 1e-6 },
  ],
  ["a discrete Gaussian", { kind: "discreteGaussian", sensitivity: 1 }, { epsilon: 1, delta: 1e-6 }],
  [
    "beside something else",
    { kind: "composed", events: [{ kind: "pure", epsilon: 0.5 }, gaussian] },
    { epsilon: 1, delta: 1e-6 },
  ],
])("%s: the returned double meets the target, a little less noise does not", (_name, template, target) => {
  const { epsilon, delta } = target as { epsilon: number; delta: number };
  const found = calibrate(template, target);
  expect(totalLoss([found.event], { epsilon }, "pld").delta).toBeLessThanOrEqual(delta);
  expect(found.reached).toBeLessThanOrEqual(delta);
  const less = JSON.parse(JSON.stringify(found.event), (key, value) =>
    key === found.parameter ? value * (1 - 1e-6) : value,
  );
  expect(totalLoss([less], { epsilon }, "pld").delta).toBeGreaterThan(delta);
});

test("losses are rounded down, short where the short number is exact", () => {
  expect(calibrate({ kind: "repeated", count: 4, event: { kind: "pure" } }, { epsilon: 1, delta: 0 }).value).toBe(0.25);
  const { value } = calibrate({ kind: "repeated", count: 50, event: { kind: "pure" } }, { epsilon: 2, delta: 1e-6 });
  expect(
    totalLoss([{ kind: "repeated", count: 50, event: { kind: "pure", epsilon: value } }], { delta: 1e-6 }, "optimal")
      .epsilon,
  ).toBeLessThanOrEqual(2);
});

test("ρ, μ, advantage and power", () => {
  expect(calibrate({ kind: "repeated", count: 2, event: gaussian }, { rho: 1 }).value).toBeCloseTo(1, 12);
  expect(calibrate({ kind: "repeated", count: 4, event: gaussian }, { mu: 1 }).value).toBeCloseTo(2, 12);
  const mu = 1 / calibrate(gaussian, { advantage: 0.2 }).value;
  expect(2 * normalCdf(mu / 2) - 1).toBeCloseTo(0.2, 12);
  const power = 1 / calibrate(gaussian, { truePositiveRate: 0.3, falsePositiveRate: 0.05 }).value;
  expect(normalCdf(normalQuantile(0.05) + power)).toBeCloseTo(0.3, 6);
  expect(normalCdf(normalQuantile(0.05) + power)).toBeLessThanOrEqual(0.3);
});

test("no test beats the power bound", () => {
  const distribution = privacyLossDistribution([{ kind: "repeated", count: 3, event: { kind: "pure", epsilon: 0.4 } }]);
  const p = 1 / (1 + Math.exp(-0.4));
  expect(largestPower(distribution, (1 - p) ** 3)).toBeGreaterThanOrEqual(p ** 3);
  expect(largestPower(distribution, 0)).toBeLessThan(1e-9);
  expect(largestPower(distribution, 1)).toBe(1);
});

test.each<[unknown, unknown]>([
  [gaussian, { epsilon: 1, delta: 1 }],
  [gaussian, { epsilon: -1, delta: 1e-6 }],
  [gaussian, { epsilon: 1, delta: 0 }],
  [gaussian, { rho: 0 }],
  [gaussian, { truePositiveRate: 0.1, falsePositiveRate: 0.2 }],
  [
    { kind: "gaussian", noiseMultiplier: 1 },
    { epsilon: 1, delta: 1e-6 },
  ],
  [
    { kind: "composed", events: [gaussian, gaussian] },
    { epsilon: 1, delta: 1e-6 },
  ],
  [
    { kind: "approximate", delta: 1e-3 },
    { epsilon: 1, delta: 1e-6 },
  ],
  [42, { epsilon: 1, delta: 1e-6 }],
])("%j for %j is refused", (template, target) => {
  expect(() => calibrate(template, target as CalibrationTarget)).toThrow();
});
