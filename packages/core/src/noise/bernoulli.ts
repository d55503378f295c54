import { below, belowBig, type Random } from "./random.ts";

const TWELVE_FACTORIAL = 479_001_600;

/**
 * True with probability exactly e⁻¹: whether the first k ≥ 2 whose Bernoulli(1/k) fails is odd (Canonne, Kamath and
 * Steinke). One uniform integer below 12! decides the first eleven of them at once. [M5]
 */
export function bernoulliExpOne(random: Random): boolean {
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
export function bernoulliExpPart(u: number, n: number, random: Random): boolean {
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
