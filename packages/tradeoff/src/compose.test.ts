import fc from "fast-check";
import { expect, test } from "vitest";
import { privacyLossDistribution } from "../../core/src/accounting/pld.ts";
import type { DpEvent } from "../../core/src/event.ts";
import { compose, selfCompose } from "./compose.ts";
import type { TradeoffFunction } from "./curve.ts";
import type { CurveDefinition } from "./definition.ts";
import { epsdelta } from "./epsdelta.ts";
import { estEpsdelta } from "./estimate.ts";
import { minimum } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { latticeAbove, latticeBelow } from "./lattice.ts";
import { leastDelta, leastEpsilon, leastMu } from "./least.ts";
import { mechanismCurve } from "./mechanism.ts";
import { fromLosses } from "./profile.ts";
import { readCurve } from "./read-curve.ts";
import { renyi } from "./renyi.ts";

/** Σ over k of Binomial(n, e^ε/(1 + e^ε)) (1 − e^{x − (2k − n)ε})₊ at 80 digits: δ(x) of n pure spends. */
test.each([
  [100, 0.1, 1e-17, 8.102570562956515],
  [100, 0.1, 1e-30, 9.990274734514642],
  [100, 0.1, 0, 10],
  [60, 0.2, 1e-22, 11.99999961442869],
])("ε of %i × (%d, 0)-DP at δ = %d is not below %d, and near it", (count, epsilon, delta, want) => {
  const curve = selfCompose(count, epsdelta(epsilon));
  const got = leastEpsilon(curve, delta);
  expect(got).toBeGreaterThanOrEqual(want * (1 - 1e-14));
  expect(got).toBeLessThanOrEqual(want * (1 + 1e-11));
  // The envelope with itself keeps the tails too.
  expect(leastEpsilon(minimum([curve, selfCompose(count, epsdelta(epsilon * (1 - 1e-9)))]), delta)).toBeCloseTo(
    want,
    7,
  );
});

test("what is exact stays exact: the largest loss, and the chance of any failure", () => {
  expect(estEpsdelta(selfCompose(100, epsdelta(0.1)), { delta: 0 }).epsilon).toBe(10);
  expect(leastEpsilon(compose([epsdelta(1, 0.1), epsdelta(2, 0.2)]), 0.28)).toBe(3);
  expect(leastEpsilon(compose([epsdelta(1, 0.1), epsdelta(2, 0.2)]), 0.28 - 1e-16)).toBe(Number.POSITIVE_INFINITY);
  expect(leastEpsilon(selfCompose(2, epsdelta(1, 0.5)), 0.75)).toBe(2);
  // e^−1600 is no double, and still the loss is no more than 1600.
  expect(leastEpsilon(selfCompose(2, epsdelta(800)), 0)).toBe(1600);
});

test("a part left out is post-processing: sampled Gaussians with 7.5-GDP lie on or below 7.5-GDP", () => {
  const event: DpEvent = {
    kind: "repeated",
    count: 2,
    event: { kind: "poissonSampled", rate: 0.3, event: { kind: "gaussian", noiseMultiplier: 100 } },
  };
  const composed = compose([mechanismCurve(event), gdp(7.5)]);
  for (const [alpha, most] of [
    [1e-4, 7.810500955154949e-5],
    [1e-3, 5.174078389713024e-6],
  ] as const) {
    expect(composed.beta(alpha)).toBeLessThanOrEqual(most);
    expect(composed.upper?.beta(alpha)).toBeGreaterThanOrEqual(composed.beta(alpha));
    expect(composed.beta(alpha)).toBeGreaterThan(most * (1 - 1e-4));
  }
});

test.each<readonly [string, DpEvent]>([
  ["Poisson", { kind: "poissonSampled", rate: 0.1, event: { kind: "gaussian", noiseMultiplier: 1 } }],
  [
    "without replacement",
    { kind: "sampledWithoutReplacement", size: 100, population: 1000, event: { kind: "gaussian", noiseMultiplier: 1 } },
  ],
])("sampled spends (%s) have the δ of the accountant, as one event and as a composition", (_, event) => {
  const whole = privacyLossDistribution([{ kind: "repeated", count: 10, event }]);
  for (const curve of [
    mechanismCurve({ kind: "repeated", count: 10, event }),
    selfCompose(10, mechanismCurve(event)),
  ]) {
    for (const epsilon of [0, 0.1, 1, 2]) {
      const { upper, lower } = whole.delta(epsilon);
      expect(leastDelta(curve, epsilon)).toBeGreaterThanOrEqual(lower);
      expect(leastDelta(curve, epsilon)).toBeLessThanOrEqual(upper * (1 + 1e-9));
    }
  }
});

