import { toDecimal, toDouble } from "../amounts/double.ts";
import { type Decimal, multiply, parseRational, type Rational, rational } from "../amounts/rational.ts";

declare const side: unique symbol;

/** A number that the truth is not above. Arithmetic makes a plain number of it: `asUpper` says that the result is a bound again, and why. */
export type Upper = number & { readonly [side]: "upper" };

/** A number that the truth is not below. */
export type Lower = number & { readonly [side]: "lower" };

/**
 * Why a number is a bound as it is: it is 0, 1, ∞ or a parameter itself; its computation can only err to this side; it is one of several
 * bounds on this side; or it is read off points that someone measured.
 */
type Because = "exact" | "one-sided" | "of bounds" | "measured";

/** A bound from above: the number itself for a reason, or a number computed to nearest with its most roundings, in units of the last place. */
export const asUpper = (x: number, room: Because | number): Upper =>
  (typeof room === "number" ? x * (1 + Math.sign(x) * room * Number.EPSILON) : x) as Upper;

/** A bound from below. */
export const asLower = (x: number, room: Because | number): Lower =>
  (typeof room === "number" ? x * (1 - Math.sign(x) * room * Number.EPSILON) : x) as Lower;

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

const exactly = (value: Decimal | Rational): Rational => (typeof value === "object" ? value : parseRational(value));

/** The nearest double to a decimal; a fraction is rounded upwards. */
export const upper = (value: Decimal | Rational): number =>
  typeof value === "number" ? value : toDouble(exactly(value), "up");

/** size/population of a sample without replacement. */
export const drawnShare = ({ size, population }: { readonly size: number; readonly population: number }): Rational =>
  rational(BigInt(size), BigInt(population));

/** The nearest double to a decimal; a fraction is rounded downwards. */
export const lower = (value: Decimal | Rational): number =>
  typeof value === "number" ? value : toDouble(exactly(value), "down");

/** The least double whose shortest decimal is at least this fraction: three times 0.1 is 0.3 [M30]. */
export const decimalAtLeast = (value: Rational): number => toDecimal(value, "up");

/** The same for a product of decimals. */
export const productOf = (a: Decimal | Rational, b: Decimal | Rational): number =>
  decimalAtLeast(multiply(exactly(a), exactly(b)));

/** Σ count·value exactly, as decimals. */
export function exactSum(terms: Iterable<{ readonly value: Decimal | Rational; readonly count: number }>): Rational {
  const byDenominator = new Map<bigint, bigint>(); // decimals share few denominators, so few fractions are left to add
  for (const { value, count } of terms) {
    const { numerator, denominator } = exactly(value);
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
