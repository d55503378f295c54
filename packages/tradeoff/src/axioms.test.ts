import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromPair, randomizedResponse, staircase } from "./atomic.ts";
import { boundedRange } from "./bounded-range.ts";
import { compose, selfCompose } from "./compose.ts";
import type { TradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { estEpsdelta, estGdp } from "./estimate.ts";
import { maximum, minimum, symmetrise } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { group } from "./group.ts";
import { lap } from "./lap.ts";
import { leastEpsilon, muBracket } from "./least.ts";
import { compare, dominates, slide } from "./order.ts";
import { fromPoints } from "./points.ts";
import { fromLosses, fromProfile, lossDistribution, tangentAtoms } from "./profile.ts";
import { subsample, subsampleOneWay } from "./subsample.ts";
import { truncatedLaplace } from "./truncated-laplace.ts";

/** Checked with 1,500 fresh draws of each. */
const runs = { numRuns: 60 };
const epsilons = fc.double({ min: 0, max: 12, noNaN: true });
const deltas = fc.oneof(fc.constant(0), fc.double({ min: 1e-12, max: 0.6, noNaN: true }));
const mus = fc.double({ min: 0, max: 6, noNaN: true });
const rates = fc.double({ min: 1e-3, max: 1, noNaN: true });
const masses = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 7 });

const pair = fc
  .tuple(masses, masses)
  .map(([p, q]) => [p.slice(0, Math.min(p.length, q.length)), q.slice(0, Math.min(p.length, q.length))] as const)
  .filter(([p, q]) => p.some((x) => x > 0) && q.some((x) => x > 0))
  .map(([p, q]) => {
    const share = (values: readonly number[]) => values.map((x) => x / values.reduce((a, b) => a + b, 0));
    return fromPair(share(p), share(q));
  });
const base: fc.Arbitrary<TradeoffFunction> = fc.oneof(
  fc.tuple(epsilons, deltas).map(([e, d]) => epsdelta(e, d)),
  mus.map(gdp),
  mus.map(lap),
  epsilons.map(boundedRange),
  fc.tuple(epsilons, fc.double({ min: 0, max: 1, noNaN: true })).map(([e, g]) => staircase(e, g)),
  fc.tuple(epsilons, fc.integer({ min: 2, max: 9 })).map(([e, k]) => randomizedResponse(e, k)),
  fc
    .tuple(fc.double({ min: 0.1, max: 5, noNaN: true }), fc.double({ min: 1e-6, max: 0.5, noNaN: true }))
    .map(([e, d]) => truncatedLaplace(e, d)),
  pair,
);
const curves: fc.Arbitrary<TradeoffFunction> = fc.oneof(
  { weight: 4, arbitrary: base },
  fc.tuple(rates, base).map(([p, f]) => subsample(p, f)),
  fc.tuple(rates, base).map(([p, f]) => subsampleOneWay(p, f)),
  fc.tuple(fc.integer({ min: 1, max: 4 }), base).map(([k, f]) => group(k, f)),
  fc.tuple(base, base).map(([f, g]) => minimum([f, g])),
  fc.tuple(base, base).map(([f, g]) => maximum([f, g])),
  base.map(symmetrise),
);

const alphas = [0, 1e-300, 1e-50, 1e-9, 1e-4, 0.01, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.999, 1 - 1e-9, 1];

test("every curve is in [0, 1 − α], falls, is convex, and its power is its complement", () => {
  fc.assert(
    fc.property(curves, (f) => {
      let last = { alpha: 0, beta: f.beta(0) };
      let slope = Number.NEGATIVE_INFINITY;
      for (const alpha of alphas) {
        const beta = f.beta(alpha);
        expect(beta).toBeGreaterThanOrEqual(0);
        expect(beta).toBeLessThanOrEqual((1 - alpha) * (1 + 1e-12) + 1e-15);
        expect(Math.abs(f.power(alpha) + beta - 1)).toBeLessThan(2e-12);
        expect(f.power(alpha)).toBeGreaterThanOrEqual(alpha * (1 - 1e-12));
        if (alpha > 1e-20) {
          const next = (beta - last.beta) / (alpha - last.alpha);
          expect(next).toBeLessThanOrEqual(1e-12);
          expect(next * (alpha - last.alpha)).toBeGreaterThanOrEqual(slope * (alpha - last.alpha) - 4e-10);
          slope = next;
          last = { alpha, beta };
        }
      }
      expect(f.beta(1)).toBeLessThan(1e-12);
    }),
    runs,
  );
});

