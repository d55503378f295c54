import { invalid, PrivacyError } from "@dosimeter/core";
import { bisect, integrateInPanels } from "@dosimeter/core/internal";
import { publishedModel } from "./as-published/model.ts";
import { checkEpsilon0, checkPositive, checkWhole } from "./check.ts";
import { differenceLaw } from "./difference.ts";
import { laplaceLoss, simulationWeight } from "./truth.ts";

/** The share of the compensation that is due at level ε: 0 at ε = 0, increasing, at most 1. */
export interface CostFunction {
  readonly name: string;
  value(epsilon: number): number;
  /** ln of the value, good where the value itself underflows. */
  log(epsilon: number): number;
  /** d/dε of `log`. */
  logSlope(epsilon: number): number;
}

/** e^(−rate/ε): the paper's equation (8) with b = 0. */
export const exponentialCost = (rate = 1): CostFunction => {
  checkPositive("rate", rate);
  return {
    name: `e^(−${rate}/ε)`,
    value: (e) => (e > 0 ? Math.exp(-rate / e) : 0),
    log: (e) => -rate / e,
    logSlope: (e) => rate / e / e,
  };
};

/** ε^power/(ε^power + scale^power). */
export const hillCost = (power = 1, scale = 1): CostFunction => {
  checkPositive("power", power);
  checkPositive("scale", scale);
  const odds = (e: number): number => (scale / e) ** power;
  return {
    name: `ε^${power}/(ε^${power} + ${scale}^${power})`,
    value: (e) => (e > 0 ? 1 / (1 + odds(e)) : 0),
    log: (e) => -Math.log1p(odds(e)),
    logSlope: (e) => power / e / (1 + 1 / odds(e)),
  };
};

/** 1 − e^(−rate·ε): at k = 1 and rate = 1 the optimum has confidence exactly ½ and saves exactly 25 %. */
export const saturatingCost = (rate = 1): CostFunction => {
  checkPositive("rate", rate);
  return {
    name: `1 − e^(−${rate}ε)`,
    value: (e) => -Math.expm1(-rate * e),
    log: (e) => Math.log(-Math.expm1(-rate * e)),
    logSlope: (e) => rate / Math.expm1(rate * e),
  };
};

/** tanh(ε/2): the largest membership advantage of an ε-DP release. */
export const advantageCost: CostFunction = {
  name: "tanh(ε/2)",
  value: (e) => Math.tanh(e / 2),
  log: (e) => Math.log(Math.tanh(e / 2)),
  logSlope: (e) => 1 / Math.sinh(e),
};

/** The growth of a prior π to its largest posterior, as a share of 1 − π: π(e^ε − 1)/(1 + π(e^ε − 1)). */
export const posteriorCost = (prior: number): CostFunction => {
  if (!(prior > 0 && prior < 1)) invalid("prior", prior, "between 0 and 1");
  const shrink = (e: number): number => prior + (1 - prior) * Math.exp(-e);
  const value = (e: number): number => (prior * -Math.expm1(-e)) / shrink(e);
  return {
    name: `posterior growth from ${prior}`,
    value,
    log: (e) => Math.log(value(e)),
    logSlope: (e) => 1 / (Math.expm1(e) * shrink(e)),
  };
};

/** How likely the gentler level is taken to be; `published` is the paper's, the others are what can be defended. */
export type Weight = "published" | "simulation" | "within";

/** Equation (8) with a bias b: b + (E − b)·D(ε), which stays within E, or E·D(ε) + b as printed, which does not. */
export type CostForm = "corrected" | "printed";

/** What D(ε) multiplies. */
export const variablePart = (form: CostForm | undefined, compensation: number, bias: number): number =>
  form === "printed" ? compensation : compensation - bias;

export interface CostModel {
  readonly epsilon0: number;
  readonly k?: number;
  /** Default e^(−1/ε). */
  readonly cost?: CostFunction;
  /** Money due to one person at full loss; default 1. */
  readonly compensation?: number;
  /** Money due to one person whatever ε is; default 0, at most the compensation. */
  readonly bias?: number;
  readonly people?: number;
  readonly weight?: Weight;
  /** Equation (8); default corrected. */
  readonly form?: CostForm;
}

export interface CostOptimum {
  readonly epsilon: number;
  readonly confidence: number;
  readonly risk: number;
  /** Money due to all people at the optimum, and at ε₀ itself. */
  readonly cost: number;
  readonly dpCost: number;
  readonly saving: number;
  readonly savingFraction: number;
}

