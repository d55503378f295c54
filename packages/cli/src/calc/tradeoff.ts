import { unboundedWork, type Work } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import {
  compare,
  estEpsdelta,
  estGdp,
  fitAudit,
  fromPoints,
  gaussianFit,
  gaussianMu,
  gdpToEpsdelta,
  leastDelta,
  leastEpsilon,
  leastMu,
  leastRho,
  lossDistribution,
  numberLabel,
  oneRunAudit,
  oneRunGaussianAudit,
  type PointsInput,
  readCurve,
  readings,
  renyi,
  reportCard,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";
import { type CalcFunction, calcFunction, optional, type Reader, required } from "./function.ts";
import { array, epsilonNumber, number, oneOf, oneOrMany, parsed, probability } from "./readers.ts";

/** The last few curves are kept, because composing one again takes a second. */
function remembering(
  read: (json: unknown, path: string, work: Work) => TradeoffFunction,
): Reader<TradeoffFunction>["read"] {
  const kept = new Map<string, { readonly curve: TradeoffFunction; readonly payer: { work: Work } }>();
  return (json, path, work = unboundedWork) => {
    const key = JSON.stringify(json) ?? "";
    const known = kept.get(key);
    // A kept curve is counted on the line that asks for it, not on the one that first read it.
    const payer = known?.payer ?? { work };
    payer.work = work;
    const curve = known?.curve ?? read(json, path, { spend: (units) => payer.work.spend(units) });
    kept.delete(key);
    kept.set(key, { curve, payer });
    for (const oldest of kept.keys()) {
      if (kept.size <= 8) break;
      kept.delete(oldest);
    }
    return curve;
  };
}

const curveReader = parsed<TradeoffFunction>(
  'curve {"epsdelta":[ε,δ]} | {"gdp":μ} | {"lap":μ} | {"points":[[α,β],…]} | {"compose":[curve,…]} | {"subsample":[p,curve]} | {"group":[k,curve]} | {"mechanism":event} | …',
  remembering(readCurve),
);
const pointsReader = parsed<TradeoffFunction>('points [[α,β],…] or {"alpha":[…],"beta":[…]}', (value) =>
  fromPoints(value as PointsInput),
);

const curve = required(curveReader, "a trade-off function");
const target = {
  curve: optional(curveReader, "a trade-off function: the estimate holds on all of [0, 1]; give this or `points`"),
  points: optional(pointsReader, "points of type I and type II error; give this or `curve`"),
};
const alpha = required(oneOrMany(probability), "type I errors in [0, 1]");
const digits = optional(
  number({ min: 0, max: 15, integer: true }),
  "decimal places, rounded outwards; 2 where left out",
);
const significance = optional(number({ above: 0, below: 1 }), "the level of the test; 0.05 where left out");

function each<T, R>(values: T | readonly T[], read: (value: T) => R): R | readonly R[] {
  return Array.isArray(values) ? values.map(read) : read(values as T);
}

function targetOf(given: {
  readonly curve: TradeoffFunction | undefined;
  readonly points: TradeoffFunction | undefined;
}): TradeoffFunction {
  const { curve, points } = given;
  if (curve !== undefined && points === undefined) return curve;
  if (points !== undefined && curve === undefined) return points;
  return readCurve(curve === undefined ? undefined : "both", "curve, points");
}

const withDigits = (digits: number | undefined) => (digits === undefined ? {} : { digits });

/** `tradeoff.*`: trade-off functions and their readings. */
export const tradeoffFunctions: readonly CalcFunction[] = [
  calcFunction("tradeoff.beta", "least type II error at type I errors", { curve, alpha }, ({ curve, alpha }) =>
    each(alpha, curve.beta),
  ),
  calcFunction(
    "tradeoff.power",
    "1 − β, the greatest true positive rate, accurate in the small tail",
    { curve, alpha },
    ({ curve, alpha }) => each(alpha, curve.power),
  ),
  calcFunction("tradeoff.logPower", "ln(1 − β)", { curve, alpha }, ({ curve, alpha }) => each(alpha, curve.logPower)),
  calcFunction("tradeoff.slope", "the right derivative of β", { curve, alpha }, ({ curve, alpha }) =>
    each(alpha, curve.slope),
  ),
  calcFunction(
    "tradeoff.inverse",
    "the least type I error with type II error at most β",
    { curve, beta: required(oneOrMany(probability), "type II errors in [0, 1]") },
    ({ curve, beta }) => each(beta, curve.inverse),
  ),
  calcFunction(
    "tradeoff.vertices",
    "kinks and end points as [α, β]; for a curved function the points it is drawn through",
    { curve },
    ({ curve }) => curve.vertices().map(({ alpha, beta }) => [alpha, beta]),
  ),
  calcFunction(
    "tradeoff.label",
    "the name of the curve, as the R package writes it",
    { curve },
    ({ curve }) => curve.label,
  ),
  calcFunction("tradeoff.print", "the curve and its parameters, as the R package prints them", { curve }, ({ curve }) =>
    curve.toString(),
  ),
  calcFunction(
    "tradeoff.numberLabel",
    "a number as the R language writes it",
    { value: required(number({ infinite: true }), "a number") },
    ({ value }) => numberLabel(value),
  ),
  calcFunction(
    "tradeoff.epsilon",
    "the least ε for a δ, in both directions",
    { curve, delta: required(oneOrMany(probability), "δ in [0, 1]") },
    ({ curve, delta }) => each(delta, (value) => leastEpsilon(curve, value)),
  ),
  calcFunction(
    "tradeoff.delta",
    "the least δ for an ε, in both directions",
    { curve, epsilon: required(oneOrMany(epsilonNumber), "ε >= 0") },
    ({ curve, epsilon }) => each(epsilon, (value) => leastDelta(curve, value)),
  ),
  calcFunction("tradeoff.mu", "the least μ with G_μ below the curve, not rounded", { curve }, ({ curve }) =>
    leastMu(curve),
  ),
  calcFunction(
    "tradeoff.estGdp",
    "the least μ with G_μ below the curve or the points, rounded up",
    { ...target, digits },
    ({ digits, ...given }) => ({ mu: estGdp(targetOf(given), withDigits(digits)).mu }),
  ),
  calcFunction(
    "tradeoff.estEpsdelta",
    "the least ε for a δ, or δ for an ε, with f_{ε,δ} below the curve or the points, rounded up",
    {
      ...target,
      epsilon: optional(epsilonNumber, "ε; give this or `delta`"),
      delta: optional(probability, "δ; give this or `epsilon`"),
      digits,
    },
    ({ epsilon, delta, digits, ...given }) => {
      // Both or neither is refused there.
      const fixed = { epsilon, delta } as { readonly epsilon: number };
      const estimate = estEpsdelta(targetOf(given), { ...fixed, ...withDigits(digits) });
      return { epsilon: estimate.epsilon, delta: estimate.delta };
    },
  ),
  calcFunction(
    "tradeoff.gdpToEpsdelta",
    "δ of μ-GDP at ε",
    { mu: required(epsilonNumber, "μ >= 0"), epsilon: required(epsilonNumber, "ε >= 0"), digits },
    ({ mu, epsilon, digits }) => {
      const { delta } = gdpToEpsdelta(mu, epsilon, withDigits(digits));
      return { epsilon, delta };
    },
  ),
  calcFunction(
    "tradeoff.epsdeltaToGdp",
    "the greatest μ whose Gaussian noise is (ε, δ)-DP, and σ for sensitivity 1",
    { epsilon: required(epsilonNumber, "ε >= 0"), delta: required(probability, "δ in [0, 1]") },
    ({ epsilon, delta }) => {
      const mu = gaussianMu(epsilon, delta);
      return { mu, sigma: 1 / mu };
    },
  ),
  calcFunction(
    "tradeoff.renyi",
    "Rényi divergence of an order, the greater of both directions",
    { curve, order: required(oneOrMany(number({ above: 1 })), "orders > 1") },
    ({ curve, order }) => each(order, (value) => renyi(curve, value)),
  ),
  calcFunction("tradeoff.rho", "the least ρ of zero-concentrated DP", { curve }, ({ curve }) => leastRho(curve)),
  calcFunction(
    "tradeoff.losses",
    "the privacy loss distribution: losses, their probabilities, and the mass at infinity",
    {
      curve,
      cells: optional(
        number({ min: 1, max: 100_000, integer: true }),
        "pieces of a curved function; 2048 where left out",
      ),
    },
    ({ curve, cells }) => lossDistribution(curve, cells),
  ),
  calcFunction(
    "tradeoff.compare",
    "which of two curves is more private, and where they cross",
    { curve, other: required(curveReader, "the other curve") },
    ({ curve, other }) => compare(curve, other),
  ),
  calcFunction("tradeoff.gaussianFit", "the least μ and its regret", { curve }, ({ curve }) => gaussianFit(curve)),
  calcFunction(
    "tradeoff.bracket",
    "certified lower and upper bounds of β; equal where the curve is exact",
    { curve, alpha },
    ({ curve, alpha }) => ({
      exact: curve.isExact,
      lower: each(alpha, curve.beta),
      upper: curve.isExact ? each(alpha, curve.beta) : curve.upper === null ? null : each(alpha, curve.upper.beta),
    }),
  ),
  calcFunction(
    "tradeoff.readings",
    "what an attacker can do: advantage, area, accuracy, and per false positive rate TPR, precision and likelihood ratios",
    {
      curve,
      fpr: optional(array(probability), "false positive rates; 1e-5 to 0.1 where left out"),
      prior: optional(probability, "the chance that the person is present; 0.5 where left out"),
    },
    ({ curve, fpr, prior }) => {
      const options = present({ falsePositiveRates: fpr, prior });
      const { rates, ...whole } = readings(curve, options);
      const column = <K extends keyof (typeof rates)[number]>(key: K) => rates.map((rate) => rate[key]);
      return {
        ...whole,
        fpr: column("falsePositiveRate"),
        tpr: column("truePositiveRate"),
        positiveLikelihoodRatio: column("positiveLikelihoodRatio"),
        negativeLikelihoodRatio: column("negativeLikelihoodRatio"),
        precision: column("precision"),
        relativeRisk: column("relativeRisk"),
        reconstruction: column("truePositiveRate"),
      };
    },
  ),
  calcFunction("tradeoff.reportCard", "one page on a curve", { curve }, ({ curve }) => reportCard(curve)),
  calcFunction(
    "tradeoff.audit",
    "lower bounds on leakage from attack scores, rounded down; evidence against a mechanism, never a guarantee",
    {
      absent: required(array(number()), "scores of people who were not in the data"),
      present: required(array(number()), "scores of people who were"),
      delta: optional(probability, "δ of the bound on ε; 0 where left out"),
      confidence: optional(number({ above: 0, below: 1 }), "simultaneous over all thresholds; 0.95 where left out"),
      band: optional(oneOf(["dkw", "clopperPearson"]), "how the rates are bounded; dkw where left out"),
      digits,
    },
    ({ absent, present, delta = 0, confidence, band, digits }) => {
      const fit = fitAudit(
        { absent, present },
        {
          ...(confidence === undefined ? {} : { confidence }),
          ...(band === undefined ? {} : { band }),
          ...withDigits(digits),
        },
      );
      return {
        muLower: fit.muLower,
        epsilonLower: fit.epsilonLower(delta),
        delta,
        confidence: fit.confidence,
        band: fit.band.vertices().map(({ alpha, beta }) => [alpha, beta]),
      };
    },
  ),
  calcFunction(
    "tradeoff.oneRunAudit",
    "the greatest ε and μ that right guesses about canaries in one run refute",
    {
      canaries: required(number({ min: 1, integer: true }), "how many were in or out by a coin"),
      guesses: required(number({ min: 1, integer: true }), "how many the attack guessed"),
      correct: required(number({ min: 0, integer: true }), "how many of those were right"),
      delta: optional(probability, "δ; 0 where left out"),
      significance,
    },
    ({ canaries, guesses, correct, delta = 0, significance }) => {
      const run = { canaries, guesses, correct, ...(significance === undefined ? {} : { significance }) };
      return { epsilonLower: oneRunAudit({ ...run, delta }), delta, muLower: oneRunGaussianAudit(run) };
    },
  ),
];
