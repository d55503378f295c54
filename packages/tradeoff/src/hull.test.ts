import { expect, test } from "vitest";
import { golden } from "./golden.kit.ts";
import { hullIndices, lowerHull } from "./points.ts";

interface Columns {
  readonly alpha: readonly number[];
  readonly beta: readonly number[];
}
const { lower_hull: cases } = golden<{ lower_hull: readonly { input: Columns; hull: Columns }[] }>("fdp-curves.json");

test.each(cases)("lower hull of $input", ({ input, hull }) => {
  const got = lowerHull(input.alpha.map((alpha, i) => ({ alpha, beta: input.beta[i]! })));
  expect(got).toEqual(hull.alpha.map((alpha, i) => ({ alpha, beta: hull.beta[i]! })));
});

test("equal alphas keep the lowest beta, at the end too", () => {
  const points = [
    { alpha: 1, beta: 0.5 },
    { alpha: 0, beta: 1 },
    { alpha: 1, beta: 0 },
    { alpha: 0, beta: 0.9 },
  ];
  expect(lowerHull(points)).toEqual([
    { alpha: 0, beta: 0.9 },
    { alpha: 1, beta: 0 },
  ]);
});

test("a strictly convex curve of a million points keeps its corners", () => {
  const alpha = Float64Array.from({ length: 1_000_000 }, (_, i) => i / 999_999);
  const beta = alpha.map((a) => (1 - a) * (1 - a));
  expect(hullIndices(alpha, beta).length).toBeGreaterThan(900_000);
});
