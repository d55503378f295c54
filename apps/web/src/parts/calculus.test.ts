import { expect, test } from "vitest";
import { countError, guessesRight, posterior } from "./calculus.ts";

/** P(|Z| > k) of discrete Laplace noise of scale 1/ε, summed term by term from its definition. */
function tail(epsilon: number, k: number): number {
  const r = Math.exp(-epsilon);
  let sum = 0;
  for (let z = k + 1; z < k + 60 / epsilon; z++) sum += ((1 - r) / (1 + r)) * r ** z;
  return 2 * sum;
}

test.each([0.01, 0.1, 0.5, 1, 3, 10])("the error of a count at ε %d is the least that holds", (epsilon) => {
  const k = countError(epsilon, 0.05);
  expect(tail(epsilon, k)).toBeLessThanOrEqual(0.05);
  if (k > 0) expect(tail(epsilon, k - 1)).toBeGreaterThan(0.05);
});

test("the odds are those a person would compute", () => {
  expect(posterior(0.1, 0.2)).toBeCloseTo(0.1195, 4);
  expect(posterior(0.1, 1)).toBeCloseTo(0.232, 3);
  expect(guessesRight(1)).toBeCloseTo(0.731, 3);
  expect(guessesRight(0)).toBe(0.5);
  expect(posterior(0, 5)).toBe(0);
});
