import {
  type DpEvent,
  type EpsilonAmount,
  epsilonAmount,
  formatDelta,
  formatEpsilon,
  formatMu2,
  formatRational,
  gaussianMultiplier,
  invalid,
  type Mu2Amount,
} from "@dosimeter/core";
import { oneOf } from "../input/check.ts";
import type { DecimalInput, KeySelection, Noise, NoiseFamily, PriceRequest, Sensitivity } from "../plan/bounded.ts";
import { unitsOf } from "./noise-at.ts";

const UNITS = 10n ** 12n;
/** The largest ε; with more the noise would be zero. */
const MAX_EPSILON = 10n ** 6n * UNITS;

/** The family a request names, or what its amount buys. */
export const familyOf = ({ noise, epsilon, rho }: PriceRequest): NoiseFamily =>
  noise === "gaussian" || (noise !== "laplace" && rho !== undefined && epsilon === undefined) ? "gaussian" : "laplace";

/** The price of a row, in units of ε or of μ² = 2ρ. */
export function priceOf(request: PriceRequest, path: string): { readonly family: NoiseFamily; readonly units: bigint } {
  const { epsilon, rho } = request;
  if (request.noise !== undefined) oneOf(request.noise, `${path}.noise`, ["laplace", "gaussian", "auto"]);
  const family = familyOf(request);
  if (family === "laplace") {
    if (rho !== undefined) invalid(`${path}.rho`, rho, "absent: Laplace noise is paid in epsilon");
    return { family, units: spendable(epsilon, `${path}.epsilon`) };
  }
  if (epsilon !== undefined)
    invalid(`${path}.epsilon`, epsilon, "absent: Gaussian noise is paid in rho (mu^2 = 2 rho)");
  return { family, units: spendable(rho, `${path}.rho`) * 2n };
}

function spendable(amount: DecimalInput | undefined, path: string): EpsilonAmount {
  if (amount === undefined) return invalid(path, amount, "a decimal > 0");
  if (typeof amount !== "number" && typeof amount !== "string") return invalid(path, amount, "a decimal > 0");
  const units = epsilonAmount(amount, "down", path);
  if (units < 1n) return invalid(path, amount, "at least 0.000000000001");
  if (units > MAX_EPSILON) return invalid(path, amount, "at most 1000000");
  return units;
}

/** What the ledger is charged: the sampler that runs, or pure ε where several integers share one noise call [M83]. */
export function eventOf(noise: Noise, sensitivity: Sensitivity, integers: number): DpEvent {
  if (noise.kind === "gaussian")
    return { kind: "gaussian", noiseMultiplier: formatRational(gaussianMultiplier(noise.mu2)) };
  if (integers === 1 && sensitivity.l1 <= BigInt(Number.MAX_SAFE_INTEGER))
    return { kind: "discreteLaplace", scale: formatRational(noise.scale), sensitivity: Number(sensitivity.l1) };
  return { kind: "pure", epsilon: formatEpsilon(noise.epsilon) };
}

/** The cost of a row, as exact decimals; ρ = μ²/2 rounded up. */
export type Cost = ({ readonly epsilon: string } | { readonly rho: string; readonly muSquared: string }) & {
  /** The additional cost of selecting groups. */
  readonly delta?: string;
};

interface Paid {
  readonly noise: Noise;
  readonly keys?: KeySelection;
  readonly pays?: Mu2Amount;
}

export function costOf({ noise, keys, pays }: Paid): Cost {
  const units = keys?.units ?? pays ?? unitsOf(noise);
  const delta = keys === undefined || keys.rule === null ? {} : { delta: formatDelta(keys.delta) };
  return (keys?.family ?? noise.kind) === "laplace"
    ? { epsilon: formatEpsilon(units), ...delta }
    : { rho: formatEpsilon((units + 1n) / 2n), muSquared: formatMu2(units), ...delta };
}
