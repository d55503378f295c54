import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { logGaussianDelta } from "../numeric/gaussian-profile.ts";
import { laplacePower } from "./laplace-power.ts";
import { binomialDelta } from "./optimal.ts";
import { privacyLossDistribution } from "./pld.ts";

const times = (count: number, event: DpEvent): DpEvent => ({ kind: "repeated", count, event });
const laplace = (epsilon: number): DpEvent => ({ kind: "laplace", noiseMultiplier: 1 / epsilon });
const pure = (epsilon: number): DpEvent => ({ kind: "pure", epsilon });
const gdp = (mu: number): DpEvent => ({ kind: "gdp", mu });
const sampled = (rate: number, sigma: number): DpEvent => ({
  kind: "poissonSampled",
  rate,
  event: { kind: "gaussian", noiseMultiplier: sigma },
});

const lists: readonly (readonly [string, readonly DpEvent[]])[] = [
  ["Gaussian, Laplace, pure", [gdp(0.5), times(10, laplace(0.3)), times(5, pure(0.2))]],
  ["sampled Gaussians", [times(200, sampled(0.02, 1))]],
  ["Laplaces", [times(7, laplace(0.4))]],
  ["incommensurate pure", [pure(0.1234567), times(3, pure(0.2345678)), times(2, pure(Math.SQRT1_2))]],
  [
    "discrete noise",
    [
      times(4, { kind: "discreteLaplace", scale: 3, sensitivity: 2 }),
      { kind: "discreteGaussian", sigma: 4, sensitivity: 3 },
    ],
  ],
  ["sampled Laplaces", [times(30, { kind: "poissonSampled", rate: 0.1, event: laplace(1) })]],
  [
    "without replacement",
    [
      times(20, {
        kind: "sampledWithoutReplacement",
        size: 10,
        population: 100,
        event: { kind: "gaussian", noiseMultiplier: 1.5 },
      }),
    ],
  ],
  ["with a mass", [times(10, { kind: "approximate", epsilon: 0.2, delta: 1e-8 }), gdp(0.3)]],
];

test.each(lists)("%s: the lattice and the other engine bracket each other", (_name, events) => {
  const best = privacyLossDistribution(events);
  const lattice = privacyLossDistribution(events, { engine: "lattice", longest: 13 });
  for (const epsilon of [0.2, 1.5]) {
    const [a, b] = [best.delta(epsilon), lattice.delta(epsilon)];
    expect(a.lower).toBeLessThanOrEqual(a.upper);
    expect(b.lower).toBeLessThanOrEqual(b.upper);
    expect(b.upper).toBeGreaterThanOrEqual(a.lower);
    expect(a.upper).toBeGreaterThanOrEqual(b.lower);
    expect(b.upper - a.upper).toBeLessThanOrEqual(1e-2 * a.upper);
  }
});

test.each(lists)("%s: ε and δ are each other's inverse, and bracket the truth", (_name, events) => {
  const distribution = privacyLossDistribution(events);
  for (const delta of [1e-3, 1e-6]) {
    const { upper, lower } = distribution.epsilon(delta);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(distribution.delta(upper).lower).toBeLessThanOrEqual(delta * (1 + 1e-9));
    expect(distribution.delta(lower).upper).toBeGreaterThanOrEqual(delta * (1 - 1e-9));
  }
});

test("a finer lattice is never worse, and its excess falls with the square of the step", () => {
  const events = [times(20, laplace(0.37))];
  const truth = laplacePower(0.37, 20)(3).upper;
  const excess = [2e-3, 1e-3, 5e-4].map(
    (step) => privacyLossDistribution(events, { engine: "lattice", step }).delta(3).upper / truth - 1,
  );
  expect(excess[0]).toBeGreaterThan(0);
  expect((excess[0] as number) / (excess[1] as number)).toBeGreaterThan(3);
  expect((excess[1] as number) / (excess[2] as number)).toBeGreaterThan(3);
});

