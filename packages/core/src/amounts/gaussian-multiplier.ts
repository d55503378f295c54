import type { Mu2Amount } from "./amount.ts";
import { type Rational, rational, squareRootUp } from "./rational.ts";

const UNITS = 10n ** 12n;
/** Digits of a Gaussian noise multiplier: its cost is then exactly the units asked for. */
const DIGITS = 30n;

/** Least multiple of 10⁻³⁰ that is at least 1/√μ² [M83]. */
export function gaussianMultiplier(mu2: Mu2Amount): Rational {
  const grid = 10n ** DIGITS;
  // 1/μ² = 10¹²/units; ⌈√(10¹²·grid²/units)⌉ with the quotient rounded up first.
  return rational(squareRootUp((UNITS * grid * grid + mu2 - 1n) / mu2), grid);
}
