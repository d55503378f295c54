import fc from "fast-check";
import { expect, test } from "vitest";
import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import { normalCdf, normalQuantile } from "../numeric/special.ts";
import { amendTerms, guarantee, guaranteeDelta, guaranteeTradeoff } from "./guarantee.ts";
import { openTerms } from "./terms.ts";

const tight = openTerms({ epsilon: 1, delta: 1e-6, rule: "tight" });
const both = openTerms({ epsilon: 1, delta: 1e-6, rule: "additionThenTight" });
const addition = openTerms({ epsilon: 1, delta: 1e-6, rule: "addition" });

test("δ is split into the filter's part and the rest, and μ₀² is the largest that the filter's part allows", () => {
  expect(both.deltaFilter + both.deltaSelection).toBe(both.delta);
  expect(both.deltaSelection * 10n).toBe(both.delta);
  expect(addition.deltaSelection).toBe(addition.delta);
  const muSquared = Number(both.mu2) / 1e12;
  expect(gaussianDelta(1, muSquared)).toBeLessThanOrEqual(9e-7);
  expect(gaussianDelta(1, muSquared + 2e-12)).toBeGreaterThan(9e-7);
});

test("the sentence depends on the rule and states its own numbers", () => {
  expect(guarantee(addition).sentence).toMatch(
    /1-DP composed with \(0, 0\.000001\)-DP; so it is \(1, 0\.000001\)-DP\.$/,
  );
  expect(guarantee(tight)).toMatchObject({
    form: "gaussianAndDelta",
    epsilon: "1",
    delta: "0.000001",
    deltaSelection: "0.0000001",
  });
  expect(guarantee(both).sentence).toMatch(/for every x ≥ 1 with δ\(x\) = δ_Gauss/);
});

test("the profile gives the promised (ε, δ), falls, and is 1 at most", () => {
  for (const terms of [tight, both, addition]) {
    expect(guaranteeDelta(terms, 1)).toBeLessThanOrEqual(1e-6 * (1 + 1e-9));
    let last = 1;
    for (let x = 0; x < 6; x += 0.05) {
      const delta = guaranteeDelta(terms, x);
      expect(delta).toBeLessThanOrEqual(last * (1 + 1e-9));
      expect(delta).toBeGreaterThanOrEqual(0);
      last = delta;
    }
  }
});

test("the trade-off curve is the profile's: no point above any of its lines, and it touches one", () => {
  const profiles = [tight, both, addition].map((terms) => {
    const points: { readonly x: number; readonly delta: number }[] = [];
    for (let x = terms.rule === "tight" ? 0 : 1; x < 12; x += 0.001)
      points.push({ x, delta: guaranteeDelta(terms, x) });
    return { terms, points };
  });
  fc.assert(
    fc.property(
      fc.double({ min: 1e-9, max: 1, noNaN: true }),
      fc.constantFrom(...profiles),
      (alpha, { terms, points }) => {
        const beta = guaranteeTradeoff(terms, alpha);
        expect(beta).toBeLessThanOrEqual(1 - alpha + 1e-12);
        let best = 0;
        for (const { x, delta } of points) {
          best = Math.max(best, 1 - delta - Math.exp(x) * alpha, Math.exp(-x) * (1 - delta - alpha));
        }
        expect(best).toBeLessThanOrEqual(beta + 1e-9);
        expect(best).toBeGreaterThanOrEqual(beta - 1e-5);
      },
    ),
    { numRuns: 30 },
  );
});

test("under tight the curve is the Gaussian one less δ_m", () => {
  const mu = Math.sqrt(Number(tight.mu2) / 1e12);
  for (const alpha of [0.001, 0.05, 0.3]) {
    expect(guaranteeTradeoff(tight, alpha)).toBeCloseTo(normalCdf(-normalQuantile(alpha) - mu) - 1e-7, 9);
  }
  expect(guaranteeTradeoff(tight, 0)).toBeCloseTo(1 - 1e-7, 9);
  expect(guaranteeTradeoff(tight, 1)).toBe(0);
});

test("extreme budgets give finite curves", () => {
  const huge = openTerms({ epsilon: 800, delta: 1e-6, rule: "additionThenTight" });
  for (const alpha of [0, 1e-300, 0.5, 1]) expect(guaranteeTradeoff(huge, alpha)).toBeGreaterThanOrEqual(0);
  expect(guaranteeDelta(huge, 0)).toBeLessThanOrEqual(1);
  expect(() => guaranteeTradeoff(both, Number.NaN)).toThrow("alpha");
});

test("an amendment never lowers anything", () => {
  const raise = { epsilon: 2, delta: 1e-6 };
  const amended = amendTerms(both, raise, { ceiling: both, answersSeen: true });
  expect(amended.terms.mu2).toBeGreaterThan(both.mu2);
  for (const lower of [
    { epsilon: 0.5, delta: 1e-6 },
    { epsilon: 2, delta: 1e-7 },
    { epsilon: 1, delta: 1e-6, deltaSelection: 5e-7 },
  ]) {
    expect(() => amendTerms(both, lower, { ceiling: both, answersSeen: true })).toThrow("must be at least");
  }
});

test("past the ceiling after answers there is no unconditional sentence; up to it the ceiling's holds", () => {
  const ceiling = openTerms({ epsilon: 3, delta: 1e-6, rule: "additionThenTight" });
  const within = amendTerms(both, { epsilon: 2, delta: 1e-6 }, { ceiling, answersSeen: true });
  expect(within.unconditional).toEqual(guarantee(ceiling));
  const past = amendTerms(both, { epsilon: 4, delta: 1e-6 }, { ceiling, answersSeen: true });
  expect(past.unconditional).toBeNull();
  expect(past.sentence).toMatch(/no unconditional sentence exists/);
  const blind = amendTerms(both, { epsilon: 4, delta: 1e-6 }, { ceiling, answersSeen: false });
  expect(blind.unconditional).toEqual(guarantee(blind.terms));
});
