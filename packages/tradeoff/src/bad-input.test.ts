import { describe, expect, test } from "vitest";
import { discreteGaussian, discreteLaplace, fromPair, randomizedResponse, staircase } from "./atomic.ts";
import { auditThreshold, clopperPearson, fitAudit, oneRunAudit } from "./audit.ts";
import { boundedRange } from "./bounded-range.ts";
import { compose, selfCompose } from "./compose.ts";
import { named } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { maximum } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { fromFunction } from "./given.ts";
import { group } from "./group.ts";
import { lap } from "./lap.ts";
import { fromPoints, type PointsInput } from "./points.ts";
import { fromScores } from "./points-csv.ts";
import { fromLosses, fromProfile } from "./profile.ts";
import { readCurve } from "./read-curve.ts";
import { fromRenyi, zcdp } from "./renyi.ts";
import { subsample } from "./subsample.ts";
import { truncatedLaplace } from "./truncated-laplace.ts";

const wrong = (value: unknown): number => value as number;

describe.each([
  ["epsdelta", (x: number) => epsdelta(x), "epsilon"],
  ["gdp", gdp, "mu"],
  ["lap", lap, "mu"],
  ["boundedRange", boundedRange, "epsilon"],
] as const)("%s", (_, family, name) => {
  test.each([-1, Number.NaN, null, "a", "1", true, [1, 2], {}])("refuses %o", (value) => {
    expect(() => family(wrong(value))).toThrow(name);
  });
  test("refuses α and β outside [0, 1]", () => {
    const curve = family(1);
    for (const alpha of [-1e-9, 1 + 1e-9, Number.NaN, Number.POSITIVE_INFINITY, "0.5", null, undefined, [0.1]]) {
      for (const ask of [curve.beta, curve.power, curve.logPower, curve.slope, curve.inverse]) {
        expect(() => ask(wrong(alpha))).toThrow(/alpha|beta/);
      }
    }
    expect(() => curve.evaluate([0, 2])).toThrow("alpha[1] is 2");
    expect(() => curve.divergence(Number.NaN)).toThrow("epsilon");
  });
});

test.each([
  [() => epsdelta(1, -0.1), "delta is -0.1"],
  [() => epsdelta(1, 1.1), "delta is 1.1"],
  [() => epsdelta(1, Number.NaN), "delta is NaN"],
  [() => staircase(1, 2), "gamma"],
  [() => randomizedResponse(1, 1), "categories"],
  [() => discreteLaplace(0), "scale"],
  [() => discreteLaplace(1, 0.5), "sensitivity"],
  [() => discreteGaussian(1e6), "sigma"],
  [() => truncatedLaplace(1, 0), "delta"],
  [() => truncatedLaplace(0, 0.1), "epsilon"],
  [() => fromPair([0.5, 0.6], [0.5, 0.5]), "p is 1.1"],
  [() => fromPair([1], [0.5, 0.5]), "q"],
  [() => fromPair([], []), "p"],
  [() => compose([]), "curves"],
  [() => selfCompose(0, gdp(1)), "count is 0"],
  [() => selfCompose(1.5, gdp(1)), "count is 1.5"],
  [() => group(0, gdp(1)), "size"],
  [() => subsample(1.5, gdp(1)), "rate"],
  [() => maximum([]), "curves"],
  [() => fromProfile([]), "profile"],
  [() => fromProfile([{ epsilon: 1, delta: 2 }]), "profile[0].delta"],
  [() => fromLosses({ losses: [1], probabilities: [0.5], infinite: 0 }), "probabilities"],
  [() => fromLosses({ losses: [-3], probabilities: [1], infinite: 0 }), "losses"],
  [() => fromRenyi([{ order: 1, epsilon: 1 }]), "rdp[0].order"],
  [() => zcdp(-1), "rho"],
  [() => named(gdp(1), ""), "label"],
  [() => fromScores([], [1]), "absent"],
  [() => fromScores([1], [Number.NaN]), "present[0]"],
  [() => clopperPearson(5, 3, 0.95), "k is 5"],
  [() => clopperPearson(1, 3, 1), "confidence"],
  [() => auditThreshold({ falsePositives: -1, absent: 5, falseNegatives: 0, present: 5 }), "k is -1"],
  [() => fitAudit({ absent: [1], present: [2] }, { confidence: 0 }), "confidence"],
  [() => oneRunAudit({ canaries: 10, guesses: 20, correct: 5, delta: 0 }), "guesses is 20"],
  [() => oneRunAudit({ canaries: 10, guesses: 5, correct: 6, delta: 0 }), "correct is 6"],
])("%s is refused", (call, text) => {
  expect(call).toThrow(text);
});