test("the profile supports the curve, and touches it", () => {
  fc.assert(
    fc.property(curves, fc.double({ min: -8, max: 8, noNaN: true }), (f, x) => {
      const delta = f.divergence(x);
      for (const alpha of alphas) expect(f.beta(alpha)).toBeGreaterThanOrEqual(1 - delta - Math.exp(x) * alpha - 3e-12);
      const alpha = f.touch(x);
      // A function known by its slopes alone is touched to the square root of the precision.
      expect(Math.abs(f.power(alpha) - Math.exp(x) * alpha - delta)).toBeLessThan(1e-9 * (1 + Math.exp(x) * alpha));
    }),
    runs,
  );
});

test("the inverse of the inverse is the curve, and f(f⁻¹(β)) ≤ β", () => {
  fc.assert(
    fc.property(curves, fc.double({ min: 1e-6, max: 1, noNaN: true }), (f, rate) => {
      expect(f.inverted().inverted().beta(rate)).toBeCloseTo(f.beta(rate), 9);
      expect(f.beta(f.inverse(rate))).toBeLessThanOrEqual(rate + 1e-9);
      expect(f.inverted().divergence(0)).toBeCloseTo(f.divergence(0), 9);
    }),
    runs,
  );
});

test("a curve and its loss distribution give each other back", () => {
  fc.assert(
    fc.property(pair, fc.double({ min: 0, max: 1, noNaN: true }), (f, alpha) => {
      expect(fromLosses(lossDistribution(f)).beta(alpha)).toBeCloseTo(f.beta(alpha), 9);
    }),
    runs,
  );
});

test("tangents lie below the curve and are near it", () => {
  fc.assert(
    fc.property(fc.oneof(mus.map(gdp), mus.map(lap), epsilons.map(boundedRange)), (f) => {
      const { corners } = tangentAtoms(f, 512);
      for (const [i, alpha] of corners.alpha.entries()) {
        expect(corners.beta[i]!).toBeLessThanOrEqual(f.beta(Math.min(1, alpha)) + 1e-13);
      }
      const below = fromProfile((x) => f.divergence(x), { upTo: 60 });
      for (const alpha of alphas) expect(below.beta(alpha)).toBeLessThanOrEqual(f.beta(alpha) + 1e-13);
    }),
    { ...runs, numRuns: 20 },
  );
});

describe("estimates", () => {
  test("are below the whole curve, and no smaller one is", () => {
    fc.assert(
      fc.property(curves, fc.integer({ min: 0, max: 5 }), (f, digits) => {
        const { mu, curve } = estGdp(f, { digits });
        for (const alpha of alphas) expect(curve.beta(alpha)).toBeLessThanOrEqual(f.beta(alpha) + 2e-12);
        const { low } = muBracket(f);
        if (Number.isFinite(mu)) expect(mu).toBeGreaterThanOrEqual(low - 1e-12);
      }),
      runs,
    );
  });
  test("of ε and δ hold everywhere and undo each other", () => {
    fc.assert(
      fc.property(curves, fc.double({ min: 0, max: 6, noNaN: true }), (f, epsilon) => {
        const { delta, curve } = estEpsdelta(f, { epsilon, digits: 9 });
        for (const alpha of alphas) {
          expect(curve.beta(alpha)).toBeLessThanOrEqual(f.beta(alpha) + 2e-12);
          expect(curve.beta(alpha)).toBeLessThanOrEqual(f.inverse(alpha) + 2e-12);
        }
        if (delta > 0) expect(leastEpsilon(f, delta)).toBeLessThanOrEqual(epsilon * (1 + 1e-9) + 1e-9);
      }),
      runs,
    );
  });
});

