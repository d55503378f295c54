import fc from "fast-check";
import { expect, test } from "vitest";
import { PrivacyError } from "./error.ts";
import { type DpEvent, eventKinds, formatEvent, parseEvent } from "./event.ts";

const pure: DpEvent = { kind: "pure", epsilon: 0.1 };

const events: readonly DpEvent[] = [
  pure,
  { kind: "approximate", epsilon: "0.5", delta: 1e-9 },
  { kind: "laplace", noiseMultiplier: 10 },
  { kind: "gaussian", noiseMultiplier: "10/3" },
  { kind: "discreteLaplace", scale: "10/3", sensitivity: 2 },
  { kind: "discreteGaussian", sigma: 4, sensitivity: 1 },
  { kind: "randomizedResponse", epsilon: 1, categories: 4 },
  { kind: "exponential", epsilon: 1 },
  { kind: "zcdp", rho: 0.01 },
  { kind: "gdp", mu: 0.1 },
  { kind: "rdp", order: 2, epsilon: 0.1 },
  { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } },
  { kind: "sampledWithoutReplacement", size: 10, population: 100, event: pure },
  { kind: "shuffled", epsilon: 1, people: 1_000_000 },
  { kind: "poissonReplaced", rate: 0.01, noiseMultiplier: 1 },
  { kind: "gaussianMixture", noiseMultiplier: 1, sensitivities: [0, "1/3"], probabilities: ["2/3", "1/3"] },
  { kind: "truncatedPoisson", rate: 0.01, noiseMultiplier: 1, batch: 200, population: 10_000 },
  { kind: "permuteAndFlip", epsilon: 1 },
  { kind: "bandedMatrix", noiseMultiplier: 4, coefficients: [1, -0.5], steps: 9, participations: 2, separation: 3 },
  { kind: "treeAggregation", noiseMultiplier: 4, steps: 9, participations: 2, separation: 3 },
  { kind: "randomAllocation", noiseMultiplier: 1, steps: 100 },
  { kind: "repeated", count: 0, event: pure },
  { kind: "composed", events: [] },
  { kind: "parallel", events: [pure, { kind: "composed", events: [pure, pure] }] },
];

test("every kind is read back the same, whatever the order of its keys", () => {
  expect(new Set(events.map((event) => event.kind))).toEqual(new Set(eventKinds));
  for (const event of events) {
    expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
    const reversed = Object.fromEntries(Object.entries(event).reverse());
    expect(formatEvent(reversed as DpEvent)).toBe(JSON.stringify(event));
  }
});

test("an error names the path in the tree", () => {
  const at = (json: unknown) => () => parseEvent(json);
  expect(at({ kind: "composed", events: [pure, { kind: "repeated", count: 2, event: { kind: "magic" } }] })).toThrow(
    /^event\.events\[1\]\.event\.kind is "magic"/,
  );
  expect(at({ kind: "composed", events: [pure, { kind: "pure", epsilon: -1 }] })).toThrow(
    "event.events[1].epsilon is -1, must be >= 0",
  );
  expect(at({ kind: "pure" })).toThrow("event.epsilon is missing");
  expect(at({ kind: "pure", epsilon: 1, delta: 0 })).toThrow("event.delta is 0");
  expect(at({ kind: "toString" })).toThrow(/kind is "toString"/);
  expect(() => parseEvent({ kind: "pure", epsilon: null }, "plan[3]")).toThrow("plan[3].epsilon");
});

test.each([
  { kind: "pure", epsilon: Number.NaN },
  { kind: "pure", epsilon: "Infinity" },
  { kind: "pure", epsilon: "1e-400" },
  { kind: "pure", epsilon: "1e400" },
  { kind: "pure", epsilon: [1] },
  { kind: "approximate", epsilon: 1, delta: 1.5 },
  { kind: "gaussian", noiseMultiplier: 0 },
  { kind: "laplace", noiseMultiplier: "-1" },
  { kind: "discreteLaplace", scale: 1, sensitivity: 1.5 },
  { kind: "randomizedResponse", epsilon: 1, categories: 1 },
  { kind: "rdp", order: 1, epsilon: 1 },
  { kind: "poissonSampled", rate: 1.01, event: pure },
  { kind: "sampledWithoutReplacement", size: 11, population: 10, event: pure },
  { kind: "shuffled", epsilon: 1, people: 0 },
  { kind: "gaussianMixture", noiseMultiplier: 1, sensitivities: [1], probabilities: [0.9] },
  { kind: "gaussianMixture", noiseMultiplier: 1, sensitivities: [0, 1], probabilities: [1] },
  { kind: "bandedMatrix", noiseMultiplier: 1, coefficients: [], steps: 9, participations: 2, separation: 3 },
  { kind: "treeAggregation", noiseMultiplier: 1, steps: 9, participations: 2, separation: 0 },
  { kind: "repeated", count: 2 ** 53, event: pure },
  { kind: "repeated", count: 0.5, event: pure },
  { kind: "repeated", count: -1, event: pure },
  { kind: "composed", events: pure },
  null,
  [],
  "pure",
])("%j is refused", (json) => {
  expect(() => parseEvent(json)).toThrow(PrivacyError);
});

test("nesting is bounded", () => {
  let deep: DpEvent = pure;
  for (let i = 0; i < 200; i++) deep = { kind: "repeated", count: 1, event: deep };
  expect(() => parseEvent(deep)).toThrow("nested at most");
});

test("no JSON value crashes the reader with anything but a PrivacyError", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...eventKinds), (value, kind) => {
      for (const json of [
        value,
        { kind, ...(value as object) },
        { kind, epsilon: value, event: value, events: value },
      ]) {
        try {
          parseEvent(json);
        } catch (error) {
          expect(error).toBeInstanceOf(PrivacyError);
        }
      }
    }),
  );
});
