import { describe, expect, test } from "vitest";
import { discreteGaussian } from "../accounting/loss-distribution.ts";
import { formatEpsilon } from "../amounts/amount.ts";
import { compare, divide, multiply, parseRational, rational } from "../amounts/rational.ts";
import { PrivacyError } from "../error.ts";
import { normalCdf } from "../numeric/special.ts";
import { chiSquarePValue, chiSquareTail, SIGNIFICANCE } from "./chi-square.kit.ts";
import { gaussianAccuracy, gaussianPmf, gaussianSampler, gaussianSigmaFor, noiseMultiplier } from "./gaussian.ts";
import {
  bernoulliExp,
  laplaceAccuracy,
  laplaceEpsilonFor,
  laplacePmf,
  laplaceSampler,
  laplaceScaleFor,
} from "./laplace.ts";
import type { Random } from "./random.ts";
import { seededRandom } from "./seeded-random.ts";

const DRAWS = 60_000;

/** Pr[|noise| > k] for an integer k ≥ 0. */
const gaussianTail = (sigma: number, k: number): number => 2 * normalCdf(-(k + 0.5) / sigma);
const laplaceTail = (scale: number, k: number): number => (2 * Math.exp(-(k + 1) / scale)) / (1 + Math.exp(-1 / scale));

const draw = (sampler: (random: Random) => bigint, seed: number): bigint[] => {
  const random = seededRandom(seed);
  return Array.from({ length: DRAWS }, () => sampler(random));
};

test("the χ² tail itself: known quantiles", () => {
  expect(chiSquareTail(3.841458820694124, 1)).toBeCloseTo(0.05, 12);
  expect(chiSquareTail(18.307038053275146, 10)).toBeCloseTo(0.05, 12);
  expect(chiSquareTail(2, 2)).toBeCloseTo(Math.exp(-1), 14);
  const off = draw(laplaceSampler(parseRational("2.1")), 1);
  expect(chiSquarePValue(off, (k) => laplacePmf(2, k))).toBeLessThan(SIGNIFICANCE); // it does refute a wrong scale
});

describe("exact Bernoulli(exp(−p/q))", () => {
  test.each([
    [0n, 1n],
    [1n, 3n],
    [1n, 1n],
    [7n, 2n],
    [10n ** 30n, 3n * 10n ** 30n],
  ])("%d/%d", (p, q) => {
    const random = seededRandom(5);
    let hits = 0;
    for (let i = 0; i < DRAWS; i++) if (bernoulliExp(p, q, random)) hits += 1;
    const expected = Math.exp(-Number(p) / Number(q));
    const deviation = Math.sqrt(DRAWS * expected * (1 - expected));
    expect(Math.abs(hits - DRAWS * expected)).toBeLessThanOrEqual(4.9 * deviation); // 1e-6
  });
});

