import { expect, test } from "vitest";
import { studyCount, studyFilters } from "./study-filter.kit.ts";

const same = (epsilon: number): readonly number[] => Array.from({ length: 700 }, () => epsilon);

/** From the accountant's reference values: equal pure ε in (budget, 1e-6). */
test.each([
  ["basic", 0.01, 1, 100],
  ["whitehouse", 0.01, 1, 349],
  ["zcdp", 0.01, 1, 487],
  ["whitehouse", 0.05, 1, 13],
  ["zcdp", 0.05, 1, 19],
  ["whitehouse", 0.1, 3, 29],
  ["whitehouse", 0.2, 5, 19],
  ["whitehouse", 0.5, 10, 10],
  ["zcdp", 0.5, 10, 12],
  ["basic", 0.5, 10, 20],
] as const)("%s admits ε = %d in (%d, 1e-6) %d times", (name, epsilon, budget, count) => {
  expect(studyCount(studyFilters[name], same(epsilon), { epsilon: budget, delta: 1e-6 })).toBe(count);
});

test("the best order fixed in advance admits 490, and the free choice of order no fewer", () => {
  const counts = Array.from({ length: 40 }, (_, i) =>
    studyCount(studyFilters.renyi, same(0.01), { epsilon: 1, delta: 1e-6, order: 15 + i }),
  );
  expect(Math.max(...counts)).toBe(490);
  expect(studyCount(studyFilters.anyOrder, same(0.01), { epsilon: 1, delta: 1e-6 })).toBeGreaterThanOrEqual(487);
});

test("no valid rule here admits more equal charges than the tight filter's 558, and the invalid ones say that they are", () => {
  for (const filter of Object.values(studyFilters)) {
    const count = studyCount(filter, same(0.01), { epsilon: 1, delta: 1e-6 });
    if (filter.valid) expect(count).toBeLessThanOrEqual(558);
  }
  expect(studyFilters.anyOrder.valid).toBe(false);
  expect(studyFilters.centralLimit.valid).toBe(false);
  expect(studyCount(studyFilters.centralLimit, same(0.01), { epsilon: 1, delta: 1e-6 })).toBeGreaterThan(558);
});
