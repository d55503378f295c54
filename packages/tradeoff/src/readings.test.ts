import { describe, expect, test } from "vitest";
import { auditThreshold, clopperPearson, fitAudit, oneRunAudit, oneRunGaussianAudit, oneRunRefutes } from "./audit.ts";
import { compose, selfCompose } from "./compose.ts";
import { epsdelta } from "./epsdelta.ts";
import { estGdp } from "./estimate.ts";
import { gaussianDelta, gaussianEpsilon, gaussianMu, gdp } from "./gdp.ts";
import { expectClose, golden } from "./golden.kit.ts";
import { lap } from "./lap.ts";
import { leastMu } from "./least.ts";
import { centralLimit, edgeworth, gradientDescentLimit, lossMoments } from "./limits.ts";
import { compare, crossingsOf } from "./order.ts";
import { fromProfile, profileOf } from "./profile.ts";
import { readCurve } from "./read-curve.ts";
import { bayesAccuracy, gaussianFit, readings, reconstruction, reportCard } from "./readings.ts";
import { leastRho, renyi } from "./renyi.ts";

type Rates = Readonly<Record<string, number>>;
interface Beyond {
  readonly attack_readings: readonly {
    curve: string;
    advantage: number;
    max_balanced_accuracy: number;
    auc_bound: number;
    tpr_at_fpr: Rates;
    positive_likelihood_ratio_at_fpr: Rates;
    negative_likelihood_ratio_at_fpr: Rates;
    ppv_prior_half: Rates;
    ppv_prior_0_01: Rates;
    bayes_accuracy: Rates;
    reconstruction_bound: Rates;
  }[];
  readonly clt_laplace: readonly {
    theta: number;
    n: number;
    kl: number;
    kappa2: number;
    kappa3bar: number;
    mu_CLT: number;
    berry_esseen_gamma: number;
  }[];
  readonly "laplace_tensor_n10_theta3/sqrt10": {
    theta: number;
    alpha: readonly number[];
    beta_CLT: readonly number[];
    "beta_edgeworth_from_alpha_1e-3": readonly number[];
  };
  readonly dpsgd_clt: readonly { sigma: number; p: number; T: number; mu_uniform_symm: number; mu_poisson: number }[];
  readonly clopper_pearson: readonly { k: number; n: number; conf: number; lo: number; hi: number }[];
  readonly audit_lower_bounds: readonly {
    FP: number;
    FN: number;
    n0: number;
    n1: number;
    conf_each: number;
    fpr_hi: number;
    fnr_hi: number;
    eps_lower: Rates;
    mu_lower: number;
  }[];
  readonly one_run_audit: readonly { m: number; r: number; v: number; delta: number; p: number; eps_lower: number }[];
  readonly fdp_one_run_audit_gdp: readonly {
    m: number;
    correct: number;
    guesses: number;
    threshold: number;
    mu_lower: number;
  }[];
  readonly gdp_conversions_exact_20_digits: {
    mu_delta_to_eps: readonly { mu: string; delta: string; epsilon: string }[];
    eps_delta_to_mu: readonly { epsilon: string; delta: string; mu: string }[];
    profile: readonly { mu: string; epsilon: string; delta: string }[];
  };
  readonly gdp_conversions: {
    pure_eps_to_gdp: readonly { epsilon: number; mu: number }[];
    lap_to_gdp: readonly { mu_lap: number; mu_gdp: number }[];
  };
}
const beyond = golden<Beyond>("fdp-beyond.json");

const curveNamed = (text: string) => {
  const values = text
    .slice(text.indexOf("(") + 1, -1)
    .split(",")
    .map(Number);
  return readCurve({ [text.slice(0, text.indexOf("("))]: values.length === 1 ? values[0] : values });
};

describe.each(beyond.attack_readings)("what an attacker can do against $curve", (row) => {
  const curve = curveNamed(row.curve);
  const each = (rates: Rates, read: (rate: number) => number, tolerance = 1e-12) => {
    for (const [rate, value] of Object.entries(rates)) expectClose(read(Number(rate)), value, tolerance);
  };
  const at = (rate: number, prior: number) => readings(curve, { falsePositiveRates: [rate], prior }).rates[0]!;
  test("advantage, accuracy, area", () => {
    const { advantage, balancedAccuracy, auc } = readings(curve);
    // The references of these three come from grids and quadrature.
    expect(advantage).toBeCloseTo(row.advantage, 7);
    expect(balancedAccuracy).toBeCloseTo(row.max_balanced_accuracy, 7);
    expect(auc).toBeCloseTo(row.auc_bound, 9);
  });
  test("at false positive rates", () => {
    // The references are 1 − β in doubles: at rate 1e-5 they have lost five digits.
    each(row.tpr_at_fpr, (rate) => at(rate, 0.5).truePositiveRate, 1e-10);
    each(row.positive_likelihood_ratio_at_fpr, (rate) => at(rate, 0.5).positiveLikelihoodRatio, 1e-10);
    each(row.negative_likelihood_ratio_at_fpr, (rate) => at(rate, 0.5).negativeLikelihoodRatio);
    each(row.ppv_prior_half, (rate) => at(rate, 0.5).precision);
    each(row.ppv_prior_0_01, (rate) => at(rate, 0.01).precision);
    each(row.reconstruction_bound, (rate) => reconstruction(curve, rate), 1e-9);
  });
  test("with a prior", () => each(row.bayes_accuracy, (prior) => bayesAccuracy(curve, prior), 1e-6));
});