describe("discrete Laplace", () => {
  test.each([
    "0.1",
    "1/3",
    "1",
    "2",
    "10/3",
    "25",
    "9007199254740993/9007199254740992",
    "30000000000000000001/10000000000000000000",
  ])("has the right distribution at scale %s", (text) => {
    const scale = parseRational(text);
    const value = Number(scale.numerator) / Number(scale.denominator);
    expect(chiSquarePValue(draw(laplaceSampler(scale), 11), (k) => laplacePmf(value, k))).toBeGreaterThan(SIGNIFICANCE);
  });

  test("a scale above 2⁵³ in lowest terms is drawn with the same spread", () => {
    const scale = 3n * 10n ** 20n;
    const sizes = draw(laplaceSampler(rational(scale)), 12)
      .slice(0, 4000)
      .map((x) => Math.abs(Number(x)) / Number(scale));
    const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length;
    expect(Math.abs(mean - 1)).toBeLessThan(5 / Math.sqrt(sizes.length)); // exponential of mean 1: 5.7e-7
  });

  test("answers a fixed stream of words with known draws", () => {
    const random = seededRandom(2024);
    const sampler = laplaceSampler(parseRational("10/3"));
    expect(Array.from({ length: 12 }, () => Number(sampler(random)))).toMatchInlineSnapshot(`
      [
        -5,
        2,
        4,
        -4,
        -7,
        -4,
        -1,
        0,
        -3,
        -1,
        5,
        2,
      ]
    `);
  });

  test("pmf and tail agree with each other", () => {
    for (const scale of [0.2, 1, 3.7, 40]) {
      let mass = laplacePmf(scale, 0);
      for (let k = 1; k < 60 * scale + 20; k++) {
        expect(laplaceTail(scale, k - 1) / (1 - mass)).toBeCloseTo(1, 3);
        if (1 - mass < 1e-9) break;
        mass += 2 * laplacePmf(scale, k);
      }
    }
  });

  test.each([0.05, 0.3, 1, 2.5, 10, 1234.5, 1e9])(
    "accuracy is the least half-width that holds, and its inverse meets it (scale %d)",
    (scale) => {
      for (const failureProbability of [0.5, 0.05, 1e-6, 1e-300]) {
        const k = laplaceAccuracy(scale, failureProbability);
        expect(laplaceTail(scale, k)).toBeLessThanOrEqual(failureProbability);
        if (k > 0) expect(laplaceTail(scale, k - 1) * (1 + 1e-12)).toBeGreaterThan(failureProbability);
        const largest = laplaceScaleFor(k, failureProbability);
        expect(largest).toBeGreaterThanOrEqual(scale * (1 - 1e-12));
        expect(laplaceAccuracy(largest, failureProbability)).toBeLessThanOrEqual(k);
        expect(laplaceAccuracy(largest * (1 + 1e-9), failureProbability)).toBeGreaterThan(k);
      }
    },
  );

  test("the ε for an accuracy meets it and is the least in ledger units", () => {
    const target = { accuracy: 20, failureProbability: 0.05, sensitivity: 3n };
    const epsilon = laplaceEpsilonFor(target);
    const scaleAt = (units: bigint): number => 3 / (Number(units) / 1e12);
    expect(laplaceAccuracy(scaleAt(epsilon), 0.05)).toBeLessThanOrEqual(20);
    expect(laplaceAccuracy(scaleAt(epsilon - 2n), 0.05)).toBeGreaterThan(20);
    expect(formatEpsilon(epsilon)).toMatch(/^0\.4/);
  });
});

describe("exactly rounded Gaussian", () => {
  test.each(["0.3", "1", "10/3", "17.25", "1/7", "123456789123456789/100000000000000000"])(
    "has the right distribution at σ = %s",
    (text) => {
      const sigma = parseRational(text);
      const value = Number(sigma.numerator) / Number(sigma.denominator);
      expect(chiSquarePValue(draw(gaussianSampler(sigma), 21), (k) => gaussianPmf(value, k))).toBeGreaterThan(
        SIGNIFICANCE,
      );
    },
  );

  test("a large σ has the right spread and keeps every integer in reach", () => {
    const sigma = 10n ** 25n;
    const draws = draw(gaussianSampler(rational(sigma)), 22).slice(0, 4000);
    const square = draws.reduce((sum, x) => sum + (Number(x) / Number(sigma)) ** 2, 0) / draws.length;
    expect(Math.abs(square - 1)).toBeLessThan(5 * Math.sqrt(2 / draws.length));
    expect(new Set(draws.map((x) => ((x % 10n) + 10n) % 10n)).size).toBe(10);
  });

  test("differs from the discrete Gaussian where corrections say so: at σ = 1 the laws are not the same", () => {
    const draws = draw(gaussianSampler(rational(1n)), 23);
    const weight = (k: number): number => Math.exp((-k * k) / 2);
    const total = Array.from({ length: 81 }, (_, i) => weight(i - 40)).reduce((sum, each) => sum + each);
    expect(chiSquarePValue(draws, (k) => weight(k) / total)).toBeLessThan(SIGNIFICANCE);
  });

  test("where the first digit cannot tell, the answer waits for the next", () => {
    // σ = 3/2 rounds |Z| = 1/3 up and anything below it down; 1/3 lies inside the first digit's interval
    const third = Math.floor(2 ** 32 / 3);
    const most = 2 ** 32 - 1;
    for (const [next, size] of [
      [0, 0n],
      [third, 1n],
      [most, 1n],
    ] as const) {
      const words = [0, most, most, third, next, most, 0];
      const random = { uint32: () => words.shift() ?? 0 };
      const draw = gaussianSampler(parseRational("3/2"))(random);
      expect(draw < 0n ? -draw : draw).toBe(size);
    }
  });

  test("answers a fixed stream of words with known draws", () => {
    const random = seededRandom(2024);
    const sampler = gaussianSampler(parseRational("10/3"));
    expect(Array.from({ length: 12 }, () => Number(sampler(random)))).toMatchInlineSnapshot(`
      [
        0,
        0,
        3,
        -2,
        -4,
        -2,
        1,
        0,
        -1,
        -4,
        -5,
        1,
      ]
    `);
  });

  test.each([0.1, 0.5, 1, 3.3, 100, 1e6])(
    "accuracy is the least half-width that holds, and its inverse meets it (σ = %d)",
    (sigma) => {
      for (const failureProbability of [0.5, 0.05, 1e-6, 1e-200]) {
        const k = gaussianAccuracy(sigma, failureProbability);
        expect(gaussianTail(sigma, k)).toBeLessThanOrEqual(failureProbability);
        if (k > 0) expect(gaussianTail(sigma, k - 1) * (1 + 1e-12)).toBeGreaterThan(failureProbability);
        const largest = gaussianSigmaFor(k, failureProbability);
        expect(largest).toBeGreaterThanOrEqual(sigma * (1 - 1e-12));
        expect(gaussianAccuracy(largest * (1 + 1e-9), failureProbability)).toBeGreaterThan(k);
      }
    },
  );

  test("the noise multiplier of an event never claims more noise than there is", () => {
    for (const [sigma, squared] of [
      ["10/3", 2n],
      ["12345.6789", 7n],
      ["1", 1n],
    ] as const) {
      const exact = parseRational(sigma);
      const multiplier = parseRational(noiseMultiplier(exact, squared));
      const square = multiply(multiplier, multiplier);
      const truth = divide(multiply(exact, exact), rational(squared));
      expect(compare(square, truth)).toBeLessThanOrEqual(0n);
      expect(Number(divide(square, truth).numerator) / Number(divide(square, truth).denominator)).toBeCloseTo(1, 14);
    }
  });
});

