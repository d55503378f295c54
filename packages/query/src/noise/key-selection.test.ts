import { type DeltaAmount, deltaAmount, epsilonAmount, largestMu2, toDouble } from "@dosimeter/core";
import { normalCdf } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import type { KeyRule } from "../plan/bounded.ts";
import {
  bestRule,
  gaussianRule,
  gaussianSigma,
  keySelector,
  publishedProbability,
  truncatedRule,
  unitsToPublish,
} from "./key-selection.ts";
import { peopleOf, publishedInterval } from "./published.ts";

const found = <T>(value: T | null): T => {
  if (value === null) throw new Error("no rule");
  return value;
};
const amounts = (epsilon: number, delta: number) =>
  [epsilonAmount(epsilon, "down"), deltaAmount(delta, "down")] as const;

/** Pr[noise = z]. */
function pmf(rule: KeyRule, z: number): number {
  if (rule.kind === "gaussian") {
    const [a, b] = [Math.abs(z) - 0.5, Math.abs(z) + 0.5].map((x) => normalCdf(-x / toDouble(rule.sigma, "up")));
    return (a ?? 0) - (b ?? 0);
  }
  if (Math.abs(z) > rule.threshold) return 0;
  const q = Math.exp(-1 / toDouble(rule.scale, "up"));
  return (q ** Math.abs(z) * (1 - q)) / (1 + q - 2 * q ** (rule.threshold + 1));
}

describe("keys that no one declared [M112, M113]", () => {
  test.each([
    [1, 1e-6, 1],
    [0.1, 1e-9, 1],
    [2, 1e-3, 3],
    [0.5, 1e-12, 10],
  ])(
    "truncated noise at (%d, %d) with %i changes: the exact δ of count and silence is at most what is charged",
    (epsilon, delta, changes) => {
      const rule = found(truncatedRule(...amounts(epsilon, delta), changes));
      const each = epsilon / changes;
      const law = (units: number): ReadonlyMap<number | null, number> => {
        const outcomes = new Map<number | null, number>([[null, units === 0 ? 1 : 0]]);
        if (units > 0)
          for (let z = -rule.threshold; z <= rule.threshold; z++) {
            const out = units + z > rule.threshold ? units + z : null;
            outcomes.set(out, (outcomes.get(out) ?? 0) + pmf(rule, z));
          }
        return outcomes;
      };
      const stick = (p: ReadonlyMap<number | null, number>, q: ReadonlyMap<number | null, number>): number =>
        [...p].reduce((sum, [out, mass]) => sum + Math.max(0, mass - Math.exp(each) * (q.get(out) ?? 0)), 0);
      let worst = 0;
      const k = rule.threshold;
      for (const units of new Set([0, 1, 2, k >> 1, k - 1, k, k + 1, 2 * k - 1, 2 * k, 2 * k + 1, 2 * k + 2]))
        worst = Math.max(worst, stick(law(units + 1), law(units)), stick(law(units), law(units + 1)));
      expect(worst).toBeLessThanOrEqual((delta / changes) * (1 + 1e-6) + 1e-16);
      expect(pmf(rule, rule.threshold)).toBeLessThanOrEqual(delta / changes);
      // One less would break it: the threshold is not merely large enough.
      const q = Math.exp(-each);
      const lower = rule.threshold - 1;
      expect((q ** lower * (1 - q)) / (1 + q - 2 * q ** (lower + 1))).toBeGreaterThan(delta / changes);
    },
  );

  test.each([
    [0.5, 1e-6, 1],
    [2, 1e-9, 10],
    [1, 1e-5, 50],
  ])(
    "gaussian threshold: σ for ε = %d, δ = %d, %i changes is the least whole number that hides keys of one unit",
    (epsilon, delta, changes) => {
      const [units, half] = amounts(epsilon, delta);
      const sigma = gaussianSigma(largestMu2(units, half), changes);
      const rule = found(gaussianRule(sigma, half, changes));
      const alone = publishedProbability(rule, 1);
      expect(1 - (1 - alone) ** changes).toBeLessThanOrEqual(delta * (1 + 1e-6));
      const less = publishedProbability({ ...rule, threshold: rule.threshold - 1 }, 1);
      expect(-Math.expm1(changes * Math.log1p(-less))).toBeGreaterThan(delta);
    },
  );

  // Units for 50 % and 99 %, at ε = 1, δ = 10⁻⁶: the figures of the literature's rules, computed apart from this code.
  test.each([
    [1, "truncated", 14, 18],
    [3, "truncated", 40, 52],
    [10, "gaussian", 75, 107],
    [50, "gaussian", 175, 247],
  ] as const)(
    "%i keys a unit: %s is better, and publishes half of the keys shared by %i, 99 %% of %i",
    (changes, kind, half, most) => {
      const rule = found(bestRule(...amounts(1, 1e-6), changes));
      expect(rule.kind).toBe(kind);
      expect(Math.abs(unitsToPublish(rule, 0.5) - half)).toBeLessThanOrEqual(1);
      expect(Math.abs(unitsToPublish(rule, 0.99) - most)).toBeLessThanOrEqual(2);
    },
  );

  test.each([1, 10])("drawn keys follow the law, %i changes", (changes) => {
    const rule = found(bestRule(...amounts(1, 1e-6), changes));
    const select = keySelector(rule);
    const random = seededRandom(112);
    const draws = 4000;
    for (const share of [0.1, 0.5, 0.9]) {
      const units = unitsToPublish(rule, share);
      const expected = publishedProbability(rule, units);
      let published = 0;
      for (let i = 0; i < draws; i++) {
        const noisy = select(BigInt(units), random);
        if (noisy === null) continue;
        published += 1;
        expect(noisy).toBeGreaterThan(BigInt(rule.threshold));
      }
      // 5σ: false alarm about 6e-7.
      expect(Math.abs(published - draws * expected)).toBeLessThan(5 * Math.sqrt(draws * expected * (1 - expected)));
    }
  });

  test("case 32: a key of no one is never published, and no δ publishes none", () => {
    const rule = found(bestRule(...amounts(1, 1e-6), 1));
    expect(keySelector(rule)(0n, seededRandom(1))).toBeNull();
    expect(publishedProbability(rule, 0)).toBe(0);
    expect(bestRule(epsilonAmount(1, "down"), 0n as DeltaAmount, 1)).toBeNull();
  });

  test("more budget never needs more units", () => {
    const needed = (epsilon: number, delta: number): number =>
      unitsToPublish(found(bestRule(...amounts(epsilon, delta), 4)), 0.5);
    expect(needed(0.5, 1e-6)).toBeGreaterThan(needed(1, 1e-6));
    expect(needed(1, 1e-9)).toBeGreaterThan(needed(1, 1e-6));
  });
});

