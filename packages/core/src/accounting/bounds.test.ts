import { expect, test } from "vitest";
import { compose } from "../../../tradeoff/src/compose.ts";
import { gdp } from "../../../tradeoff/src/gdp.ts";
import { lap } from "../../../tradeoff/src/lap.ts";
import { mechanismCurve } from "../../../tradeoff/src/mechanism.ts";
import type { DpEvent } from "../event.ts";
import { brokenBounds } from "./bounds.kit.ts";
import { bracketOf, reachOf, type SampledNoise } from "./bracket.kit.ts";
import { calibrate, largestPower } from "./calibrate.ts";
import { compositions } from "./composition.ts";
import { runningTotal } from "./incremental.ts";
import { brokenHere } from "./invariants.kit.ts";
import { consistent } from "./invariants.ts";
import { lossDistribution } from "./loss-distribution.ts";
import { tiltedNodes } from "./nodes.ts";
import { composedDirection, privacyLossDistribution } from "./pld.ts";
import type { Direction } from "./profile.ts";
import { asLower, asUpper } from "./rounding.ts";

/** Kind, rate, noise multiplier, ε, direction, δ: by the closed form with 120 digits (mpmath 1.3), rounded to a double. */
const exact: readonly (readonly ["gaussian" | "laplace", number, number, number, Direction, number])[] = [
  ["gaussian", 0.5972817561279369, 10220.57918361466, 1.2181563541974295e-7, "remove", 2.3252985005044662e-5],
  ["gaussian", 0.21056469441281456, 0.03424952884576588, -8.254070397354938e-10, "remove", 0.21056469441281456],
  ["gaussian", 2.451288242495854e-7, 0.16091167480931878, 1.5661191966297104e-7, "remove", 2.4453792273571786e-7],
  ["gaussian", 0.02712568770374979, 1.1141660771662052, 0.0, "remove", 0.009396328094325649],
  ["gaussian", 1.092918704094058e-6, 659.0235940993683, 0.0, "remove", 6.616021674775165e-10],
  ["gaussian", 0.9448647118861916, 0.13769786324929886, 2.952359247520015, "remove", 0.943753740080866],
  ["gaussian", 0.999999984377087, 2119.777124367467, 0.0, "remove", 0.00018820010173878287],
  ["gaussian", 0.9318738682896078, 0.3258759876816991, 0.0, "remove", 0.8154367195618101],
  ["gaussian", 0.16112710062883295, 0.046020470228061584, 0.08768384902712065, "remove", 0.16112710062883295],
  ["gaussian", 0.999999720276041, 0.015531064254978967, 15.089458907270233, "add", 3.67350985260932e-6],
  ["gaussian", 0.9999833498091143, 0.014055460106245645, 5.0346285715226515e-8, "add", 0.999983349808276],
  ["gaussian", 0.986619162629977, 0.01874814429963255, 0.7047758554409469, "add", 0.9729253059727258],
  ["gaussian", 0.15873837284564296, 2.188580039207288, 0.13480698926449408, "add", 2.4906396980589214e-6],
  ["gaussian", 0.9999852758888245, 22.422029159581815, -11.126024191842008, "add", 0.9999852758888245],
  ["gaussian", 0.6310366518333499, 8166.631955829709, -0.9970598994730013, "add", 0.6310373647201911],
  ["gaussian", 0.2920030006480151, 0.03197143656013158, 0.1255375325047358, "add", 0.1973029355901154],
  ["gaussian", 0.1002396615502843, 0.22973816929699162, 0.06671609846209071, "add", 0.036315747289671206],
  ["gaussian", 0.32037848230817756, 0.019483293578921108, 0.0, "add", 0.32037848230817756],
  ["laplace", 0.20042425654953389, 0.19278375307909562, -2.1968142875787235e-6, "remove", 0.18544222824400614],
  ["laplace", 0.28397397378233, 0.5233763998734318, 4.597792657043046e-9, "remove", 0.17473398380182167],
  ["laplace", 0.13364673360254575, 129.06709011209594, 0.0008529872576320104, "remove", 9.239022010212452e-5],
  ["laplace", 0.00014800281063468484, 26379.820131451987, 0.0, "remove", 2.8052012351133924e-9],
  ["laplace", 0.5580066913722036, 7.562802762266814, 2.1379647548412045e-6, "remove", 0.03569745774541005],
  ["laplace", 0.27931723708631084, 0.7826667677873153, 0.0, "remove", 0.13186464690621888],
  ["laplace", 0.9818311974402457, 0.10902408699757646, -4.0080493008025915, "remove", 0.9818311974403738],
  ["laplace", 0.08057982751061243, 69.6795048182168, -0.08401189378110496, "remove", 0.08057967935394433],
  ["laplace", 0.9999226591860569, 3.6849288216019995, 0.0, "remove", 0.1268750373797629],
  ["laplace", 0.9999877347446885, 84.77401471078318, 0.0, "add", 0.0058806023675505035],
  ["laplace", 0.9987654328992638, 0.7548489405916419, -6.697016660930845, "add", 0.9987654103865552],
  ["laplace", 2.111686698579902e-5, 9230.183280655261, 0.0, "add", 1.1438719255406563e-9],
  ["laplace", 2.75199684077903e-7, 215.5695957475634, 0.0, "add", 6.375685208086812e-10],
  ["laplace", 0.999999889122993, 3.3887923097616865, 5.915098285701133e-10, "add", 0.13717653675865008],
  ["laplace", 0.6555895122143353, 0.04451503444903432, -1.065921059183511, "add", 0.8813755093988799],
  ["laplace", 0.9999999982665596, 1.0548430608602206, -0.0472339154942149, "add", 0.39202475765588124],
  ["laplace", 2.1277925296096364e-6, 2.6330871973346897, 0.0, "add", 3.680035489424313e-7],
  ["laplace", 0.9965720755866054, 2.285002025753571, 0.0, "add", 0.19585851646294533],
  ["gaussian", 0.9987, 0.05214, 0.0, "add", 0.9987],
  ["gaussian", 0.9987, 0.05214, -3.0, "add", 0.9999352768111218],
  ["gaussian", 0.9987, 0.05214, 3.0, "add", 0.9738888019998567],
  ["gaussian", 1e-7, 1.0, 0.0, "add", 3.829249225480262e-8],
  ["gaussian", 7e-6, 0.5, 1e-5, "remove", 3.711977287314371e-6],
];

