import { expect, test } from "vitest";
import { roundUp } from "../../../tradeoff/src/estimate.ts";
import { asLower, asUpper, type Interval } from "./rounding.ts";

test("neither end of an interval, nor arithmetic on one, can stand where the other is wanted", () => {
  const { upper, lower }: Interval = { upper: asUpper(0.3, "exact"), lower: asLower(0.2, "exact") };
  // @ts-expect-error: a number computed to nearest is no bound without room for its roundings, or a reason
  expect(asUpper(0.1 + 0.2)).toBe(0.1 + 0.2);
  // @ts-expect-error: a bound from above is none from below
  const swapped: Interval = { upper: lower, lower: upper };
  // @ts-expect-error: a bound less its slack is no bound on that side any more
  const loose: Interval = { upper: upper - 0.1, lower };
  // @ts-expect-error: only a bound from above may be rounded up
  const rounded = roundUp(lower, 1);
  expect([swapped.upper, loose.upper, rounded, roundUp(upper, 0)]).toEqual([0.2, 0.3 - 0.1, 0.2, 1]);
});
