import { deltaWarning } from "@dosimeter/query/quote";
import { costOptimum } from "@dosimeter/risk";
import { fc, test as prop } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { countError } from "../../parts/calculus.ts";
import { type Answers, epsilonForCount, rangeOf } from "./range.ts";

const usual: Answers = {
  prior: 0.1,
  posterior: 0.5,
  sensitivity: "ordinary",
  people: 10_000,
  error: 0.01,
  answers: 20,
  parties: 1,
  reuse: "none",
  delta: 1e-6,
};

test("the upper end is the log-odds from one suspicion to the other", () => {
  const step = rangeOf(usual).steps.find(({ label }) => label === "Desired level of privacy");
  expect(step?.most).toBeCloseTo(Math.log(9), 12);
});

test("every factor moves the end that its reason names", () => {
  const { least, most } = rangeOf(usual);
  expect(rangeOf({ ...usual, sensitivity: "dangerous" }).most).toBeCloseTo(most / 4, 12);
  expect(rangeOf({ ...usual, people: 100_000 }).least).toBeLessThan(least);
  expect(rangeOf({ ...usual, answers: 200 }).least).toBeGreaterThan(least);
  expect(rangeOf({ ...usual, parties: 3 }).least).toBeGreaterThan(least);
  expect(rangeOf({ ...usual, reuse: "most" }).least).toBeLessThan(least);
  expect(rangeOf({ ...usual, delta: 0 }).least).toBeGreaterThanOrEqual(least);
  for (const { reason } of rangeOf(usual).steps) expect(reason).not.toBe("");
});

test("wishes that cannot both be had are a conflict, not a number", () => {
  expect(rangeOf({ ...usual, people: 100, answers: 1000 }).isConflict).toBe(true);
  expect(rangeOf(usual).isConflict).toBe(false);
});

test.each([1e9, 1e10])("a lifetime for %i people has room for an answer, however little each reveals", (people) => {
  for (const error of [0.01, 1]) {
    const { least, perAnswer } = rangeOf({ ...usual, people, error });
    expect(least).toBeGreaterThanOrEqual(perAnswer);
    for (const weight of [undefined, "simulation"] as const)
      expect(
        costOptimum({ epsilon0: least, people, compensation: 5500, ...(weight && { weight }) }).cost,
      ).toBeGreaterThanOrEqual(0);
  }
});

prop.prop([fc.double({ min: 0, max: 1e6, noNaN: true })])(
  "the ε of a count is the least that is good enough",
  (width) => {
    const epsilon = epsilonForCount(width);
    expect(countError(epsilon, 0.05)).toBeLessThanOrEqual(width);
    expect(countError(epsilon * (1 - 1e-9), 0.05)).toBeGreaterThan(width - 1);
  },
);

test("δ above 1/n is warned about against the declared n", () => {
  expect(deltaWarning(1e-6, 1_000_000)).toBeUndefined();
  expect(deltaWarning(1e-5, 1_000_000)).toContain("about 10 of the 1,000,000 records");
  expect(deltaWarning(0, 1)).toBeUndefined();
});