test.each(exact)(
  "%s sampled at %d, noise %d, ε = %d, %s: δ lies in its bounds",
  (kind, rate, noiseMultiplier, epsilon, direction, delta) => {
    const distribution = lossDistribution(
      { kind: "poissonSampled", rate, event: { kind, noiseMultiplier } },
      direction,
    );
    const { upper = 0, lower = 1 } = distribution?.profile(epsilon) ?? {};
    expect(upper).toBeGreaterThanOrEqual(delta);
    expect(lower).toBeLessThanOrEqual(delta);
  },
);

/** Rate, ε of a pure mechanism, ε asked for, direction, δ: by the closed form with 80 digits (mpmath 1.3), rounded to a double. */
const exactPure: readonly (readonly [number, number, number, Direction, number])[] = [
  [0.999999999999, 30, 27.2661580971, "add", 0.24075440546650456],
  [0.999999999999, 30, 27, "add", 0.41817646085261784],
  [0.999999999, 30, 20, "add", 0.5147894183818533],
  [0.999999999, 17, 16.806, "add", 0.15644667287824995],
  [0.999999, 17, 13.774945, "add", 2.3399650852780062e-7],
  [0.999999999, 30, 20, "remove", 0.999954599070144],
  [1e-9, 12, 1e-5, "remove", 9.385456584188942e-10],
  [0.3, 2, 0.1, "add", 0.1598732764323225],
];

