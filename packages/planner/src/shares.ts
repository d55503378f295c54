import { integerSqrt } from "@dosimeter/core";
import type { NoiseFamily } from "@dosimeter/query/plan";

/** What one row of a plan pays: ε (Laplace) or ρ (Gaussian), both in units of 10⁻¹². */
export interface Share {
  readonly noise: NoiseFamily;
  readonly units: bigint;
}

export const UNITS = 10n ** 12n;

/** Every error of the list shrinks by the same factor `times / over`: ε grows with it, ρ with its square. Rounded down. */
export const scaled = ({ noise, units }: Share, times: bigint, over: bigint): Share => ({
  noise,
  units: noise === "laplace" ? (units * times) / over : (units * times * times) / (over * over),
});

/** The same weight with the other kind of noise: ρ = ε²/2, rounded down. */
export function inFamily({ noise, units }: Share, family: NoiseFamily): Share {
  if (noise === family) return { noise, units };
  return { noise: family, units: family === "gaussian" ? (units * units) / (2n * UNITS) : linear({ noise, units }) };
}

/** √(2ρ) for Gaussian noise, ε for Laplace noise: errors are inversely proportional to it. */
export const linear = ({ noise, units }: Share): bigint =>
  noise === "laplace" ? units : integerSqrt(2n * units * UNITS);

/**
 * Splits `amount` in proportion to `bases`, all of it, each part within one unit of its exact share; ties go to the name
 * that sorts first, so that the order of the rows does not matter.
 */
export function apportion(amount: bigint, bases: readonly bigint[], names?: readonly string[]): readonly bigint[] {
  const sum = bases.reduce((a, b) => a + b, 0n);
  if (sum === 0n) return bases.map(() => 0n);
  const parts = bases.map((base) => (amount * base) / sum);
  let left = amount - parts.reduce((a, b) => a + b, 0n);
  const nameOf = (index: number): string => names?.[index] ?? "";
  const order = bases
    .map((base, index) => ({ index, remainder: (amount * base) % sum }))
    .sort((a, b) =>
      a.remainder !== b.remainder
        ? Number(b.remainder > a.remainder) - Number(b.remainder < a.remainder)
        : nameOf(a.index) === nameOf(b.index)
          ? a.index - b.index
          : nameOf(a.index) < nameOf(b.index)
            ? -1
            : 1,
    );
  const extra = new Set<number>();
  for (const { index } of order) {
    if (left === 0n) break;
    extra.add(index);
    left -= 1n;
  }
  return parts.map((part, index) => part + (extra.has(index) ? 1n : 0n));
}
