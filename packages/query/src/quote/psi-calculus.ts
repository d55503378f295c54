import { epsilonAmount, formatEpsilon, gaussianDelta, invalid, type SecureRandom } from "@dosimeter/core";
import { leastWhole } from "@dosimeter/core/internal";
import { addNoise } from "../answer/add-noise.ts";
import type { Answer } from "../answer/answer.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { BoundedPlan, DecimalInput } from "../plan/bounded.ts";
import type { Engine, TableVersion } from "../plan/engine.ts";
import { accuracyOf, declaredRows } from "../statistics/accuracy.ts";
import { noiseChoicesOf } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { accuracy, type CalculusRequest, epsilonFor } from "./calculus.ts";

/** A statistic without a price: its bounds, groups, contributions and the assumed number of people. */
export type Metadata = Omit<CalculusRequest, "epsilon" | "rho" | "noise" | "failureProbability">;

const UNITS = 10n ** 12n;
/** Where the declaration does not say how many rows there are: both errors grow alike. */
const SOME_ROWS = 100_000;

/** The largest ρ, in 10⁻¹² units, whose Gaussian noise is (ε, δ)-DP: its μ² = 2ρ has δ_Gauss(ε; μ²) ≤ δ. */
function rhoWithin(epsilon: number, delta: number): bigint {
  const fits = (units: bigint): boolean => gaussianDelta(epsilon, (2 * Number(units)) / 1e12) * (1 + 1e-9) <= delta;
  let [low, high] = [0n, UNITS];
  while (fits(high) && high < 10n ** 18n) [low, high] = [high, 2n * high];
  return leastWhole((units) => !fits(units), low, high) - 1n;
}

/** The least ε, in 10⁻¹² units, at which ρ is paid; null where no ε up to 10⁶ does. */
function epsilonOf(rho: bigint, delta: number): bigint | null {
  if (rhoWithin(1e6, delta) < rho) return null;
  const pays = (units: bigint): boolean =>
    gaussianDelta(Number(units) / 1e12, (2 * Number(rho)) / 1e12) * (1 + 1e-9) <= delta;
  return leastWhole(pays, 0n, 10n ** 18n);
}

const mayBeGaussian = (metadata: Metadata, delta: number): boolean =>
  delta > 0 && metadata.keys === undefined && noiseChoicesOf(metadata.statistic).includes("gaussian");

function checkDelta(delta: number): void {
  if (typeof delta !== "number" || !(delta >= 0 && delta < 1)) invalid("delta", delta, "from 0 to below 1");
}

/** The better of Laplace noise with ε and, where δ > 0, Gaussian noise that is (ε, δ)-DP: its price and error. */
function best(
  epsilon: DecimalInput,
  delta: number,
  metadata: Metadata,
  failureProbability: number,
): { readonly price: { readonly epsilon: string } | { readonly rho: string }; readonly error: number } {
  checkDelta(delta);
  const units = epsilonAmount(epsilon, "down");
  const laplace = { epsilon: formatEpsilon(units) };
  const plain = { price: laplace, error: accuracy({ ...metadata, ...laplace, failureProbability }) };
  if (!mayBeGaussian(metadata, delta)) return plain;
  const rho = rhoWithin(Number(units) / 1e12, delta);
  if (rho < 1n) return plain;
  const gaussian = { rho: formatEpsilon(rho) };
  const error = accuracy({ ...metadata, ...gaussian, noise: "gaussian", failureProbability });
  return error < plain.error ? { price: gaussian, error } : plain;
}

/**
 * The error that each answer stays within with probability 1 − failureProbability, in the answer's unit, for (ε, δ): PSI's
 * `getAccuracy`. With δ > 0 the noise is Gaussian where that is better. Throws INVALID_PARAMETER with the name of the fault.
 */
export const getAccuracy = (
  epsilon: DecimalInput,
  delta: number,
  metadata: Metadata,
  failureProbability: number,
): number => best(epsilon, delta, metadata, failureProbability).error;

/**
 * The least ε, an exact decimal, at which the error is at most `accuracy`: PSI's `getParameter`. `getAccuracy` of it is never
 * more than what was asked for.
 */
export function getParameter(error: number, delta: number, metadata: Metadata, failureProbability: number): string {
  checkDelta(delta);
  const attempt = (ask: () => bigint | null): bigint | null => {
    try {
      return ask();
    } catch (fault) {
      if (mayBeGaussian(metadata, delta)) return null;
      throw fault;
    }
  };
  const least = (noise: "laplace" | "gaussian"): bigint => {
    const price = epsilonFor({
      ...metadata,
      noise: noiseChoicesOf(metadata.statistic).length === 0 ? undefined : noise,
      accuracy: error,
      failureProbability,
    });
    return epsilonAmount("rho" in price ? price.rho : price.epsilon, "up");
  };
  const laplace = attempt(() => least("laplace"));
  const gaussian = mayBeGaussian(metadata, delta) ? attempt(() => epsilonOf(least("gaussian"), delta)) : null;
  if (laplace === null && gaussian === null)
    return invalid("accuracy", error, "an error that some epsilon up to 1000000 reaches");
  return formatEpsilon(
    laplace === null ? (gaussian ?? 0n) : gaussian === null || laplace < gaussian ? laplace : gaussian,
  );
}

export interface Computation {
  /** The statistic without a price. */
  readonly request: Omit<StatisticRequest, "epsilon" | "rho" | "noise">;
  readonly declaration: Declaration;
  readonly engine: Engine;
  readonly version: TableVersion;
  readonly random: SecureRandom;
  readonly confidence?: number;
}

/** Measures one statistic on a table and adds the noise that (ε, δ) buys: PSI's `compute`. Nothing is charged. */
export async function compute(epsilon: DecimalInput, delta: number, computation: Computation): Promise<Answer> {
  const { request, declaration, engine, version, random, confidence = 0.95 } = computation;
  checkDelta(delta);
  const units = epsilonAmount(epsilon, "down");
  const choices = noiseChoicesOf(request.statistic);
  const rho = delta > 0 && choices.includes("gaussian") ? rhoWithin(Number(units) / 1e12, delta) : 0n;
  const prices = [{ epsilon: formatEpsilon(units) }, ...(rho < 1n ? [] : [{ rho: formatEpsilon(rho) }])];
  const rows = declaredRows(declaration) ?? SOME_ROWS;
  const errorOf = ({ statistics }: BoundedPlan): number =>
    Math.max(...statistics.map((each) => accuracyOf(each, 1 - confidence, rows) ?? Number.POSITIVE_INFINITY));
  const plans = prices.map((price) => boundPlan({ statistics: [{ ...request, ...price }], confidence }, declaration));
  const [plan] = plans.toSorted((a, b) => errorOf(a) - errorOf(b));
  if (plan === undefined) return invalid("epsilon", epsilon, "a decimal > 0");
  const [answer] = addNoise(plan, await engine.run(plan, version), random);
  return answer ?? invalid("request", request, "one statistic");
}
