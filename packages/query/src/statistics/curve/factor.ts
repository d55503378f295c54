import { squareRootColumn } from "@dosimeter/core";
import type { NoiseFamily, Sensitivity } from "../../plan/bounded.ts";

/** Mixing takes time that grows with their square: 125,000 products of whole numbers for each group. */
export const MAX_MIXED = 500;

/** The first column of a lower triangular matrix whose diagonals are constant. */
export interface Mix {
  readonly factor: readonly bigint[];
}

/**
 * The first column of the matrix that mixes the totals of `periods` periods. Gaussian noise: the square root of the matrix of running
 * totals. Laplace noise: none are mixed, as columns of larger Σ|c| cost more than they mend [M208].
 */
export const factorOf = (family: NoiseFamily, periods: number): readonly bigint[] =>
  family === "laplace" ? [1n] : squareRootColumn(periods);

/** The sensitivity of mixed totals, from that of the totals: the first column of the matrix is the longest [M208]. */
export function ofMixed(one: Sensitivity, { factor }: Mix): Sensitivity {
  const sum = (of: (coefficient: bigint) => bigint): bigint => factor.reduce((total, each) => total + of(each), 0n);
  return {
    l1: one.l1 * sum((c) => c),
    l2Squared: one.l2Squared * sum((c) => c * c),
    linf: one.linf * factor.reduce((a, b) => (a > b ? a : b)),
  };
}

export const mixed = (totals: readonly bigint[], { factor }: Mix): readonly bigint[] =>
  totals.map((_, at) => factor.slice(0, at + 1).reduce((sum, c, back) => sum + c * (totals[at - back] ?? 0n), 0n));

/** The weights of noisy integers in a running total, the newest first: with them the matrix gives ones [M208]. */
export function weightsOf({ factor }: Mix, totals: number): Float64Array {
  const [first = 1, ...others] = factor.map(Number);
  const weights = new Float64Array(totals);
  for (let at = 0; at < weights.length; at++) {
    let rest = 1;
    for (let back = 1; back <= Math.min(at, others.length); back++)
      rest -= (others[back - 1] ?? 0) * (weights[at - back] ?? 0);
    weights[at] = rest / first;
  }
  return weights;
}

export function squaresOf(weights: Float64Array): Float64Array {
  let sum = 0;
  return weights.map((weight) => {
    sum += weight * weight;
    return sum;
  });
}
