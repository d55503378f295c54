import { publishedBounds } from "./as-published/both-sources.ts";
import { type CostModel, costOptimum, exponentialCost } from "./cost.ts";

/** Equation (11) of a cost model, with the confidence at its optimum; `upper` is NaN or infinite where no level is within the budget. */
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

/**
 * What the interval is called, and the interval: the source derives it for the cost e^(−1/ε) without a bias and k = 1. "none"
 * where no level is within the budget.
 */
export function elevenWords(
  { cost = exponentialCost(), bias = 0, k = 1 }: CostModel,
  { lower, upper }: { readonly lower: number; readonly upper: number },
  shown: (x: number) => string,
): { readonly name: string; readonly interval: string } {
  const isPublished = cost.name === exponentialCost().name && bias === 0 && k === 1;
  return {
    name: isPublished ? "Equation (11), as published" : "In the manner of equation (11)",
    interval: upper > 0 && upper < Number.POSITIVE_INFINITY ? `${shown(lower)} to ${shown(upper)}` : "none",
  };
}
