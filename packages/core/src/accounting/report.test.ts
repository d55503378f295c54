import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { boundedRange } from "../../../tradeoff/src/bounded-range.ts";
import { exactDouble } from "../amounts/double.ts";
import { compare, divide, parseRational, rational } from "../amounts/rational.ts";
import { type DpEvent, parseEvent } from "../event.ts";
import { normalCdf, normalQuantile } from "../numeric/special.ts";
import { spendClasses } from "./classes.ts";
import { lossFacts } from "./facts.ts";
import { muOfLaplace, muOfPure } from "./gdp.ts";
import type { Method } from "./loss.ts";
import { accountants, tightestLoss, totalLoss } from "./report.ts";

const times = (count: number, event: DpEvent): DpEvent => ({ kind: "repeated", count, event });
const pure = (epsilon: number | string): DpEvent => ({ kind: "pure", epsilon });
const approximate = (epsilon: number, delta: number): DpEvent => ({ kind: "approximate", epsilon, delta });
const gaussian = (noiseMultiplier: number): DpEvent => ({ kind: "gaussian", noiseMultiplier });
const methods = accountants.map(({ method }) => method);

const leaf: fc.Arbitrary<DpEvent> = fc.oneof(
  fc.integer({ min: 1, max: 80 }).map((n) => pure(n / 100)),
  fc.integer({ min: 1, max: 80 }).map((n): DpEvent => ({ kind: "laplace", noiseMultiplier: 100 / n })),
  fc.integer({ min: 10, max: 80 }).map((n) => gaussian(n / 10)),
  fc.integer({ min: 1, max: 50 }).map((n) => approximate(n / 100, 1e-9)),
  fc.integer({ min: 2, max: 9 }).map((n): DpEvent => ({ kind: "discreteLaplace", scale: n, sensitivity: 1 })),
);
const list = fc.array(leaf, { minLength: 1, maxLength: 6 });

propertyTest.prop([list, fc.integer({ min: 0, max: 1000 })], { numRuns: 8 })(
  "order and grouping do not matter",
  (events, seed) => {
    const shuffled = [...events].sort(
      (a, b) => ((JSON.stringify(a).length * seed) % 7) - ((JSON.stringify(b).length * seed) % 7),
    );
    const grouped: DpEvent[] = [
      { kind: "composed", events: shuffled.slice(0, 2) },
      ...shuffled.slice(2).map((event) => times(1, event)),
    ];
    for (const method of ["basic", "gdp", "rdp", "pld"] as const) {
      const [a, b] = [totalOrNone(events, method), totalOrNone(grouped, method)];
      if (a !== undefined && b !== undefined) expect(b / a).toBeCloseTo(1, 9);
    }
  },
);

propertyTest.prop([list, leaf], { numRuns: 6 })(
  "one more event never lowers a total, more δ never raises it",
  (events, more) => {
    for (const method of methods) {
      const before = totalOrNone(events, method);
      const after = totalOrNone([...events, more], method);
      if (before === undefined || after === undefined) continue;
      expect(after).toBeGreaterThanOrEqual(before * (1 - 1e-9));
      expect(totalLoss(events, { delta: 1e-5 }, method).epsilon).toBeLessThanOrEqual(before * (1 + 1e-9));
    }
  },
);

const choice: fc.Arbitrary<DpEvent> = fc
  .integer({ min: 1, max: 80 })
  .map((n) => ({ kind: "exponential", epsilon: n / 100 }));

