import { expect, test } from "vitest";
import { coverageOf, errorsOf, lineCoverage } from "./moments.kit.ts";

test.each(["laplace", "gaussian"] as const)("many draws of two columns with %s noise [M121]", (family) => {
  // Binomial(150, 0.1) above 33: 6e-6.
  for (const { name, missed } of coverageOf(family, 150, 1210)) expect(missed, name).toBeLessThanOrEqual(33);
});

test.each([
  ["laplace", 2],
  ["laplace", 4],
  ["gaussian", 5],
] as const)("many draws of a line with %s noise on %i predictors [M122]", (family, predictors) => {
  for (const { name, missed } of lineCoverage(family, predictors, 1000, 1220))
    expect(missed, name).toBeLessThanOrEqual(150);
});

test("errors of one tensor release and of a split, at ten times the draws", () => {
  const { tensor, split } = errorsOf(1500);
  expect(split.slope / tensor.slope).toBeGreaterThan(2.4);
  expect(split.correlation / tensor.correlation).toBeGreaterThan(2);
});