test.each(exactPure)("rate %d, pure %d, ε = %d, %s: δ lies in its bounds", (rate, pure, epsilon, direction, delta) => {
  const event = { kind: "poissonSampled", rate, event: { kind: "pure", epsilon: pure } } as const;
  const { upper = 0, lower = 1 } = lossDistribution(event, direction)?.profile(epsilon) ?? {};
  expect(upper).toBeGreaterThanOrEqual(delta);
  expect(lower).toBeLessThanOrEqual(delta);
});

test("true answers at far-apart ε break no invariant, in any order", () => {
  const events = [
    { kind: "gaussian", noiseMultiplier: 0.02 },
    { kind: "gaussian", noiseMultiplier: 1 },
    { kind: "laplace", noiseMultiplier: 1 },
    { kind: "poissonSampled", rate: 0.1, event: { kind: "gaussian", noiseMultiplier: 1 } },
  ] as const;
  for (const event of events) {
    for (const order of [
      [0, 1500, 720],
      [1500, 720, 0],
      [-745, 745, 0, -1500],
    ])
      for (const { delta } of privacyLossDistribution([event]).directions) for (const epsilon of order) delta(epsilon);
  }
  compose([gdp(26), lap(1)]).beta(1e-200);
  expect(brokenHere()).toEqual([]);
});

/** Rate, noise multiplier and count of sampled Gaussians; with probability 1 − (1 − rate)^count one of the samples shows the person. */
test.each([
  [0.01, 0.06, 100],
  [0.5, 0.06, 2],
  [0.9, 0.06, 2],
])("rate %d, noise %d, %d times: the curve lies below the truth", (rate, noiseMultiplier, count) => {
  const event = { kind: "poissonSampled", rate, event: { kind: "gaussian", noiseMultiplier } } as const;
  const curve = mechanismCurve({ kind: "repeated", count, event });
  const shown = 1 - (1 - rate) ** count;
  for (const alpha of [1e-6, 0.001, 0.1]) {
    expect(curve.power(alpha)).toBeGreaterThanOrEqual(shown * (1 - 1e-4));
    expect(curve.beta(alpha)).toBeLessThanOrEqual(1 - shown * (1 - 1e-4));
  }
  expect(curve.beta(0.3)).toBeLessThanOrEqual(curve.upper?.beta(0.3) ?? 0);
});

test("noise so small that nearly every sample shows the person: the power is that of the sample, and the target can be met", () => {
  const event = {
    kind: "poissonSampled",
    rate: 0.9987,
    event: { kind: "gaussian", noiseMultiplier: 0.05214 },
  } as const;
  expect(largestPower(privacyLossDistribution([event]), 0.001)).toBeGreaterThan(0.5);
  const template = { kind: "poissonSampled", rate: 0.9987, event: { kind: "gaussian" } };
  const { event: found } = calibrate(template, { falsePositiveRate: 0.001, truePositiveRate: 0.5 });
  expect(largestPower(privacyLossDistribution([found]), 0.001)).toBeLessThanOrEqual(0.5);
});

test.each<readonly [string, readonly SampledNoise[]]>([
  // Found by this comparison: a density wider than 40 was cut, and a logarithm overflowed between 698 and 700.
  [
    "a wide Laplace beside a Gaussian",
    [
      { kind: "gaussian", multiplier: 0.1221288612373082, rate: 1, count: 1 },
      { kind: "laplace", multiplier: 0.011514888753333672, rate: 0.009285924419885279, count: 1 },
    ],
  ],
  [
    "a small rate and little noise",
    [
      { kind: "gaussian", multiplier: 0.02186842592633568, rate: 0.000012994722152862323, count: 1 },
      { kind: "gaussian", multiplier: 2.009575287580725, rate: 1, count: 37 },
    ],
  ],
])("%s: inside the bracket of another engine", (_name, list) => {
  expect(brokenBounds(list)).toEqual([]);
});