const short = (low: number, high: number): fc.Arbitrary<number> =>
  fc
    .double({ min: Math.log(low), max: Math.log(high), noNaN: true })
    .map((log) => Number(Math.exp(log).toPrecision(3)));
const plain: fc.Arbitrary<CurveDefinition> = fc.oneof(
  short(0.01, 8).map((mu) => ({ gdp: mu })),
  short(0.01, 5).map((mu) => ({ lap: mu })),
  short(0.01, 4).map((epsilon) => ({ epsdelta: [epsilon, 0] as const })),
  fc.tuple(short(0.01, 2), short(1e-10, 0.2)).map((pair) => ({ epsdelta: pair })),
  short(0.01, 4).map((epsilon) => ({ boundedRange: epsilon })),
);
const made: fc.Arbitrary<CurveDefinition> = fc.oneof(
  plain,
  fc.tuple(plain, plain).map((pair) => ({ min: pair })),
  fc.tuple(plain, plain).map((pair) => ({ max: pair })),
  fc.tuple(short(0.001, 0.9), plain).map((pair) => ({ subsample: pair })),
  plain.map((inner) => ({ group: [2, inner] as const })),
  fc.tuple(short(0.001, 0.9), short(0.5, 100), fc.integer({ min: 1, max: 20 })).map(
    ([rate, noiseMultiplier, count]): CurveDefinition => ({
      mechanism: {
        kind: "repeated",
        count,
        event: { kind: "poissonSampled", rate, event: { kind: "gaussian", noiseMultiplier } },
      },
    }),
  ),
);

const alphas = [1e-12, 1e-4, 0.01, 0.3, 0.8];

test("a composition lies on or below each of its parts, and its δ falls to none of theirs", () => {
  fc.assert(
    fc.property(fc.array(made, { minLength: 2, maxLength: 2 }), (definitions) => {
      const parts = definitions.map((definition) => readCurve(definition));
      const whole = compose(parts);
      for (const part of parts) {
        const above: TradeoffFunction | null = part.isExact ? part : part.upper;
        if (above === null) continue;
        for (const alpha of alphas) {
          expect(whole.beta(alpha)).toBeLessThanOrEqual(above.beta(alpha) * (1 + 1e-9) + 1e-15);
        }
        for (const delta of [0.1, 1e-9, 1e-30]) {
          expect(leastEpsilon(whole, delta)).toBeGreaterThanOrEqual(leastEpsilon(above, delta) * (1 - 1e-9) - 1e-12);
        }
      }
      const most = whole.upper?.beta(0.01) ?? 1;
      expect(most).toBeGreaterThanOrEqual(whole.beta(0.01) * (1 - 1e-9) - 1e-15);
    }),
    { numRuns: 4 },
  );
});

test("pieces on a lattice bracket δ of a curve, and their masses are one", () => {
  const curved = made.map((definition) => readCurve(definition)).filter(({ atoms }) => atoms === null);
  fc.assert(
    fc.property(curved, fc.integer({ min: 3, max: 300 }), (curve, cells) => {
      const [below, above] = [latticeBelow(curve, cells), latticeAbove(curve, cells)];
      for (const { p, q, jump, rest } of [below, above]) {
        expect(p.reduce((sum, mass) => sum + mass, rest)).toBeCloseTo(1, 10);
        expect(q.reduce((sum, mass) => sum + mass, jump)).toBeCloseTo(1, 10);
      }
      const delta = ({ loss, q, jump }: typeof below, x: number): number =>
        loss.reduce((sum, l, i) => sum + Math.max(0, (q[i] ?? 0) * -Math.expm1(x - l)), jump);
      const high = Math.min(40, Math.max(0.01, curve.logSlope(1e-300)));
      for (let x = 0; x <= high; x += high / 37) {
        const own = curve.divergence(x);
        expect(delta(below, x)).toBeGreaterThanOrEqual(own * (1 - 1e-13));
        expect(delta(above, x)).toBeLessThanOrEqual(own * (1 + 1e-10) + 1e-13);
      }
    }),
    { numRuns: 12 },
  );
});

test("μ of pieces is rounded up: no Gaussian of a smaller one lies below them", () => {
  for (const count of [2, 10, 100]) {
    const curve = selfCompose(count, epsdelta(0.2));
    const mu = leastMu(curve);
    for (const { alpha, beta } of curve.vertices()) {
      expect(gdp(mu).beta(alpha)).toBeLessThanOrEqual(beta * (1 + 1e-12) + 1e-15);
    }
  }
});

