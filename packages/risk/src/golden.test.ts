import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { noiseRatio, publishedBothSources, publishedBounds } from "./as-published/both-sources.ts";
import { compositionLines, meanLossBounds } from "./as-published/composition.ts";
import { publishedModel } from "./as-published/model.ts";
import {
  advantageCost,
  budgetInterval,
  type CostFunction,
  compensationBudget,
  costOptimum,
  expectedLossCost,
  exponentialCost,
  hillCost,
  hsuStudy,
  largestConvexEpsilon,
  posteriorCost,
  saturatingCost,
} from "./cost.ts";
import { differenceLaw } from "./difference.ts";
import {
  coverageBounds,
  sampledConfidence,
  samplerForRisk,
  sampleSize,
  samplesForMaximum,
  toleranceOrder,
} from "./sampled.ts";
import {
  attackAccuracy,
  discreteLaplaceLoss,
  gaussianLoss,
  gaussianShortfall,
  laplaceLoss,
  laplaceLossMoments,
  laplaceOverlap,
  midpointLoss,
  overstatement,
  simulationWeight,
} from "./truth.ts";

const golden = JSON.parse(readFileSync(new URL("../../../test/golden/risk.json", import.meta.url), "utf8"));

const near = (got: number, want: number, relative: number, absolute = 0): void => {
  expect(Math.abs(got - want), `${got} against ${want}`).toBeLessThanOrEqual(relative * Math.abs(want) + absolute);
};

test("the law of T: distribution, survival and density to 1e-14", () => {
  for (const { k, x, cdf, sf, pdf } of golden.T_distribution.rows) {
    const law = differenceLaw(k);
    near(law.cdf(x), cdf, 1e-14);
    near(law.survival(x), sf, 1e-14);
    near(law.density(x), pdf, 1e-14);
  }
});

test("matchbox weights", () => {
  for (const [key, weights] of Object.entries<number[]>(golden.matchbox_weights)) {
    if (!key.startsWith("k=")) continue;
    const got = differenceLaw(Number(key.slice(2))).weights;
    weights.forEach((want, i) => {
      near(got[i] ?? Number.NaN, want, 1e-14);
    });
  }
});

test("confidence and risk to 1e-14, each where it is small too", () => {
  for (const { k, eps0, eps, conf, risk } of [...golden.gamma1.rows, ...golden.gamma1_extreme.rows]) {
    const model = publishedModel({ epsilon0: eps0, k });
    near(model.confidence(eps), conf, 1e-14);
    // Next to ε₀ the risk is as good as ε₀ − ε in doubles.
    if (eps >= eps0) expect(model.risk(eps)).toBe(0);
    else near(model.risk(eps), risk, 2e-14 + (4e-16 * eps0) / (eps0 - eps));
  }
});

test("both inverses", () => {
  for (const { k, eps0, conf, eps } of golden.inverse.rows) {
    near(publishedModel({ epsilon0: eps0, k }).epsilonForConfidence(conf), eps, 2e-14);
  }
});

test("cost optimum", () => {
  for (const row of golden.cost_minimisers.rows) {
    const got = costOptimum({ epsilon0: row.eps0, k: row.k, cost: exponentialCost(row.c) });
    near(got.epsilon, row.eps_star, 1e-13);
    near(got.confidence, row.conf, 1e-13);
    near(got.cost, row.cost_over_E, 1e-13);
    near(got.dpCost, row.dp_cost_over_E, 1e-14);
    near(got.savingFraction, row.saving_fraction, 1e-12);
  }
});

