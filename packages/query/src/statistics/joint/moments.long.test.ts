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
  for (const { name, missed } of lineCoverage(family, predictors, 1000, { seed: 1220 }))
    expect(missed, name).toBeLessThanOrEqual(150);
});

test.each(["laplace", "gaussian"] as const)(
  "a line with %s noise on predictors that hardly vary: the mark selects fits, and they hold [M122]",
  (family) => {
    const lines = lineCoverage(family, 2, 1000, { seed: 1221, spread: family === "laplace" ? 0.08 : 0.12 });
    const marked = lines.find(({ name }) => name === "all at once where marked reliable");
    const { reliable = 0, missed = 0 } = marked ?? {};
    expect(reliable).toBeGreaterThan(50);
    expect(reliable).toBeLessThan(950);
    // Of those marked, no more than one in ten: five standard deviations above it.
    expect(missed).toBeLessThanOrEqual(0.1 * reliable + 5 * Math.sqrt(0.09 * reliable));
  },
);

test("errors of one tensor release and of a split, at ten times the draws", () => {
  const { tensor, split } = errorsOf(1500);
  expect(split.slope / tensor.slope).toBeGreaterThan(2.4);
  expect(split.correlation / tensor.correlation).toBeGreaterThan(2);
});
