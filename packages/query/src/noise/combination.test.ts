import { type EpsilonAmount, parseRational } from "@dosimeter/core";
import { laplaceSampler } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import type { Noise } from "../plan/bounded.ts";
import { bernsteinForms, squareWeights } from "../statistics/moments/variance.ts";
import { combinationHalfWidth, combinationTail, unitHalfWidth } from "./combination.ts";

const FAILURES = [0.5, 0.05, 1e-3, 1e-9];

test("equal weights: never below the closed tail of two and three Laplace variables, less than 6 % above it", () => {
  const tails = [
    (x: number) => Math.exp(-x),
    (x: number) => (1 + x / 2) * Math.exp(-x),
    (x: number) => (1 + (5 * x) / 8 + (x * x) / 8) * Math.exp(-x),
  ];
  tails.forEach((tail, more) => {
    const weights = Array.from({ length: more + 1 }, () => -0.7);
    for (const failure of FAILURES) {
      const x = unitHalfWidth("laplace", weights, failure);
      expect(tail(x / 0.7)).toBeLessThanOrEqual(failure);
      expect(tail(x / 0.7 / 1.06)).toBeGreaterThan(failure);
    }
  });
});

test("Gaussian noise adds in squares", () => {
  expect(unitHalfWidth("gaussian", [3, -4], 0.05)).toBeCloseTo(5 * 1.959964, 5);
  expect(unitHalfWidth("gaussian", [0, 0], 0.05)).toBe(0);
});

test("integer noise stays within the half-width as often as it says", () => {
  // Chance that a correct half-width fails one check: 20,000 draws beyond 5.5σ, 2e-8.
  const noise: Noise = { kind: "laplace", epsilon: 1n as EpsilonAmount, scale: parseRational("13") };
  const draw = laplaceSampler(noise.scale);
  const random = seededRandom(90);
  for (const weights of [[1], [1, -1], [0.2, 0.5, 0.21], [1, 1, 1, 1], [0.3, 0.1, 1, 0.2, 0.5, 0.5, 0.1, 0.9, 0.05]]) {
    const half = combinationHalfWidth(noise, weights, 0.1);
    let beyond = 0;
    for (let i = 0; i < 20_000; i++)
      if (Math.abs(weights.reduce((sum, weight) => sum + weight * Number(draw(random)), 0)) > half) beyond += 1;
    expect(beyond).toBeLessThan(2000 + 5.5 * Math.sqrt(1800));
    expect(combinationTail(noise, weights, half)).toBeLessThanOrEqual(0.1 * (1 + 1e-6));
  }
});

test("no mean and variance make the noise of a variance wider than one integer's [M91]", () => {
  for (const kind of ["laplace", "gaussian"] as const)
    for (const failure of [0.5, 0.05, 1e-4]) {
      const widest = unitHalfWidth(kind, [1], failure);
      for (let m = 0; m <= 1; m += 1 / 32)
        for (let share = 0; share <= 1; share += 1 / 8) {
          const weights = squareWeights(bernsteinForms, m, share * m * (1 - m));
          expect(unitHalfWidth(kind, weights, failure)).toBeLessThanOrEqual(widest * (1 + 1e-6));
        }
    }
});

test("nine weights: between the tail of as wide a normal variable and 6 % beyond", () => {
  const equal = unitHalfWidth("laplace", new Array<number>(9).fill(1), 0.05);
  expect(equal).toBeGreaterThan(Math.sqrt(18) * 1.959964);
  expect(equal).toBeLessThan(Math.sqrt(18) * 1.959964 * 1.06);
  // One large weight and eight small ones: the exact tail of the large one alone is below it.
  const uneven = unitHalfWidth("laplace", [1, ...new Array<number>(8).fill(0.01)], 0.05);
  expect(uneven).toBeGreaterThan(Math.log(20));
  expect(uneven).toBeLessThan(Math.log(20) * 1.02);
});

test("a sum of two is inverted to the digits of its closed form", () => {
  // Five scales of which three are raised to 0.05: never below e^-x(1 + x/2), which leaves them out.
  const weights = [1, 1, 1e-9, 1e-9, 1e-9];
  for (const x of [0.5, 2, 6, 15]) {
    const half = unitHalfWidth("laplace", weights, (1 + x / 2) * Math.exp(-x));
    expect(half).toBeGreaterThan(x);
    expect(half).toBeLessThan(x + 0.02);
  }
});
