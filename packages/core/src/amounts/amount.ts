import { invalid } from "../error.ts";
import { type Rounding, toDecimal, toDouble } from "./double.ts";
import {
  ceilDivide,
  type Decimal,
  floorDivide,
  parseRational,
  powerOfTen,
  type Rational,
  rational,
  squareRootUp,
} from "./rational.ts";

declare const unit: unique symbol;

/** ε in units of 10⁻¹². */
export type EpsilonAmount = bigint & { readonly [unit]: "epsilon" };
/** μ² (remaining or spent) in units of 10⁻¹². */
export type Mu2Amount = bigint & { readonly [unit]: "mu2" };
/** δ in units of 10⁻¹⁸. */
export type DeltaAmount = bigint & { readonly [unit]: "delta" };

export const NO_EPSILON = 0n as EpsilonAmount;
export const NO_MU2 = 0n as Mu2Amount;
export const NO_DELTA = 0n as DeltaAmount;

/** An amount, or a number of its units as arithmetic leaves it; never an amount of another unit. */
type Units<Unit extends string> = bigint & { readonly [unit]?: Unit };

const EPSILON_DIGITS = 12;
const MU2_DIGITS = 12;
const DELTA_DIGITS = 18;

/**
 * ε ≥ 0 as ledger units: costs round up, caps round down; a double stands for its shortest decimal, so 0.1 + 0.2 is 0.3.
 * A positive cost below one unit becomes one unit. Errors: INVALID_PARAMETER for NaN, ±∞, negative, not a number. [M1]
 */
export function epsilonAmount(value: Decimal, rounding: Rounding, name = "epsilon"): EpsilonAmount {
  return parseUnits(value, EPSILON_DIGITS, rounding, name) as EpsilonAmount;
}

/** μ² ≥ 0 as ledger units; see `epsilonAmount`. */
export function mu2Amount(value: Decimal, rounding: Rounding, name = "mu2"): Mu2Amount {
  return parseUnits(value, MU2_DIGITS, rounding, name) as Mu2Amount;
}

/** δ in [0, 1] as ledger units; see `epsilonAmount`. */
export function deltaAmount(value: Decimal, rounding: Rounding, name = "delta"): DeltaAmount {
  const units = parseUnits(value, DELTA_DIGITS, rounding, name);
  if (units > powerOfTen(DELTA_DIGITS)) {
    invalid(name, value, "between 0 and 1");
  }
  return units as DeltaAmount;
}

/** An exact ε as units, for computed costs. */
export const epsilonUnits = (value: Rational, rounding: Rounding): EpsilonAmount =>
  toUnits(value, EPSILON_DIGITS, rounding) as EpsilonAmount;
/** An exact δ as units, for computed costs. */
export const deltaUnits = (value: Rational, rounding: Rounding): DeltaAmount =>
  toUnits(value, DELTA_DIGITS, rounding) as DeltaAmount;

/** Stored units back as an amount; refuses a negative count. */
export const epsilonFromUnits = (units: bigint | string): EpsilonAmount => stored(units, "epsilon") as EpsilonAmount;
export const mu2FromUnits = (units: bigint | string): Mu2Amount => stored(units, "mu2") as Mu2Amount;
export const deltaFromUnits = (units: bigint | string): DeltaAmount => stored(units, "delta") as DeltaAmount;

/** The exact decimal, without trailing zeros: `"0.3"`. The constructors read it back to the same amount. */
export const formatEpsilon = (amount: Units<"epsilon">): string => format(amount, EPSILON_DIGITS);
export const formatMu2 = (amount: Units<"mu2">): string => format(amount, MU2_DIGITS);
export const formatDelta = (amount: Units<"delta">): string => format(amount, DELTA_DIGITS);

/** The amount as an exact fraction. */
const epsilonRational = (amount: Units<"epsilon">): Rational => rational(amount, powerOfTen(EPSILON_DIGITS));
const mu2Rational = (amount: Units<"mu2">): Rational => rational(amount, powerOfTen(MU2_DIGITS));
const deltaRational = (amount: Units<"delta">): Rational => rational(amount, powerOfTen(DELTA_DIGITS));

/** The double next to the amount on the given side. */
export const epsilonNumber = (amount: Units<"epsilon">, rounding: Rounding): number =>
  toDouble(epsilonRational(amount), rounding);
export const mu2Number = (amount: Units<"mu2">, rounding: Rounding): number => toDouble(mu2Rational(amount), rounding);
export const deltaNumber = (amount: Units<"delta">, rounding: Rounding): number =>
  toDouble(deltaRational(amount), rounding);

/** The amount as it is printed: the number whose shortest decimal is the amount, or next to it on the given side. */
export const epsilonDecimal = (amount: Units<"epsilon">, rounding: Rounding): number =>
  toDecimal(epsilonRational(amount), rounding);
export const mu2Decimal = (amount: Units<"mu2">, rounding: Rounding): number =>
  toDecimal(mu2Rational(amount), rounding);
export const deltaDecimal = (amount: Units<"delta">, rounding: Rounding): number =>
  toDecimal(deltaRational(amount), rounding);

function parseUnits(value: Decimal, digits: number, rounding: Rounding, name: string): bigint {
  const exact = parseRational(value, name);
  if (exact.numerator < 0n) invalid(name, value, ">= 0");
  return toUnits(exact, digits, rounding);
}

function toUnits({ numerator, denominator }: Rational, digits: number, rounding: Rounding): bigint {
  const scaled = numerator * powerOfTen(digits);
  return rounding === "up" ? ceilDivide(scaled, denominator) : floorDivide(scaled, denominator);
}

function stored(units: bigint | string, name: string): bigint {
  const count = typeof units === "bigint" ? units : /^\d{1,60}$/.test(units) ? BigInt(units) : -1n;
  if (count < 0n) invalid(name, units, "a count of units >= 0");
  return count;
}

function format(amount: bigint, digits: number): string {
  if (amount === 0n) return "0";
  const text = amount.toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return text.slice(0, -digits) + (fraction === "" ? "" : `.${fraction}`);
}

const UNITS = 10n ** 12n;
/** Digits of a Gaussian noise multiplier: its cost is then exactly the units asked for. */
const DIGITS = 30n;

/** Least multiple of 10⁻³⁰ that is at least 1/√μ² [M83]. */
export function gaussianMultiplier(mu2: Mu2Amount): Rational {
  const grid = 10n ** DIGITS;
  // 1/μ² = 10¹²/units; ⌈√(10¹²·grid²/units)⌉ with the quotient rounded up first.
  return rational(squareRootUp((UNITS * grid * grid + mu2 - 1n) / mu2), grid);
}
