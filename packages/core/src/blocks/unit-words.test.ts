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
  expect(acrossBlocks("patient", cohorts, { epsilon: "1", delta: "0.000001" })).toBe(
    "It holds as long as the source does not rewrite anyone's cohort, which is the year of their least date; one patient who has been in k cohorts has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 1 and δ = 0.000001 of each cohort.",
  );
});

test("over k periods it is k times the ε, and of δ what the formula says [M163]", () => {
  const dated = "A record whose date changes counts in each month that it has been in.";
  expect(acrossBlocks("patient", { every: "month" }, { epsilon: "1", delta: "0" })).toBe(
    `Over k months together, one patient has at most kε, with ε = 1 of each month. ${dated}`,
  );
  const [raised, ceiling] = [
    { epsilon: "2", delta: "0" },
    { epsilon: "3", delta: "1e-7" },
  ];
  expect(acrossBlocks("patient", { every: "month" }, raised, ceiling)).toBe(
    `Over k months together, one patient has at most kε, with ε = 2 of each month; by the ceiling, kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 3 and δ = 1e-7 of each month. ${dated}`,
  );
  const block = { epsilon: epsilonAmount("0.5", "up"), delta: deltaAmount("1e-7", "up") };
  for (const k of [1, 2, 3, 12]) {
    const { epsilon, delta } = lossAcrossBlocks(Array.from({ length: k }, () => block));
    expect(epsilon).toBe(BigInt(k) * block.epsilon);
    expect(delta / 1e-7).toBeCloseTo(Math.expm1(k * 0.5) / Math.expm1(0.5), 9);
  }
});
