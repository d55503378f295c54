/** A number as the unevaluated sum of two doubles, about 32 digits: for the few sums that cancel. */
export interface Twofold {
  readonly high: number;
  readonly low: number;
}

/** a + b without error. */
function addExactly(a: number, b: number): Twofold {
  const high = a + b;
  const shift = high - a;
  return { high, low: a - (high - shift) + (b - shift) };
}

const SPLITTER = 2 ** 27 + 1;

/** a · b without error, for factors and a product between about 1e-290 and 1e290. */
export function multiplyExactly(a: number, b: number): Twofold {
  const high = a * b;
  const aHigh = a * SPLITTER - (a * SPLITTER - a);
  const bHigh = b * SPLITTER - (b * SPLITTER - b);
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return { high, low: aLow * bLow - (high - aHigh * bHigh - aLow * bHigh - aHigh * bLow) };
}

export function addTwofold(x: Twofold, y: Twofold): Twofold {
  const high = addExactly(x.high, y.high);
  const low = addExactly(x.low, y.low);
  const once = normal(high.high, high.low + low.high);
  return normal(once.high, once.low + low.low);
}

export function multiplyTwofold(x: Twofold, y: Twofold): Twofold {
  const { high, low } = multiplyExactly(x.high, y.high);
  return normal(high, low + (x.high * y.low + x.low * y.high));
}

function normal(a: number, b: number): Twofold {
  const high = a + b;
  return { high, low: b - (high - a) };
}

/** The sum of the terms, rounded once. */
export function sumExactly(...terms: readonly number[]): number {
  let sum: Twofold = { high: 0, low: 0 };
  for (const term of terms) sum = addTwofold(sum, { high: term, low: 0 });
  return sum.high + sum.low;
}

const LN2: Twofold = { high: Math.LN2, low: 2.3190468138462996e-17 };
const HALVINGS = 9;

/** eˣ to about 30 digits, for |x| ≤ 650. */
export function expTwofold(x: number): Twofold {
  const twos = Math.round(x / LN2.high);
  const whole = multiplyTwofold({ high: -twos, low: 0 }, LN2);
  const scale = 2 ** -HALVINGS;
  const rest = addTwofold({ high: x, low: 0 }, whole);
  const r: Twofold = { high: rest.high * scale, low: rest.low * scale };
  let term = r;
  let sum = r;
  for (let n = 2; n <= 10; n++) {
    term = multiplyTwofold(multiplyTwofold(term, r), reciprocal(n));
    sum = addTwofold(sum, term);
  }
  // (1 + s)² − 1 = 2s + s² keeps the small part small while it doubles.
  for (let i = 0; i < HALVINGS; i++) {
    sum = addTwofold({ high: 2 * sum.high, low: 2 * sum.low }, multiplyTwofold(sum, sum));
  }
  const one = addTwofold({ high: 1, low: 0 }, sum);
  return { high: one.high * 2 ** twos, low: one.low * 2 ** twos };
}

function reciprocal(n: number): Twofold {
  const high = 1 / n;
  const { high: back, low } = multiplyExactly(high, n);
  return { high, low: (1 - back - low) / n };
}
