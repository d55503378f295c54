import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  compensationBudget,
  composedDiscreteLoss,
  composedEpsilon,
  composedFacts,
  composedLaplaceEpsilon,
  composedLoss,
  composedMu,
  composedShortfall,
  compositionLines,
  costOptimum,
  costQuantiles,
  costTornado,
  coverageBounds,
  discreteLaplaceLoss,
  dominationThreshold,
  exponentialCost,
  GENERIC_DOMINATION_THRESHOLD,
  gaussianLoss,
  jointLoss,
  laplaceLoss,
  laplaceLossMoments,
  laplaceShortfall,
  laplaceValueAtRisk,
  optimalEpsilon,
  participationCost,
  plainStudy,
  publicRecords,
  publishedBothSources,
  publishedModel,
  sampleDifferences,
  sampledConfidence,
  sampledStatistic,
  sampledVectorConfidence,
  sampleSize,
} from "./index.ts";

const golden = JSON.parse(readFileSync(new URL("../../../test/golden/risk.json", import.meta.url), "utf8"));

const near = (got: number, want: number, relative: number, absolute = 0): void => {
  expect(Math.abs(got - want), `${got} against ${want}`).toBeLessThanOrEqual(relative * Math.abs(want) + absolute);
};

const splits: Readonly<Record<string, readonly number[]>> = {
  "single coordinate": [1],
  "(1/2,1/2): histogram, replace-one": [1 / 2, 1 / 2],
  "(0.75,0.25)": [3 / 4, 1 / 4],
  "1/3 x3": Array(3).fill(1 / 3),
  "1/5 x5": Array(5).fill(1 / 5),
  "1/10 x10": Array(10).fill(1 / 10),
};

test("a vector release: the truth depends on the direction of the difference, the published model on k alone", () => {
  for (const row of golden.vector_pairs_truth.rows) {
    const split = splits[row.split] ?? [];
    expect(split).toHaveLength(row.k);
    const facts = composedFacts(jointLoss({ levels: split.map((share) => share * row.eps0) }), row.eps);
    near(facts.delta, row.delta, 0, 2e-5);
    near(facts.tail, row.P_loss_gt_eps, 0, 1.5e-3);
    near(facts.within, row.P_abs_le_eps, 0, 1.5e-3);
    near(publishedModel({ epsilon0: row.eps0, k: row.k }).confidence(row.eps), row.paper_conf_k, 1e-13);
    const worst = laplaceLoss({ epsilon0: row.eps0, epsilon: row.eps });
    expect(facts.delta, "one coordinate is the worst").toBeLessThanOrEqual(worst.delta + 1e-5);
  }
});

test("levels off the grid keep δ an upper bound, and it closes in on the same value", () => {
  const levels = [0.31, 0.47, 0.22];
  const fine = composedFacts(jointLoss({ levels, resolution: 40_000 }), 0.4).delta;
  for (const resolution of [50, 200, 1000]) {
    const rough = composedFacts(jointLoss({ levels, resolution }), 0.4).delta;
    expect(rough).toBeGreaterThanOrEqual(fine - 1e-12);
    expect(rough - fine).toBeLessThanOrEqual(4 / resolution ** 2);
  }
  const loss = jointLoss({ levels });
  near(
    loss.probabilities.reduce((sum, p) => sum + p, 0),
    1,
    1e-12,
  );
  const q = loss.probabilities.reduce((sum, p, i) => sum + p * Math.exp(-(i - loss.reach) * loss.step), 0);
  near(q, 1, 1e-11);
});

test("the same level again and again is the composition", () => {
  const one = composedFacts(jointLoss({ levels: Array(5).fill(0.5), resolution: 5000 }), 1);
  const other = composedFacts(composedLoss({ epsilon0: 0.5, count: 5, resolution: 1000 }), 1);
  near(one.delta, other.delta, 1e-12);
});

test("the δ reading holds only up to ln 3 at k = 1, a little further for more coordinates", () => {
  const { threshold, threshold_generic_eps0DP_or_discrete_laplace_count_k1: generic } =
    golden.delta_domination_threshold;
  for (const [k, want] of Object.entries<number>(threshold)) near(dominationThreshold(Number(k)), want, 1e-9);
  near(dominationThreshold(), Math.log(3), 1e-12);
  near(GENERIC_DOMINATION_THRESHOLD, generic, 1e-14);
  for (const epsilon0 of [0.5, 1.09, 1.11, 3]) {
    const model = publishedModel({ epsilon0 });
    const holds = Array.from({ length: 999 }, (_, i) => (epsilon0 * (i + 1)) / 1000).every(
      (epsilon) => model.risk(epsilon) >= laplaceLoss({ epsilon0, epsilon }).delta,
    );
    expect(holds, `${epsilon0}`).toBe(epsilon0 < dominationThreshold());
  }
});

