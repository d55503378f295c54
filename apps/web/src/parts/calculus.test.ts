import { privacyLossDistribution } from "@dosimeter/core/accounting";
import fc from "fast-check";
import { expect, test } from "vitest";
import { beliefAfter, countError, guessesRight, ofHundred, posterior, rightAfter } from "./calculus.ts";

/** P(|Z| > k) of discrete Laplace noise of scale 1/ε, summed term by term from its definition. */
function tail(epsilon: number, k: number): number {
  const r = Math.exp(-epsilon);
  let sum = 0;
  for (let z = k + 1; z < k + 60 / epsilon; z++) sum += ((1 - r) / (1 + r)) * r ** z;
  return 2 * sum;
}

test.each([0.01, 0.1, 0.5, 1, 3, 10])("the error of a count at ε %d is the least that holds", (epsilon) => {
  const k = countError(epsilon, 0.05);
  expect(tail(epsilon, k)).toBeLessThanOrEqual(0.05);
  if (k > 0) expect(tail(epsilon, k - 1)).toBeGreaterThan(0.05);
});

test("the odds are those a person would compute", () => {
  expect(posterior(0.1, 0.2)).toBeCloseTo(0.1195, 4);
  expect(posterior(0.1, 1)).toBeCloseTo(0.232, 3);
  expect(guessesRight(1)).toBeCloseTo(0.731, 3);
  expect(guessesRight(0)).toBe(0.5);
  expect(posterior(0, 5)).toBe(0);
  expect(posterior(0.1, 1000)).toBe(1);
});

test("100 of 100 is only said of certainty: a ledger of ε 5 leaves a doubt", () => {
  expect([0, 1, 2, 5, 8].map((epsilon) => ofHundred(guessesRight(epsilon)))).toEqual([
    "50",
    "74",
    "89",
    "99.4",
    "99.97",
  ]);
  expect(ofHundred(1)).toBe("100");
  for (const share of [0.5, 0.9301, 0.9931, 0.99967, 0.9999999])
    expect(Number(ofHundred(share))).toBeGreaterThanOrEqual(100 * share);
});

test("after several answers no guess is right more often than their loss distribution allows [M381]", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 0, maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 0, maxLength: 2 }),
      (tenths, quarters) => {
        const pure = tenths.map((tenth) => ({ kind: "pure", epsilon: String(tenth / 10) }) as const);
        const gaussian = quarters.map((quarter) => ({ kind: "gaussian", noiseMultiplier: quarter / 4 }) as const);
        const { delta } = privacyLossDistribution([...pure, ...gaussian]);
        const all = {
          epsilon: tenths.reduce((sum, tenth) => sum + tenth / 10, 0),
          mu2: quarters.reduce((sum, quarter) => sum + (4 / quarter) ** 2, 0),
          delta: 0,
        };
        expect(rightAfter(all)).toBeGreaterThanOrEqual((1 + delta(0).lower) / 2 - 1e-12);
      },
    ),
    { numRuns: 30 },
  );
  // Of one kind it is what the strongest attacker reaches.
  expect(rightAfter({ epsilon: 1, mu2: 0, delta: 0 })).toBeCloseTo(guessesRight(1), 14);
  expect(rightAfter({ epsilon: 0, mu2: 1, delta: 0 })).toBeCloseTo(0.6914624612740131, 14);
});

test("what is believed after a page of counts is Bayes' rule, never beyond the limit, and right on average [M416]", () => {
  const reach = 50;
  const noise = Array.from({ length: 2 * reach + 1 }, (_, index) => index - reach);
  const unit = { noNaN: true } as const;
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 3, ...unit }),
      fc.double({ min: 0.01, max: 0.99, ...unit }),
      (epsilon, prior) => {
        const chance = (k: number) => Math.tanh(epsilon / 2) * Math.exp(-epsilon * Math.abs(k));
        let [mean, off, most, least] = [0, 0, 0, 1];
        for (const a of noise)
          for (const b of noise) {
            const belief = beliefAfter(prior, epsilon, [
              { printed: a, without: 0 },
              { printed: b, without: 0 },
            ]);
            const [here, away] = [prior * chance(a - 1) * chance(b - 1), (1 - prior) * chance(a) * chance(b)];
            off = Math.max(off, Math.abs(belief - here / (here + away)));
            [mean, most, least] = [mean + (here + away) * belief, Math.max(most, belief), Math.min(least, belief)];
          }
        expect([off < 1e-9, Math.abs(mean - prior) < 1e-6]).toEqual([true, true]);
        expect(most).toBeCloseTo(posterior(prior, 2 * epsilon), 9);
        expect(least).toBeCloseTo(posterior(prior, -2 * epsilon), 9);
      },
    ),
    { numRuns: 20 },
  );
});
