import { describe, expect, test } from "vitest";
import { discreteLaplace, fromPair, randomizedResponse, staircase } from "./atomic.ts";
import { boundedRange } from "./bounded-range.ts";
import { canonicalNoise } from "./canonical-noise.ts";
import { compose, selfCompose } from "./compose.ts";
import { epsdelta } from "./epsdelta.ts";
import { symmetrise } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { expectClose, golden } from "./golden.kit.ts";
import { group } from "./group.ts";
import { lap } from "./lap.ts";
import { mixture, readCurve } from "./read-curve.ts";
import { fromRenyi, renyiBound, zcdp } from "./renyi.ts";
import { subsample, subsampleOneWay } from "./subsample.ts";
import { truncatedLaplace } from "./truncated-laplace.ts";

interface Columns {
  readonly alpha: readonly number[];
  readonly beta: readonly number[];
}
interface Beyond {
  readonly rr_composition: readonly { n: number; epsilon: number; delta: number; E: number; delta_total: number }[];
  readonly "rr_composition_tradeoff_n6_eps0.4": Columns;
  readonly subsampled_gaussian_single_step: readonly {
    mu: number;
    p: number;
    alpha: readonly number[];
    beta_remove: readonly number[];
    beta_Cp: readonly number[];
  }[];
  readonly group_privacy: readonly (Columns & { base: string; k: number })[];
  readonly "laplace_tensor_n10_theta3/sqrt10": Columns & {
    theta: number;
    beta_richardson: readonly number[];
    beta_pessimistic_h2: readonly number[];
  };
  readonly k_randomized_response: readonly { k: number; epsilon: number; vertices: Columns }[];
  readonly staircase: readonly { epsilon: number; gamma: number; vertices: Columns }[];
  readonly geometric_scale_eps1_sens3: Columns;
  readonly truncated_laplace: readonly (Columns & { epsilon: number; delta: number })[];
  readonly rdp_to_f_riskcal: readonly { epsilon: number; order: number; alpha: number; beta: number }[];
  readonly bounded_range: readonly (Columns & { epsilon: number; advantage: number })[];
  readonly pld: readonly { mechanism: string; delta: Readonly<Record<string, number>> }[];
}
const beyond = golden<Beyond>("fdp-beyond.json");

const agree = (curve: { beta(alpha: number): number }, { alpha, beta }: Columns, tolerance = 1e-13) => {
  for (const [i, a] of alpha.entries()) expectClose(curve.beta(a), beta[i]!, tolerance);
};

test.each(beyond.rr_composition)("$n-fold ($epsilon, $delta) at ε = $E", ({ n, epsilon, delta, E, delta_total }) => {
  // The reference subtracts from 1 in doubles: only its absolute error is small.
  expect(Math.abs(selfCompose(n, epsdelta(epsilon, delta)).divergence(E) - delta_total)).toBeLessThan(1e-14);
});

test("six-fold randomised response, corner by corner", () => {
  agree(selfCompose(6, epsdelta(0.4)), beyond["rr_composition_tradeoff_n6_eps0.4"], 1e-11);
});

test("Gaussians compose exactly", () => {
  expect(compose([gdp(0.6), gdp(0.8)]).beta(0.05)).toBe(gdp(1).beta(0.05));
  expect(compose([gdp(0), gdp(1)]).label).toContain("GDP");
  expect(compose([gdp(1)]).beta(1e-200)).toBe(gdp(1).beta(1e-200));
});

describe("ten Laplace mechanisms", () => {
  const row = beyond["laplace_tensor_n10_theta3/sqrt10"];
  const curve = selfCompose(10, lap(row.theta));
  test.each(row.alpha.map((alpha, i) => [alpha, row.beta_pessimistic_h2[i]!, row.beta_richardson[i]!] as const))(
    "at %d the bracket holds the reference",
    (alpha, pessimistic, extrapolated) => {
      const [low, high] = [curve.beta(alpha), curve.upper!.beta(alpha)];
      expect(low).toBeGreaterThanOrEqual(pessimistic);
      expect(low).toBeLessThanOrEqual(high);
      expect(high - low).toBeLessThan(1e-5 * Math.min(high, 1 - high) + 1e-12);
      expect(low).toBeCloseTo(extrapolated, 7);
    },
  );
  test("the far tail is that of pure DP with the sum of ε", () => {
    for (const alpha of [1e-20, 1e-100, 1e-300]) {
      expect(curve.power(alpha)).toBeGreaterThanOrEqual(Math.exp(10 * row.theta) * alpha * (1 - 1e-12));
      expect(curve.power(alpha) / alpha / Math.exp(10 * row.theta)).toBeCloseTo(1, 9);
    }
  });
});