test("the sampled order statistic covers j/(m + 1), below what equation (5) says", () => {
  for (const row of golden.gamma2_counterexample.rows) {
    const got = coverageBounds({ level: row.gamma2, samples: row.m, accuracy: 0.5 });
    expect(got.orderStatistic).toBe(row.j);
    near(got.marginal, row.exact, 1e-14);
    near(got.published, row["paper_bound_rho_0.5"], 1e-13);
    near(row.mc_coverage, got.marginal, 0, 1e-3);
    expect(got.published).toBeGreaterThan(got.marginal);
    expect(got.corrected).toBeLessThan(got.marginal);
  }
});

test("figure 4, and figure 5 with its η for each ρ", () => {
  const { fig4_samples: four, fig5_rho: five } = golden.figures;
  for (const [rho, sizes] of Object.entries<number[] | number>(four.n)) {
    [sizes].flat().forEach((want, i) => {
      const risk = four.risk[i];
      if (risk < 1) near(sampleSize({ accuracy: Number(rho), factor: 1 - risk }).published, want, 1e-9);
    });
  }
  for (const [rho, risks] of Object.entries<number[]>(five.risk_eta_follows_rho)) {
    const accuracy = Number(rho);
    const ratio = 1 + (2 * accuracy) / five.delta_S;
    five.eps.forEach((epsilon: number, i: number) => {
      const got = publishedBothSources({ epsilon, epsilon0: five.eps0, ratio, samples: five.n, accuracy });
      near(got.risk, risks[i] ?? Number.NaN, 1e-11, 1e-13);
    });
  }
});

test("the ridge figure's left axis, clipped where the published one passes 1", () => {
  const { left_axis: axis, eps_grid: levels } = golden.ridge_experiment;
  for (const [epsilon0, shares] of Object.entries<number[]>(axis)) {
    const model = publishedModel({ epsilon0: Number(epsilon0) });
    shares.forEach((share, i) => {
      near(model.confidence(levels[i]), Math.min(1, share), 1e-13);
    });
  }
});

test("cost curves", () => {
  for (const row of golden.cost_curves.rows) {
    for (const [epsilon, want] of row.points_eps_costOverE) {
      const model = { epsilon0: row.eps0, k: row.k, cost: exponentialCost(row.c) };
      near(compensationBudget({ ...model, epsilon }), want, 1e-12);
    }
  }
});

/** Chance that a correct program fails here: nine comparisons at five standard errors, below 1e-5. */
test("simulated: theorem 4.1 holds of two independent noises, and not of the loss", () => {
  for (const row of golden.monte_carlo["theorem4.1"]) {
    const share = publishedModel({ epsilon0: row.eps0, k: row.k }).confidence(row.eps);
    near(row.paper_model_mc, share, 0, 5 * Math.sqrt((share * (1 - share)) / row.n_kept));
    if (row.true_formula === undefined) continue;
    const { within, tail } = laplaceLoss({ epsilon0: row.eps0, epsilon: row.eps });
    near(within, row.true_formula, 1e-13);
    near(row.true_P_abs_le_eps_mc, within, 0, 5 * Math.sqrt((within * (1 - within)) / 4e6));
    near(row.true_P_gt_mc, tail, 0, 5 * Math.sqrt((tail * (1 - tail)) / 4e6));
  }
});

test("optimal composition next to the exact one, and the true δ where the false lines run", () => {
  for (const [level, lines] of Object.entries<Record<string, Record<string, number>>>(golden.composition.by_eps0)) {
    const epsilon0 = Number(level);
    const { epsilon, confidence } = costOptimum({ epsilon0 });
    for (const [n, want] of Object.entries(lines.kov_optimal_generic_eps0DP ?? {})) {
      const count = Number(n);
      const got = compositionLines({ epsilon0, epsilon, confidence, count, delta: 1e-5 });
      near(got.optimal, want, 1e-8, 1e-8);
      expect(got.optimal).toBeLessThanOrEqual(got.basic * (1 + 1e-12));
      const exact = composedLaplaceEpsilon({ epsilon0, count, delta: 1e-5 });
      expect(exact).toBeLessThanOrEqual(got.optimal * (1 + 1e-5));
      const plotted = lines.exact_delta_at_plotted_curve?.[n] ?? 0;
      const half = lines.exact_delta_at_half_variant?.[n] ?? 0;
      const loss = composedLoss({ epsilon0, count });
      near(
        composedFacts(loss, lines["par_as_plotted_by_authors_code_delta1e-4_INVALID"]?.[n] ?? 0).delta,
        plotted,
        2e-3,
        2e-6,
      );
      near(composedFacts(loss, got.publishedHalf).delta, half, 2e-2, 2e-6);
      if (half > 1e-5) expect(count).toBeGreaterThanOrEqual(257);
    }
  }
});

