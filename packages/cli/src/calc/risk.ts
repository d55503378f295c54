import { PrivacyError } from "@dosimeter/core";
import {
  attackAccuracy,
  budgetInterval,
  type CostModel,
  compensationBudget,
  composedFacts,
  composedLaplaceEpsilon,
  composedLoss,
  composedShortfall,
  compositionLines,
  costOptimum,
  discreteLaplaceLoss,
  exponentialCost,
  gaussianLoss,
  hsuStudy,
  laplaceLoss,
  publicRecords,
  publishedModel,
  readDistances,
  sampleDistances,
  sampledStatistic,
  simulationWeight,
} from "@dosimeter/core/risk";
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
  readonly weight: "published" | "simulation" | "within" | undefined;
}

const costModel = ({
  epsilon0,
  k = 1,
  rate = 1,
  compensation = 1,
  bias = 0,
  people = 1,
  weight = "published",
}: MoneyArguments): CostModel => ({
  epsilon0,
  k,
  cost: exponentialCost(rate),
  compensation,
  bias,
  people,
  weight,
});

/** A public generator: what it picks protects nobody, so a seed makes a run repeatable. */
function lehmer(seed: number): (bound: number) => number {
  let state = 1 + (seed % 2_147_483_646);
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

/** `risk.*`: privacy at risk as published, what is true beside it, and compensation. */
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
      throw new PrivacyError("INVALID_PARAMETER", {
        name: "confidence",
        got: confidence,
        want: "given, or `risk` instead, not both",
      });
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
    "the levels that a budget affords as [least, most]; null where even the optimum costs more",
    { budget: required(number({ above: 0 }), "money for everybody together"), epsilon0, ...money },
    (args) => budgetInterval({ ...costModel(args), budget: args.budget }) ?? null,
  ),
  calcFunction(
    "risk.compose",
    "the total ε of many Laplace releases: theorem 3.1 and the plotted curve as published, beside what holds and the exact value",
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
      return {
        epsilon: level,
        confidence: share,
        ...compositionLines({ epsilon0, epsilon: level, confidence: share, count, delta }),
        exact: composedLaplaceEpsilon({ epsilon0, count, delta }),
      };
    },
  ),
  calcFunction(
    "risk.sampledSensitivity",
    "the sensitivity seen in pairs of public or synthetic records, with what it covers; never over private rows",
    {
      provenance: required(text, '"public" or "synthetic"; anything else is refused'),
      origin: required(text, "where the records come from"),
      rows: required(array(array(number())), "records, each an array of numbers"),
      statistic: required(oneOf(["sum", "mean", "variance", "median", "ridge"]), "what is asked of the records"),
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
      const pick = lehmer(seed);
      const distances = [...sampleDistances({ records, statistic: sampledStatistic(statistic), size, pairs, pick })];
      return { ...readDistances({ distances, level, accuracy, failureProbability }), origin };
    },
  ),
  calcFunction(
    "risk.exact",
    "what is true of the loss L of one release at level ε: P(L > ε), P(|L| ≤ ε), δ(ε)",
    {
      epsilon,
      epsilon0: optional(number({ above: 0, max: 600 }), "ε₀ of Laplace noise; give this or `mu`"),
      count: optional(count, "how many Laplace releases together; 1 where left out"),
      level: optional(failureProbability, "adds value-at-risk and expected shortfall of the loss at this level"),
      sensitivity: optional(count, "steps of the grid that discrete Laplace noise hides; continuous where left out"),
      mu: optional(number({ above: 0 }), "μ of Gaussian noise; give this or `epsilon0`"),
    },
    ({ epsilon, epsilon0, count = 1, level, sensitivity, mu }) => {
      if (mu !== undefined && epsilon0 === undefined) return gaussianLoss({ mu, epsilon });
      if (epsilon0 === undefined || mu !== undefined) {
        throw new PrivacyError("INVALID_PARAMETER", {
          name: "epsilon0",
          got: epsilon0,
          want: "given, or `mu` instead, not both",
        });
      }
      if (sensitivity !== undefined) return discreteLaplaceLoss({ epsilon0, sensitivity, epsilon });
      if (count > 1 || level !== undefined) {
        const loss = composedLoss({ epsilon0, count });
        return { ...composedFacts(loss, epsilon), ...(level === undefined ? {} : composedShortfall(loss, level)) };
      }
      return {
        ...laplaceLoss({ epsilon0, epsilon }),
        simulationWeight: simulationWeight({ epsilon0, epsilon }),
        attackAccuracy: attackAccuracy(epsilon0),
      };
    },
  ),
  calcFunction(
    "risk.study",
    "Hsu et al. 2014: the ε that a study can afford and needs",
    {
      people: required(count, "participants"),
      compensation: required(number({ above: 0 }), "E, each participant's cost of the worst event"),
      budget: required(number({ above: 0 }), "money for everybody together"),
      error: required(number({ above: 0 }), "T, the error of the mean that is accepted"),
      failureProbability: required(failureProbability, "the chance of a larger error"),
    },
    (args) => {
      const study = hsuStudy(args);
      return { ...study, leastEpsilon: study.leastEpsilon ?? null };
    },
  ),
];