test("the paper's illustration to its printed digits, and the honest variants", () => {
  const { illustration } = golden;
  const model = { epsilon0: 0.5, compensation: 5500, people: 100 };
  const optimum = costOptimum(model);
  near(optimum.epsilon, illustration.eps_star, 1e-14);
  near(optimum.dpCost, illustration.dp_budget, 1e-14);
  near(optimum.cost, illustration.min_budget, 1e-14);
  near(optimum.saving, illustration.saving, 1e-13);
  for (const { eps, B_par } of illustration.curve) near(compensationBudget({ ...model, epsilon: eps }), B_par, 1e-13);
  const simulation = costOptimum({ ...model, weight: "simulation" });
  near(simulation.epsilon, illustration.honest.mixture_simulation_weight.eps_star, 1e-7);
  near(simulation.cost, illustration.honest.mixture_simulation_weight.cost, 1e-12);
  near(simulation.savingFraction, illustration.honest.mixture_simulation_weight.saving_fraction, 1e-10);
  const within = costOptimum({ ...model, weight: "within" });
  near(within.epsilon, illustration.honest.true_P_abs_loss_le_eps.eps_star, 1e-7);
  near(within.cost, illustration.honest.true_P_abs_loss_le_eps.cost, 1e-12);
  const realised = expectedLossCost(model);
  near(realised.absolute, illustration.honest.expected_cost_abs_loss, 1e-12);
  near(realised.positive, illustration.honest.expected_cost_positive_loss, 1e-12);
});

test("budget intervals, as published and consistent", () => {
  for (const row of golden.budget_bounds.rows) {
    const model = { epsilon0: 0.5, compensation: 550_000 };
    const [low, high] = budgetInterval({ ...model, budget: row.B }) ?? [Number.NaN, Number.NaN];
    near(low, row.consistent_interval[0], 1e-9);
    near(high, row.consistent_interval[1], 1e-9);
    const dpCost = costOptimum(model).dpCost;
    const bounds = publishedBounds({ budget: row.B, confidence: 0.6, dpCost, fullCost: 550_000, error: 2 });
    near(bounds.upper, row["paper_eq11_upper_with_conf_0.6"], 1e-13);
  }
  expect(budgetInterval({ epsilon0: 0.5, compensation: 550_000, budget: 37_000 })).toBeUndefined();
});

test("other admissible cost functions; 1 − e^−ε saves exactly a quarter at confidence ½", () => {
  const functions: Record<string, (p: number) => CostFunction> = {
    exp: exponentialCost,
    hill: hillCost,
    sat: saturatingCost,
    tanh: () => advantageCost,
    posterior: posteriorCost,
  };
  for (const row of golden.other_cost_functions.rows) {
    const make = functions[row.D];
    if (!make) throw new Error(`no cost function ${row.D}`);
    const got = costOptimum({ epsilon0: row.eps0, cost: make(row.param) });
    near(got.epsilon, row.eps_star, 1e-6);
    near(got.cost, row.cost, 1e-12);
    near(got.dpCost, row.dp_cost, 1e-13);
  }
  for (const epsilon0 of [0.01, 0.5, 3, 40]) {
    const quarter = costOptimum({ epsilon0, cost: saturatingCost(1) });
    near(quarter.confidence, 0.5, 1e-12);
    near(quarter.savingFraction, 0.25, 1e-12);
  }
});

test("limits of the optimum: ε* → 1 and cost → 2/e − 1/e²", () => {
  const got = costOptimum({ epsilon0: 600 });
  near(got.epsilon, 1, 3e-3);
  near(got.cost, golden.cost_limits.cost_over_E_limit, 2e-3);
});

test("the cost is convex only below these ε₀", () => {
  for (const [rate, want] of Object.entries<number>(golden.convexity["k=1"]))
    near(largestConvexEpsilon(Number(rate)), want, 1e-12);
});

test("Hsu et al.", () => {
  for (const row of golden.hsu2014.rows) {
    const got = hsuStudy({
      people: row.N,
      compensation: row.E,
      budget: row.B,
      error: row.T,
      failureProbability: row.alpha,
    });
    near(got.mostEpsilon, row.eps_budget_max, 1e-13);
    if (row.eps_accuracy_min === null) expect(got.leastEpsilon).toBeUndefined();
    else near(got.leastEpsilon ?? Number.NaN, row.eps_accuracy_min, 1e-12);
    expect(got.feasible).toBe(row.feasible);
  }
});

