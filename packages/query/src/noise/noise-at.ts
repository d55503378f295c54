import { type EpsilonAmount, integerSqrt, type Mu2Amount, type Rational, rational } from "@dosimeter/core";
import type { Noise, NoiseFamily, Sensitivity } from "../plan/bounded.ts";

const UNITS = 10n ** 12n;
/** Digits of a Gaussian noise multiplier: its cost is then exactly the units asked for. */
const MULTIPLIER_DIGITS = 30n;
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

/** Least multiple of 10⁻³⁰ that is at least 1/√μ². */
export function gaussianMultiplier(mu2: Mu2Amount): Rational {
  const grid = 10n ** MULTIPLIER_DIGITS;
  // 1/μ² = 10¹²/units; ⌈√(10¹²·grid²/units)⌉ with the quotient rounded up first.
  return rational(squareRootUp((UNITS * grid * grid + mu2 - 1n) / mu2), grid);
}

function squareRootUp(value: bigint): bigint {
  const root = integerSqrt(value);
  return root * root === value ? root : root + 1n;
}

/** The price of a noise, in units of 10⁻¹²: of ε, or of μ². */
export const unitsOf = (noise: Noise): bigint => (noise.kind === "laplace" ? noise.epsilon : noise.mu2);
