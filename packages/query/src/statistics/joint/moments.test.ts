import { expect, test } from "vitest";
import { coverageOf, errorsOf, lineCoverage, varianceErrors } from "./moments.kit.ts";

test.each(["laplace", "gaussian"] as const)(
  "two columns with %s noise: intervals hold as often as they say [M121]",
  (family) => {
    // Chance that a correct interval fails one check: Binomial(24, 0.1) above 10: 1e-5.
    for (const { name, missed, width, quoted } of coverageOf(family, 24)) {
      expect(missed, name).toBeLessThanOrEqual(10);
      // A quote holds for the worst data, an interval for these.
      expect(width / 2, name).toBeLessThan(name === "slope" ? 4 * quoted : 2 * quoted);
    }
  },
);

test.each([
  ["laplace", 1],
  ["laplace", 2],
  ["laplace", 3],
  ["gaussian", 2],
  ["gaussian", 4],
] as const)(
  "a line with %s noise on %i predictors: intervals hold as often as they say [M122]",
  (family, predictors) => {
    for (const { name, missed, reliable, quoted, largest } of lineCoverage(family, predictors, 60)) {
      expect(reliable, name).toBe(60);
      expect(missed, name).toBeLessThanOrEqual(18);
      if (name !== "intercept") expect(largest, name).toBeLessThan(3 * quoted);
    }
  },
);

test("one release of a tensor has a third of the error of six sums that share epsilon", () => {
  // engine figures: slope 2.7 times below a centred split, correlation 2.6 times; measured here 2.8 and 2.2.
  const { tensor, split } = errorsOf(120);
  expect(split.slope / tensor.slope).toBeGreaterThan(2.2);
  expect(split.correlation / tensor.correlation).toBeGreaterThan(1.8);
});

test.each([
  ["in the middle", 0.5, 0.3, 0.61, 1.05],
  ["near a bound", 0.1, 0.2, 1.27, 2.26],
] as const)("the triple of a variance against three sums that share epsilon: %s", (_, middle, width, ours, theirs) => {
  // By n·ε; the figures are those of another simulation, on other people of the same kind.
  const { triple, split } = varianceErrors(middle, width, 400);
  expect(triple / ours).toBeGreaterThan(0.85);
  expect(triple / ours).toBeLessThan(1.15);
  expect(split / theirs).toBeGreaterThan(0.8);
  expect(split / triple).toBeGreaterThan(1.5);
});
