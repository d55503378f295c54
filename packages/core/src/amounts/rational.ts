import { invalid, PrivacyError } from "../error.ts";

/** An exact fraction in lowest terms; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A number given from outside. A double stands for its shortest decimal (0.1 is one tenth); a string is a decimal or `"10/3"`. */
export type Decimal = number | string;

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
const FRACTION = /^([+-]?\d+)\/(\d+)$/;
const MAX_DIGITS = 400;
const MAX_EXPONENT = 1000;

export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator === 0n) invalid("denominator", 0, "not 0");
  if (denominator < 0n) return rational(-numerator, -denominator);
  const divisor = greatestCommonDivisor(numerator, denominator);
  return divisor === 1n
    ? { numerator, denominator }
    : { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** `0,5` is half in much of the world, and nothing here. */
const wantedFor = (got: unknown): string =>
  typeof got === "string" && got.length < 32 && /^\d*,\d+$/.test(got)
    ? `a number with a point, such as ${got.replace(",", ".")}`
    : "a finite number";

/** Reads a double or a string exactly; NaN, ±∞ and anything else that is no number is INVALID_PARAMETER. */
export function parseRational(value: unknown, name = "value"): Rational {
  const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
  const refuse = (): PrivacyError => new PrivacyError("INVALID_PARAMETER", { name, got: value, want: wantedFor(text) });
  if (typeof text !== "string" || text.length > MAX_DIGITS) throw refuse();
  const fraction = text.includes("/") ? FRACTION.exec(text) : null;
  if (fraction?.[1] !== undefined && fraction[2] !== undefined) {
    const denominator = BigInt(fraction[2]);
    if (denominator === 0n) throw refuse();
    return rational(BigInt(fraction[1].replace("+", "")), denominator);
  }
  const decimal = DECIMAL.exec(text);
  if (decimal === null) throw refuse();
  const [, sign, whole = "", part = "", power = "0"] = decimal;
  const exponent = Number(power) - part.length;
  if (Math.abs(exponent) > MAX_EXPONENT) throw refuse();
  const digits = BigInt(whole + part) * (sign === "-" ? -1n : 1n);
  return exponent >= 0 ? rational(digits * powerOfTen(exponent)) : rational(digits, powerOfTen(-exponent));
}

const powers: bigint[] = [];

/** 10ⁿ for a natural n, computed once. */
export function powerOfTen(n: number): bigint {
  const power = powers[n] ?? 10n ** BigInt(n);
  powers[n] = power;
  return power;
}

/** `"3"` or `"10/3"`: the form that `parseRational` reads back. */
export function formatRational({ numerator, denominator }: Rational): string {
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

export const multiply = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.numerator, a.denominator * b.denominator);

export const divide = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator, a.denominator * b.numerator);

/** Negative, zero or positive as a < b, a = b or a > b. */
export const compare = (a: Rational, b: Rational): bigint => a.numerator * b.denominator - b.numerator * a.denominator;

/** ⌊n/d⌋ for any sign of n and d > 0. */
export function floorDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}

/** ⌈n/d⌉ for d > 0. */
export function ceilDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n > 0n && quotient * d !== n ? quotient + 1n : quotient;
}

/** ⌊√n⌋ for n ≥ 0, by Newton's method on integers. */
export function integerSqrt(n: bigint): bigint {
  if (n < 2n) return n;
  let root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Number of binary digits of n ≥ 0; 0 for 0. */
export const bitLength = (n: bigint): number => (n === 0n ? 0 : n.toString(2).length);

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Least integer whose square is at least this. */
export function squareRootUp(n: bigint): bigint {
  const root = integerSqrt(n);
  return root * root === n ? root : root + 1n;
}