test("two given curves of one name are two", () => {
  const answer = (epsilon: number) => {
    const truth = 1 / (1 + Math.exp(-epsilon));
    return fromLosses({ losses: [epsilon, -epsilon], probabilities: [truth, 1 - truth], infinite: 0 });
  };
  const [mild, strong] = [selfCompose(2, answer(0.1)), selfCompose(2, answer(3))];
  const both = compose([mild, strong]);
  expect(both.beta(0.1)).toBeLessThanOrEqual(strong.beta(0.1));
  expect(leastEpsilon(both, 0)).toBeGreaterThanOrEqual(6.2 * (1 - 1e-15));
});

test("a loss that a minimum keeps is the one that its curve had, however near to 0", () => {
  for (const rate of [1e-3, 1e-6, 1e-9]) {
    const curve = mechanismCurve({ kind: "poissonSampled", rate, event: { kind: "pure", epsilon: 1 } });
    // ln(1 + r(e − 1)), the loss when the person is removed; −ln(1 − r(1 − 1/e)) is less.
    expect(leastEpsilon(curve, 0)).toBeGreaterThanOrEqual(Math.log1p(rate * Math.expm1(1)) * (1 - 4e-16));
  }
});

test("masses below the normal doubles are left to the accountant", () => {
  for (const count of [565, 567, 700]) {
    expect(leastEpsilon(selfCompose(count, epsdelta(1)), 0)).toBeGreaterThanOrEqual(count);
  }
  expect(leastEpsilon(selfCompose(2, epsdelta(372)), 0)).toBeGreaterThanOrEqual(744);
});

test("the share of a sample without replacement is rounded up: what is shown for certain is no less", () => {
  const curve = mechanismCurve({
    kind: "sampledWithoutReplacement",
    size: 1,
    population: 3,
    event: { kind: "approximate", epsilon: 1, delta: 0.3 },
  });
  expect(curve.power(0)).toBeGreaterThanOrEqual(0.1);
  expect(leastEpsilon(curve, 0.09999999999999999)).toBe(Number.POSITIVE_INFINITY);
});

test("Rényi divergence of small losses is not lost in rounding", () => {
  // Pure ε as two answers: D_2 = ln(1 + 2(cosh ε − 1) …) ≈ ε².
  for (const epsilon of [1e-6, 1e-4]) {
    const truth = 1 / (1 + Math.exp(-epsilon));
    const curve = fromLosses({ losses: [epsilon, -epsilon], probabilities: [truth, 1 - truth], infinite: 0 });
    const want = Math.log1p(truth * Math.expm1(epsilon) + (1 - truth) * Math.expm1(-epsilon));
    expect(renyi(curve, 2)).toBeGreaterThanOrEqual(want);
    expect(renyi(curve, 2)).toBeLessThanOrEqual(want * (1 + 1e-6) + 1e-20);
  }
});

test("δ just below a loss is not below the truth", () => {
  const curve = mechanismCurve({ kind: "discreteGaussian", sigma: 0.3, sensitivity: 1 });
  // At 60 digits.
  expect(leastDelta(curve, 27.77777777767778)).toBeGreaterThanOrEqual(2.235622e-20);
});

test("an upper curve whose δ is known by nothing is a number, not NaN", () => {
  const event: DpEvent = { kind: "discreteGaussian", sigma: 0.5137, sensitivity: 2 };
  const curve = mechanismCurve({ kind: "repeated", count: 869, event });
  for (const alpha of [1e-6, 0.1, 0.5]) {
    expect(curve.upper?.beta(alpha)).toBeGreaterThanOrEqual(curve.beta(alpha));
    expect(curve.upper?.beta(alpha)).toBeLessThanOrEqual(1 - alpha);
  }
});

test("an event whose parts hold for different relations has no curve, as it has no total [M32]", () => {
  const shuffled = { kind: "shuffled", epsilon: 1, people: 100 } as const;
  const sampled = { kind: "poissonSampled", rate: 0.1, event: shuffled } as const;
  for (const event of [
    sampled,
    { kind: "composed", events: [shuffled, { ...sampled, event: { kind: "pure", epsilon: 1 } }] },
  ] as const) {
    expect(() => mechanismCurve(event)).toThrow(expect.objectContaining({ code: "ADJACENCY_MISMATCH" }));
    expect(() => privacyLossDistribution([event])).toThrow(expect.objectContaining({ code: "ADJACENCY_MISMATCH" }));
  }
});