describe("intervals of published counts [M118]", () => {
  const rules: readonly (readonly [string, KeyRule])[] = [
    ["truncated, ε 1", found(truncatedRule(...amounts(1, 1e-6), 1))],
    ["truncated, ε 0.1", found(truncatedRule(...amounts(0.1, 1e-4), 1))],
    ["truncated, ε 3", found(truncatedRule(...amounts(3, 0.01), 2))],
    ["gaussian", found(gaussianRule(gaussianSigma(largestMu2(...amounts(1, 1e-5)), 10), amounts(1, 1e-5)[1], 10))],
  ];

  test.each(rules)("%s: hold for every number of people, given that the value was published", (_, rule) => {
    const { threshold: k } = rule;
    const reach = rule.kind === "gaussian" ? Math.ceil(9 * toDouble(rule.sigma, "up")) : k;
    let plain = 1;
    for (const failure of [0.05, 0.3])
      for (const units of new Set([
        1,
        2,
        3,
        k >> 1,
        k - 2,
        k - 1,
        k,
        k + 1,
        k + 2,
        Math.ceil(1.5 * k),
        2 * k + 1,
        3 * k,
      ])) {
        if (units < 1) continue;
        const half = Math.ceil(
          -Math.log(failure) * (rule.kind === "gaussian" ? reach / 9 : toDouble(rule.scale, "up")),
        );
        let [published, held, near] = [0, 0, 0];
        for (let noisy = Math.max(k + 1, units - reach); noisy <= units + reach; noisy++) {
          const mass = pmf(rule, noisy - units);
          const [from, to] = publishedInterval(rule, noisy, failure);
          expect(from <= noisy && noisy <= to).toBe(true);
          published += mass;
          if (from <= units && units <= to) held += mass;
          if (Math.abs(units - noisy) <= half) near += mass;
        }
        if (published === 0) continue;
        expect(held / published, `${units} at ${failure}`).toBeGreaterThanOrEqual(1 - failure - 1e-9);
        plain = Math.min(plain, near / published);
      }
    // An interval that forgets the selection almost never holds for a value that had to be lucky.
    expect(plain).toBeLessThan(0.1);
  });

  test("far above the threshold they are those of the noise alone, and a least number of people shifts them", () => {
    const rule = found(truncatedRule(...amounts(1, 1e-6), 1));
    expect(publishedInterval(rule, 1000, 0.05)).toEqual([997, 1003]);
    expect(peopleOf({ rule, atLeast: 5 }, 1004, 0.05)).toEqual([1001, 1007]);
    const [from, to] = publishedInterval(rule, rule.threshold + 1, 0.05);
    expect(from).toBe(1);
    expect(to).toBeLessThan(rule.threshold + 4);
  });
});
