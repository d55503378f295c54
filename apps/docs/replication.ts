import {
  advantageCost,
  attackAccuracy,
  budgetInterval,
  COST_SENTENCE,
  type ComparisonRow,
  compensationBudget,
  composedFacts,
  compositionRow,
  costOptimum,
  coverageBounds,
  discreteLaplaceLoss,
  dominationThreshold,
  epsilonForError,
  equationEleven,
  expectedLossCost,
  exponentialCost,
  GENERIC_DOMINATION_THRESHOLD,
  hillCost,
  hsuStudy,
  jointLoss,
  laplaceLoss,
  laplaceLossMoments,
  laplaceOverlap,
  largestConvexEpsilon,
  meanLossBounds,
  midpointLoss,
  overstatement,
  posteriorCost,
  publicRecords,
  publishedBothSources,
  publishedBounds,
  publishedModel,
  readDistances,
  repeatablePick,
  sampleDistances,
  sampledConfidence,
  sampledStatistic,
  samplerForRisk,
  sampleSize,
  samplesForMaximum,
  saturatingCost,
  simulationWeight,
  toleranceOrder,
} from "@dosimeter/risk";

type Cell = string | number;

const digits = (value: number, count = 6): string => {
  if (value === 0) return "0";
  const text = Math.abs(value) < 1e-4 ? value.toExponential(count - 1) : String(Number(value.toPrecision(count)));
  return text.replace("-", "−").replace("e", "·10^");
};
const cell = (value: Cell): string => (typeof value === "number" ? digits(value) : value);
const money = (value: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const table = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, names.map(() => "---"), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
/** `n` equal steps from 0 to `most`, ends in. */
const steps = (most: number, n: number): readonly number[] => Array.from({ length: n + 1 }, (_, i) => (most * i) / n);

/** Every figure and number of "Differential Privacy at Risk", recomputed: what `docs/privacy-at-risk.md` has a place for. */
export const replication = (): string =>
  [
    curves(),
    truth(),
    directions(),
    sampled(),
    bothSources(),
    money5(),
    composition(),
    ridge(),
    appendix(),
    errata(),
  ].join("\n\n");

function curves(): string {
  const one = [1, 2, 3].map((k) => publishedModel({ epsilon0: 1, k }));
  const tops = [1, 1.5, 2, 2.5].map((epsilon0) => publishedModel({ epsilon0 }));
  const inverse = publishedModel({ epsilon0: 1 });
  return `## Theorem 4.1, equations (3) and (4), figures 1 to 3 (1a, 1b)

Risk as published, 1 − P(T ≤ ε)/P(T ≤ ε₀). Figure 1: ε₀ = 1.

${table(
  ["level ε", "k = 1", "k = 2", "k = 3"],
  steps(1, 10).map((epsilon) => [epsilon, ...one.map((model) => model.risk(epsilon))]),
)}

Figure 2: k = 1.

${table(
  ["level ε", "ε₀ = 1", "ε₀ = 1.5", "ε₀ = 2", "ε₀ = 2.5"],
  steps(2.5, 10).map((epsilon) => [epsilon, ...tops.map((model) => model.risk(epsilon))]),
)}

Equation (4) inverted at ε₀ = 1: risk 0.1 at ε = ${digits(inverse.epsilonForRisk(0.1))}, risk 0.5 at ε = ${digits(inverse.epsilonForRisk(0.5))}. Figure 3 is the frame around 1 and 2.

**Verdict.** The formula is right as a statement about the difference of two independent noises, and its distribution is reproduced. It is not the distribution of the privacy loss (E1, E2).`;
}

function truth(): string {
  const rows = [
    [0.5, 0.274],
    [1, 0.5],
    [2, 1],
    [5, 2.5],
  ] as const;
  const count = discreteLaplaceLoss({ epsilon0: 0.5, sensitivity: 1, epsilon: 0.49 });
  const moments = laplaceLossMoments(0.5);
  return `## True values for one release

Continuous Laplace noise, k = 1, the pair of neighbours that differs most.

${table(
  [
    "ε₀",
    "ε",
    "confidence as published",
    "true P(\\|L\\| ≤ ε)",
    "overstated",
    "true P(L > ε)",
    "exact δ(ε)",
    "risk as published",
    "simulation weight",
    "best guess right",
  ],
  rows.map(([epsilon0, epsilon]) => {
    const model = publishedModel({ epsilon0 });
    const { within, tail, delta } = laplaceLoss({ epsilon0, epsilon });
    return [
      epsilon0,
      epsilon,
      model.confidence(epsilon),
      within,
      `${digits(overstatement({ epsilon0, epsilon }), 4)} ×`,
      tail,
      delta,
      model.risk(epsilon),
      simulationWeight({ epsilon0, epsilon }),
      attackAccuracy(epsilon0),
    ];
  }),
)}

With probability ½ the loss is exactly ε₀. Mean loss at ε₀ = 0.5: ${digits(moments.mean)}, variance ${digits(moments.variance)}. One bit at the midpoint has loss ±${digits(midpointLoss(0.5))} with certainty (E5).
A count with discrete noise has P(|L| ≤ 0.49) = ${count.within} at ε₀ = 0.5: not informative, the loss is ±ε₀ with certainty (E6).

The published risk is at least the exact δ(ε) for all ε up to these ε₀, and not beyond (E3): ${[1, 2, 3, 5, 10, 50]
    .map((k) => `${digits(dominationThreshold(k), 5)} (k = ${k})`)
    .join(", ")}; for counts and any other ε₀-DP mechanism at k = 1 ${digits(GENERIC_DOMINATION_THRESHOLD, 5)}.`;
}

function directions(): string {
  const splits: readonly (readonly [string, readonly number[]])[] = [
    ["one coordinate", [1]],
    ["(¾, ¼)", [0.75, 0.25]],
    ["(½, ½), a histogram", [0.5, 0.5]],
    ["3 equal", Array<number>(3).fill(1 / 3)],
    ["5 equal", Array<number>(5).fill(1 / 5)],
    ["10 equal", Array<number>(10).fill(1 / 10)],
  ];
  return `## Dimension and direction (E4)

ε₀ = 1, ε = 0.5. The paper's confidence depends on k alone; the true values depend on how Δ is split over the coordinates.

${table(
  [
    "difference of the neighbours",
    "k",
    "confidence as published",
    "true P(\\|L\\| ≤ ε)",
    "true P(L > ε)",
    "exact δ(ε)",
  ],
  splits.map(([name, split]) => {
    const { within, tail, delta } = composedFacts(jointLoss({ levels: split }), 0.5);
    return [
      name,
      split.length,
      publishedModel({ epsilon0: 1, k: split.length }).confidence(0.5),
      digits(within, 3),
      digits(tail, 3),
      digits(delta, 4),
    ];
  }),
)}`;
}

function sampled(): string {
  const sizes = [0.0001, 0.001, 0.01, 0.1];
  const counter = [20, 100].map((samples) => ({ samples, ...coverageBounds({ level: 0.9, samples, accuracy: 0.5 }) }));
  const sampler = [0.05, 0.1].map((risk) => ({ risk, ...samplerForRisk(risk) }));
  const records = publicRecords({
    provenance: "synthetic",
    origin: "1 … 100",
    rows: Array.from({ length: 100 }, (_, i) => [i + 1]),
  });
  const distances = [
    ...sampleDistances({
      records,
      statistic: sampledStatistic("mean"),
      size: 50,
      pairs: 2000,
      pick: repeatablePick(0),
    }),
  ];
  const read = readDistances({ distances, level: 0.95, accuracy: 0.05, failureProbability: 0.05 });
  return `## Equation (5), figure 4 (2): sampled sensitivity

Samples ln(2/(1 − α))/(2ρ²) as published; 1 − α is the chance that the band fails.

${table(
  ["1 − α", ...sizes.map((rho) => `ρ = ${rho}`)],
  [0.02, 0.1, 0.25, 0.5, 0.75, 0.98].map((miss) => [
    miss,
    ...sizes.map((accuracy) =>
      Math.round(sampleSize({ accuracy, factor: 1 - miss }).published).toLocaleString("en-US"),
    ),
  ]),
)}

**Verdict.** False in general (E12): with level 0.9 and ρ = 0.5 the bound gives ${counter
    .map(
      ({ samples, published, marginal }) =>
        `${digits(published, 5)} for ${samples} samples where ${digits(marginal, 5)} is exact`,
    )
    .join(
      ", ",
    )}. The order statistic j/(m + 1), tolerance limits and the corrected band are right. 95 % of pairs are covered with confidence 95 % by the largest of ${samplesForMaximum({ coverage: 0.95, failureProbability: 0.05 })} samples,
or by order statistic ${toleranceOrder({ samples: 1000, coverage: 0.95, failureProbability: 0.05 })} of 1000. Rubinstein and Aldà ask for ${sampler
    .map(({ risk, samples, order }) => `${samples} samples at risk ${risk} (order ${order})`)
    .join(", ")}.

The procedure itself, on synthetic records 1 … 100, the mean of 50, 2000 pairs, seed 0: sampled sensitivity ${digits(read.sensitivity, 4)} at order statistic ${read.orderStatistic}, certified ${digits(read.certified?.sensitivity ?? Number.NaN, 4)}, largest seen ${digits(read.largest, 4)};
the proved sensitivity is ${digits(99 / 50, 4)}. The procedure does not accept private rows: the value itself would reveal something about them (E16).`;
}

function bothSources(): string {
  const ratio = 1 + (2 * 0.01) / 0.15;
  const risk = (epsilon: number, accuracy: number, samples: number): number =>
    publishedBothSources({ epsilon, epsilon0: 1, ratio, samples, accuracy }).risk;
  const losses = Array.from({ length: 21 }, (_, i) => i / 20);
  const honest = [0.1, 0.25, 0.5].map((epsilon) => ({
    epsilon,
    ...sampledConfidence({ losses, epsilon, failureProbability: 0.05 }),
  }));
  return `## Equations (6) and (7), figures 5 to 7 (3a, 3b): both sources of randomness

1 − γ̂₃ as published, ε₀ = 1, Δ_S = 0.15, η = 1 + 2ρ/Δ_S kept at ρ = 0.01. Figure 5, n = 10,000:

${table(
  ["level ε", "ρ = 0.01", "ρ = 0.012", "ρ = 0.015", "ρ = 0.02"],
  steps(1, 5).map((epsilon) => [epsilon, ...[0.01, 0.012, 0.015, 0.02].map((rho) => risk(epsilon, rho, 10_000))]),
)}

\`dosimeter calc\` has both equations as \`risk.bothSources\`; \`dosimeter risk sensitivity\` prints them for the pairs that it sampled, and the page *Privacy at risk* for any η and n.

Figure 6, ρ = 0.01:

${table(
  ["level ε", "n = 10,000", "15,000", "20,000", "25,000"],
  steps(1, 5).map((epsilon) => [epsilon, ...[10_000, 15_000, 20_000, 25_000].map((n) => risk(epsilon, 0.01, n))]),
)}

Figure 7 is the frame around them. **Verdict.** η adds a probability to a ratio of sensitivities, γ₂ is left out, and figure 5 keeps the η of one curve for all (E13); the text says the risk rises with n, the picture shows it falling (E16).
A valid statement instead, for 21 sampled pairs with losses 0, 0.05 … 1: ${honest
    .map(({ epsilon, estimate, halfWidth }) => `P(|L| ≤ ${epsilon}) = ${digits(estimate, 4)} ± ${digits(halfWidth, 2)}`)
    .join(", ")} (E14).`;
}

function money5(): string {
  const epsilon0 = epsilonForError({ error: 2 });
  const model = { epsilon0, compensation: 5500, people: 100 };
  const published = costOptimum(model);
  const variants = (["published", "simulation", "within"] as const).map((weight) => ({
    weight,
    ...costOptimum({ ...model, weight }),
  }));
  const { absolute, positive } = expectedLossCost(model);
  const range = [5467, 5530].map((compensation) => costOptimum({ ...model, compensation }).cost);
  const eleven = equationEleven({ model, budget: 40_000, error: 2 });
  const bounds = publishedBounds({
    budget: 40_000,
    confidence: 0.6,
    dpCost: published.dpCost,
    fullCost: 550_000,
    error: 2,
  });
  const [low, high] = budgetInterval({ ...model, budget: 40_000 }) ?? [Number.NaN, Number.NaN];
  const shapes = [exponentialCost(), hillCost(), saturatingCost(), advantageCost, posteriorCost(0.1)];
  const study = hsuStudy({
    people: 100_000,
    compensation: 12.5,
    budget: 300_000,
    error: 0.05,
    failureProbability: 0.05,
  });
  const share = (part: number): string => `${digits(100 * part, 3)} %`;
  return `## Section 5, figure 8 (4): compensation

The illustration of 5.3: 34 of 99 and 35 of 100, an error of 2, hence ε₀ = ${epsilon0}; E = 5,500, 100 people, D = e^(−1/ε).

${table(
  ["", "computed", "printed"],
  [
    ["due at ε₀", money(published.dpCost), "74434.40"],
    ["ε*, equation (10)", published.epsilon.toPrecision(15), "0.274"],
    ["confidence at ε*", published.confidence, "–"],
    ["least", money(published.cost), "37805.86"],
    ["saving", `${money(published.saving)} (${share(published.savingFraction)})`, "36628.54"],
    ["least for E of 5,467 … 5,530", range.map(money).join(" … "), "–"],
  ],
)}

${table(
  ["weight of the gentler level", "ε*", "weight", "least", "saving"],
  [
    ...variants.map(({ weight, epsilon, confidence, cost, savingFraction }) => [
      { published: "as published", simulation: "simulation weight", within: "true P(\\|L\\| ≤ ε)" }[weight],
      epsilon,
      confidence,
      money(cost),
      share(savingFraction),
    ]),
    ["cost of the realised \\|L\\|", "–", "–", money(absolute), share(1 - absolute / published.dpCost)],
    ["cost of L where it points at the person", "–", "–", money(positive), share(1 - positive / published.dpCost)],
  ],
)}

Figure 8 as published, for all people together:

${table(
  ["level ε", "ε₀ = 0.7", "0.6", "0.5"],
  steps(0.7, 14)
    .slice(1)
    .map((epsilon) => [
      epsilon,
      ...[0.7, 0.6, 0.5].map((top) =>
        money(compensationBudget({ ...model, epsilon0: top, epsilon: Math.min(epsilon, top) })),
      ),
    ]),
)}

Equation (11) at B = 40,000 with the confidence of the optimum: ε from ${digits(eleven.lower, 4)} to ${digits(eleven.upper, 5)}. With confidence 0.6: ε from ${digits(bounds.lower, 4)} to ${digits(bounds.upper, 5)} as published, an empty interval, because its lower end bounds ε₀ and not ε; the levels whose cost is within 40,000 are ${digits(low, 5)} to ${digits(high, 5)} (E11).
Equation (8) with a bias b = 100 is due at ε₀: ${money(costOptimum({ ...model, bias: 100 }).dpCost)} by b + (E − b)·e^(−c/ε); as printed, E·e^(−c/ε) + b, ${money(costOptimum({ ...model, bias: 100, form: "printed" }).dpCost)} (E10).
E_par is convex only up to ε₀ = ${digits(largestConvexEpsilon(1), 5)} at c = 1 (${[0.25, 0.5, 2, 5].map((rate) => `${digits(largestConvexEpsilon(rate), 5)} at c = ${rate}`).join(", ")}); the minimum is still unique (E9).
The model reports a saving for every D, at ε₀ = 0.5: ${shapes
    .map((cost) => `${share(costOptimum({ epsilon0, cost }).savingFraction)} for ${cost.name}`)
    .join(", ")}. Because it always reports one, the saving is not evidence.
Hsu et al. 2014, paying 100,000 people from 300,000 with E = 12.50: ε at most ${digits(study.mostEpsilon, 4)}, at least ${study.leastEpsilon === undefined ? "undefined" : digits(study.leastEpsilon, 4)} for an error of 0.05, 95 times in 100.

${COST_SENTENCE}`;
}

function composition(): string {
  const names = [
    "releases",
    "basic",
    "advanced",
    "theorem 3.1 as published",
    "zCDP",
    "optimal",
    "exact Laplace",
    "as plotted",
    "true δ as plotted",
    "true δ, ½ form",
  ];
  const cells = (row: ComparisonRow): readonly Cell[] => [
    row.count,
    ...[row.basic, row.advanced, row.published, row.zcdp, row.optimal, row.exact, row.asPlotted].map((value) =>
      digits(value, 5),
    ),
    row.deltaAtPlotted < 1e-12 ? "below 10^−12" : digits(row.deltaAtPlotted, 2),
    row.deltaAtHalf < 1e-12 ? "below 10^−12" : digits(row.deltaAtHalf, 2),
  ];
  const figures = [0.1, 0.5, 1].map((epsilon0, i) => {
    const { epsilon, confidence } = costOptimum({ epsilon0 });
    const { published } = meanLossBounds({ epsilon0, epsilon, confidence });
    const rows = [1, 10, 50, 100, 200, 300].map((count) => compositionRow({ epsilon0, count, delta: 1e-5 }));
    return `Figure ${9 + i}, ε₀ = ${epsilon0}: ε* = ${digits(epsilon, 12)}, confidence ${digits(confidence)}, μ = ${digits(published)}.\n\n${table(names, rows.map(cells))}`;
  });
  return `## Theorem 3.1, figures 9 to 12 (5): composition at δ = 10⁻⁵

${figures.join("\n\n")}

Figure 12 is the frame around them. **Verdict.** Theorem 3.1 with the confidence of Theorem 4.1 has a false premise and holds by slack only, above the textbook zCDP line (E8); its ½ form is false. The plotted curve is a wrongly inverted Hoeffding bound (E15).
The page may show the lesser of basic and optimal as the total; a ledger adds by its own rule.`;
}

function ridge(): string {
  const n = 16_000;
  const lambda = 0.01;
  const levels = Array.from({ length: 10 }, (_, i) => 0.1 + (0.89 * i) / 9);
  const models = [1, 0.8, 0.6].map((epsilon0) => publishedModel({ epsilon0 }));
  return `## The ridge experiment of the journal version

Sensitivity (1/√λ + 1)·5/(N·λ) at N = 16,000, λ = 0.01: ${digits((1 / Math.sqrt(lambda) + 1) * (5 / (n * lambda)))}. Left axis, the confidence at ε for three ε₀:

${table(
  ["ε", "ε₀ = 1", "0.8", "0.6"],
  levels.map((epsilon) => [digits(epsilon, 4), ...models.map((model) => model.confidence(epsilon))]),
)}

**Verdict.** The output is a vector, the confidence is that of k = 1; the published picture passes 1 where ε > ε₀, here it is clipped. The error of the right axis needs census microdata that are not part of this repository; \`dosimeter risk sensitivity --statistic ridge\` runs the procedure on your own table.`;
}

function appendix(): string {
  return `## Appendix A

Overlap of Lap(1/1) and Lap(1/0.6): ${digits(laplaceOverlap({ epsilon0: 1, epsilon: 0.6 }))}, printed 0.81. Equations (13) to (17) treat two functions of one noise as independent (E1); equations (18) to (22) inherit it.`;
}

const verdicts: readonly (readonly [string, string])[] = [
  [
    "E1",
    "Theorem 4.1 is neither exact nor a bound: it takes the distances of one output from two answers as independent.",
  ],
  [
    "E2",
    "It holds for two independent noises conditioned on differing by at most Δ, and for two draws from a flat posterior; neither is a pair of neighbours.",
  ],
  [
    "E3",
    "(ε, risk)-DP is true for all ε only up to ε₀ = ln 3 (k = 1, continuous Laplace), ln(1 + √2) for counts and in general.",
  ],
  ["E4", "The truth depends on the direction of the difference, not on k alone."],
  ["E5", "Not closed under post-processing."],
  ["E6", "Discrete counts: the loss is ±ε₀ with certainty; the reading is not informative."],
  [
    "E7",
    "“Simulated as the gentler mechanism with the confidence, else as the other” is false; the largest such weight is the simulation weight.",
  ],
  [
    "E8",
    "Theorem 3.1 holds under its premise, which Theorem 4.1 does not provide; with it the theorem holds by slack, its ½ form does not.",
  ],
  ["E9", "The cost is not convex beyond small ε₀; one minimum remains."],
  ["E10", "Equation (8) with b > 0 breaks the paper's own constraints; right is b + (E − b)·e^(−c/ε)."],
  ["E11", "Equation (11) bounds ε where the error bounds ε₀, and freezes a confidence that moves with ε."],
  ["E12", "Equation (5) drops −ρ; it would “prove” any level as ρ → 1."],
  ["E13", "η = 1 + 2ρ/Δ_S adds a probability to a ratio; γ₂ is left out of figures 5 and 6."],
  ["E14", "Equation (7) inherits E1; the mean over sampled pairs is right."],
  [
    "E15",
    "Figures 9 to 12 show the mean of the bound, not the bound: ln 1/(1 − δ) for ln 1/δ, the deviation of a mean added to a sum, half the range, another δ than the title's.",
  ],
  [
    "E16",
    "Replace-one in the definition, one person added in the story; risk and confidence under one letter; 74434.40 for 74434.41; private data in the sampling; subsampled pairs are not independent draws.",
  ],
];

function errata(): string {
  return `## Sixteen errata

${table(["", "verdict"], verdicts)}
`;
}
