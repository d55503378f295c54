import { checkPositive } from "../check.ts";
import { type CostModel, costOptimum } from "../cost.ts";

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

/** The same of a cost model, with the confidence at its optimum; `upper` is NaN or infinite where no level is within the budget. */
export function equationEleven({
  model,
  budget,
  error,
}: {
  readonly model: CostModel;
  readonly budget: number;
  readonly error: number;
}): { readonly lower: number; readonly upper: number } {
  const { confidence, dpCost } = costOptimum(model);
  const { compensation = 1, people = 1 } = model;
  return publishedBounds({ budget, confidence, dpCost, fullCost: compensation * people, error });
}
