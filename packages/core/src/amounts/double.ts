import { bitLength, compare, parseRational, type Rational, rational } from "./rational.ts";

/** `up` is towards +∞, `down` towards −∞. */
export type Rounding = "up" | "down";

const view = new DataView(new ArrayBuffer(8));

/** The least double above x; ∞ stays ∞, NaN stays NaN. */
export function nextUp(x: number): number {
  if (Number.isNaN(x) || x === Number.POSITIVE_INFINITY) return x;
  if (x === 0) return Number.MIN_VALUE;
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** The greatest double below x; −∞ stays −∞, NaN stays NaN. */
export const nextDown = (x: number): number => -nextUp(-x);

/** The exact binary value of a finite double (0.1 is not one tenth here). */
export function exactDouble(x: number): Rational {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const power = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const digits = (power === 0 ? fraction : fraction + (1n << 52n)) * (bits >> 63n === 1n ? -1n : 1n);
  const exponent = Math.max(power, 1) - 1075;
  return exponent >= 0 ? rational(digits << BigInt(exponent)) : rational(digits, 1n << BigInt(-exponent));
}

/** The double next to an exact fraction on the given side; exact when there is one. */
export function toDouble(value: Rational, rounding: Rounding): number {
  let x = nearDouble(value);
  if (rounding === "up") while (below(x, value)) x = nextUp(x);
  else while (below(-x, { numerator: -value.numerator, denominator: value.denominator })) x = nextDown(x);
  return x;
}

/** The double next to a fraction on the given side, read as its shortest decimal: 3/10 is 0.3 on both sides [M1]. */
export function toDecimal(value: Rational, rounding: Rounding): number {
  if (rounding === "down") return -toDecimal({ ...value, numerator: -value.numerator }, "up");
  let x = toDouble(value, "down");
  while (Number.isFinite(x) && compare(parseRational(x), value) < 0n) x = nextUp(x);
  return x === 0 ? 0 : x;
}

const below = (x: number, value: Rational): boolean =>
  x === Number.NEGATIVE_INFINITY || (x !== Number.POSITIVE_INFINITY && compare(exactDouble(x), value) < 0n);

function nearDouble({ numerator, denominator }: Rational): number {
  if (numerator === 0n) return 0;
  const size = numerator < 0n ? -numerator : numerator;
  const shift = 64 - bitLength(size) + bitLength(denominator);
  const quotient = shift >= 0 ? (size << BigInt(shift)) / denominator : size / (denominator << BigInt(-shift));
  const half = Math.trunc(-shift / 2);
  const x = Number(quotient) * 2 ** half * 2 ** (-shift - half);
  return numerator < 0n ? -x : x;
}
