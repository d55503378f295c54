import { invalid } from "@dosimeter/core";
import {
  attackAccuracy,
  budgetInterval,
  type ComposedLoss,
  type CostModel,
  compensationBudget,
  composedDiscreteLoss,
  composedFacts,
  composedLoss,
  composedMu,
  composedShortfall,
  compositionRow,
  costOptimum,
  costTornado,
  discreteLaplaceLoss,
  dominationThreshold,
  equationEleven,
  exponentialCost,
  GENERIC_DOMINATION_THRESHOLD,
  gaussianLoss,
  gaussianShortfall,
  hsuStudy,
  jointLoss,
  laplaceLoss,
  laplaceShortfall,
  laplaceValueAtRisk,
  publicRecords,
  publishedBothSources,
  publishedModel,
  readDistances,
  repeatablePick,
  sampleDistances,
  sampledStatistic,
  sampledStatisticNames,
  simulationWeight,
} from "@dosimeter/risk";
import { type CalcFunction, calcFunction, optional, required } from "./function.ts";
import { array, failureProbability, number, oneOf, probability, text } from "./readers.ts";

const epsilon = required(number({ min: 0 }), "the level of privacy at risk, ε");
const epsilon0 = required(number({ above: 0, max: 600 }), "ε₀, which the noise is calibrated to and which is charged");
const k = optional(number({ min: 1, max: 1_000_000, integer: true }), "dimension of the output; 1 where left out");
const count = number({ min: 1, integer: true });
const money = {
  k,
  rate: optional(number({ above: 0 }), "c of the cost e^(−c/ε); 1 where left out"),
  compensation: optional(number({ above: 0 }), "E, due to one person at full loss; 1 where left out"),
  bias: optional(number({ min: 0 }), "b, due to one person whatever ε is; 0 where left out"),
  people: optional(count, "how many people; 1 where left out"),
  form: optional(
    oneOf(["corrected", "printed"]),
    "equation (8): b + (E − b)·e^(−c/ε), or E·e^(−c/ε) + b as printed; corrected where left out",
  ),
  weight: optional(
    oneOf(["published", "simulation", "within"]),
    "how likely the gentler level is taken to be: as published, or what can be defended",
  ),
};

interface MoneyArguments {
  readonly epsilon0: number;
  readonly k: number | undefined;
  readonly rate: number | undefined;
  readonly compensation: number | undefined;
  readonly bias: number | undefined;
  readonly people: number | undefined;
  readonly form: "corrected" | "printed" | undefined;
  readonly weight: "published" | "simulation" | "within" | undefined;
}

const costModel = ({
  epsilon0,
  k = 1,
  rate = 1,
  compensation = 1,
  bias = 0,
  people = 1,
  form = "corrected",
  weight = "published",
}: MoneyArguments): CostModel => ({
  epsilon0,
  k,
  cost: exponentialCost(rate),
  compensation,
  bias,
  people,
  form,
  weight,
});

interface ExactArguments {
  readonly epsilon: number;
  readonly epsilon0: number | undefined;
  readonly count: number | undefined;
  readonly level: number | undefined;
  readonly sensitivity: number | undefined;
  readonly levels: readonly number[] | undefined;
}

/** The closed forms of one release, with the readings that only it has. */
function singleFacts({ epsilon, epsilon0, count = 1, level, sensitivity }: ExactArguments) {
  if (epsilon0 === undefined || count > 1) return undefined;
  if (sensitivity !== undefined) {
    return level === undefined ? discreteLaplaceLoss({ epsilon0, sensitivity, epsilon }) : undefined;
  }
  return {
    ...laplaceLoss({ epsilon0, epsilon }),
    simulationWeight: simulationWeight({ epsilon0, epsilon }),
    attackAccuracy: attackAccuracy(epsilon0),
    ...(level === undefined
      ? {}
      : {
          valueAtRisk: laplaceValueAtRisk({ epsilon0, level }),
          expectedShortfall: laplaceShortfall({ epsilon0, level }),
        }),
  };
}

function lossOf({ epsilon0, count = 1, sensitivity, levels }: ExactArguments): ComposedLoss {
  if (epsilon0 === undefined) {
    const all = Array.from({ length: count }, () => levels ?? []).flat();
    return jointLoss({ levels: all });
  }
  return sensitivity === undefined
    ? composedLoss({ epsilon0, count })
    : composedDiscreteLoss({ epsilon0, sensitivity, count });
}

