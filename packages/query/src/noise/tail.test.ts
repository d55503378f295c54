import { type EpsilonAmount, type Mu2Amount, parseRational } from "@dosimeter/core";
import { gaussianPmf, laplacePmf } from "@dosimeter/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Noise } from "../plan/bounded.ts";
import { countInterval, noiseHalfWidth, pairHalfWidth, pairTail, spread, sumHalfWidth } from "./tail.ts";

const laplace = (scale: string): Noise => ({
  kind: "laplace",
  epsilon: 1n as EpsilonAmount,
  scale: parseRational(scale),
});
const gaussian = (sigma: string): Noise => ({
  kind: "gaussian",
  mu2: 1n as Mu2Amount,
  sigma: parseRational(sigma),
});
const cases = [laplace("3"), laplace("17/2"), laplace("40"), gaussian("2.5"), gaussian("30")].map(
  (noise) => [`${noise.kind} noise of ${spread(noise)}`, noise] as const,
);

const reach = (noise: Noise): number => Math.ceil((noise.kind === "laplace" ? 25 : 8) * spread(noise));

function pmf(noise: Noise): (k: number) => number {
  const width = spread(noise);
  const most = reach(noise);
  const weights = Array.from({ length: most + 1 }, (_, k) =>
    noise.kind === "laplace" ? laplacePmf(width, k) : gaussianPmf(width, k),
  );
  return (k) => weights[Math.abs(k)] ?? 0;
}

/** P(|a·Z1 + b·Z2| > x), summed over the exact distributions. */
function exactTail(noise: Noise, a: number, b: number, x: number): number {
  const [most, weight] = [reach(noise), pmf(noise)];
  let sum = 0;
  for (let i = -most; i <= most; i++) {
    let inner = 0;
    for (let j = -most; j <= most; j++) if (Math.abs(a * i + b * j) > x + 1e-9) inner += weight(j);
    sum += weight(i) * inner;
  }
  return sum;
}

describe.each(cases)("%s", (_, noise) => {
  test("the half-width of one answer is the least that holds [M85]", () => {
    const weight = pmf(noise);
    const beyond = (k: number): number => {
      let inside = 0;
      for (let i = -k; i <= k; i++) inside += weight(i);
      return 1 - inside;
    };
    for (const failure of [0.5, 0.05, 0.01]) {
      const half = noiseHalfWidth(noise, failure);
      expect(beyond(half)).toBeLessThanOrEqual(failure);
      if (half > 0) expect(beyond(half - 1)).toBeGreaterThan(failure);
    }
  });

  test("the tail of a pair is never understated, and less than two ticks wide of the truth [M87]", () => {
    for (const t of [0, 0.1, 0.5, 0.500001, 0.83, 1])
      for (const share of [0.3, 1, 2.5]) {
        const x = share * reach(noise) * 0.1;
        const truth = exactTail(noise, 1 - t, -t, x);
        expect(pairTail(noise.kind, spread(noise), t, x)).toBeGreaterThanOrEqual(truth - 1e-9);
        expect(pairTail(noise.kind, spread(noise), t, x + 2)).toBeLessThanOrEqual(truth + 1e-9);
      }
  });

  test("half-widths of means and of numbers of rows hold", () => {
    for (const failure of [0.3, 0.05]) {
      for (const t of [0, 0.25, 0.5, 1])
        expect(exactTail(noise, 1 - t, -t, pairHalfWidth(noise, failure))).toBeLessThanOrEqual(failure);
      expect(exactTail(noise, 1, 1, sumHalfWidth(noise, failure))).toBeLessThanOrEqual(failure);
    }
  });
});

test.each([0.999, 0.5, 0.2, 0.05, 0.01, 1e-6, 1e-12])(
  "the free number of rows has an interval that holds at %d, and no wider than needed",
  (failure) => {
    // P(|Z1 + Z2| > x) of two real Laplace draws of scale λ is (1 + x/2λ)·e^{−x/λ}; 2 allows for the integer draws.
    const tail = (x: number): number => (1 + x / 2000) * Math.exp(-x / 1000);
    const half = sumHalfWidth(laplace("1000"), failure);
    expect(tail(half - 2)).toBeLessThanOrEqual(failure);
    expect(tail((half - 2) * (1 - 1e-9))).toBeGreaterThan(failure * (1 - 1e-9));
  },
);

test("the interval of a count holds what came out, also below zero, and every number of rows that it held before [M380]", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -500, max: 500 }),
      fc.nat({ max: 300 }),
      fc.nat({ max: 900 }),
      (value, half, rows) => {
        const [from, to] = countInterval(value, half);
        expect(from).toBeLessThanOrEqual(value);
        expect(to).toBeGreaterThanOrEqual(Math.max(0, value));
        if (value >= 0) expect(from).toBeGreaterThanOrEqual(0);
        if (Math.abs(rows - value) <= half) expect(from <= rows && rows <= to).toBe(true);
      },
    ),
  );
});
