import fc from "fast-check";
import { expect, test } from "vitest";
import { unitHalfWidth } from "../../noise/combination.ts";
import { bernsteinForms, CHEBYSHEV, chebyshevForms, squareWeights } from "./variance.ts";

const [one, u, uu] = CHEBYSHEV.map(Number) as [number, number, number];
const released = (y: number): readonly number[] => {
  const c = 2 * y - 1;
  return [one, u * c, uu * (2 * c * c - 1)];
};
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

test("both triples give back 1, y and y² [M91, M119]", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (y) => {
      const bernstein = [(1 - y) ** 2, 2 * y * (1 - y), y * y];
      for (const [vector, forms] of [
        [bernstein, bernsteinForms],
        [released(y), chebyshevForms],
      ] as const) {
        expect(dot(forms.one, vector)).toBeCloseTo(1, 12);
        expect(dot(forms.y, vector)).toBeCloseTo(y, 12);
        expect(dot(forms.yy, vector)).toBeCloseTo(y * y, 12);
      }
    }),
  );
});

test("no row is longer than √66, and a row at a bound is as long [M119]", () => {
  const square = one * one + u * u + uu * uu;
  expect(square).toBe(66);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (y) => {
      expect(dot(released(y), released(y))).toBeLessThanOrEqual(square * (1 + 1e-12));
    }),
  );
  expect(dot(released(1), released(1))).toBe(square);
});

test("no mean and variance make the noise wider than at a bound [M119]", () => {
  const widest = unitHalfWidth("gaussian", squareWeights(chebyshevForms, 1, 0), 0.05);
  for (let m = 0; m <= 1; m += 1 / 32)
    for (let share = 0; share <= 1; share += 1 / 8) {
      const weights = squareWeights(chebyshevForms, m, share * m * (1 - m));
      expect(unitHalfWidth("gaussian", weights, 0.05)).toBeLessThanOrEqual(widest * (1 + 1e-9));
    }
});

test("at equal rho the Gaussian triple is better in the middle and hardly worse at the bounds", () => {
  const ratio = (m: number, v: number): number =>
    (Math.sqrt(66) * Math.hypot(...squareWeights(chebyshevForms, m, v))) /
    Math.hypot(...squareWeights(bernsteinForms, m, v));
  expect(ratio(0.5, 0.01)).toBeLessThan(0.78);
  expect(ratio(0.5, 1 / 12)).toBeLessThan(0.9);
  expect(ratio(1, 0)).toBeLessThan(1.05);
});
