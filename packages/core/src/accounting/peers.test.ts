import { expect, test } from "vitest";
import { calibrate } from "./calibrate.ts";
import { pureRenyi } from "./facts.ts";
import { gdpDelta } from "./gdp.ts";
import { privacyLossDistribution } from "./pld.ts";
import { totalLoss } from "./report.ts";

/** Defects found in other accountants, each as a case that must come out right here. */
test("the count of randomised response is not forgotten", () => {
  const event = { kind: "randomizedResponse", epsilon: Math.log(3), categories: 2 } as const;
  const { epsilon } = totalLoss([{ kind: "repeated", count: 10, event }], { delta: 1e-10 }, "pld");
  expect(epsilon).toBeGreaterThan(10.98);
});

test("no pessimistic total falls below the truth through rounding of the transform", () => {
  const events = [{ kind: "repeated", count: 1000, event: { kind: "pure", epsilon: 0.01 } }] as const;
  for (const delta of [1e-3, 1e-9, 1e-15]) {
    const lattice = privacyLossDistribution(events, { engine: "lattice" }).epsilon(delta).upper;
    expect(lattice).toBeGreaterThanOrEqual(totalLoss(events, { delta }, "optimal").lower as number);
  }
});

test("δ far below 10⁻¹⁵ has a finite ε", () => {
  const events = [{ kind: "repeated", count: 100, event: { kind: "laplace", noiseMultiplier: 10 } }] as const;
  expect(totalLoss(events, { delta: 1e-25 }, "pld").epsilon).toBeCloseTo(9.312345934, 8);
});

test("optimal composition neither overflows nor stays on its lattice", () => {
  const total = (count: number): number =>
    totalLoss([{ kind: "repeated", count, event: { kind: "pure", epsilon: 0.01 } }], { delta: 1e-6 }, "optimal")
      .epsilon;
  expect(total(2000)).toBeGreaterThan(total(1999));
  expect(total(2000) / 0.02 - Math.round(total(2000) / 0.02)).not.toBeCloseTo(0, 6);
});

test("δ's add up over a composition", () => {
  const events = [{ kind: "repeated", count: 100, event: { kind: "approximate", epsilon: 0.1, delta: 1e-8 } }] as const;
  for (const method of ["basic", "optimal", "pld", "rdp", "gdp", "zcdp"] as const) {
    expect(totalLoss(events, { delta: 9.9e-7 }, method).epsilon).toBe(Number.POSITIVE_INFINITY);
  }
});

test("a calibrated sigma is large enough", () => {
  for (const [epsilon, delta] of [
    [1, 1e-8],
    [0.01, 1e-10],
    [3, 1e-5],
    [1, 1e-30],
  ] as const) {
    const { value } = calibrate({ kind: "gaussian" }, { epsilon, delta });
    expect(gdpDelta((1 / value) ** 2, epsilon)).toBeLessThanOrEqual(delta);
    expect(gdpDelta((1 / (value * (1 - 1e-9))) ** 2, epsilon)).toBeGreaterThan(delta);
  }
});

test("sampled Gaussians are bounded, not approximated by a central limit", () => {
  const event = { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } } as const;
  const { epsilon } = totalLoss([{ kind: "repeated", count: 1000, event }], { delta: 1e-5 }, "pld");
  const limit = totalLoss(
    [{ kind: "gdp", mu: 0.01 * Math.sqrt(1000 * Math.expm1(1)) }],
    { delta: 1e-5 },
    "gdp",
  ).epsilon;
  expect(epsilon).toBeGreaterThan(limit);
});

test("the Rényi divergence of pure ε bounds randomised response also at large ε", () => {
  for (const epsilon of [0.1, 1, 5]) {
    const p = 1 / (1 + Math.exp(-epsilon));
    for (const lambda of [0.5, 3, 20]) {
      const exact = Math.log(p * Math.exp(lambda * epsilon) + (1 - p) * Math.exp(-lambda * epsilon));
      expect(pureRenyi(epsilon, lambda) / exact).toBeCloseTo(1, 12);
    }
  }
});
