import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { brokenHere } from "./invariants.kit.ts";
import { atomicLosses, type LossDistribution, lossDistribution } from "./loss-distribution.ts";
import { tiltedNodes } from "./nodes.ts";
import { privacyLossDistribution } from "./pld.ts";
import type { Direction } from "./profile.ts";

const gaussian: DpEvent = { kind: "gaussian", noiseMultiplier: 0.8 };
const events: readonly DpEvent[] = [
  { kind: "pure", epsilon: 0.7 },
  { kind: "approximate", epsilon: 0.7, delta: 1e-3 },
  { kind: "laplace", noiseMultiplier: 1.5 },
  gaussian,
  { kind: "discreteLaplace", scale: "10/3", sensitivity: 4 },
  { kind: "discreteGaussian", sigma: 2, sensitivity: 3 },
  { kind: "randomizedResponse", epsilon: 1.2, categories: 5 },
  { kind: "poissonSampled", rate: 0.03, event: gaussian },
  { kind: "poissonSampled", rate: 0.3, event: { kind: "approximate", epsilon: 2, delta: 0.01 } },
  { kind: "poissonSampled", rate: 0.1, event: { kind: "laplace", noiseMultiplier: 0.5 } },
  { kind: "sampledWithoutReplacement", size: 30, population: 1000, event: gaussian },
  { kind: "sampledWithoutReplacement", size: 1, population: 3, event: { kind: "laplace", noiseMultiplier: 0.5 } },
];
const cases = events.flatMap((event) =>
  (["remove", "add"] as const).map((direction) => [JSON.stringify(event), direction, event] as const),
);

/** Σ of the P- and the Q-mass of the finite part of a distribution. */
function masses(event: DpEvent, direction: Direction): { readonly p: number; readonly q: number } {
  const distribution = lossDistribution(event, direction);
  if (distribution === undefined) throw new Error("no distribution");
  const { loss, weight } = tiltedNodes(distribution, 0, 0, direction);
  const finite = 1 - distribution.infinite;
  const q = loss.reduce((sum, l, i) => sum + (weight[i] as number) * Math.exp(-l), 0);
  return { p: 1, q: q * finite };
}

test.each(cases)("%s, %s: the masses under P and under Q are probabilities", (_name, direction, event) => {
  const { q } = masses(event, direction);
  const distribution = lossDistribution(event, direction);
  expect(q).toBeLessThanOrEqual(1 + 1e-13);
  const lostUnderQ = 1 - q;
  const other = lossDistribution(event, direction === "remove" ? "add" : "remove")?.infinite ?? 0;
  expect(Math.abs(lostUnderQ - other)).toBeLessThan(1e-13);
  expect(distribution?.infinite).toBeGreaterThanOrEqual(0);
});

test.each(cases)("%s, %s: its profile at −ε is the other direction's at ε", (_name, direction, event) => {
  const distribution = lossDistribution(event, direction);
  const back = lossDistribution(event, direction === "remove" ? "add" : "remove");
  if (distribution === undefined || back === undefined) throw new Error("no distribution");
  const delta = (of: typeof distribution, epsilon: number): number =>
    of.infinite + (1 - of.infinite) * of.profile(epsilon).upper;
  for (const epsilon of [0.01, 0.3, 1, 2]) {
    const expected = 1 - Math.exp(-epsilon) + Math.exp(-epsilon) * delta(back, epsilon);
    expect(delta(distribution, -epsilon)).toBeCloseTo(expected, 11);
  }
});

test("sampling without replacement has the profile γδ(ε)", () => {
  const [size, population] = [30, 1000];
  const distribution = lossDistribution(
    { kind: "sampledWithoutReplacement", size, population, event: gaussian },
    "remove",
  );
  const base = lossDistribution(gaussian, "remove");
  if (distribution === undefined || base === undefined) throw new Error("no distribution");
  for (const epsilon of [0.1, 0.5, 1, 2]) {
    const sampled = Math.log1p((size / population) * Math.expm1(epsilon));
    expect(distribution.profile(sampled).upper / ((size / population) * base.profile(epsilon).upper)).toBeCloseTo(
      1,
      10,
    );
  }
});

