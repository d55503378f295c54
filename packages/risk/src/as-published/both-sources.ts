import { invalid } from "@dosimeter/core";
import { checkEpsilon, checkEpsilon0, checkPositive } from "../check.ts";
import { differenceLaw, MAX_EPSILON } from "../difference.ts";
import { coverageBounds } from "../sampled.ts";
import { publishedModel } from "./model.ts";

/** Equation (11) as published: the confidence is frozen, and 1/𝒯 bounds ε though it is ε₀ that makes the error. */
export function publishedBounds(options: {
  readonly budget: number;
  readonly confidence: number;
  readonly dpCost: number;
  readonly fullCost: number;
  readonly error: number;
}): { readonly lower: number; readonly upper: number } {
  const { budget, confidence, dpCost, fullCost, error } = options;
  return {
    lower: 1 / checkPositive("error", error),
    upper: 1 / Math.log((confidence * checkPositive("fullCost", fullCost)) / (budget - (1 - confidence) * dpCost)),
  };
}

/** Equations (6)–(7) as published: P(T ≤ ε)/P(T ≤ ηε₀) × level × (1 − 2e^(−2ρ²m)), η = Δ/Δ_S (∞ where Δ is unknown). [M101] */
export function publishedBothSources(options: {
  readonly epsilon: number;
  readonly epsilon0: number;
  readonly k?: number;
  readonly ratio: number;
  readonly level?: number;
  readonly samples: number;
  readonly accuracy: number;
}): { readonly confidence: number; readonly risk: number } {
  const { epsilon, epsilon0, k = 1, ratio, level = 1, samples, accuracy } = options;
  const share = noiseRatio({ epsilon, epsilon0, k, ratio });
  const bound = coverageBounds({ level, samples, accuracy }).published;
  const confidence = share * bound;
  return { confidence, risk: 1 - confidence };
}

/** P(T ≤ ε)/P(T ≤ ηε₀), never above 1; the denominator is 1 where ηε₀ passes 600. */
export function noiseRatio(options: {
  readonly epsilon: number;
  readonly epsilon0: number;
  readonly k?: number;
  readonly ratio: number;
}): number {
  const { epsilon, epsilon0, k = 1, ratio } = options;
  if (!(ratio >= 1)) invalid("ratio", ratio, "1 or more");
  const cap = ratio * checkEpsilon0(epsilon0);
  if (cap <= MAX_EPSILON) return publishedModel({ epsilon0: cap, k }).confidence(epsilon);
  return differenceLaw(k).cdf(Math.min(checkEpsilon(epsilon), MAX_EPSILON));
}
