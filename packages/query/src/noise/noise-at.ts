import {
  type EpsilonAmount,
  gaussianMultiplier,
  integerSqrt,
  type Mu2Amount,
  rational,
  squareRootUp,
} from "@dosimeter/core";
import type { Noise, NoiseFamily, Sensitivity } from "../plan/bounded.ts";

const UNITS = 10n ** 12n;
/** Digits after the point of an irrational Δ2, rounded up: more noise, never less. */
const SENSITIVITY_DIGITS = 9n;

/** The noise for an amount: units of ε for Laplace noise, of μ² for Gaussian. */
export const noiseAt = (family: NoiseFamily, units: bigint, sensitivity: Sensitivity): Noise =>
  family === "laplace"
    ? laplaceNoise(units as EpsilonAmount, sensitivity)
    : gaussianNoise(units as Mu2Amount, sensitivity);

/** Discrete Laplace noise of scale Δ1/ε, an exact fraction [M83]. */
export function laplaceNoise(epsilon: EpsilonAmount, { l1 }: Sensitivity): Noise {
  return { kind: "laplace", epsilon, scale: rational(l1 * UNITS, epsilon) };
}

/** Rounded Gaussian noise with σ ≥ Δ2/√(2ρ), rounded up to a fraction [M83]. */
export function gaussianNoise(mu2: Mu2Amount, { l2Squared }: Sensitivity): Noise {
  const multiplier = gaussianMultiplier(mu2);
  const wholeRoot = integerSqrt(l2Squared);
  const grid = 10n ** SENSITIVITY_DIGITS;
  const l2 =
    wholeRoot * wholeRoot === l2Squared ? rational(wholeRoot) : rational(squareRootUp(l2Squared * grid * grid), grid);
  return {
    kind: "gaussian",
    mu2,
    sigma: rational(multiplier.numerator * l2.numerator, multiplier.denominator * l2.denominator),
  };
}

/** The price of a noise, in units of 10⁻¹²: of ε, or of μ². */
export const unitsOf = (noise: Noise): bigint => (noise.kind === "laplace" ? noise.epsilon : noise.mu2);
