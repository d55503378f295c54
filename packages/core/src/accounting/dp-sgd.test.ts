import { expect, test } from "vitest";
import { priceOf, sumOfChunks, trainings } from "./dp-sgd.kit.ts";

// Those of which there is a bound from below: bench/outside.bench.ts asks all.
const some = trainings.flatMap(({ prv, ...training }) => (prv === undefined ? [] : [{ ...training, prv }]));

test("the golden file has what the test needs", () => {
  expect(some.length).toBeGreaterThanOrEqual(20);
});

test.each(some.map((training) => [JSON.stringify(training), training] as const))(
  "a training costs no less than its loss, and at most 0.1 % more: %s",
  (_, training) => {
    const price = priceOf(training);
    const [low, high] = training.prv;
    expect(price).toBeGreaterThan(low);
    expect(price).toBeLessThanOrEqual(Math.min(training.pld, high));
    expect(price).toBeLessThan(1.001 * low);
    expect(sumOfChunks(training, 5)).toBeGreaterThan(price);
  },
);
