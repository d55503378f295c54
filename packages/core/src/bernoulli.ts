import { below, belowBig, type Random } from "./random.ts";

/** True with probability exactly e⁻¹: the run of rising reciprocals of Canonne, Kamath and Steinke. [M5] */
export function bernoulliExpOne(random: Random): boolean {
  let k = 2;
  while (below(k, random) === 0) k += 1;
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