test("a Gaussian and a Laplace mechanism agree with an independent accountant", () => {
  const curve = compose([gdp(0.5), lap(1)]);
  const { delta } = beyond.pld.find(({ mechanism }) => mechanism === "gaussian(2)+laplace(1)")!;
  for (const [epsilon, value] of Object.entries(delta)) {
    expect(Math.abs(curve.divergence(Number(epsilon)) - value)).toBeLessThan(2e-9);
    expect(curve.upper!.divergence(Number(epsilon))).toBeLessThanOrEqual(curve.divergence(Number(epsilon)));
  }
});

test.each(beyond.subsampled_gaussian_single_step)("Poisson sample $p of $mu-GDP", (row) => {
  agree(subsampleOneWay(row.p, gdp(row.mu)), { alpha: row.alpha, beta: row.beta_remove });
  agree(subsample(row.p, gdp(row.mu)), { alpha: row.alpha, beta: row.beta_Cp }, 1e-12);
});

test.each([
  [1, 0.02, 0.3],
  [0.5, 0, 0.1],
  [3, 1e-6, 0.01],
])("Poisson sample of (%d, %d)-DP at rate %d is a maximum of two lines", (epsilon, delta, rate) => {
  const curve = subsample(rate, epsdelta(epsilon, delta));
  const advantage = (Math.expm1(epsilon) + 2 * delta) / (Math.exp(epsilon) + 1);
  const inner = epsdelta(Math.log1p(rate * Math.expm1(epsilon)), rate * delta);
  for (const alpha of [0, 1e-9, 0.001, 0.05, 0.1, 0.3, 0.5, 0.8, 0.99]) {
    expect(curve.beta(alpha)).toBeCloseTo(Math.max(inner.beta(alpha), 1 - rate * advantage - alpha), 14);
  }
});

test.each(beyond.group_privacy)("$base for groups of $k", (row) => {
  agree(group(row.k, readCurve(baseOf(row.base))), row, 1e-11);
});
const baseOf = (text: string) => {
  const [family, values] = [
    text.slice(0, text.indexOf("(")),
    text
      .slice(text.indexOf("(") + 1, -1)
      .split(",")
      .map(Number),
  ];
  return { [family]: values.length === 1 ? values[0] : values };
};

test("groups of Gaussian, Laplace and bounded-range curves are of the same family", () => {
  expect(group(3, gdp(0.5)).beta(0.1)).toBe(gdp(1.5).beta(0.1));
  expect(group(4, lap(0.25)).beta(0.1)).toBe(lap(1).beta(0.1));
  const f = boundedRange(0.7);
  expect(group(2, f).beta(0.2)).toBeCloseTo(f.beta(1 - f.beta(0.2)), 14);
});

test.each(beyond.k_randomized_response)("$k-ary randomised response", ({ k, epsilon, vertices }) => {
  const got = randomizedResponse(epsilon, k).vertices();
  for (const [i, { alpha, beta }] of got.entries()) {
    expectClose(alpha, vertices.alpha[i]!);
    expectClose(beta, vertices.beta[i]!);
  }
});

test.each(beyond.staircase)("staircase $epsilon, $gamma", ({ epsilon, gamma, vertices }) => {
  const curve = staircase(epsilon, gamma);
  for (const [i, alpha] of vertices.alpha.entries()) expect(curve.beta(alpha)).toBeCloseTo(vertices.beta[i]!, 14);
});

test("geometric noise of scale 1 and sensitivity 3", () =>
  agree(discreteLaplace(1, 3), beyond.geometric_scale_eps1_sens3, 1e-9));
test("geometric noise of sensitivity 1 is pure DP", () => {
  for (const alpha of [0, 0.1, 0.3, 0.9])
    expect(discreteLaplace(2).beta(alpha)).toBeCloseTo(epsdelta(0.5).beta(alpha), 15);
});

test.each(beyond.truncated_laplace)("truncated Laplace $epsilon, $delta", (row) => {
  const curve = truncatedLaplace(row.epsilon, row.delta);
  for (const [i, alpha] of row.alpha.entries()) expect(curve.beta(alpha)).toBeCloseTo(row.beta[i]!, 12);
});

test.each(beyond.bounded_range)("bounded range $epsilon", (row) => {
  agree(boundedRange(row.epsilon), row);
  expectClose(boundedRange(row.epsilon).divergence(0), row.advantage, 1e-12);
});

test.each(beyond.rdp_to_f_riskcal)("Rényi ($order, $epsilon) at $alpha", ({ order, epsilon, alpha, beta }) => {
  const got = renyiBound(order, epsilon, alpha).beta;
  // The reference reads a grid of width 1e-3 from above.
  expect(got).toBeLessThanOrEqual(beta);
  expect(beta - got).toBeLessThan(1.1e-3);
});