test.each(beyond.clt_laplace)("moments and central limit of $n Laplace($theta)", (row) => {
  const moments = lossMoments(lap(row.theta));
  expectClose(moments.kl, row.kl, 1e-9);
  expectClose(moments.kl, row.theta + Math.expm1(-row.theta), 1e-12);
  expectClose(moments.variance + moments.kl ** 2, row.kappa2, 1e-8);
  expectClose(moments.absoluteThird, row.kappa3bar, 1e-7);
  const limit = centralLimit(Array.from({ length: row.n }, () => lap(row.theta)));
  expectClose(limit.mu, row.mu_CLT, 1e-8);
  expectClose(limit.gamma, row.berry_esseen_gamma, 1e-6);
  expect(limit.isGuarantee).toBe(false);
});

test("the band of Berry and Esseen holds the composition; Edgeworth is near it", () => {
  const row = beyond["laplace_tensor_n10_theta3/sqrt10"];
  const exact = selfCompose(10, lap(row.theta));
  const limit = centralLimit(Array.from({ length: 10 }, () => lap(row.theta)));
  const series = edgeworth(10, lap(row.theta));
  for (const [i, alpha] of row.alpha.entries()) {
    expectClose(limit.beta(alpha), row.beta_CLT[i]!, 1e-6);
    expect(limit.lower(alpha)).toBeLessThanOrEqual(exact.beta(alpha));
    expect(limit.upper(alpha)).toBeGreaterThanOrEqual(exact.beta(alpha));
    const reference = row["beta_edgeworth_from_alpha_1e-3"][i - 1];
    if (reference !== undefined) expect(series.beta(alpha)).toBeCloseTo(reference, 4);
  }
});

test.each(beyond.dpsgd_clt)("gradient descent σ $sigma, p $p, T $T", (row) => {
  const limit = gradientDescentLimit({ noiseMultiplier: row.sigma, rate: row.p, steps: row.T });
  expectClose(limit.poisson, row.mu_poisson, 1e-12);
  expectClose(limit.uniform, row.mu_uniform_symm, 1e-12);
});

test.each(beyond.clopper_pearson)("Clopper–Pearson $k of $n at $conf", ({ k, n, conf, lo, hi }) => {
  const { low, high } = clopperPearson(k, n, conf);
  expectClose(low, lo, 1e-11);
  expectClose(high, hi, 1e-11);
});

test.each(beyond.audit_lower_bounds)("audit of $FP of $n0 and $FN of $n1", (row) => {
  const audit = auditThreshold({
    falsePositives: row.FP,
    absent: row.n0,
    falseNegatives: row.FN,
    present: row.n1,
    confidence: row.conf_each,
  });
  expectClose(audit.fprHigh, row.fpr_hi, 1e-11);
  expectClose(audit.fnrHigh, row.fnr_hi, 1e-11);
  expectClose(audit.muLower, row.mu_lower, 1e-11);
  for (const [delta, epsilon] of Object.entries(row.eps_lower)) {
    expectClose(audit.epsilonLower(Number(delta)), epsilon, 1e-11);
  }
});

test.each(beyond.one_run_audit)("one-run audit: $v of $r right, $m canaries, δ $delta", (row) => {
  const { m: canaries, r: guesses, v: correct, delta, p: significance } = row;
  expect(oneRunAudit({ canaries, guesses, correct, delta, significance })).toBeCloseTo(row.eps_lower, 6);
});

test.each(beyond.fdp_one_run_audit_gdp)("one-run f-DP audit: $correct of $guesses, $m canaries", (row) => {
  const run = { canaries: row.m, guesses: row.guesses, correct: row.correct, significance: row.threshold };
  const mu = oneRunGaussianAudit(run);
  expect(mu).toBeCloseTo(row.mu_lower, 6);
  expect(oneRunRefutes(run, gdp(mu * 0.99))).toBe(true);
  expect(oneRunRefutes(run, gdp(mu * 1.01))).toBe(false);
});

const { mu_delta_to_eps, eps_delta_to_mu, profile } = beyond.gdp_conversions_exact_20_digits;
test.each(mu_delta_to_eps)("ε of $mu-GDP at δ = $delta", ({ mu, delta, epsilon }) => {
  expectClose(gaussianEpsilon(Number(mu), Number(delta)), Number(epsilon), 2e-14);
});
test.each(eps_delta_to_mu)("μ of ($epsilon, $delta)", ({ epsilon, delta, mu }) => {
  expectClose(gaussianMu(Number(epsilon), Number(delta)), Number(mu), 2e-14);
});
test.each(profile)("δ of $mu-GDP at ε = $epsilon", ({ mu, epsilon, delta }) => {
  expectClose(gaussianDelta(Number(mu), Number(epsilon)), Number(delta), 2e-14);
});

