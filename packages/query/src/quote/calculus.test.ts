import { epsilonAmount, formatEpsilon, PrivacyError } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { statisticNames } from "../statistics/registry.ts";
import { accuracy, type CalculusRequest, epsilonFor } from "./calculus.ts";

const request: fc.Arbitrary<CalculusRequest> = fc.record({
  statistic: fc.constantFrom("count", "distinctUnits", "sum", "mean", "variance", "standardDeviation", "histogram"),
  noise: fc.constantFrom("laplace", "gaussian"),
  failureProbability: fc.constantFrom(0.5, 0.05, 0.001),
  lower: fc.constantFrom(-7, 0),
  upper: fc.constantFrom(1, 200_000),
  n: fc.constantFrom(10, 1000, 10 ** 7),
  rows: fc.integer({ min: 1, max: 20 }),
  groups: fc.constantFrom(1, 5),
});

test("the least epsilon for an error reaches it, and one unit less does not", () => {
  fc.assert(
    fc.property(request, fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (given, wish) => {
      const most = given.noise === "gaussian" ? { rho: 1_000_000 } : { epsilon: 1_000_000 };
      fc.pre(accuracy({ ...given, ...most }) <= wish);
      const price = epsilonFor({ ...given, accuracy: wish });
      expect(accuracy({ ...given, ...price })).toBeLessThanOrEqual(wish);
      const [[name, text = "0"] = ["epsilon"]] = Object.entries(price);
      const less = formatEpsilon(epsilonAmount(text, "down") - 1n);
      if (less !== "0") expect(accuracy({ ...given, [name]: less })).toBeGreaterThan(wish);
    }),
  );
});

test("more epsilon never makes an error larger", () => {
  fc.assert(
    fc.property(request, fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (given, a, b) => {
      const at = (price: number): number =>
        accuracy({ ...given, [given.noise === "gaussian" ? "rho" : "epsilon"]: price / 1000 });
      expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)));
    }),
  );
});

test("replace-one with n public reproduces R·ln(1/β)/(nε), to its printed digits", () => {
  const psi = { adjacency: "replace", n: 1000 } as const;
  expect(accuracy({ ...psi, statistic: "mean", lower: 0, upper: 100, epsilon: 0.2 })).toBeCloseTo(1.49787, 5);
  expect(accuracy({ ...psi, statistic: "mean", lower: 0, upper: 200_000, epsilon: 0.2 })).toBeCloseTo(2995.73, 1);
  expect(
    Number(Object.values(epsilonFor({ ...psi, statistic: "mean", lower: 0, upper: 100, accuracy: 0.5 }))[0]),
  ).toBeCloseTo(0.599146, 6);
  expect(
    Number(Object.values(epsilonFor({ ...psi, statistic: "mean", lower: 0, upper: 200_000, accuracy: 2000 }))[0]),
  ).toBeCloseTo(0.299573, 6);
  // Integer noise: the next whole number at or below 2·ln(20)/0.2 = 29.957.
  expect(accuracy({ ...psi, statistic: "histogram", epsilon: 0.2 })).toBe(30);
});

test.each([
  [
    { statistic: "mean", lower: 0, upper: 1, epsilon: 1 },
    "n is missing, must be the number of protected units to assume",
  ],
  [
    { statistic: "mean", upper: 1, epsilon: 1, n: 5 },
    "columns.value.lower is missing, must be a finite number within ±1e300",
  ],
  [
    { statistic: "mode", epsilon: 1 },
    `statistic is "mode", must be one of ${statisticNames.join(", ")} (did you mean median?)`,
  ],
  [
    { statistic: "count", epsilon: 1, failureProbability: 0 },
    "failureProbability is 0, must be between 0 and 1, both excluded",
  ],
  [{ statistic: "count" }, "statistics[0].epsilon is missing, must be a decimal > 0"],
])("%j is refused", (given, message) => {
  expect(() => accuracy(given as CalculusRequest)).toThrow(expect.objectContaining({ message }));
  expect(() => accuracy(given as CalculusRequest)).toThrow(PrivacyError);
});

test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "3"])("an error of %s cannot be bought", (wish) => {
  expect(() => epsilonFor({ statistic: "count", accuracy: wish as number })).toThrow("accuracy is");
});
