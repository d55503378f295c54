import { toDecimal, toDouble } from "../amounts/double.ts";
import { type Decimal, parseRational, type Rational, rational } from "../amounts/rational.ts";

declare const side: unique symbol;

/** A number that the truth is not above. Arithmetic makes a plain number of it: `asUpper` says that the result is a bound again, and why stands there. */
export type Upper = number & { readonly [side]: "upper" };

/** A number that the truth is not below. */
export type Lower = number & { readonly [side]: "lower" };

export const asUpper = (x: number): Upper => x as Upper;
export const asLower = (x: number): Lower => x as Lower;

/** Certified bounds on one number: neither end can stand where the other is wanted. */
export interface Interval {
  readonly upper: Upper;
  readonly lower: Lower;
}

/** Largest relative error of one rounded operation. */
export const UNIT_ROUNDOFF = 2 ** -53;

/** x moved away from 0 by `ulps` units in the last place: covers the roundings of a formula with fewer operations. */
export const enlarge = (x: number, ulps: number): number => x * (1 + 2 * ulps * UNIT_ROUNDOFF);

/** x moved towards 0 by `ulps` units in the last place. */
export const shrink = (x: number, ulps: number): number => x * (1 - 2 * ulps * UNIT_ROUNDOFF);

/** The nearest double to a decimal; a string fraction is rounded upwards. */
export const upper = (value: Decimal): number =>
  typeof value === "number" ? value : toDouble(parseRational(value), "up");

/** size/population of a sample without replacement, rounded up. */
export const drawnShare = ({ size, population }: { readonly size: number; readonly population: number }): number =>
  toDouble(rational(BigInt(size), BigInt(population)), "up");

/** The nearest double to a decimal; a string fraction is rounded downwards. */
export const lower = (value: Decimal): number =>
  typeof value === "number" ? value : toDouble(parseRational(value), "down");

/** The least double whose shortest decimal is at least this fraction: three times 0.1 is 0.3 [M30]. */
export const decimalAtLeast = (value: Rational): number => toDecimal(value, "up");

/** Σ count·value exactly, as decimals. */
export function exactSum(terms: Iterable<{ readonly value: Decimal | Rational; readonly count: number }>): Rational {
  const byDenominator = new Map<bigint, bigint>(); // decimals share few denominators, so few fractions are left to add
  for (const { value, count } of terms) {
    const { numerator, denominator } = typeof value === "object" ? value : parseRational(value);
    byDenominator.set(denominator, (byDenominator.get(denominator) ?? 0n) + numerator * BigInt(count));
  }
  return [...byDenominator].reduce(
    (sum, [denominator, numerator]) =>
      rational(sum.numerator * denominator + numerator * sum.denominator, sum.denominator * denominator),
    rational(0n),
  );
}

/** e^log as an upper bound on a probability: at most 1, and never rounded to 0. */
export function expUp(log: number): number {
  if (log === Number.NEGATIVE_INFINITY) return 0;
  const value = Math.exp(log);
  return value < SUBNORMAL ? Math.min(SUBNORMAL, value + Number.MIN_VALUE) : Math.min(1, value);
}

/** Below it a double has fewer digits, and e^log may be off by the least of them. */
const SUBNORMAL = 2 ** -1022;