propertyTest.prop([fc.array(fc.oneof(leaf, choice), { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 100)], {
  numRuns: 12,
})("no method's lower bound is above another method's upper bound", (events, count) => {
  const list = events.map((event) => times(count, event));
  const found = methods.flatMap((method) => {
    const epsilon = totalOrNone(list, method);
    return epsilon === undefined
      ? []
      : [{ method, epsilon, lower: totalLoss(list, { delta: 1e-6 }, method).lower ?? 0 }];
  });
  for (const { method, lower } of found)
    for (const other of found)
      expect(lower, `${method} from below, ${other.method} from above`).toBeLessThanOrEqual(other.epsilon * (1 + 1e-9));
});

test("a hundred choices of ε 0.1 and one Gaussian: nothing is certified above what is proved from above [M38, M40]", () => {
  const list = [times(100, { kind: "exponential", epsilon: 0.1 })];
  for (const events of [list, [...list, gaussian(20)]]) {
    expect(totalLoss(events, { delta: 1e-6 }, "pld").lower ?? 0).toBe(0);
    expect(totalLoss(events, { delta: 1e-6 }, "gdp").epsilon).toBeLessThan(2.91);
  }
});

propertyTest.prop([list], { numRuns: 6 })(
  "the exact composition is below every other bound, and twice one is once two",
  (events) => {
    const exact = totalLoss(events, { delta: 1e-6 }, "pld");
    for (const method of methods) {
      const other = totalOrNone(events, method);
      if (other !== undefined) expect(exact.lower ?? 0).toBeLessThanOrEqual(other * (1 + 1e-9));
    }
    const twice = totalLoss([...events, ...events], { delta: 1e-6 }, "pld").epsilon;
    const counted = totalLoss([times(2, { kind: "composed", events })], { delta: 1e-6 }, "pld").epsilon;
    expect(counted / twice).toBeCloseTo(1, 12);
  },
);

/** ε at 1e-6, or nothing where a method cannot price the list. */
function totalOrNone(events: readonly DpEvent[], method: Method): number | undefined {
  try {
    return totalLoss(events, { delta: 1e-6 }, method).epsilon;
  } catch {
    return undefined;
  }
}

test("basic sums are exact decimals", () => {
  expect(totalLoss([pure(0.1), pure(0.2)], { delta: 0 }, "basic").epsilon).toBe(0.3);
  expect(totalLoss([times(3, pure(0.1))], { delta: 0 }, "basic").epsilon).toBe(0.3);
  expect(totalLoss([times(3, pure("1/3"))], { delta: 0 }, "basic").epsilon).toBe(1);
  expect(totalLoss([times(10, approximate(0.1, 1e-7))], { delta: 1e-6 }, "basic").epsilon).toBe(1);
  expect(totalLoss([times(10, approximate(0.1, 1e-7))], { epsilon: 1 }, "basic").delta).toBeLessThan(1e-6);
  expect(totalLoss([times(10, approximate(0.1, 1e-7))], { delta: 9e-7 }, "basic").epsilon).toBe(
    Number.POSITIVE_INFINITY,
  );
  // Laplace noise costs sensitivity ÷ scale, exactly where that is a decimal.
  const noisy = (scale: number | string): DpEvent => ({ kind: "discreteLaplace", scale, sensitivity: 1 });
  expect(totalLoss([noisy("5/3")], { delta: 0 }, "basic").epsilon).toBe(0.6);
  expect(totalLoss([noisy(1), noisy(100)], { delta: 0 }, "basic").epsilon).toBe(1.01);
  expect(totalLoss([{ kind: "laplace", noiseMultiplier: "10/3" }], { delta: 0 }, "basic").epsilon).toBe(0.3);
  expect(totalLoss([noisy(3)], { delta: 0 }, "basic").epsilon).toBeGreaterThan(1 / 3);
  for (const [sensitivity, scale] of [
    [44, 2.125171153167172],
    [41, 2.039409509394184],
    [24, 2.157032452333026],
  ] as const) {
    const { epsilon } = totalLoss([{ kind: "discreteLaplace", scale, sensitivity }], { delta: 0 }, "basic");
    const exact = divide(rational(BigInt(sensitivity)), parseRational(scale));
    expect(compare(exactDouble(epsilon), exact)).toBeGreaterThanOrEqual(0n);
  }
});

test("basic composition of Gaussians shares what is left of δ", () => {
  const { epsilon } = totalLoss([times(4, gaussian(5))], { delta: 4e-6 }, "basic");
  const one = totalLoss([gaussian(5)], { delta: 1e-6 }, "gdp").epsilon;
  expect(epsilon / (4 * one)).toBeCloseTo(1, 12);
});

test("the tightest names its method and lists all the others", () => {
  const best = tightestLoss([times(200, pure(0.05))], { delta: 1e-5 });
  expect(best.method).toBe("optimal");
  expect(best.epsilon).toBeCloseTo(2.9192, 3);
  expect(best.all.map(({ method }) => method)).toEqual(methods);
  expect(tightestLoss([pure(2), pure(0.5)], { delta: 0 })).toMatchObject({ epsilon: 2.5, method: "basic" });
  const mixed = tightestLoss([{ kind: "zcdp", rho: 0.1 }, pure(0.1)], { delta: 1e-6 });
  expect(["zcdp", "rdp"]).toContain(mixed.method);
  expect(mixed.all.find(({ method }) => method === "pld")).toMatchObject({
    unavailable: expect.stringMatching(/events\[0\]/),
  });
});

test.each(methods)("%s: asking back and forth agrees", (method) => {
  const events = [times(30, approximate(0.1, 1e-9))];
  const { epsilon } = totalLoss(events, { delta: 1e-5 }, method);
  const { delta } = totalLoss(events, { epsilon: epsilon * (1 + 1e-9) }, method);
  expect(delta).toBeLessThanOrEqual(1e-5 * (1 + 1e-6));
});

test.each(methods)("%s: nothing spent is nothing lost", (method) => {
  for (const events of [
    [],
    [times(0, pure(1))],
    [pure(0)],
    [{ kind: "composed", events: [] } as DpEvent],
    [{ kind: "poissonSampled", rate: 0, event: gaussian(1) } as DpEvent],
  ]) {
    expect(totalLoss(events, { delta: 0 }, method).epsilon).toBe(0);
    expect(totalLoss(events, { epsilon: 0 }, method).delta).toBeLessThanOrEqual(1e-299);
  }
});

test.each(methods)("%s stays a bound at the extremes", (method) => {
  for (const epsilon of [1e-12, 800]) {
    for (const delta of [0, 1e-300, 0.5]) {
      const total = totalLoss([times(3, pure(epsilon))], { delta }, method).epsilon;
      expect(total).toBeGreaterThanOrEqual(0);
      expect(Number.isNaN(total)).toBe(false);
      const truth = totalLoss([times(3, pure(epsilon))], { delta }, "optimal").lower ?? 0;
      expect(total).toBeGreaterThanOrEqual(truth * (1 - 1e-12));
    }
  }
});

test.each([-1, 1, 2, Number.NaN, Number.POSITIVE_INFINITY])("δ = %s is refused", (delta) => {
  for (const method of methods) expect(() => totalLoss([pure(1)], { delta }, method)).toThrow(/delta is/);
});

test("bad events are refused with their path", () => {
  expect(() =>
    parseEvent({ kind: "composed", events: [{ kind: "repeated", count: 0.5, event: pure(1) }] }, "events[0]"),
  ).toThrow(/events\[0\]\.events\[0\]\.count/);
  expect(() => parseEvent({ kind: "repeated", count: 2 ** 53, event: pure(1) }, "e")).toThrow(/e\.count/);
  expect(() => parseEvent({ kind: "poissonSampled", rate: 1.5, event: pure(1) }, "e")).toThrow(/e\.rate/);
  expect(() => parseEvent({ kind: "surprise" }, "e")).toThrow(/e\.kind/);
  const huge = times(Number.MAX_SAFE_INTEGER, times(2, pure(1)));
  expect(() => totalLoss([huge], { delta: 1e-6 }, "basic")).toThrow(/counted less than 2\^53/);
});

test("2⁵³ − 1 spends are totalled, not refused and not wrong", () => {
  const events = [times(Number.MAX_SAFE_INTEGER, pure(1e-9))];
  for (const method of ["basic", "zcdp", "rdp", "gdp", "optimal"] as const) {
    const { epsilon } = totalLoss(events, { delta: 1e-6 }, method);
    expect(epsilon).toBeGreaterThan(0);
    expect(epsilon).toBeLessThanOrEqual(9007200);
  }
});

test("neighbour relations are not mixed", () => {
  const poisson: DpEvent = { kind: "poissonSampled", rate: 0.1, event: gaussian(1) };
  const without: DpEvent = { kind: "sampledWithoutReplacement", size: 1, population: 10, event: gaussian(1) };
  expect(() => totalLoss([poisson, times(2, without)], { delta: 1e-6 }, "pld")).toThrow(
    /events\[1\]\.event is "replace", must be addRemove/,
  );
  expect(() => totalLoss([poisson], { delta: 1e-6 }, "pld", { adjacency: "replace" })).toThrow(/must be replace/);
  expect(() => totalLoss([{ kind: "parallel", events: [pure(1)] }, without], { delta: 0 }, "basic")).toThrow(
    /must be addRemove/,
  );
});

test("a million events in three classes are three classes", () => {
  const kinds = [pure(0.001), gaussian(1000), { kind: "laplace", noiseMultiplier: 500 } as DpEvent];
  const events = Array.from({ length: 1_000_000 }, (_, i) => kinds[i % 3] as DpEvent);
  const classes = spendClasses(events);
  expect(classes.map(({ count }) => count)).toEqual([333334, 333333, 333333]);
  expect(totalLoss(events, { delta: 1e-6 }, "pld").epsilon).toBeGreaterThan(0);
});

test("parts of a partition cost the worst of them", () => {
  const parts: DpEvent = { kind: "parallel", events: [pure(0.3), times(2, pure(0.2)), pure(0.1)] };
  for (const method of ["basic", "pld"] as const) {
    expect(
      totalLoss([times(5, parts)], { delta: 1e-6 }, method).epsilon /
        totalLoss([times(5, pure(0.4))], { delta: 1e-6 }, method).epsilon,
    ).toBeCloseTo(1, 9);
  }
});

test.each([1e-12, 0.1, 1, 5, 40])("μ of pure ε = %s and of Laplace meet their fixed points", (epsilon) => {
  expect((2 * normalCdf(muOfPure(epsilon) / 2) - 1) / Math.tanh(epsilon / 2)).toBeCloseTo(1, 3);
  expect((2 * normalCdf(muOfLaplace(epsilon) / 2) - 1) / -Math.expm1(-epsilon / 2)).toBeCloseTo(1, 3);
  expect(muOfLaplace(epsilon)).toBeLessThanOrEqual(muOfPure(epsilon) * (1 + 1e-9));
});

test.each([1e-3, 0.1, 1, 3, 10, 30])(
  "μ of ε = %s bounded range is the least whose curve lies below [M38]",
  (epsilon) => {
    const mu = Math.sqrt(lossFacts({ kind: "exponential", epsilon }).muSquared);
    const curve = boundedRange(epsilon);
    const below = (alpha: number, by: number): number => normalCdf(normalQuantile(1 - alpha) - by);
    for (let at = 1; at < 4000; at++) {
      const alpha = at / 4000;
      expect(curve.beta(alpha) - below(alpha, mu)).toBeGreaterThan(-1e-13);
    }
    // It touches at its fixed point, so nothing less would do.
    const fixed = 1 / (1 + Math.exp(epsilon / 2));
    expect(curve.beta(fixed) / below(fixed, mu)).toBeCloseTo(1, 9);
    expect(curve.beta(fixed)).toBeLessThan(below(fixed, mu * (1 - 1e-6)));
    expect(mu).toBeLessThan(muOfPure(epsilon));
  },
);

test("25 distinct ε are exact; more incommensurate ones are a bracket that says how wide", () => {
  const distinct = Array.from({ length: 25 }, (_, i) => pure(Number(Math.sqrt(0.001 * (i + 2)).toFixed(9))));
  const exact = totalLoss(distinct, { delta: 1e-6 }, "optimal");
  expect(exact.epsilon / (exact.lower as number) - 1).toBeLessThan(1e-11);
  const many = Array.from({ length: 60 }, (_, i) => pure(Number(Math.sqrt(0.0001 * (i + 2)).toFixed(9))));
  const bracket = totalLoss(many, { delta: 1e-6 }, "optimal");
  expect(bracket.lower).toBeLessThanOrEqual(bracket.epsilon);
  expect(bracket.epsilon / (bracket.lower as number) - 1).toBeLessThan(0.05);
});
