import { Exact } from "@dosimeter/core/exact";
import { fc, test as prop } from "@fast-check/vitest";
import { expect, test } from "vitest";
import {
  budgetInterval,
  compensationBudget,
  costOptimum,
  costRange,
  discreteLaplaceLoss,
  elevenWords,
  epsilonForError,
  equationEleven,
  exponentialCost,
  laplaceLoss,
  type PublicRecords,
  publicRecords,
  publishedModel,
  readDistances,
  sampleDistances,
  sampledStatistic,
  samplerRisk,
  simulationWeight,
} from "./index.ts";

const epsilon0 = fc.double({ min: 1e-3, max: 600, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const dimension = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(1000, 1_000_000));

prop.prop([epsilon0, share, dimension], { numRuns: 60, examples: [[168.37379801474106, 0.9872636083786207, 25]] })(
  "confidence and risk add to one, rise with ε up to rounding and never pass one",
  (top, part, k) => {
    const model = publishedModel({ epsilon0: top, k });
    const epsilon = part * top;
    const confidence = model.confidence(epsilon);
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
    expect(confidence + model.risk(epsilon)).toBeCloseTo(1, 12);
    expect(model.confidence(epsilon / 2)).toBeLessThanOrEqual(confidence * (1 + 1e-14));
  },
);

prop.prop([fc.double({ min: 1e-3, max: 60, noNaN: true }), share, fc.integer({ min: 1, max: 60 })])(
  "both inverses undo both readings",
  (top, part, k) => {
    const model = publishedModel({ epsilon0: top, k });
    expect(model.confidence(model.epsilonForConfidence(part))).toBeCloseTo(part, 11);
    expect(model.risk(model.epsilonForRisk(part))).toBeCloseTo(part, 11);
  },
);

prop.prop([epsilon0, share])(
  "the published confidence is more than twice the truth; the simulation weight is below it too",
  (top, part) => {
    const epsilon = part * top * 0.999;
    const confidence = publishedModel({ epsilon0: top }).confidence(epsilon);
    expect(confidence).toBeGreaterThanOrEqual(2 * laplaceLoss({ epsilon0: top, epsilon }).within);
    const weight = simulationWeight({ epsilon0: top, epsilon });
    expect(weight).toBeGreaterThanOrEqual(0);
    expect(weight).toBeLessThanOrEqual(1);
  },
);

prop.prop([fc.double({ min: 0.05, max: 20, noNaN: true }), fc.integer({ min: 1, max: 10 }), share])(
  "no level is cheaper than the optimum, and a budget buys an interval around it",
  (top, k, part) => {
    const model = { epsilon0: top, k, compensation: 5500, people: 100 };
    const optimum = costOptimum(model);
    expect(compensationBudget({ ...model, epsilon: part * top })).toBeGreaterThanOrEqual(optimum.cost * (1 - 1e-12));
    const budget = optimum.cost + part * (optimum.dpCost - optimum.cost);
    const [low, high] = budgetInterval({ ...model, budget }) ?? [Number.NaN, Number.NaN];
    expect(low).toBeLessThanOrEqual(optimum.epsilon * (1 + 1e-9));
    expect(high).toBeGreaterThanOrEqual(optimum.epsilon * (1 - 1e-9));
    if (part > 0.01) expect(compensationBudget({ ...model, epsilon: high })).toBeCloseTo(budget, 3);
  },
);

test("from ε₀ on the risk is zero, and a count's discrete noise says nothing", () => {
  const model = publishedModel({ epsilon0: 0.5 });
  expect(model.confidence(0.7)).toBe(1);
  expect(model.risk(0.7)).toBe(0);
  expect(discreteLaplaceLoss({ epsilon0: 0.5, sensitivity: 1, epsilon: 0.49 })).toMatchObject({
    within: 0,
    informative: false,
  });
});

test.each([
  ["epsilon0 = 0", () => publishedModel({ epsilon0: 0 })],
  ["epsilon0 = 601", () => publishedModel({ epsilon0: 601 })],
  ["epsilon0 = NaN", () => publishedModel({ epsilon0: Number.NaN })],
  ["k = 0", () => publishedModel({ epsilon0: 1, k: 0 })],
  ["k = 1.5", () => publishedModel({ epsilon0: 1, k: 1.5 })],
  ["k = 10⁶ + 1", () => publishedModel({ epsilon0: 1, k: 1_000_001 })],
  ["a negative ε", () => publishedModel({ epsilon0: 1 }).confidence(-1)],
  ["a confidence above 1", () => publishedModel({ epsilon0: 1 }).epsilonForConfidence(1.1)],
  ["a negative compensation", () => costOptimum({ epsilon0: 1, compensation: -1 })],
  ["no people", () => costOptimum({ epsilon0: 1, people: 0 })],
  ["rate 0", () => exponentialCost(0)],
  ["a budget of 0", () => budgetInterval({ epsilon0: 1, budget: 0 })],
  ["a private data set", () => publicRecords({ provenance: "private", origin: "census", rows: [[1], [2]] })],
  ["one record", () => publicRecords({ provenance: "public", origin: "here", rows: [[1]] })],
  ["a record with NaN", () => publicRecords({ provenance: "public", origin: "here", rows: [[1], [Number.NaN]] })],
  ["an unknown statistic", () => sampledStatistic("toString")],
])("%s is refused", (_, call) => {
  expect(call).toThrow(expect.objectContaining({ name: "PrivacyError" }));
});

test("k = 10⁶ and ε₀ = 1e-3 and 600 work", () => {
  expect(publishedModel({ epsilon0: 1e-3, k: 1_000_000 }).confidence(5e-4)).toBeCloseTo(0.5, 6);
  expect(publishedModel({ epsilon0: 600, k: 3 }).risk(599)).toBeGreaterThan(0);
  expect(costOptimum({ epsilon0: 1e-3 }).epsilon).toBeLessThan(1e-3);
});

test("a budget below the minimum is an empty interval", () => {
  expect(budgetInterval({ epsilon0: 0.5, compensation: 550_000, budget: 30_000 })).toBeUndefined();
});

test("E scales the cost and leaves ε* alone; the rate moves it", () => {
  const { least, most } = costRange({ epsilon0: 0.5, people: 100, rate: [1, 1], compensation: [5467, 5530] });
  expect(least.cost).toBeCloseTo(37579.0215, 3);
  expect(most.cost).toBeCloseTo(38012.07, 1);
  expect(most.epsilon).toBe(least.epsilon);
  expect(epsilonForError({ error: 2 })).toBe(0.5);
});

test("sampled sensitivity of a mean of synthetic records: every distance is below the range over the size", () => {
  const records = publicRecords({
    provenance: "synthetic",
    origin: "0…99",
    rows: Array.from({ length: 100 }, (_, i) => [i]),
  });
  let state = 7;
  const pick = (bound: number): number => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
  const distances = [...sampleDistances({ records, statistic: sampledStatistic("mean"), size: 20, pairs: 400, pick })];
  expect(distances).toHaveLength(400);
  expect(Math.max(...distances)).toBeLessThanOrEqual(99 / 20 + 1e-12);
  const read = readDistances({ distances, level: 0.9, accuracy: 0.05, failureProbability: 0.05 });
  expect(read.orderStatistic).toBe(360);
  expect(read.marginal).toBe(360 / 401);
  expect(read.certified?.order).toBeGreaterThan(360);
  expect(read.certified?.sensitivity).toBeGreaterThanOrEqual(read.sensitivity);
  expect(
    readDistances({ distances: distances.slice(0, 20), level: 0.9, accuracy: 0.05, failureProbability: 0.05 })
      .certified,
  ).toBeUndefined();
});

test("ridge regression of an exact line finds its slope", () => {
  const rows = Array.from({ length: 200 }, (_, i) => [i / 100, (3 * i) / 100]);
  expect(sampledStatistic("ridge").answer(rows)[0]).toBeCloseTo(3, 1);
});

test("the maximum of 1305 draws carries the risk that asked for them", () => {
  expect(samplerRisk(1305).risk).toBeCloseTo(0.05, 2);
});

test("what an engine read from private rows has no way into the sampling", () => {
  const secret = new Exact([[1], [2]]);
  // @ts-expect-error an exact value is no table of numbers
  const call = () => publicRecords({ provenance: "public", origin: "an engine", rows: secret });
  expect(call).toThrow(expect.objectContaining({ code: "INVALID_PARAMETER" }));
  const plain = [[1], [2]];
  // @ts-expect-error and plain rows are no public records until someone states where they come from
  const records: PublicRecords = plain;
  const options = { records, statistic: sampledStatistic("sum"), size: 1, pairs: 1, pick: () => 0 };
  expect(() => sampleDistances(options).next()).toThrow();
});

test("an interval in the manner of equation (11) is called so, and one without an end is none", () => {
  const model = { epsilon0: 0.5, compensation: 5500, people: 100 };
  const words = (more: object, budget: number) =>
    elevenWords({ ...model, ...more }, equationEleven({ model: { ...model, ...more }, budget, error: 2 }), (x) =>
      x.toFixed(4),
    );
  expect(words({}, 40_000)).toEqual({ name: "Equation (11), as published", interval: "0.5000 to 0.2921" });
  expect(words({ bias: 100 }, 40_000).name).toBe("In the manner of equation (11)");
  expect(words({ cost: exponentialCost(2) }, 40_000).name).toBe("In the manner of equation (11)");
  expect(words({}, 100).interval).toBe("none");
});