describe("points", () => {
  test.each([
    [[], "at least one point"],
    [{ alpha: [], beta: [] }, "at least one point"],
    [{ alpha: [0.1] }, "beta is missing"],
    [{ beta: [0.1] }, "alpha is missing"],
    [{ alpha: [0.1, 0.2], beta: [0.5] }, "as many as alpha: 2"],
    [[[0.1, Number.NaN]], "points[0].beta is NaN"],
    [[[Number.POSITIVE_INFINITY, 0]], "points[0].alpha is Infinity"],
    [
      [
        [0.1, 0.2],
        [-0.1, 0.5],
      ],
      "points[1].alpha is -0.1",
    ],
    [
      [
        [0.1, 0.2],
        [0.2, "0.1"],
      ],
      'points[1].beta is "0.1"',
    ],
    [[[0.1, 0.2, 0.3]], "points[0]"],
    [[{ alpha: 0.1 }], "points[0]"],
    [
      [
        [0.1, 0.2],
        [0.5, 0.6],
      ],
      "points[1] is (0.5, 0.6), above 1 - alpha = 0.5 by 0.100",
    ],
    ["a", "points"],
    [null, "points"],
    [7, "points"],
  ] as const)("%o", (input, text) => {
    expect(() => fromPoints(input as unknown as PointsInput)).toThrow(text);
  });
  test("in any order, with duplicates, rising or alone: the hull is taken", () => {
    const f = fromPoints([
      [0.5, 0.3],
      [0.1, 0.7],
      [0.1, 0.8],
      [0.3, 0.65],
    ]);
    expect(f.beta(0.1)).toBe(0.7);
    expect(f.beta(0.3)).toBeCloseTo(0.5, 15);
    expect(fromPoints([[0.5, 0.2]]).beta(0.25)).toBeCloseTo(0.6, 15);
  });
  test.each([
    [[[0.5, 0.2]], "at least two points"],
    [
      [
        [0.5, 0.2],
        [0.1, 0.7],
      ],
      "points[1].alpha is 0.1, must be above",
    ],
    [
      [
        [0.1, 0.7],
        [0.1, 0.6],
      ],
      "a duplicate of 0.1",
    ],
    [
      [
        [0.1, 0.3],
        [0.2, 0.5],
      ],
      "it rises by 0.200",
    ],
    [
      [
        [0, 1],
        [0.5, 0.45],
        [0.6, 0.1],
      ],
      "points[1].beta is 0.45, must be convex with its neighbours; it lies 0.200 above",
    ],
  ] as const)("%o is no curve", (input, text) => {
    expect(() => fromPoints(input, { as: "curve" })).toThrow(text);
  });
  test("rounding up to the tolerance is no violation", () => {
    expect(fromPoints([[0.5, 0.5 + 1e-9]]).beta(0.5)).toBe(0.5);
    expect(() => fromPoints([[0.5, 0.5 + 1e-6]])).toThrow("above 1 - alpha");
    expect(fromPoints([[0.5, 0.5 + 1e-6]], { tolerance: 1e-5 }).beta(0.5)).toBe(0.5);
  });
});

test("functions are asked and refused with the place and size of the violation", () => {
  expect(() => fromFunction(() => 0.5)).toThrow("at most 1 - alpha");
  expect(() => fromFunction((a) => 1 - Math.sqrt(1 - (1 - a) ** 2) - 0.9 * a)).toThrow(/in \[0, 1\]|rises/);
  expect(() => fromFunction((a) => (1 - a) * (1 - 0.2 * Math.sin(9 * a) ** 2))).toThrow("convex");
  expect(() => fromFunction(() => Number.NaN)).toThrow("beta(0) is NaN");
  expect(() => fromFunction(wrong(3) as unknown as (a: number) => number)).toThrow("function is 3");
  const f = fromFunction((a) => (1 - Math.sqrt(a)) ** 2, { label: "root" });
  expect(f.divergence(0)).toBeCloseTo(0.5, 9);
  expect(f.label).toBe("root");
});

describe("curves as data", () => {
  test.each([
    [null, "curve is null"],
    [3, "curve is 3"],
    [[], "curve is []"],
    [{}, "exactly one of"],
    [{ gdp: 1, lap: 1 }, "exactly one of"],
    [{ normal: 1 }, "exactly one of"],
    [{ __proto__: 1 }, "exactly one of"],
    [{ gdp: "1" }, 'curve.gdp is "1"'],
    [{ epsdelta: [1, 0, 0] }, "curve.epsdelta"],
    [{ compose: [{ gdp: 1 }, { lap: -1 }] }, "mu is -1"],
    [{ compose: {} }, "curve.compose"],
    [{ subsample: [0.1] }, "curve.subsample"],
    [{ mechanism: { kind: "magic" } }, "curve.mechanism.kind"],
  ])("%o is refused", (json, text) => {
    expect(() => readCurve(json)).toThrow(text);
  });
  test("too deep is refused, not a crash", () => {
    let json: unknown = { gdp: 1 };
    for (let i = 0; i < 100_000; i++) json = { inverse: json };
    expect(() => readCurve(json)).toThrow("nested at most");
  });
  test("what a curve says of itself makes it again", () => {
    for (const curve of [
      epsdelta(1, 0.1),
      gdp(2),
      lap(3),
      fromPoints([[0.1, 0.5]]),
      compose([epsdelta(1), epsdelta(2)]),
    ]) {
      const again = readCurve(JSON.parse(JSON.stringify(curve.definition)));
      for (const alpha of [0, 0.01, 0.4, 1]) expect(again.beta(alpha)).toBe(curve.beta(alpha));
    }
  });
});