test("the other engine closes in on what is known", () => {
  const list: readonly SampledNoise[] = [{ kind: "laplace", multiplier: 1, rate: 1, count: 1 }];
  const { upper, lower } = bracketOf(list, "remove", reachOf(list), 2000)(0.5);
  expect([lower, upper].map((x) => Math.abs(x - (1 - Math.exp(-0.25))) < 2e-3)).toEqual([true, true]);
  expect(upper).toBeGreaterThan(lower);
});

test("a tilt that would take too many points has no transform, and a far δ has a bound all the same", () => {
  const sampled = {
    kind: "sampledWithoutReplacement",
    size: 1,
    population: 3,
    event: { kind: "gaussian", noiseMultiplier: 0.5 },
  } as const;
  const distribution = lossDistribution(sampled, "remove");
  if (distribution === undefined) throw new Error("no distribution");
  expect(tiltedNodes(distribution, 1e13, 0, "remove").logMgf).toBe(Number.POSITIVE_INFINITY);
  const [part] = compositions([{ kind: "repeated", count: 5, event: sampled }]);
  if (part === undefined) throw new Error("no composition");
  expect(composedDirection(part).delta(1e6)).toEqual({ upper: Number.MIN_VALUE, lower: 0 });
});

test.each([
  [
    "a rising δ",
    [
      [0, 0.2],
      [1, 0.3],
    ],
    0.2,
  ],
  [
    "a δ that is not convex in e^ε",
    [
      [0, 0.5],
      [2, 0],
      [1, 0.49],
    ],
    0.5,
  ],
] as const)("%s is never given, nor the useless 1: δ at the next smaller ε is", (_name, answers, want) => {
  const check = consistent(() => 0);
  const last = answers
    .map(([epsilon, delta]) => check(epsilon, { upper: asUpper(delta, "exact"), lower: asLower(delta, "exact") }))
    .at(-1);
  expect(last).toEqual({ upper: want, lower: 0 });
  expect(brokenHere()).toHaveLength(1);
});

test.each([
  ["a δ below that of an event", 0.05],
  ["a NaN", Number.NaN],
])("%s is never given: another engine's answer is, and without one a refusal", (_name, delta) => {
  const answer = { upper: asUpper(delta, "exact"), lower: asLower(delta, "exact") };
  expect(
    consistent(() => 0.1)(0, answer, () => ({ upper: asUpper(0.15, "exact"), lower: asLower(0, "exact") })),
  ).toEqual({ upper: 0.15, lower: 0 });
  expect(() => consistent(() => 0.1)(0, answer)).toThrow(
    expect.objectContaining({ code: "UNSUPPORTED_EVENT", details: expect.objectContaining({ name: "events" }) }),
  );
  expect(brokenHere()).toHaveLength(2);
});

test.each([
  [0.0128, 18],
  [0.05, 60],
  [0.1, 200],
])(
  "many Laplace mechanisms of multiplier %s are almost certainly distinguished, %s times",
  (noiseMultiplier, count) => {
    const noise = { kind: "laplace", noiseMultiplier } as const;
    const { delta } = privacyLossDistribution([{ kind: "repeated", count, event: noise }]);
    // The mean loss of each is ε − 1 + e^−ε with ε = 1/multiplier: at least nine tenths of the largest.
    for (const share of [0.55, 0.6, 0.7]) {
      const { lower, upper } = delta((share * count) / noiseMultiplier);
      expect(upper).toBeGreaterThanOrEqual(lower);
      expect(lower).toBeGreaterThan(0.5);
    }
  },
);

