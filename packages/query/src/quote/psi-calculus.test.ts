import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type StatisticName, statisticNames, statisticOf } from "../statistics/registry.ts";
import { getAccuracy, getParameter, type Metadata } from "./psi-calculus.ts";

/** Enough to ask for any statistic of the table. */
const metadata = (statistic: StatisticName, n: number): Metadata => ({
  statistic,
  n,
  lower: 0,
  upper: 100,
  granularity: 1,
  rows: 2,
  ...(statistic === "unitSum" ? { unitLower: 0, unitUpper: 300 } : {}),
  ...(statistic.startsWith("running") ? { bins: 12 } : {}),
});

describe.each(statisticNames)("%s", (statistic) => {
  const { column } = statisticOf(statistic);
  test.runIf(column !== "key")("the error of the least epsilon for an error is never more than was asked for", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 1e-6),
        fc.constantFrom(0.05, 0.001),
        fc.constantFrom(2000, 100_000),
        fc.double({ min: 0.05, max: 3, noNaN: true }),
        (delta, failureProbability, n, epsilon) => {
          const given = metadata(statistic, n);
          const error = getAccuracy(epsilon, delta, given, failureProbability);
          const price = getParameter(error, delta, given, failureProbability);
          expect(getAccuracy(price, delta, given, failureProbability)).toBeLessThanOrEqual(error * (1 + 1e-12));
          expect(Number(price)).toBeLessThanOrEqual(epsilon * (1 + 1e-6) + 1e-9);
        },
      ),
      { numRuns: 4 },
    );
  });
});

test("delta buys Gaussian noise where that is better, and never worse", () => {
  const bounds = { lower: 0, upper: 10 };
  const wide: Metadata = { statistic: "regression", ...bounds, others: new Array(4).fill(bounds), n: 100_000 };
  expect(getAccuracy(1, 1e-6, wide, 0.05)).toBeLessThan(getAccuracy(1, 0, wide, 0.05));
  expect(Number(getParameter(1, 1e-6, wide, 0.05))).toBeLessThan(Number(getParameter(1, 0, wide, 0.05)));
  const one: Metadata = { statistic: "count" };
  expect(getAccuracy(1, 1e-9, one, 0.05)).toBeLessThanOrEqual(getAccuracy(1, 0, one, 0.05));
});

test.each([-0.1, 1, Number.NaN])("a delta of %s is refused", (delta) => {
  expect(() => getAccuracy(1, delta, { statistic: "count" }, 0.05)).toThrow("delta");
  expect(() => getParameter(1, delta, { statistic: "count" }, 0.05)).toThrow("delta");
});
