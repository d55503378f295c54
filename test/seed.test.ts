import fc from "fast-check";
import { expect, test } from "vitest";

test("a property without a seed of its own draws the same cases each time", () => {
  expect(fc.sample(fc.nat(), 10)).toEqual(fc.sample(fc.nat(), 10));
});