interface PricedModel {
  readonly epsilon0: number;
  confidence(epsilon: number): number;
  risk(epsilon: number): number;
  /** Money due at level ε of the published expected cost, equation (9). */
  total(epsilon: number): number;
  /** Weighted share of D(ε₀) due at ε, and its slope: the same minima as `total`, without its underflow. */
  relative(epsilon: number): number;
  slope(epsilon: number): number;
  readonly dpCost: number;
}

/** The expected compensation B(ε) = weight(ε)·D(ε) + (1 − weight(ε))·D(ε₀), times compensation and people; ε past ε₀ costs D(ε₀). */
export function compensationBudget(model: CostModel & { readonly epsilon: number }): number {
  return price(model).total(model.epsilon);
}

function price(model: CostModel): PricedModel {
  const { k = 1, cost = exponentialCost(), compensation = 1, bias = 0, people = 1, weight = "published", form } = model;
  const epsilon0 = checkEpsilon0(model.epsilon0);
  checkPositive("compensation", compensation);
  checkWhole("people", people);
  if (!(bias >= 0 && bias <= compensation)) {
    invalid("bias", bias, "from 0 to the compensation");
  }
  const published = publishedModel({ epsilon0, k });
  const law = differenceLaw(k);
  const whole = law.cdf(epsilon0);
  const within = (epsilon: number): number => laplaceLoss({ epsilon0, epsilon }).within;
  const byWeight = {
    published: { confidence: published.confidence, risk: published.risk, slope: (e: number) => law.density(e) / whole },
    simulation: {
      confidence: (e: number) => simulationWeight({ epsilon0, epsilon: e }),
      risk: (e: number) => 1 - simulationWeight({ epsilon0, epsilon: e }),
      slope: (e: number) => {
        const q = Math.exp((e - epsilon0) / 2);
        return (q * (1 + Math.exp(-epsilon0))) / (2 * (1 + q) ** 2);
      },
    },
    within: {
      confidence: within,
      risk: (e: number) => 1 - within(e),
      slope: (e: number) => (Math.exp((e - epsilon0) / 2) * (1 + Math.exp(-e))) / 4,
    },
  }[weight];
  const dp = cost.value(epsilon0);
  const ratio = (e: number): number => Math.exp(cost.log(e) - cost.log(epsilon0));
  const scale = variablePart(form, compensation, bias) * people;
  const money = (share: number): number => bias * people + scale * share;
  return {
    epsilon0,
    confidence: byWeight.confidence,
    risk: byWeight.risk,
    total: (e) => money(e >= epsilon0 ? dp : byWeight.confidence(e) * cost.value(e) + byWeight.risk(e) * dp),
    relative: (e) => byWeight.confidence(e) * ratio(e) + byWeight.risk(e),
    slope: (e) => byWeight.slope(e) * (ratio(e) - 1) + byWeight.confidence(e) * ratio(e) * cost.logSlope(e),
    dpCost: money(dp),
  };
}

/** The level with the least expected compensation. No convexity is assumed: every minimum on a fine grid is bracketed and compared. */
export function costOptimum(model: CostModel): CostOptimum {
  const priced = price(model);
  const epsilon = minimiser(priced);
  const cost = priced.total(epsilon);
  const saving = priced.dpCost - cost;
  return {
    epsilon,
    confidence: priced.confidence(epsilon),
    risk: priced.risk(epsilon),
    cost,
    dpCost: priced.dpCost,
    saving,
    savingFraction: priced.dpCost > 0 ? saving / priced.dpCost : 1 - priced.relative(epsilon),
  };
}

const GRID = 400;

function minimiser(priced: PricedModel): number {
  const { epsilon0 } = priced;
  const points = new Set<number>();
  for (let i = 1; i <= GRID; i++) {
    points.add((epsilon0 * i) / (GRID + 1));
    points.add(epsilon0 * 10 ** ((-12 * i) / GRID));
  }
  const grid = [...points].filter((e) => e < epsilon0).sort((a, b) => a - b);
  let best = epsilon0;
  let least = 1;
  for (let i = 1; i < grid.length + 1; i++) {
    const low = grid[i - 1] ?? epsilon0;
    const high = grid[i] ?? epsilon0 * (1 - 1e-12);
    if (!(priced.slope(low) <= 0 && priced.slope(high) > 0)) continue;
    const root = bisect(priced.slope, low, high);
    const share = priced.relative(root);
    if (share < least) [best, least] = [root, share];
  }
  return best;
}

