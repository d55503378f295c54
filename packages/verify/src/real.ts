/** Real numbers as integers over 2^bits; every result is off by less than 2^-(bits − 40) of its size or of 1. */
export interface Reals {
  readonly one: bigint;
  of(numerator: bigint, denominator: bigint): bigint;
  times(a: bigint, b: bigint): bigint;
  over(a: bigint, b: bigint): bigint;
  sqrt(a: bigint): bigint;
  exp(a: bigint): bigint;
  /** The standard normal distribution function. */
  normal(a: bigint): bigint;
  density(a: bigint): bigint;
}

/** Schoolbook arithmetic, so that anyone can check it: Taylor series, Newton's square root, Machin's π. */
export function reals(bits: number): Reals {
  const places = BigInt(bits);
  const one = 1n << places;
  const half = one >> 1n;
  const times = (a: bigint, b: bigint): bigint => (a * b) >> places;
  const over = (a: bigint, b: bigint): bigint => (a << places) / b;

  function sqrt(a: bigint): bigint {
    if (a <= 0n) return 0n;
    const square = a << places;
    let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
    for (;;) {
      const next = (root + square / root) >> 1n;
      if (next >= root) return root;
      root = next;
    }
  }

  /** Σ aⁿ/n! of a/2^24, squared 24 times. */
  function exp(a: bigint): bigint {
    if (a < 0n) return over(one, exp(-a));
    const small = a >> HALVINGS;
    let [sum, term] = [one, one];
    for (let n = 1n; term !== 0n; n += 1n) {
      term = times(term, small) / n;
      sum += term;
    }
    for (let n = 0n; n < HALVINGS; n += 1n) sum = times(sum, sum);
    return sum;
  }

  function arctan(inverse: bigint): bigint {
    let power = one / inverse;
    let sum = power;
    for (let n = 3n, sign = -1n; power !== 0n; n += 2n, sign = -sign) {
      power /= inverse * inverse;
      sum += (sign * power) / n;
    }
    return sum;
  }
  const pi = 16n * arctan(5n) - 4n * arctan(239n);
  const rootTwoPi = sqrt(2n * pi);

  const density = (a: bigint): bigint => over(exp(-(times(a, a) >> 1n)), rootTwoPi);

  /** ½ + φ(a)·(a + a³/3 + a⁵/15 + …), all terms of one sign. */
  function normal(a: bigint): bigint {
    if (a < 0n) return one - normal(-a);
    if (a > FAR * one) return one; // the tail there is below 10⁻³⁴⁷
    const square = times(a, a);
    let [sum, term] = [a, a];
    for (let odd = 3n; term !== 0n; odd += 2n) {
      term = times(term, square) / odd;
      sum += term;
    }
    return half + times(density(a), sum);
  }

  return {
    one,
    times,
    over,
    sqrt,
    exp,
    normal,
    density,
    of: (numerator, denominator) => (numerator << places) / denominator,
  };
}

const HALVINGS = 24n;
const FAR = 40n;