test("composition loses privacy, commutes, and the identity is neutral", () => {
  fc.assert(
    fc.property(
      base.filter((f) => f.atoms !== null),
      base.filter((f) => f.atoms !== null),
      (f, g) => {
        const both = compose([f, g]);
        const other = compose([g, f]);
        for (const alpha of [0, 1e-9, 0.01, 0.1, 0.3, 0.5, 0.8]) {
          expect(both.beta(alpha)).toBeLessThanOrEqual(Math.min(f.beta(alpha), g.beta(alpha)) + 1e-12);
          expect(both.beta(alpha)).toBeCloseTo(other.beta(alpha), 12);
          expect(compose([f, gdp(0)]).beta(alpha)).toBeCloseTo(f.beta(alpha), 14);
        }
      },
    ),
    runs,
  );
});

test("(f ⊗ g)⁻¹ = f⁻¹ ⊗ g⁻¹", () => {
  fc.assert(
    fc.property(pair, pair, fc.double({ min: 0, max: 1, noNaN: true }), (f, g, alpha) => {
      const inverses = compose([f.inverted(), g.inverted()]);
      expect(compose([f, g]).inverted().beta(alpha)).toBeCloseTo(inverses.beta(alpha), 10);
    }),
    runs,
  );
});

test("a bracketed composition holds the exact one", () => {
  for (const [f, n] of [
    [randomizedResponse(0.3, 3), 4],
    [staircase(1, 0.3), 3],
  ] as const) {
    const exact = selfCompose(n, f);
    const bracket = compose([exact, lap(1e-9)]);
    for (const alpha of [1e-6, 0.01, 0.1, 0.3, 0.5, 0.9]) {
      expect(bracket.beta(alpha)).toBeLessThanOrEqual(exact.beta(alpha) * (1 + 1e-13));
      expect(bracket.beta(alpha)).toBeCloseTo(exact.beta(alpha), 5);
    }
  }
});

test("sampling and post-processing protect, groups expose", () => {
  fc.assert(
    fc.property(base, rates, fc.integer({ min: 2, max: 4 }), (f, rate, k) => {
      const symmetric = symmetrise(f);
      for (const alpha of [0, 1e-6, 0.05, 0.3, 0.6, 0.95]) {
        expect(subsample(rate, symmetric).beta(alpha)).toBeGreaterThanOrEqual(symmetric.beta(alpha) - 1e-11);
        expect(group(k, f).beta(alpha)).toBeLessThanOrEqual(f.beta(alpha) + 1e-12);
      }
    }),
    runs,
  );
});

test("minimum, maximum and order agree", () => {
  fc.assert(
    fc.property(base, base, (f, g) => {
      const [low, high] = [minimum([f, g]), maximum([f, g])];
      for (const alpha of alphas) {
        expect(low.beta(alpha)).toBeLessThanOrEqual(Math.min(f.beta(alpha), g.beta(alpha)) + 1e-12);
        expect(high.beta(alpha)).toBeGreaterThanOrEqual(Math.max(f.beta(alpha), g.beta(alpha)) - 1e-15);
      }
      const { relation } = compare(f, g);
      if (relation === "above" || relation === "equal") expect(slide(f, g) >= 0 && dominates(f, g).holds).toBe(true);
      if (relation === "below") expect(slide(f, g)).toBeLessThan(1e-8);
    }),
    { ...runs, numRuns: 30 },
  );
});

test("the hull of points is the greatest convex curve below them", () => {
  const point = fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([a, share]) => [a, (1 - a) * share] as const);
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), (points) => {
      const f = fromPoints(points);
      for (const [alpha, beta] of points) expect(f.beta(alpha)).toBeLessThanOrEqual(beta + 1e-12);
      for (const { alpha, beta } of f.vertices()) {
        const isGiven = points.some(([a, b]) => a === alpha && b === beta);
        expect(isGiven || (alpha === 0 && beta === 1) || (alpha === 1 && beta === 0)).toBe(true);
      }
    }),
    runs,
  );
});