test("with a Poisson sample in the list, randomised response among four answers counts as its ε alone", () => {
  const sampled: DpEvent = { kind: "poissonSampled", rate: 0.3, event: { kind: "gaussian", noiseMultiplier: 2 } };
  const answers: DpEvent = { kind: "randomizedResponse", epsilon: 1, categories: 4 };
  const pure: DpEvent = { kind: "pure", epsilon: 1 };
  const inSample = (event: DpEvent): DpEvent => ({ kind: "poissonSampled", rate: 0.3, event });
  for (const [own, plain] of [
    [
      [sampled, answers],
      [sampled, pure],
    ],
    [[inSample(answers)], [inSample(pure)]],
  ] as const) {
    const [got, want] = [privacyLossDistribution(own), privacyLossDistribution(plain)];
    for (const epsilon of [0, 0.1, 0.5]) expect(got.delta(epsilon)).toEqual(want.delta(epsilon));
    const curve = mechanismCurve({ kind: "composed", events: own });
    const other = mechanismCurve({ kind: "composed", events: plain });
    for (const alpha of [0.01, 0.2, 0.6]) expect(curve(alpha)).toBe(other(alpha));
    const total = runningTotal({ epsilon: 1, delta: 1e-6 });
    for (const event of own) total.add(event);
    expect(total.delta(0.5)).toBeGreaterThanOrEqual(want.delta(0.5).lower);
  }
  // Alone it is replace-one, and its own pair says less.
  expect(privacyLossDistribution([answers]).delta(0).upper).toBeLessThan(
    privacyLossDistribution([pure]).delta(0).lower - 0.05,
  );
});

/** Noise multiplier, ε, δ by the closed form with 60 digits (mpmath 1.3): the bound from below was above it. */
test.each([
  [300, 0.1, 5.718755225081656e-202],
  [5.9, 5.240732282689079, 2.385202130200839e-211],
  [41.1, 0.6185305062500929, 9.458203055742567e-146],
  [3670, 0.009190236546736659, 9.051676588914054e-255],
  [0.013736634108042487, 4176, 5.293562135191827e-98],
  [95.5, 0.22948309918565596, 4.917849562399462e-110],
])("noise %d, ε = %d: δ of a Gaussian lies in its bounds, far out too", (noiseMultiplier, epsilon, delta) => {
  const gaussian = { kind: "gaussian", noiseMultiplier } as const;
  const found = privacyLossDistribution([gaussian]).delta(epsilon);
  expect(found.lower).toBeLessThanOrEqual(delta);
  expect(found.upper).toBeGreaterThanOrEqual(delta);
  expect(found.upper / found.lower).toBeLessThan(1 + 1e-10);
});

/** Noise multiplier, δ, ε by halving the closed form with 60 digits (mpmath 1.3). */
test.each([
  [4.444550728232175, 0.08089089388458913, 0.01962641772370445],
  [0.09066988136079823, 0.9967953140987051, 29.61060858307533],
  [7210, 3.908488811179546e-5, 3.6254542939842616e-5],
  [0.0639, 0.9976690094967863, 77.07166377726534],
])("noise %d, δ = %d: ε of a Gaussian lies in its bounds, near 0 too", (noiseMultiplier, delta, epsilon) => {
  const found = privacyLossDistribution([{ kind: "gaussian", noiseMultiplier }]).epsilon(delta);
  expect(found.lower).toBeLessThanOrEqual(epsilon);
  expect(found.upper).toBeGreaterThanOrEqual(epsilon);
});

test("a δ below the least double is not 0 from above", () => {
  // 2.4·10⁻⁴⁷⁷⁷⁹⁷ and 1.25·10⁻³²² (mpmath 1.3).
  for (const [noiseMultiplier, rate, epsilon, least] of [
    [140, 4.984033814234445e-6, 0.18155392558865094, Number.MIN_VALUE],
    [11.754630279056235, 0.7494306219358992, 2.979171502139201, 25 * Number.MIN_VALUE],
  ] as const) {
    const event = { kind: "poissonSampled", rate, event: { kind: "gaussian", noiseMultiplier } } as const;
    const { upper = 0, lower = 1 } = lossDistribution(event, "remove")?.profile(epsilon) ?? {};
    expect(upper).toBeGreaterThanOrEqual(least);
    expect(lower).toBe(0);
  }
});
