import { checkPositive } from "../check.ts";

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
