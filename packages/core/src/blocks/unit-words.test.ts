import { expect, test } from "vitest";
import { deltaAmount, epsilonAmount } from "../amounts/amount.ts";
import { lossAcrossBlocks } from "./across-blocks.ts";
import { acrossBlocks, blockWord, protectedUnit } from "./unit-words.ts";

test("a budget of periods promises what is recorded in one of them, any other a whole unit", () => {
  expect(protectedUnit("one", "patient", undefined)).toBe("one patient");
  expect(protectedUnit("each", "patient", null)).toBe("each patient");
  const month = { every: "month" } as const;
  expect(protectedUnit("any one", "patient", month)).toBe("what is recorded of any one patient in any one month");
  expect(protectedUnit("each", "patient", month)).toBe("what is recorded of each patient in each month");
});

test("of cohorts it is the whole unit, as long as it stays in its cohort", () => {
  const cohorts = { every: "year", protects: "person" } as const;
  expect(protectedUnit("any one", "patient", cohorts)).toBe("any one patient");
  expect([blockWord(cohorts), blockWord({ every: "year" })]).toEqual(["cohort", "year"]);
  expect(acrossBlocks("patient", cohorts, true)).toBe(
    "It holds as long as the source does not rewrite anyone's cohort, which is the year of their least date; one patient who was moved has the ε of all their cohorts together, and more than the δ of them together.",
  );
});

test("over k periods it is k times the ε, and more than k times the δ", () => {
  expect(acrossBlocks("patient", { every: "month" })).toBe(
    "One patient recorded in k months: k times this ε. A record that gets another date counts in both months.",
  );
  expect(acrossBlocks("patient", { every: "week" }, true)).toBe(
    "One patient recorded in k weeks: k times this ε, and more than k times this δ. A record that gets another date counts in both weeks.",
  );
  const block = { epsilon: epsilonAmount("0.5", "up"), delta: deltaAmount("1e-7", "up") };
  for (const k of [2, 3, 12]) {
    const { epsilon, delta } = lossAcrossBlocks(Array.from({ length: k }, () => block));
    expect(epsilon).toBe(BigInt(k) * block.epsilon);
    expect(delta).toBeGreaterThan(k * 1e-7);
  }
});