/** The levels ε whose expected compensation is within `budget`: an interval around the optimum, or undefined where even that costs more. */
export function budgetInterval(model: CostModel & { readonly budget: number }): readonly [number, number] | undefined {
  const priced = price(model);
  const budget = checkPositive("budget", model.budget);
  const optimum = minimiser(priced);
  if (priced.total(optimum) > budget) return undefined;
  if (budget >= priced.dpCost) return [0, priced.epsilon0];
  const over = (e: number): number => priced.total(e) - budget;
  return [bisect((e) => -over(e), 0, optimum), bisect(over, optimum, priced.epsilon0)];
}

/** The least ε₀ whose noise has mean absolute L1 error at most `error`, at Δ = 1: k/error (equation (12) with its Δ and k). */
export function epsilonForError({ error, k = 1 }: { readonly error: number; readonly k?: number }): number {
  return checkWhole("k", k) / checkPositive("error", error);
}

/** Expected compensation of the loss that one Laplace release realises: of |L|, or of L where it points at the person (worst pair, k = 1). */
export function expectedLossCost(model: Omit<CostModel, "k" | "weight">): {
  readonly absolute: number;
  readonly positive: number;
} {
  const { cost = exponentialCost(), compensation = 1, bias = 0, people = 1, form } = model;
  const epsilon0 = checkEpsilon0(model.epsilon0);
  const panel = Math.min(1, epsilon0 / 16);
  const positive =
    0.5 * cost.value(epsilon0) +
    integrateInPanels((l) => 0.25 * Math.exp((l - epsilon0) / 2) * cost.value(l), 0, epsilon0, panel);
  const negative =
    0.5 * Math.exp(-epsilon0) * cost.value(epsilon0) +
    integrateInPanels((l) => 0.25 * Math.exp((-l - epsilon0) / 2) * cost.value(l), 0, epsilon0, panel);
  const money = (share: number): number => people * (bias + variablePart(form, compensation, bias) * share);
  return { absolute: money(positive + negative), positive: money(positive) };
}

/** The largest ε₀ for which the published cost is convex on (0, ε₀] at k = 1: the root of 2ε²/(e^ε − 1) = 2ε − rate. */
export function largestConvexEpsilon(rate = 1): number {
  checkPositive("rate", rate);
  return bisect((e) => 2 * e - rate - (2 * e * e) / Math.expm1(e), Number.MIN_VALUE, rate + 100);
}

/** The range of optima when rate and compensation are only known as intervals: corners of the box, ε* moves with the rate alone. */
export function costRange(
  model: Omit<CostModel, "cost" | "compensation"> & {
    readonly rate: readonly [number, number];
    readonly compensation: readonly [number, number];
  },
): { readonly least: CostOptimum; readonly most: CostOptimum } {
  const corners = model.rate.flatMap((rate) =>
    model.compensation.map((compensation) => costOptimum({ ...model, compensation, cost: exponentialCost(rate) })),
  );
  const sorted = corners.sort((a, b) => a.cost - b.cost);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  if (!least || !most) throw new PrivacyError("INTERNAL");
  return { least, most };
}

/** Hsu et al. 2014: what a study of N people can afford and needs, paying each (e^ε − 1)·E; bounds the real ε₀. */
export function hsuStudy(options: {
  readonly people: number;
  readonly compensation: number;
  readonly budget: number;
  readonly error: number;
  readonly failureProbability: number;
}): { readonly mostEpsilon: number; readonly leastEpsilon: number | undefined; readonly feasible: boolean } {
  const { people, compensation, budget, error, failureProbability } = options;
  checkWhole("people", people);
  for (const [name, value] of Object.entries({ compensation, budget, error })) checkPositive(name, value);
  const mostEpsilon = Math.log1p(budget / (people * compensation));
  const room = failureProbability - 2 * Math.exp((-people * error * error) / 12);
  const leastEpsilon = room > 0 ? (-2 / (error * people)) * Math.log(room) : undefined;
  return { mostEpsilon, leastEpsilon, feasible: leastEpsilon !== undefined && leastEpsilon <= mostEpsilon };
}
