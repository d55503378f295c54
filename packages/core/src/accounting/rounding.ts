import { nextUp, toDouble } from "../amounts/double.ts";
import { compare, type Decimal, parseRational, type Rational, rational } from "../amounts/rational.ts";

/** Certified bounds on one number. */
export interface Interval {
  readonly upper: number;
  readonly lower: number;
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

/** The nearest double to a decimal; a string fraction is rounded downwards. */
export const lower = (value: Decimal): number =>
  typeof value === "number" ? value : toDouble(parseRational(value), "down");

/** The least double whose shortest decimal is at least this fraction: three times 0.1 is 0.3 [M30]. */
export function decimalAtLeast(value: Rational): number {
  let x = toDouble(value, "down");
  while (Number.isFinite(x) && compare(parseRational(x), value) < 0n) x = nextUp(x);
  return x;
}

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

/** More digits than this are not kept exactly. */
const MAX_DIGITS = 20_000;

/** 1 − Π(1 − chance)^count, as decimals; rounded up where there are too many digits. Chances in [0, 1]. */
export function chanceOfAny(terms: readonly { readonly value: number; readonly count: number }[]): number {
  const some = terms.filter(({ value, count }) => value > 0 && count > 0);
  if (some.some(({ value }) => value >= 1)) return 1;
  const kept = some.map(({ value, count }) => ({ ...parseRational(value), count }));
  const digits = kept.reduce((sum, { denominator, count }) => sum + denominator.toString().length * count, 0);
  if (digits > MAX_DIGITS) {
    const log = some.reduce((sum, { value, count }) => sum + count * Math.log1p(-value), 0);
    return Math.min(1, enlarge(-Math.expm1(log), 4 + 2 * some.length));
  }
  const all = kept.reduce((product, { denominator, count }) => product * denominator ** BigInt(count), 1n);
  const none = kept.reduce(
    (product, { numerator, denominator, count }) => product * (denominator - numerator) ** BigInt(count),
    1n,
  );
  return Math.min(1, decimalAtLeast(rational(all - none, all)));
}

/** e^log as an upper bound on a probability: at most 1, and never rounded to 0. */
export const expUp = (log: number): number =>
  log === Number.NEGATIVE_INFINITY ? 0 : Math.min(1, Math.max(Number.MIN_VALUE, Math.exp(log)));
