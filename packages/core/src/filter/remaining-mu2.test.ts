import fc from "fast-check";
import { expect, test } from "vitest";
import type { Mu2Amount } from "../amounts/amount.ts";
import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import { largestPure, leastMu2, type Mu2Step, payMu2, payPure, pureEpsilon } from "./remaining-mu2.ts";

const units = (value: number): Mu2Amount => BigInt(Math.round(value * 1e12)) as Mu2Amount;

/** From the accountant's reference values (mpmath, at least 30 digits): r after one pure ε. */
test.each([
  [0.01, 0.05, 0.0498999670301134],
  [0.01, 0.5, 0.49989999708281935],
  [0.1, 0.05, 0.03960403283369514],
  [0.1, 2, 1.989995802642745],
  [0.1, 10, 9.990002497001292],
  [0.5, 0.05, null],
  [0.5, 0.5, 0.21399449765726275],
  [0.5, 2, 1.746857639295541],
  [1, 0.05, null],
  [1, 2, 0.8960749292237349],
])("pure ε = %d at r = %d leaves %d", (epsilon, before, after) => {
  const left = payPure(units(before), epsilon);
  if (after === null) expect(left).toBeNull();
  else {
    const short = after * 1e12 - Number(left);
    expect(short).toBeGreaterThan(0); // never more than the exact r′
    expect(short).toBeLessThan(3);
  }
});

test("the form that cancels charged nothing at r = 300, ε = 0.1; this one does not", () => {
  const before = units(300);
  expect(Number(before - (payPure(before, 0.1) ?? 0n)) / 1e12).toBeCloseTo(0.0099959, 6);
});

/** Pr-weighted δ of a randomised response of ε followed by N(√r′), at x. */
const afterResponse = (x: number, epsilon: number, left: number): number => {
  const p = 1 / (1 + Math.exp(-epsilon));
  return p * gaussianDelta(x - epsilon, left) + (1 - p) * gaussianDelta(x + epsilon, left);
};

test("brute force: what is left dominates the rest of the interaction at every x, not only at the centre", () => {
  for (const epsilon of [0.001, 0.05, 0.3, 1, 2, 5]) {
    for (const before of [0.01, 0.1, 1, 4, 20, 60]) {
      const left = payPure(units(before), epsilon);
      if (left === null) continue;
      const after = Number(left) / 1e12;
      const spread = Math.sqrt(before) + epsilon;
      for (let i = -200; i <= 200; i++) {
        const x = before / 2 + (spread * i) / 10;
        const rest = afterResponse(x, epsilon, after);
        const room = gaussianDelta(x, before);
        expect(rest, `ε ${epsilon}, r ${before}, x ${x}`).toBeLessThanOrEqual(room * (1 + 1e-12) + 1e-15);
      }
    }
  }
});

test("a thousandth less than the price would be too cheap: the centre condition then fails", () => {
  for (const [epsilon, before] of [
    [0.1, 1],
    [0.5, 2],
    [1, 4],
    [0.05, 0.05],
  ] as const) {
    const after = Number(payPure(units(before), epsilon)) / 1e12;
    const cheap = before - (before - after) * 0.999;
    expect(afterResponse(0, epsilon, cheap)).toBeGreaterThan(gaussianDelta(0, before));
  }
});

const epsilons = fc.double({ min: 1e-9, max: 5, noNaN: true });
const remainings = fc.bigInt({ min: 1n, max: 400n * 10n ** 12n });

/** What one evaluation may be off by, at r = 800 as μ²: 4·10⁻¹⁵ · (100 + 102) · 8 of μ² for each of two sides, and the rounding. */
const SLACK = 16n;

test("a larger ε never costs less, a larger r never costs more (to 16 units), and every cost is at least one unit", () => {
  fc.assert(
    fc.property(epsilons, epsilons, remainings, remainings, (a, b, r, more) => {
      const [small, large] = a < b ? [a, b] : [b, a];
      const before = r as Mu2Amount;
      const cheap = payPure(before, small);
      const dear = payPure(before, large);
      if (dear !== null) {
        expect(cheap).not.toBeNull();
        expect(dear).toBeLessThanOrEqual((cheap ?? 0n) + SLACK);
      }
      if (cheap !== null) {
        expect(before - cheap).toBeGreaterThanOrEqual(1n);
        const richer = (before + more) as Mu2Amount;
        const left = payPure(richer, small);
        expect(left).not.toBeNull();
        expect(richer - (left ?? 0n)).toBeLessThanOrEqual(before - cheap + SLACK);
      }
    }),
    { numRuns: 2000 },
  );
});

test("every charge passes the verifier's margin, and the verifier's own r′ is never below the charge's", () => {
  fc.assert(
    fc.property(epsilons, remainings, (epsilon, r) => {
      const charged = payPure(r as Mu2Amount, epsilon, "charge");
      if (charged !== null) expect(payPure(r as Mu2Amount, epsilon, "verify")).toBeGreaterThanOrEqual(charged);
    }),
    { numRuns: 2000 },
  );
});

test("the largest pure ε fits and one unit more does not", () => {
  fc.assert(
    fc.property(remainings, (r) => {
      const mu2 = r as Mu2Amount;
      const largest = largestPure(mu2);
      if (largest > 0n) expect(payPure(mu2, pureEpsilon(largest))).not.toBeNull();
      expect(payPure(mu2, pureEpsilon((largest + 1n) as typeof largest))).toBeNull();
    }),
  );
  expect(largestPure(null)).toBe(0n);
  expect(largestPure(0n as Mu2Amount)).toBe(0n);
});

test("the least remaining μ² pays the steps, and a hundred units less does not", () => {
  const steps: readonly Mu2Step[] = [
    { kind: "pure", epsilon: 0.1, count: 30n },
    { kind: "subtract", cost: 5n * 10n ** 10n },
    { kind: "least", parts: [[{ kind: "pure", epsilon: 0.2, count: 1n }], [{ kind: "subtract", cost: 1n }]] },
  ];
  const least = leastMu2(steps) ?? (0n as Mu2Amount);
  expect(payMu2(least, steps)).not.toBeNull();
  expect(payMu2((least - 100n) as Mu2Amount, steps)).toBeNull();
});

test("a part of a partition costs what the dearest part costs", () => {
  const before = units(1);
  const dear: Mu2Step = { kind: "pure", epsilon: 0.3, count: 2n };
  const cheap: Mu2Step = { kind: "subtract", cost: 10n };
  expect(payMu2(before, [{ kind: "least", parts: [[dear], [cheap], []] }])).toBe(payMu2(before, [dear]));
});

test("a long run is paid in groups: never cheaper than one by one", () => {
  const before = units(2);
  const run = (count: bigint): bigint => payMu2(before, [{ kind: "pure", epsilon: 1e-4, count }]) ?? -1n;
  let left: Mu2Amount | null = before;
  for (let i = 0; i < 10_001 && left !== null; i++) left = payPure(left, 1e-4);
  expect(run(10_001n)).toBeLessThanOrEqual(left ?? 0n);
  expect(run(10_001n)).toBeGreaterThan((left ?? 0n) - 2n * 10n ** 8n);
});

test("nothing pays an infinite ε, and nothing is paid from nothing", () => {
  expect(payPure(units(1), Number.POSITIVE_INFINITY)).toBeNull();
  expect(payPure(0n as Mu2Amount, 1e-12)).toBeNull();
  expect(payPure(units(1000), 800)).toBeNull();
  expect(payPure(units(1), 1e-300)).toBe(units(1) - 2n);
});