test("a discrete Laplace distribution of many steps is gathered on points that dominate it, hardly worse", () => {
  const fine: DpEvent = { kind: "discreteLaplace", scale: 4000, sensitivity: 4000 };
  const coarse: DpEvent = { kind: "discreteLaplace", scale: 40_000, sensitivity: 40_000 };
  const [a, b] = [lossDistribution(fine, "remove"), lossDistribution(coarse, "remove")];
  const huge = lossDistribution({ kind: "discreteLaplace", scale: 1e12, sensitivity: 1e12 }, "remove");
  if (a === undefined || b === undefined || huge === undefined) throw new Error("no distribution");
  expect([a.atoms.length, b.atoms.length]).toEqual([4001, 2001]);
  for (const epsilon of [-0.5, 0, 0.3, 0.9]) {
    const laplace = lossDistribution({ kind: "laplace", noiseMultiplier: 1 }, "remove");
    if (laplace === undefined) throw new Error("no distribution");
    const truth = laplace.profile(epsilon).upper;
    expect(b.profile(epsilon).upper).toBeGreaterThan(truth - 1e-5);
    for (const distribution of [a, b, huge])
      expect(Math.abs(distribution.profile(epsilon).upper - truth)).toBeLessThan(2e-4);
  }
  const total = huge.atoms.reduce((sum, { mass }) => sum + mass, 0);
  const other = huge.atoms.reduce((sum, { mass, loss }) => sum + mass * Math.exp(-loss), 0);
  expect(total).toBeCloseTo(1, 12);
  expect(other).toBeCloseTo(1, 9);
});

test("events without a dominating pair have no distribution", () => {
  for (const event of [
    { kind: "zcdp", rho: 1 },
    { kind: "rdp", order: 2, epsilon: 1 },
  ] as const) {
    expect(lossDistribution(event, "remove")).toBeUndefined();
    expect(lossDistribution({ kind: "poissonSampled", rate: 0.5, event }, "add")).toBeUndefined();
  }
});

test("masses that add to less than one have the rest at infinity; masses that add to more are no distribution", () => {
  const short = atomicLosses([
    { loss: 1, mass: 0.5 },
    { loss: -1, mass: 0.25 },
  ]);
  expect(short).toMatchObject({ infinite: 0.25, cut: 0.25 });
  expect(short.cutLogMgf(1)).toBe(Number.POSITIVE_INFINITY);
  const { atoms, pieces, infinite, cut, cutLogMgf, error, profile } = short;
  // @ts-expect-error: masses that were not counted are no distribution
  const made: LossDistribution = { atoms, pieces, infinite, cut, cutLogMgf, error, profile };
  expect(made).toEqual(short);
  expect(() => atomicLosses([{ loss: 1, mass: 0.5 }], { infinite: 0.6 })).toThrow(
    expect.objectContaining({ code: "UNSUPPORTED_EVENT" }),
  );
  expect(brokenHere()).toEqual(["the masses of a loss are one"]);
});

test.each([
  ["itself", { kind: "discreteGaussian", sigma: 1, sensitivity: 1 }],
  ["with more noise", { kind: "discreteGaussian", sigma: 1000, sensitivity: 3 }],
  ["with hardly any noise", { kind: "discreteGaussian", sigma: 0.01, sensitivity: 1 }],
  ["on a sample", { kind: "poissonSampled", rate: 0.1, event: { kind: "discreteGaussian", sigma: 2, sensitivity: 1 } }],
  [
    "on a sample of fixed size",
    {
      kind: "sampledWithoutReplacement",
      size: 1,
      population: 3,
      event: { kind: "discreteGaussian", sigma: 2, sensitivity: 1 },
    },
  ],
] as const)("a discrete Gaussian %s is never pure, and what is cut is in no bound from below", (_name, event) => {
  for (const count of [1, 3]) {
    const found = privacyLossDistribution([{ kind: "repeated", count, event }]);
    expect(found.epsilon(0).upper).toBe(Number.POSITIVE_INFINITY);
    expect(found.delta(1e6).upper).toBeGreaterThan(0);
    expect(found.delta(1e6).lower).toBe(0);
  }
});

test("a discrete Gaussian far out: δ of 10⁻²⁵⁰ lies in its bounds", () => {
  const found = privacyLossDistribution([{ kind: "discreteGaussian", sigma: 1, sensitivity: 1 }]);
  // Σ over x < ½ − ε of p(x) − e^ε·p(x − 1), 60 digits (mpmath 1.3).
  for (const [epsilon, delta] of FAR) {
    const { upper, lower } = found.delta(epsilon);
    expect(upper).toBeGreaterThanOrEqual(delta);
    expect(lower).toBeLessThanOrEqual(delta);
  }
});

const FAR = [
  [20.3, 1.0007781513724851e-88],
  [33.4, 1.2765295835930397e-238],
] as const;

test("edges of coarse cells are shared: no integer is counted twice", () => {
  for (const scale of [1e5 / 3, 1e12, 987_654_321]) {
    const event = { kind: "discreteLaplace", scale, sensitivity: Math.round(scale) } as const;
    expect(lossDistribution(event, "remove")?.infinite).toBe(0);
  }
});