test("sample sizes, coverage and tolerance limits", () => {
  for (const row of golden.dkw.rows) {
    const got = sampleSize({ accuracy: row.rho, factor: row.alpha });
    near(got.published, row.n_two_sided_real, 1e-13);
    expect(got.twoSided).toBe(row.n_two_sided);
    expect(got.oneSided).toBe(row.n_one_sided);
  }
  for (const row of golden.gamma2_bounds.rows) {
    const got = coverageBounds({ level: row.gamma2, samples: row.n, accuracy: row.rho });
    expect(got.orderStatistic).toBe(row.order_stat);
    near(got.published, row.paper_eq5, 1e-12);
    near(got.corrected, row.corrected, 1e-12);
    near(got.marginal, row.exact_marginal, 1e-14);
  }
  for (const row of golden.tolerance_limits_max.rows) {
    expect(samplesForMaximum({ coverage: row.coverage, failureProbability: row.beta })).toBe(row.m_min_using_max);
  }
  for (const row of golden.tolerance_limits.rows) {
    const got = toleranceOrder({ samples: row.m, coverage: row.coverage, failureProbability: row.beta });
    expect(got ?? null).toBe(row.j_min);
  }
  for (const row of golden.rubinstein_alda_sampler.rows) {
    if (row.mode !== "given risk, minimise m") continue;
    const got = samplerForRisk(row.risk);
    near(got.rho, row.rho, 1e-12);
    expect(got.samples).toBe(row.m);
    expect(got.order).toBe(row.k);
  }
});

test("both sources of randomness, as published and by sampled losses", () => {
  for (const row of golden.gamma3_ratio.rows) {
    near(noiseRatio({ epsilon: row.eps, epsilon0: row.eps0, k: row.k, ratio: row.eta }), row.ratio, 1e-13);
  }
  const losses = Array.from({ length: 21 }, (_, i) => i / 20);
  for (const row of golden.honest_gamma3_example.rows) {
    const got = sampledConfidence({ losses, epsilon: row.eps, failureProbability: 0.05 });
    near(got.estimate, row.estimate, 1e-13);
    near(got.halfWidth, row["half_width_beta_0.05"], 1e-13);
  }
});

test("figures 1, 2, 5, 6 and 8 as published", () => {
  const { fig1_k, fig2_eps0, fig5_rho, fig6_n, fig8_budget } = golden.figures;
  for (const k of [1, 2, 3]) {
    const model = publishedModel({ epsilon0: 1, k });
    fig1_k.eps.forEach((eps: number, i: number) => {
      near(model.risk(eps), fig1_k.risk[k][i], 1e-12, 1e-15);
    });
  }
  for (const [epsilon0, risks] of Object.entries<number[]>(fig2_eps0.risk)) {
    const model = publishedModel({ epsilon0: Number(epsilon0) });
    fig2_eps0.eps.forEach((eps: number, i: number) => {
      near(model.risk(eps), risks[i] ?? Number.NaN, 1e-12, 1e-15);
    });
  }
  for (const [samples, risks] of Object.entries<number[]>(fig6_n.risk)) {
    fig6_n.eps.forEach((eps: number, i: number) => {
      const got = publishedBothSources({
        epsilon: eps,
        epsilon0: 1,
        ratio: 1 + (2 * 0.01) / 0.15,
        samples: Number(samples),
        accuracy: 0.01,
      });
      near(got.risk, risks[i] ?? Number.NaN, 1e-11, 1e-13);
    });
  }
  for (const [rho, risks] of Object.entries<number[]>(fig5_rho.risk_as_in_code_eta_fixed)) {
    fig5_rho.eps.forEach((eps: number, i: number) => {
      const ratio = 1 + (2 * 0.01) / 0.15;
      const got = publishedBothSources({ epsilon: eps, epsilon0: 1, ratio, samples: 10_000, accuracy: Number(rho) });
      near(got.risk, risks[i] ?? Number.NaN, 1e-11, 1e-13);
    });
  }
  for (const [epsilon0, budgets] of Object.entries<number[]>(fig8_budget.B_par)) {
    fig8_budget.eps.forEach((eps: number, i: number) => {
      near(
        compensationBudget({ epsilon0: Number(epsilon0), compensation: 550_000, epsilon: eps }),
        budgets[i] ?? Number.NaN,
        1e-12,
      );
    });
  }
});