test("a pair of distributions, sorted as Neyman and Pearson do", () => {
  const curve = fromPair([0.5, 0.3, 0.2, 0], [0.2, 0.3, 0.4, 0.1]);
  expect(curve.beta(0)).toBeCloseTo(0.9, 15);
  expect(curve.beta(0.2)).toBeCloseTo(0.5, 15);
  expect(curve.beta(0.5)).toBeCloseTo(0.2, 15);
  const both = symmetrise(curve);
  for (const alpha of [0, 0.1, 0.3, 0.6, 0.9]) {
    expect(both.beta(alpha)).toBeLessThanOrEqual(Math.min(curve.beta(alpha), curve.inverse(alpha)) + 1e-15);
    expect(both.beta(alpha)).toBeCloseTo(both.inverse(alpha), 13);
  }
});

interface Noise {
  readonly f: string;
  readonly x: readonly number[];
  readonly F: readonly number[];
}
const { cnd_cdf } = golden<{ cnd_cdf: readonly Noise[] }>("fdp-beyond.json");
test.each(cnd_cdf)("canonical noise of $f", ({ f, x, F }) => {
  const curve = f.startsWith("G")
    ? gdp(Number(f.slice(2)))
    : readCurve({ epsdelta: f.slice(3, -1).split(",").map(Number) });
  for (const [i, at] of x.entries()) expect(canonicalNoise(curve)(at)).toBeCloseTo(F[i]!, 13);
});

test("a mixture with a published choice has the mean of the profiles", () => {
  const curve = mixture([
    { weight: 0.25, curve: epsdelta(1, 0.01) },
    { weight: 0.75, curve: epsdelta(2) },
  ]);
  for (const x of [-1, 0, 0.5, 1.5, 3]) {
    const mean = 0.25 * epsdelta(1, 0.01).divergence(x) + 0.75 * epsdelta(2).divergence(x);
    expect(curve.divergence(x)).toBeCloseTo(mean, 14);
  }
  expect(mixture([{ weight: 1, curve: gdp(1) }]).beta(0.1)).toBeCloseTo(gdp(1).beta(0.1), 5);
  expect(readCurve(JSON.parse(JSON.stringify(curve.definition))).beta(0.1)).toBe(curve.beta(0.1));
  expect(() => mixture([{ weight: 0.5, curve: gdp(1) }])).toThrow("sum to 1");
});

describe("very large ε and very small δ survive every operation", () => {
  const huge = epsdelta(1e6, 1e-300);
  test.each([
    ["composition", selfCompose(3, huge)],
    ["a group", group(3, epsdelta(800))],
    ["a sample", subsample(0.5, huge)],
    ["a bracket", compose([lap(800), gdp(1)])],
    ["a bracket of large and small", compose([lap(1e-6), gdp(30)])],
    ["an inverse", fromPair([1, 0], [0.5, 0.5]).inverted()],
    ["both ways", symmetrise(subsampleOneWay(0.01, lap(700)))],
    ["large Laplace noise loss", lap(1e6)],
    ["large bounded range", boundedRange(1e6)],
  ])("%s", (_, curve) => {
    for (const alpha of [0, 1e-300, 1e-9, 0.5, 1 - 1e-12, 1]) {
      const [beta, power] = [curve.beta(alpha), curve.power(alpha)];
      expect(beta).toBeGreaterThanOrEqual(0);
      expect(Math.abs(beta + power - 1)).toBeLessThan(1e-11);
    }
    for (const x of [0, 1, 100, 2e6]) expect(curve.divergence(x)).toBeLessThanOrEqual(1);
  });
  test("δ of a composition adds up", () => {
    expect(selfCompose(3, huge).divergence(4e6)).toBeCloseTo(3e-300, 310);
    expect(selfCompose(3, huge).power(0) / 3e-300).toBeCloseTo(1, 12);
  });
});

test("zCDP as a curve lies below every curve that has it, and near the values of another library on a grid", () => {
  const curve = zcdp(0.5);
  for (const alpha of [1e-100, 1e-9, 0.001, 0.1, 0.3, 0.5, 0.9])
    expect(curve.power(alpha)).toBeGreaterThan(gdp(1).power(alpha));
  expect(curve.beta(0.1)).toBeLessThanOrEqual(0.517);
  expect(curve.beta(0.1)).toBeGreaterThan(0.5155);
  const bounds = fromRenyi([{ order: 2, epsilon: 1 }]);
  for (const alpha of [1e-9, 0.001, 0.1, 0.3, 0.5, 0.9]) {
    expect(bounds.beta(alpha)).toBeLessThanOrEqual(renyiBound(2, 1, alpha).beta + 1e-15);
    expect(bounds.beta(alpha) / renyiBound(2, 1, alpha).beta).toBeCloseTo(1, 2);
  }
});
