import { parseRational } from "../amounts/rational.ts";

/** Arithmetic of fixed-point numbers with the given number of binary digits, for engines that share nothing with the accountant. */
export function fixedPoint(bits: number) {
  const shift = BigInt(bits);
  const one = 1n << shift;
  const times = (a: bigint, b: bigint): bigint => (a * b) >> shift;
  const over = (a: bigint, b: bigint): bigint => (a << shift) / b;
  const of = (value: number | string): bigint => {
    const { numerator, denominator } = parseRational(value);
    return (numerator << shift) / denominator;
  };
  /** e^x: Taylor's sum of x/2³², squared 32 times. */
  const exp = (x: bigint): bigint => {
    if (x < 0n) return -x > 5n * shift * one ? 0n : over(one, exp(-x));
    const small = x >> HALVINGS;
    let [sum, term] = [one << GUARD, one << GUARD];
    for (let k = 1n; term > 0n; k++) {
      term = times(term, small) / k;
      sum += term;
    }
    for (let i = 0n; i < HALVINGS; i++) sum = (sum * sum) >> (shift + GUARD);
    return sum >> GUARD;
  };
  const toNumber = (value: bigint): number => {
    const length = (value < 0n ? -value : value).toString(2).length;
    const cut = Math.max(0, length - 64);
    const exponent = cut - bits;
    const half = Math.trunc(exponent / 2);
    return Number(value >> BigInt(cut)) * 2 ** half * 2 ** (exponent - half);
  };
  /** ln x by Newton's steps on e^y from the nearest double. */
  const ln = (x: bigint): bigint => {
    let y = of(Math.log(toNumber(x)));
    for (let digits = 50; digits < 2 * bits; digits *= 2) y += (2n * (x - exp(y)) * one) / (x + exp(y));
    return y;
  };
  const sqrt = (x: bigint): bigint => {
    let root = of(Math.sqrt(toNumber(x)));
    for (let digits = 50; digits < 2 * bits; digits *= 2) root = (root + over(x, root)) / 2n;
    return root;
  };
  return { one, times, over, of, exp, ln, sqrt, toNumber };
}

const HALVINGS = 32n;
/** Digits that squaring loses. */
const GUARD = 64n;