test("what is true of one Laplace release, worst pair", () => {
  for (const row of golden.truth_k1_worst_pair.rows) {
    const got = laplaceLoss({ epsilon0: row.eps0, epsilon: row.eps });
    near(got.tail, row.P_loss_gt_eps, 1e-14);
    near(got.within, row.P_abs_le_eps, 1e-14);
    near(got.delta, row.delta_exact, 1e-14, 1e-16);
    near(simulationWeight({ epsilon0: row.eps0, epsilon: row.eps }), row.simulation_weight, 1e-14);
  }
  for (const row of golden.overstatement.rows) {
    near(overstatement({ epsilon0: row.eps0, epsilon: row.eps }), row.factor, 1e-14);
  }
  for (const row of golden.laplace_loss_moments.rows) {
    const got = laplaceLossMoments(row.eps0);
    near(got.mean, row.mean, 1e-14);
    near(got.second, row.second, 1e-13);
    near(got.variance, row.var, 1e-13);
  }
  for (const row of golden.post_processing.rows) {
    near(attackAccuracy(row.eps0), row.accuracy, 1e-15);
    near(midpointLoss(row.eps0), row.abs_loss, 1e-14);
  }
  for (const row of golden.overlap.rows) {
    near(laplaceOverlap({ epsilon0: row.eps0, epsilon: row.eps }), row.overlap, 1e-14);
  }
});

test("discrete Laplace: at sensitivity 1 the loss is ±ε₀ with certainty", () => {
  for (const row of golden.discrete_laplace_truth.rows) {
    const got = discreteLaplaceLoss({ epsilon0: row.eps0, sensitivity: row.d, epsilon: row.eps });
    near(got.within, row.P_abs_le_eps, 1e-13);
    near(got.tail, row.P_loss_gt_eps, 1e-13);
    near(got.delta, row.delta, 1e-13);
    expect(got.informative).toBe(row.d > 1);
  }
});

test("Gaussian at risk", () => {
  for (const row of golden.gaussian.rows) {
    const got = gaussianLoss({ mu: row.mu, epsilon: row.eps });
    near(got.tail, row.P_loss_gt_eps, 1e-12, 1e-300);
    near(got.within, row.P_abs_le_eps, 1e-12);
    near(got.delta, row.delta, 1e-11, 1e-300);
  }
  for (const row of golden.gaussian.var_es) {
    const got = gaussianShortfall({ mu: row.mu, level: row.alpha });
    near(got.valueAtRisk, row.VaR, 1e-13);
    near(got.expectedShortfall, row.ES, 1e-12);
  }
});

test("composition: every closed-form line of figures 9 to 11", () => {
  for (const [level, lines] of Object.entries<Record<string, Record<string, number>>>(golden.composition.by_eps0)) {
    const epsilon0 = Number(level);
    const { epsilon, confidence } = costOptimum({ epsilon0 });
    for (const n of Object.keys(lines.basic ?? {})) {
      const got = compositionLines({
        epsilon0,
        epsilon,
        confidence,
        count: Number(n),
        delta: golden.composition.delta,
      });
      const want = (line: string): number => lines[line]?.[n] ?? Number.NaN;
      near(got.basic, want("basic"), 1e-9, 1e-9);
      near(got.advanced, want("advanced_DR_thm3.20"), 1e-9, 1e-9);
      near(got.advancedTight, want("advanced_tight_tanh"), 1e-9, 1e-9);
      near(got.zcdp, want("zcdp"), 1e-9, 1e-9);
      near(got.hoeffding, want("hoeffding_true_KL"), 1e-9, 1e-9);
      near(got.published, want("par_thm3.1"), 1e-9, 1e-9);
      near(got.publishedHalf, want("par_thm3.1_half_variant_INVALID"), 1e-9, 1e-9);
      near(got.asPlotted, want("par_as_plotted_by_authors_code_delta1e-5_INVALID"), 1e-9, 1e-9);
    }
  }
  for (const row of golden["theorem3.1_mu"].rows) {
    const got = meanLossBounds({ epsilon0: row.eps0, epsilon: row.eps, confidence: row.conf_true });
    near(got.tight, row.mu_tanh, 1e-13);
    near(got.half, row.mu_half, 1e-13);
    near(got.published, row.mu_DR, 1e-13);
  }
});