/** `risk.*`: privacy at risk as published, what is true, and compensation. */
export const riskFunctions: readonly CalcFunction[] = [
  calcFunction(
    "risk.confidence",
    "confidence and risk that a release behaves at level ε, as published; a reading, never a guarantee",
    { epsilon, epsilon0, k },
    ({ epsilon, epsilon0, k = 1 }) => {
      const model = publishedModel({ epsilon0, k });
      return { confidence: model.confidence(epsilon), risk: model.risk(epsilon) };
    },
  ),
  calcFunction(
    "risk.epsilon",
    "the level ε at a confidence or at a risk, as published",
    {
      confidence: optional(probability, "the confidence; give this or `risk`"),
      risk: optional(probability, "the risk, 1 − confidence; give this or `confidence`"),
      epsilon0,
      k,
    },
    ({ confidence, risk, epsilon0, k = 1 }) => {
      const model = publishedModel({ epsilon0, k });
      if (confidence !== undefined && risk === undefined) return model.epsilonForConfidence(confidence);
      if (risk !== undefined && confidence === undefined) return model.epsilonForRisk(risk);
      invalid("confidence", confidence, "given, or `risk` instead, not both");
    },
  ),
  calcFunction("risk.cost", "expected compensation at level ε, as published", { epsilon, epsilon0, ...money }, (args) =>
    compensationBudget({ ...costModel(args), epsilon: args.epsilon }),
  ),
  calcFunction("risk.optimum", "the level with the least expected compensation", { epsilon0, ...money }, (args) =>
    costOptimum(costModel(args)),
  ),
  calcFunction(
    "risk.budgetInterval",
    "the levels that a budget affords as [least, most]; null where even the optimum costs more; with `error` equation (11) too",
    {
      budget: required(number({ above: 0 }), "money for all people together"),
      error: optional(
        number({ above: 0 }),
        "𝒯, the error accepted: answers {levels, published}, equation (11) as printed",
      ),
      epsilon0,
      ...money,
    },
    ({ budget, error, ...args }) => {
      const model = costModel(args);
      const levels = budgetInterval({ ...model, budget }) ?? null;
      return error === undefined ? levels : { levels, published: equationEleven({ model, budget, error }) };
    },
  ),
  calcFunction(
    "risk.bothSources",
    "equations (6) and (7) as published: confidence and risk of a level with sampled sensitivity; a reading, never a bound",
    {
      epsilon,
      epsilon0,
      k,
      ratio: required(
        number({ min: 1, infinite: true }),
        "η, the sensitivity over the sampled one; Infinity where unknown",
      ),
      samples: required(count, "n, the pairs that were sampled"),
      accuracy: required(number({ above: 0, below: 1 }), "ρ, the half-width of the band of the distribution"),
      level: optional(probability, "γ, the share of pairs that the sampled sensitivity covers; 1 where left out"),
    },
    ({ k = 1, level = 1, ...args }) => publishedBothSources({ ...args, k, level }),
  ),
  calcFunction(
    "risk.compose",
    "the total ε of many Laplace releases: theorem 3.1 and the plotted curve as published, with what holds and the exact value",
    {
      epsilon0,
      count: required(count, "how many releases"),
      delta: required(failureProbability, "δ of the total"),
      epsilon: optional(number({ min: 0 }), "the level of privacy at risk; the cost optimum where left out"),
      confidence: optional(probability, "the confidence at that level; as published where left out"),
    },
    ({ epsilon0, count, delta, epsilon, confidence }) => {
      const level = epsilon ?? costOptimum({ epsilon0 }).epsilon;
      const share = confidence ?? publishedModel({ epsilon0 }).confidence(level);
      const row = compositionRow({ epsilon0, count, delta, epsilon: level, confidence: share });
      return { epsilon: level, confidence: share, ...row };
    },
  ),
  calcFunction(
    "risk.sampledSensitivity",
    "the sensitivity seen in pairs of public or synthetic records, with what it covers; never over private rows",
    {
      provenance: required(text, '"public" or "synthetic"; anything else is refused'),
      origin: required(text, "where the records come from"),
      rows: required(array(array(number())), "records, each an array of numbers"),
      statistic: required(oneOf(sampledStatisticNames), "what is asked of the records"),
      size: required(count, "records in each of two neighbours"),
      pairs: required(number({ min: 1, max: 1_000_000, integer: true }), "pairs to draw"),
      level: required(probability, "the share of pairs to cover"),
      accuracy: optional(number({ above: 0, below: 1 }), "half-width ρ of the DKW band; 0.01 where left out"),
      failureProbability: optional(failureProbability, "of the certified order statistic; 0.05 where left out"),
      seed: optional(number({ min: 0, integer: true }), "makes the draw repeatable; 0 where left out"),
    },
    ({
      provenance,
      origin,
      rows,
      statistic,
      size,
      pairs,
      level,
      accuracy = 0.01,
      failureProbability = 0.05,
      seed = 0,
    }) => {
      const records = publicRecords({ provenance, origin, rows });
      const pick = repeatablePick(seed);
      const distances = [...sampleDistances({ records, statistic: sampledStatistic(statistic), size, pairs, pick })];
      return { ...readDistances({ distances, level, accuracy, failureProbability }), origin };
    },
  ),
  calcFunction(
    "risk.exact",
    "what is true of the loss L at level ε: P(L > ε), P(|L| ≤ ε), δ(ε); of Laplace noise unless `mu` or `sensitivity` is given",
    {
      epsilon,
      epsilon0: optional(number({ above: 0, max: 600 }), "ε₀ of Laplace noise; give this, `levels` or `mu`"),
      count: optional(count, "how many releases together; 1 where left out"),
      level: optional(failureProbability, "adds value-at-risk and expected shortfall of the loss at this level"),
      sensitivity: optional(count, "noise is discrete and the answer moves by this much; continuous where left out"),
      levels: optional(
        array(number({ min: 0, max: 600 })),
        "ε₀ times the share of Δ in each coordinate, or of each release",
      ),
      mu: optional(number({ above: 0 }), "μ of Gaussian noise"),
    },
    (args) => {
      const { epsilon, level, count = 1 } = args;
      if ([args.epsilon0, args.levels, args.mu].filter((given) => given !== undefined).length !== 1) {
        invalid("epsilon0", args.epsilon0, "given, or `levels` or `mu` instead, one of the three");
      }
      if (args.mu !== undefined) {
        const mu = composedMu({ mu: args.mu, count });
        return { ...gaussianLoss({ mu, epsilon }), ...(level === undefined ? {} : gaussianShortfall({ mu, level })) };
      }
      const single = singleFacts(args);
      if (single !== undefined) return single;
      const loss = lossOf(args);
      return { ...composedFacts(loss, epsilon), ...(level === undefined ? {} : composedShortfall(loss, level)) };
    },
  ),
  calcFunction(
    "risk.threshold",
    "the largest ε₀ at which the published risk is at least the exact δ at every level; above it that reading is false",
    { k },
    ({ k = 1 }) => ({ laplace: dominationThreshold(k), anyMechanism: k === 1 ? GENERIC_DOMINATION_THRESHOLD : null }),
  ),
  calcFunction(
    "risk.uncertain",
    "how far each uncertain input alone moves the least compensation: [least, most] of each, the widest swing first",
    {
      epsilon0,
      k,
      compensation: optional(array(number({ above: 0 })), "[least, most] of E"),
      rate: optional(array(number({ above: 0 })), "[least, most] of c"),
      people: optional(array(count), "[least, most] people"),
    },
    ({ epsilon0, k = 1, ...ranges }) => {
      const uncertain: Record<string, readonly [number, number]> = {};
      const middle: Record<string, number> = {};
      for (const [name, range] of Object.entries(ranges)) {
        if (range === undefined) continue;
        const [least, most] = range;
        if (least === undefined || most === undefined || range.length !== 2) invalid(name, range, "[least, most]");
        uncertain[name] = [least, most];
        middle[name] = name === "people" ? Math.round((least + most) / 2) : (least + most) / 2;
      }
      return costTornado({ epsilon0, k, ...middle, uncertain });
    },
  ),
  calcFunction(
    "risk.study",
    "Hsu et al. 2014: the ε that a study can afford and needs",
    {
      people: required(count, "participants"),
      compensation: required(number({ above: 0 }), "E, each participant's cost of the worst event"),
      budget: required(number({ above: 0 }), "money for all people together"),
      error: required(number({ above: 0 }), "T, the error of the mean that is accepted"),
      failureProbability: required(failureProbability, "the chance of a larger error"),
    },
    (args) => {
      const study = hsuStudy(args);
      return { ...study, leastEpsilon: study.leastEpsilon ?? null };
    },
  ),
];
