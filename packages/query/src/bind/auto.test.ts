import { epsilonAmount, type Mu2Amount, payMu2, pureEpsilon } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { accuracyOf } from "../statistics/accuracy.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { candidatesOf } from "./auto.ts";
import { boundPlan } from "./bound-plan.ts";

const declaration = checkDeclaration({
  name: "t",
  source: { csv: "t.csv" },
  privacyUnit: "row",
  size: { assumed: 5000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    pay: { type: "number", lower: 0, upper: 1000, granularity: 1 },
    region: { type: "category", categories: Array.from({ length: 50 }, (_, i) => `r${i}`) },
  },
});
const bounded = (request: object) => {
  const [statistic] = boundPlan({ statistics: [request as StatisticRequest] }, declaration).statistics;
  if (statistic === undefined) throw new Error("one statistic");
  return statistic;
};

test("for epsilon it is Laplace, for rho the one with the smaller error [M124]", () => {
  const requests = [
    { statistic: "count" },
    { statistic: "mean", column: "age" },
    { statistic: "variance", column: "pay" },
    { statistic: "covariance", column: "age", with: "pay" },
    { statistic: "histogram", column: "region" },
  ];
  for (const request of requests) {
    expect(bounded({ ...request, noise: "auto", epsilon: "0.5" }).noise.kind).toBe("laplace");
    for (const rho of ["0.0005", "0.1", "2", "30"]) {
      const errors = candidatesOf({ ...request, noise: "auto", rho }).map((each) =>
        accuracyOf(bounded(each), 0.05, 5000),
      );
      expect(errors.length).toBe(2);
      const best = accuracyOf(bounded({ ...request, noise: "auto", rho }), 0.05, 5000);
      expect(best).toBe(Math.min(...errors.map((error) => error ?? Number.NaN)));
    }
  }
});

test("what it takes for rho is never charged more than the rho [M124]", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: 0, max: 10_000 }), (milli, more) => {
      const rho = milli / 1000;
      const [, laplace] = candidatesOf({ statistic: "count", noise: "auto", rho });
      const mu2 = 2n * epsilonAmount(rho, "down");
      const epsilon = epsilonAmount(String(laplace?.epsilon), "down");
      const before = mu2 + BigInt(more) * 10n ** 10n;
      const step = { kind: "pure", epsilon: pureEpsilon(epsilon), count: 1n } as const;
      const after = payMu2(before as Mu2Amount, [step]);
      expect(after).not.toBeNull();
      expect(before - (after ?? 0n) <= mu2 + 4n).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test.each([
  [{ noise: "auto", epsilon: 1, rho: 1 }, "absent: Laplace noise is paid in epsilon"],
  [{ noise: "auto" }, "a decimal > 0"],
  [{ noise: "auto", rho: -1 }, "rho"],
  [{ noise: "auto", rho: "x" }, "rho"],
])("%j is refused", (price, message) => {
  expect(() => bounded({ statistic: "count", ...price })).toThrow(message);
});