test("scales, probabilities and accuracies outside their range are refused", () => {
  for (const call of [
    () => laplaceSampler(rational(0n)),
    () => gaussianSampler(rational(-1n)),
    () => laplaceAccuracy(Number.NaN, 0.05),
    () => laplaceAccuracy(1, 0),
    () => laplaceAccuracy(1, 1),
    () => gaussianAccuracy(Number.POSITIVE_INFINITY, 0.05),
    () => laplaceScaleFor(1.5, 0.05),
    () => gaussianSigmaFor(-1, 0.05),
  ]) {
    expect(call).toThrow(PrivacyError);
  }
});

/**
 * What OpenDP's `python/test/test_accuracy.py` expects (opendp/opendp, MIT): its accuracy a and α say P(|noise| ≥ a) ≤ α, ours at a − 1.
 * Its Gaussian noise is the discrete Gaussian; ours is a Gaussian rounded to an integer, whose σ for the same width is smaller, as rounding
 * itself is noise of variance 1/12. So the mass at 0 is compared with the distribution that our accountant has for a discrete Gaussian.
 */
test("OpenDP's accuracy conversions: the same scale of discrete Laplace noise, and the same mass of a discrete Gaussian", () => {
  const [theirLaplace, theirGaussian] = [0.9102392266268373, 0.797878994872694];
  expect(laplaceScaleFor(0, 0.5) / theirLaplace).toBeCloseTo(1, 14);
  expect(1 - discreteGaussian(theirGaussian, 1).mass(0)).toBeCloseTo(0.5, 13);
  const beyond = (k: number): number =>
    1 - [0, 1, 1].slice(0, 1 + 2 * k).reduce((sum, x) => sum + discreteGaussian(1, 1).mass(x), 0);
  // Their accuracy of σ = 1 at α = ½ is 2: more than half lies beyond 0, and no more beyond 1.
  expect([beyond(0) > 0.5, beyond(1) <= 0.5]).toEqual([true, true]);
  expect(gaussianSigmaFor(0, 0.5)).toBeCloseTo(Math.sqrt(theirGaussian ** 2 - 1 / 12), 1);
  expect(gaussianSigmaFor(0, 0.5)).toBeLessThan(theirGaussian);
});