test.each(beyond.gdp_conversions.pure_eps_to_gdp)("pure $epsilon to μ", ({ epsilon, mu }) => {
  expectClose(leastMu(epsdelta(epsilon)), mu, 1e-13);
});
test.each(beyond.gdp_conversions.lap_to_gdp)("Laplace $mu_lap to μ", ({ mu_lap, mu_gdp }) => {
  expectClose(leastMu(lap(mu_lap)), mu_gdp, 1e-12);
});

test("regret of a Gaussian fit to Laplace noise", () => {
  const one = gaussianFit(lap(1));
  expect(one.mu).toBeCloseTo(1.030064, 6);
  expect(one.regret).toBeCloseTo(0.037, 3);
  const four = gaussianFit(selfCompose(4, lap(1)));
  expect(four.mu).toBeCloseTo(1.7803, 4);
  expect(four.regret).toBeCloseTo(0.00503, 4);
  expect(gaussianFit(gdp(2)).regret).toBe(0);
});

test("Rényi and zCDP", () => {
  for (const order of [1.5, 2, 8]) expect(renyi(gdp(0.5), order)).toBeCloseTo((order * 0.25) / 2, 14);
  expect(leastRho(gdp(2))).toBe(2);
  expect(leastRho(epsdelta(1))).toBeCloseTo(Math.tanh(0.5), 15);
  expect(leastRho(compose([epsdelta(1), epsdelta(1)]))).toBeCloseTo(2 * Math.tanh(0.5), 5);
  expect(renyi(lap(1), 2)).toBeCloseTo(Math.log((2 / 3) * Math.E + (1 / 3) * Math.exp(-2)), 14);
  expect(leastRho(epsdelta(1, 0.1))).toBe(Number.POSITIVE_INFINITY);
});

test("order and crossings", () => {
  expect(compare(gdp(1), gdp(2)).relation).toBe("above");
  expect(compare(epsdelta(1, 0.01), epsdelta(1)).relation).toBe("below");
  expect(compare(lap(1), epsdelta(1))).toEqual({ relation: "above", crossings: [], isProved: true });
  expect(compare(gdp(1), gdp(1)).relation).toBe("equal");
  const crossings = crossingsOf(gdp(1), epsdelta(1));
  expect(crossings).toHaveLength(2);
  expect(gdp(1).beta(crossings[0]!)).toBeCloseTo(epsdelta(1).beta(crossings[0]!), 12);
  expect(crossings[0]).toBeCloseTo(0.21, 1);
});

test("a profile gives back its curve", () => {
  const back = fromProfile(profileOf(gdp(1.3)), { upTo: 20 });
  for (const alpha of [1e-6, 0.01, 0.1, 0.3, 0.5, 0.9]) {
    expect(back.beta(alpha)).toBeLessThanOrEqual(gdp(1.3).beta(alpha) + 1e-15);
    expect(back.beta(alpha)).toBeCloseTo(gdp(1.3).beta(alpha), 5);
  }
  const exact = fromProfile([{ epsilon: 1, delta: 0.01 }]);
  for (const alpha of [0, 0.05, 0.1, 0.25, 0.5, 0.99])
    expect(exact.beta(alpha)).toBeCloseTo(epsdelta(1, 0.01).beta(alpha), 15);
});

test("an audit never claims more than the mechanism leaks, and less with fewer scores", () => {
  const quantiles = (n: number, shift: number) =>
    Array.from({ length: n }, (_, i) => shift - (2 * Math.log(1 / ((i + 0.5) / n) - 1)) / 3.2);
  const few = fitAudit({ absent: quantiles(200, 0), present: quantiles(200, 1.5) });
  const many = fitAudit({ absent: quantiles(5000, 0), present: quantiles(5000, 1.5) });
  expect(few.muLower).toBeLessThan(many.muLower);
  const exact = fitAudit({ absent: quantiles(200, 0), present: quantiles(200, 1.5) }, { band: "clopperPearson" });
  expect(exact.epsilonLower(0)).toBeGreaterThan(0);
  expect(estGdp(many.band).mu).toBeGreaterThanOrEqual(many.muLower);
});

test("a report card of any curve", () => {
  const card = reportCard(gdp(1));
  expect(card.advantage).toBeCloseTo(0.3829249225480262, 14);
  expect(card.guarantees[2]?.epsilon).toBeGreaterThanOrEqual(gaussianEpsilon(1, 1e-5) * (1 - 1e-15));
  expect(card.guarantees[2]?.epsilon).toBeCloseTo(gaussianEpsilon(1, 1e-5), 12);
  expect(card.gaussian).toEqual({ mu: 1, regret: 0 });
});
