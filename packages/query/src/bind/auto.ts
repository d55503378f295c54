import { epsilonAmount, formatEpsilon, largestPure, type Mu2Amount } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import type { Fields } from "../input/check.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { accuracyOf, declaredRows } from "../statistics/accuracy.ts";

/** The assumed number of rows where none is declared. It changes no comparison, because both errors grow alike. */
const SOME_ROWS = 100_000;
/** Above this ρ Gaussian noise is too small to compare. */
const MAX_COMPARED = 500;

/** The requests from which `noise: "auto"` chooses: Laplace for ε; for ρ Gaussian, or Laplace with the largest ε that the ρ pays for. */
export function candidatesOf(given: Fields): readonly Fields[] {
  if (given.noise !== "auto") return [given];
  const { noise: _, ...plain } = given;
  const { rho, epsilon, ...rest } = plain;
  if (rho === undefined || epsilon !== undefined || (typeof rho !== "number" && typeof rho !== "string"))
    return [plain];
  const gaussian = { ...plain, noise: "gaussian" };
  const most = largestPure(mu2Of(rho));
  return most <= 0n ? [gaussian] : [gaussian, { ...rest, noise: "laplace", epsilon: formatEpsilon(most) }];
}

/** μ² = 2ρ; null where the noise is too small to compare, or the amount is invalid and will be refused later. */
function mu2Of(rho: string | number): Mu2Amount | null {
  if (!(Number(rho) > 0 && Number(rho) < MAX_COMPARED)) return null;
  return (2n * epsilonAmount(rho, "down")) as Mu2Amount;
}

/** The statistic with the least error; the first of equals. */
export function leastError(
  statistics: readonly BoundedStatistic[],
  declaration: Declaration,
  failureProbability: number,
): BoundedStatistic | undefined {
  const rows = declaredRows(declaration) ?? SOME_ROWS;
  const error = (statistic: BoundedStatistic): number =>
    accuracyOf(statistic, failureProbability, rows) ?? Number.POSITIVE_INFINITY;
  return statistics.reduce<BoundedStatistic | undefined>(
    (best, each) => (best === undefined || error(each) < error(best) ? each : best),
    undefined,
  );
}