test("δ of equal Laplace spends a little below their largest loss does not depend on how large it is [M56]", () => {
  for (const count of [1, 2, 10]) {
    const near = laplacePower(100, count);
    for (const epsilon of [1400, 1425, 1440, 1488, 1495, 3000])
      for (const below of [0.5, 1, 8]) {
        const { upper, lower } = laplacePower(epsilon, count)(count * epsilon - below);
        const truth = count === 1 ? -Math.expm1(-below / 2) : near(count * 100 - below).upper;
        expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-9));
        expect(lower).toBeLessThanOrEqual(truth);
        expect(upper / truth - 1).toBeLessThan(1e-9);
      }
  }
  const { upper, lower } = privacyLossDistribution([times(2, laplace(1488))]).epsilon(1e-6);
  expect(lower).toBeGreaterThan(2 * 1488 - 0.01);
  expect(upper).toBeGreaterThanOrEqual(lower);
});

test("contour, binomial and Gaussian closed forms agree where they meet", () => {
  const almostPure = privacyLossDistribution([times(50, pure(0.1)), gdp(1e-4)]).delta(2);
  expect(almostPure.upper).toBeGreaterThanOrEqual(binomialDelta(0.1, 50, 2).lower);
  expect(almostPure.upper / binomialDelta(0.1, 50, 2).upper - 1).toBeLessThan(1e-3);
  const almostNormal = privacyLossDistribution([gdp(0.8), laplace(1e-7)]).delta(3);
  expect(Math.log(almostNormal.upper) - logGaussianDelta(3, 0.64)).toBeLessThan(1e-5);
  expect(Math.log(almostNormal.upper)).toBeGreaterThanOrEqual(logGaussianDelta(3, 0.64) - 1e-11);
});

test.each([
  [1e-12, 0],
  [1e-18, 1],
  [1e-25, 2],
  [1e-100, 3],
  [1e-290, 4],
])("δ = %s is as exact as any other", (delta) => {
  const { upper, lower } = privacyLossDistribution([gdp(0.5), times(10, laplace(0.3))]).epsilon(delta);
  expect(upper).toBeGreaterThan(lower);
  expect(upper / lower - 1).toBeLessThan(1e-10);
});

test("both directions of a sampled list are kept apart, and the worse one counts", () => {
  const { directions, delta } = privacyLossDistribution([times(100, sampled(0.05, 1))]);
  const [remove, add] = directions.map((direction) => direction.delta(1).upper);
  expect(directions).toHaveLength(2);
  expect(remove).not.toBe(add);
  expect(delta(1).upper).toBe(Math.max(remove as number, add as number));
});

test("δ at the ε of a δ is that δ, where the first tilt smooths too much", () => {
  const list = [times(12, sampled(0.00584, 126.7)), pure(4.466)];
  for (const delta of [1e-3, 1e-6, 1e-9, 1e-12]) {
    const { upper } = privacyLossDistribution(list).epsilon(delta);
    expect(privacyLossDistribution(list).delta(upper).upper).toBeLessThan(1.01 * delta);
  }
});

test("nothing, much too much and much too little", () => {
  expect(privacyLossDistribution([]).epsilon(1e-6)).toEqual({ upper: 0, lower: 0 });
  expect(privacyLossDistribution([]).delta(0)).toEqual({ upper: 0, lower: 0 });
  expect(privacyLossDistribution([times(1e6, pure(800))]).epsilon(1e-6).upper / 8e8).toBeCloseTo(1, 9);
  expect(privacyLossDistribution([times(1e6, pure(1e-12))]).epsilon(1e-6).upper).toBeLessThanOrEqual(1.0001e-6);
  expect(privacyLossDistribution([gdp(1)]).epsilon(0).upper).toBe(Number.POSITIVE_INFINITY);
  expect(privacyLossDistribution([times(3, laplace(0.5))]).epsilon(0).upper).toBeCloseTo(1.5, 12);
  expect(privacyLossDistribution([{ kind: "approximate", epsilon: 1, delta: 1e-3 }]).epsilon(1e-4).upper).toBe(
    Number.POSITIVE_INFINITY,
  );
  expect(privacyLossDistribution([{ kind: "approximate", epsilon: 1, delta: 1 }]).epsilon(0.5).upper).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test("an event without a dominating pair is refused by its path", () => {
  const zcdp: DpEvent = { kind: "composed", events: [pure(0.1), times(3, { kind: "zcdp", rho: 0.1 })] };
  expect(() => privacyLossDistribution([pure(1), zcdp])).toThrow(/events\[1\]\.events\[1\]\.event is "zcdp"/);
});
