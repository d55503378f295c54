import { type EpsilonAmount, epsilonUnits } from "../amounts/amount.ts";
import { exactDouble, nextDown } from "../amounts/double.ts";
import { divide, type Rational, rational } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { below, belowBig, type Random } from "./random.ts";

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A sampler of discrete Laplace noise, Pr[x] ∝ exp(−|x|/scale) on the integers, for an exact scale > 0 in units of the
 * answer. Exact by Canonne, Kamath and Steinke (2020): no floating-point number decides an outcome. [M6]
 */
export function laplaceSampler({ numerator, denominator }: Rational): (random: Random) => bigint {
  if (numerator <= 0n) invalid("scale", Number(numerator), "> 0");
  if (numerator > SAFE || denominator > SAFE) return (random) => drawBig(numerator, denominator, random);
  const n = Number(numerator);
  const d = Number(denominator);
  return (random) => drawSmall(n, d, random);
}

function drawSmall(n: number, d: number, random: Random): bigint {
  for (;;) {
    const u = below(n, random);
    if (!bernoulliExpPart(u, n, random)) continue;
    let v = 0;
    while (bernoulliExpOne(random)) v += 1;
    const x = u + n * v;
    const size =
      x <= Number.MAX_SAFE_INTEGER ? BigInt((x - (x % d)) / d) : (BigInt(u) + BigInt(n) * BigInt(v)) / BigInt(d);
    const negative = random.uint32() >= 2 ** 31;
    if (negative && size === 0n) continue;
    return negative ? -size : size;
  }
}

function drawBig(n: bigint, d: bigint, random: Random): bigint {
  for (;;) {
    const u = belowBig(n, random);
    if (!bernoulliExp(u, n, random)) continue;
    let v = 0n;
    while (bernoulliExpOne(random)) v += 1n;
    const size = (u + n * v) / d;
    const negative = random.uint32() >= 2 ** 31;
    if (negative && size === 0n) continue;
    return negative ? -size : size;
  }
}

/** Pr[noise = k]. */
export const laplacePmf = (scale: number, k: number): number => Math.tanh(0.5 / scale) * Math.exp(-Math.abs(k) / scale);

/** ln Pr[|noise| > k] for an integer k ≥ 0: of 2e^(−(k+1)/scale)/(1 + e^(−1/scale)). */
const logTail = (scale: number, k: number): number => Math.LN2 - (k + 1) / scale - Math.log1p(Math.exp(-1 / scale));

/** The least integer k with Pr[|noise| > k] ≤ failureProbability, rounded up where doubles cannot tell. [M7] */
export function laplaceAccuracy(scale: number, failureProbability: number): number {
  checkScale(scale, "scale");
  checkProbability(failureProbability);
  const need = Math.log(failureProbability);
  const fits = (k: number): boolean => {
    const value = logTail(scale, k);
    return value <= need - 4e-16 * (1 + Math.abs(value));
  };
  let k = Math.max(0, Math.ceil(scale * (Math.LN2 - need - Math.log1p(Math.exp(-1 / scale)))) - 1);
  if (k > 2 ** 50) return Math.ceil(k * (1 + 1e-14));
  while (!fits(k)) k += 1;
  while (k > 0 && fits(k - 1)) k -= 1;
  return k;
}

/** The largest scale (a double, rounded down) whose noise stays within `accuracy` except with failureProbability. [M7] */
export function laplaceScaleFor(accuracy: number, failureProbability: number): number {
  checkAccuracy(accuracy);
  checkProbability(failureProbability);
  let [low, high] = [0, 1];
  const fits = (scale: number): boolean => laplaceAccuracy(scale, failureProbability) <= accuracy;
  while (fits(high)) [low, high] = [high, 2 * high];
  for (let i = 0; i < 80 && nextDown(high) > low; i++) {
    const middle = low === 0 ? high / 2 : (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
    if (high < 1e-300) break;
  }
  return low;
}

export interface AccuracyTarget {
  /** Half-width in units of the answer, an integer ≥ 0: the noise is to stay within it. */
  readonly accuracy: number;
  readonly failureProbability: number;
  /** ℓ₁ sensitivity in units of the answer. */
  readonly sensitivity: bigint;
}

/** The least ε (rounded up to a ledger unit) whose discrete Laplace noise of scale sensitivity/ε meets the target. [M7] */
export function laplaceEpsilonFor({ accuracy, failureProbability, sensitivity }: AccuracyTarget): EpsilonAmount {
  const scale = laplaceScaleFor(accuracy, failureProbability);
  return epsilonUnits(divide(rational(sensitivity), exactDouble(scale)), "up");
}

export function checkProbability(failureProbability: number): void {
  if (!(failureProbability > 0 && failureProbability < 1)) {
    invalid("failureProbability", failureProbability, "between 0 and 1");
  }
}

export function checkScale(scale: number, name: string): void {
  if (!(scale > 0 && Number.isFinite(scale))) {
    invalid(name, scale, "> 0 and finite");
  }
}

export function checkAccuracy(accuracy: number): void {
  if (!(Number.isInteger(accuracy) && accuracy >= 0)) {
    invalid("accuracy", accuracy, "an integer >= 0");
  }
}

const TWELVE_FACTORIAL = 479_001_600;

/**
 * True with probability exactly e⁻¹: whether the first k ≥ 2 whose Bernoulli(1/k) fails is odd (Canonne, Kamath and
 * Steinke). One uniform integer below 12! decides the first eleven of them at once. [M5]
 */
function bernoulliExpOne(random: Random): boolean {
  const draw = below(TWELVE_FACTORIAL, random);
  if (draw >= TWELVE_FACTORIAL / 2) return false;
  let k = 2;
  let passed = TWELVE_FACTORIAL / 2;
  while (draw < passed && k < 12) {
    k += 1;
    passed /= k;
  }
  if (draw < passed) {
    do k += 1;
    while (below(k, random) === 0);
  }
  return k % 2 === 1;
}

/** True with probability exactly exp(−u/n), 0 ≤ u ≤ n ≤ 2⁵³. [M5] */
function bernoulliExpPart(u: number, n: number, random: Random): boolean {
  let k = 1;
  // Bernoulli(u/(n·k)) as two independent draws, so that n·k never leaves the safe integers
  while ((k === 1 || below(k, random) === 0) && below(n, random) < u) k += 1;
  return k % 2 === 1;
}

/** True with probability exactly exp(−p/q), for integers p ≥ 0 and q ≥ 1 of any size. [M5] */
export function bernoulliExp(p: bigint, q: bigint, random: Random): boolean {
  let left = p;
  while (left > q) {
    if (!bernoulliExpOne(random)) return false;
    left -= q;
  }
  let k = 1n;
  while (belowBig(q * k, random) < left) k += 1n;
  return k % 2n === 1n;
}
