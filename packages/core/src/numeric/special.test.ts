import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gaussianDelta, logGaussianDelta } from "./gaussian-profile.ts";
import {
  erf,
  erfc,
  erfcx,
  log1mexp,
  logAdd,
  logGamma,
  logNormalCdf,
  logNormalQuantile,
  logSumExp,
  millsSlope,
  normalCdf,
  normalQuantile,
  normalQuantileUpper,
} from "./special.ts";

const golden = JSON.parse(readFileSync(new URL("../../../../test/golden/special.json", import.meta.url), "utf8"));

/** Golden inputs where the value has no zero nearby: 1e-15 relative. */
const TOLERANCE = 1e-15;

const functions = { erf, erfc, erfcx, normalCdf, logNormalCdf, normalQuantile, logGamma, log1mexp, millsSlope };

test.each(Object.entries(functions))("%s agrees with 60-digit values to 1e-15", (name, evaluate) => {
  const rows: [number, string][] = golden[name];
  expect(rows.length).toBeGreaterThan(10);
  for (const [x, text] of rows) {
    const truth = Number(text);
    const value = evaluate(x);
    expect(Math.abs(value - truth), `${name}(${x}) = ${value}, truth ${text}`).toBeLessThanOrEqual(
      TOLERANCE * Math.abs(truth),
    );
  }
});

test("the Gaussian δ keeps its digits however small it is", () => {
  for (const [epsilon, muSquared, text] of golden.logGaussianDelta as [number, number, string][]) {
    const truth = Number(text);
    const value = logGaussianDelta(epsilon, muSquared);
    const error = Math.abs(value - truth);
    expect(error, `(${epsilon}, ${muSquared})`).toBeLessThanOrEqual(1e-15 * Math.max(1, 2 * Math.abs(truth)));
  }
});

/** From the reference values of the accountant: mpmath, at least 30 digits. */
test.each([
  [1, 1, 0.12693673750664394],
  [8, 1, 3.6508216874217905e-15],
  [4.3771780956812245, 1, 1e-5],
  [0.3968573776440836, 0.1, 1e-6],
  [0.04886639301570327, 0.01, 1e-9],
  [96.7172719638677, 10, 1e-6],
  [5.718296581808107, 0.5, 1e-30],
])("δ(%d; μ = %d) = %d", (epsilon, mu, delta) => {
  expect(gaussianDelta(epsilon, mu * mu) / delta).toBeCloseTo(1, 11);
});

test("edges: tails, infinities, NaN", () => {
  expect(normalQuantile(0)).toBe(Number.NEGATIVE_INFINITY);
  expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY);
  expect(normalQuantile(1.5)).toBeNaN();
  expect(normalQuantileUpper(1e-300)).toBeCloseTo(37.0471, 4);
  expect(logNormalQuantile(-1e6)).toBeCloseTo(-1414.2079, 3);
  expect(normalCdf(Number.NEGATIVE_INFINITY)).toBe(0);
  expect(normalCdf(Number.POSITIVE_INFINITY)).toBe(1);
  expect(normalCdf(Number.NaN)).toBeNaN();
  expect(logGamma(-1)).toBeNaN();
  expect(logGamma(0)).toBe(Number.POSITIVE_INFINITY);
  expect(logAdd(Number.NEGATIVE_INFINITY, 2)).toBe(2);
  expect(logSumExp([])).toBe(Number.NEGATIVE_INFINITY);
  expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 12);
  expect(gaussianDelta(3, 0)).toBe(0);
  expect(gaussianDelta(-1, 0)).toBeCloseTo(1 - Math.exp(-1), 15);
});