test("counts with discrete noise compose to the optimal line itself", () => {
  for (const [epsilon0, count] of [
    [0.5, 20],
    [1, 10],
    [0.1, 100],
  ] as const) {
    const loss = composedDiscreteLoss({ epsilon0, sensitivity: 1, count });
    near(composedEpsilon(loss, 1e-5), optimalEpsilon({ epsilon0, count, delta: 1e-5 }), 1e-7);
  }
  const one = composedDiscreteLoss({ epsilon0: 1, sensitivity: 5, count: 1 });
  for (const epsilon of [0, 0.1, 0.5, 0.9]) {
    const want = discreteLaplaceLoss({ epsilon0: 1, sensitivity: 5, epsilon });
    const got = composedFacts(one, epsilon);
    near(got.tail, want.tail, 1e-12);
    near(got.within, want.within, 1e-12, 1e-14);
    near(got.delta, want.delta, 1e-12);
  }
});

test("Gaussian releases compose to one Gaussian with μ√n", () => {
  for (const row of golden.gaussian.rows) {
    const mu = composedMu({ mu: row.mu / 4, count: 16 });
    near(gaussianLoss({ mu, epsilon: row.eps }).delta, row.delta, 1e-10, 1e-300);
  }
});

test("one Laplace release: value-at-risk and shortfall agree with the grid and with the mean", () => {
  const epsilon0 = 2;
  const loss = composedLoss({ epsilon0, count: 1 });
  for (const level of [0.02, 0.1, 0.3, 0.49, 0.9]) {
    const got = composedShortfall(loss, level);
    near(got.valueAtRisk, laplaceValueAtRisk({ epsilon0, level }), 0, 5e-3);
    near(got.expectedShortfall, laplaceShortfall({ epsilon0, level }), 0, 5e-3);
  }
  near(laplaceShortfall({ epsilon0, level: 0 }), laplaceLossMoments(epsilon0).mean, 1e-12);
  expect(() => laplaceShortfall({ epsilon0, level: 1 })).toThrow();
});

test("both sources of randomness for vectors: one coordinate is the scalar case", () => {
  const records = publicRecords({
    provenance: "synthetic",
    origin: "0…99",
    rows: Array.from({ length: 100 }, (_, i) => [i, (i * i) % 17]),
  });
  let state = 7;
  const pick = (bound: number): number => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
  const differences = [
    ...sampleDifferences({ records, statistic: sampledStatistic("mean"), size: 20, pairs: 60, pick }),
  ];
  expect(differences.every((d) => d.length === 1)).toBe(true);
  const losses = differences.map(([d = 0]) => Math.abs(d) / 2);
  const scalar = sampledConfidence({ losses, epsilon: 0.5, failureProbability: 0.05 });
  const vector = sampledVectorConfidence({ differences, scale: 2, epsilon: 0.5, failureProbability: 0.05 });
  near(vector.estimate, scalar.estimate, 0, 1e-3);
  near(vector.tail, scalar.tail, 0, 1e-3);
  expect(vector.halfWidth).toBe(scalar.halfWidth);
  const halves = sampledVectorConfidence({ differences: [[1, 1]], scale: 2, epsilon: 0.5, failureProbability: 0.05 });
  near(halves.estimate, 0.485, 0, 1.5e-3);
  expect(() => sampledVectorConfidence({ differences: [], scale: 1, epsilon: 1, failureProbability: 0.1 })).toThrow();
});

test("uncertain inputs: E scales the cost and leaves ε*; the tornado's widest row is first", () => {
  const rows = costTornado({
    epsilon0: 0.5,
    people: 100,
    compensation: 5500,
    uncertain: { compensation: [5467, 5530], rate: [0.5, 2], people: [90, 110] },
  });
  expect(rows.map(({ input }) => input)).toEqual(["rate", "people", "compensation"]);
  const [low, high] = rows[2]?.optima ?? [];
  near(low?.cost ?? 0, golden.illustration.min_budget_range[0], 1e-12);
  near(high?.cost ?? 0, golden.illustration.min_budget_range[1], 1e-12);
  const quantiles = costQuantiles({ epsilon0: 0.5, people: 100, rate: [1, 1, 1], compensation: [5000, 5500, 6000] });
  for (const { epsilon } of quantiles) near(epsilon, golden.illustration.eps_star, 1e-12);
  near(quantiles.find(({ level }) => level === 0.5)?.cost ?? 0, golden.illustration.min_budget, 2e-3);
  const costs = quantiles.map(({ cost }) => cost);
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  expect(() => costQuantiles({ epsilon0: 1, rate: [2, 1, 3], compensation: [1, 1, 1] })).toThrow();
  expect(() => costTornado({ epsilon0: 1, uncertain: { rate: [2, 1] } })).toThrow();
});

test("participants are paid (e^ε − 1)·E; a study without privacy pays W to a share", () => {
  near(participationCost({ epsilon: Math.log(1.5), compensation: 10, people: 4 }), 20, 1e-12);
  const plain = plainStudy({ budget: 1000, share: 0.5, payment: 2, error: 0.05 });
  expect(plain.people).toBe(1000);
  near(plain.failureProbability, 2 * Math.exp((-1000 * 0.0025) / 3), 1e-12);
});
