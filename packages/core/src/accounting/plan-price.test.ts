import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import { fallingRoot } from "../numeric/root.ts";
import { gdpEpsilon } from "./gdp.ts";
import { planPrice } from "./plan-price.ts";
import { privacyLossDistribution } from "./pld.ts";

const training: readonly DpEvent[] = [
  {
    kind: "repeated",
    count: 1000,
    event: { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } },
  },
];
const mu2Of = (epsilon: number, delta: number): number =>
  Math.exp(2 * fallingRoot((u) => epsilon - gdpEpsilon(Math.exp(2 * u), delta), -10, 5));

test.each([
  [3, 1e-5, 0.196],
  [6, 1e-5, 0.18],
  [8, 1e-6, 0.178],
])("a training run inside (%s, %s) costs %s", (epsilon, delta, cost) => {
  expect(planPrice(training, { mu2: mu2Of(epsilon, delta), eta: 1e-7 }).cost).toBeCloseTo(cost, 3);
});

test("the price dominates at every x, above and below 0, in both directions", () => {
  const [mu2, eta] = [2, 1e-7];
  const { cost } = planPrice(training, { mu2, eta });
  const whole = privacyLossDistribution([...training, { kind: "gdp", mu: Math.sqrt(mu2 - cost) }]);
  for (const { delta } of whole.directions) {
    for (let x = -8; x <= 12; x += 0.37) expect(delta(x).lower).toBeLessThanOrEqual(gaussianDelta(x, mu2) + eta);
  }
});

test("Gaussians cost exactly μ², and what cannot be paid costs ∞", () => {
  expect(
    planPrice([{ kind: "repeated", count: 4, event: { kind: "gaussian", noiseMultiplier: 4 } }], { mu2: 1, eta: 0 })
      .cost,
  ).toBeCloseTo(0.25, 12);
  expect(planPrice([{ kind: "gaussian", noiseMultiplier: 1 }], { mu2: 0.5, eta: 0 }).cost).toBe(
    Number.POSITIVE_INFINITY,
  );
  expect(planPrice([{ kind: "pure", epsilon: 3 }], { mu2: 0.1, eta: 1e-9 }).cost).toBe(Number.POSITIVE_INFINITY);
  expect(planPrice([{ kind: "approximate", epsilon: 0.1, delta: 1e-3 }], { mu2: 1, eta: 1e-6 }).cost).toBe(
    Number.POSITIVE_INFINITY,
  );
  expect(planPrice([], { mu2: 1, eta: 0 })).toEqual({ cost: 0, eta: 0 });
  expect(() => planPrice(training, { mu2: -1, eta: 1e-7 })).toThrow(/mu2/);
  expect(() => planPrice(training, { mu2: 1, eta: 0 })).toThrow(/eta/);
});
