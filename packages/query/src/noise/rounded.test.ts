import { normalCdf } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { roundedHalfWidth, roundedNoise, roundedTail } from "./rounded.ts";

/** P(R = k) of the rounded Gaussian, for k from 0 up to where it vanishes. */
const pmfOf = (sigma: number): readonly number[] =>
  Array.from({ length: Math.ceil(12 * sigma) + 2 }, (_, k) =>
    k === 0 ? 1 - 2 * normalCdf(-0.5 / sigma) : normalCdf(-(k - 0.5) / sigma) - normalCdf(-(k + 0.5) / sigma),
  );
const SIGMAS = [0.1, 0.3, 0.4999, 0.5, 0.7, 1, 1.7, 4, 20];

test("rounded noise has no larger moments than normal noise of a little more variance, what rounding adds than a uniform part [M376]", () => {
  for (const sigma of SIGMAS) {
    const { whole } = roundedNoise(sigma, 1);
    const pmf = pmfOf(sigma);
    for (let t = 0.05; t < 12 / Math.max(1, sigma); t += 0.05) {
      const moment = pmf.reduce((sum, p, k) => sum + (k === 0 ? p : 2 * p * Math.cosh(t * k)), 0);
      expect(Math.log(moment)).toBeLessThanOrEqual((t * t * whole) / 2 + 1e-12);
      // E e^{tE} = E cosh tE, E = round(X) − X: on a fine grid of X.
      let [part, all] = [0, 0];
      for (let x = -9 * sigma; x <= 9 * sigma; x += Math.min(sigma, 1) / 200) {
        const mass = Math.exp(-((x / sigma) ** 2) / 2);
        part += mass * Math.cosh(t * (Math.round(x) - x));
        all += mass;
      }
      expect(Math.log(part / all)).toBeLessThanOrEqual((t * t) / 24 + 1e-4 * t * t);
    }
  }
});

test("the tail of a sum is bounded, by exact convolution, and not by much more than it is [M376]", () => {
  for (const sigma of SIGMAS.filter((one) => one <= 4)) {
    const half = pmfOf(sigma);
    const one = [...half.slice(1).toReversed(), ...half];
    let sum: readonly number[] = [1];
    for (let terms = 1; terms <= 16; terms++) {
      const next = new Array<number>(sum.length + one.length - 1).fill(0);
      sum.forEach((p, i) => {
        for (const [j, q] of one.entries()) next[i + j] = (next[i + j] ?? 0) + p * q;
      });
      sum = next;
      const middle = (sum.length - 1) / 2;
      const beyond = (x: number): number =>
        sum.reduce((total, p, at) => total + (Math.abs(at - middle) > x ? p : 0), 0);
      const noise = roundedNoise(sigma, terms);
      for (const beta of [0.3, 0.05, 0.003, 1e-6]) {
        const x = roundedHalfWidth(noise, beta);
        expect(beyond(x)).toBeLessThanOrEqual(beta);
        expect(roundedTail(noise, x)).toBeLessThan(3 * beta);
        if (sigma >= 1 && terms >= 8 && beta < 0.1 && beta > 1e-4) expect(beyond(x / 1.6)).toBeGreaterThan(beta);
      }
      for (let x = 0; x < middle; x += middle / 40)
        expect(roundedTail(noise, x)).toBeGreaterThanOrEqual(beyond(x) - 1e-12);
    }
  }
});

test("less noise never has a larger error, also where rounding is most of it", () => {
  for (const beta of [0.5, 0.05, 1e-3, 1e-9])
    for (let [sigma, before] = [0.01, 0]; sigma < 50; sigma *= 1.03) {
      const half = roundedHalfWidth(roundedNoise(sigma, 16), beta);
      expect(half).toBeGreaterThanOrEqual(before);
      before = half;
    }
});
