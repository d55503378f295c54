import { named, type TradeoffFunction } from "./curve.ts";
import { scorePoints } from "./given.ts";
import { fromPoints, TOLERANCE } from "./points.ts";

/**
 * The empirical trade-off of an attack from its scores on people who were not in the data (`absent`) and who were
 * (`present`); higher scores say "in". Points above 1 − α (an attack worse than guessing) are moved onto that line.
 */
export function fromScores(
  absent: readonly number[],
  present: readonly number[],
  { label = "scores" }: { readonly label?: string } = {},
): TradeoffFunction {
  const points = scorePoints(absent, present).map(({ alpha, beta }) => ({ alpha, beta: Math.min(beta, 1 - alpha) }));
  return named(fromPoints(points, { tolerance: TOLERANCE }), label);
}
