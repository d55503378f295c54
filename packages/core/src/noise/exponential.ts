import { type Rational, rational } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { bernoulliExp, bernoulliTwoOverE } from "./bernoulli.ts";
import { belowBig, type Random } from "./random.ts";

/** Candidates in sets that hold one another: the k-th, from 0, all of loss at most (k + 1)·`step`, the last one all. Every loss is ≥ 0. */
export interface Nested<T> {
  /** At least the scale of the choice. */
  readonly step: bigint;
  readonly sizes: readonly bigint[];
  readonly pick: (set: number, at: bigint) => { readonly candidate: T; readonly loss: bigint };
}

/**
 * The exponential mechanism (McSherry and Talwar 2007): each candidate with probability exactly proportional to exp(−loss/scale), in time
 * that depends on the number of sets and not on that of candidates. [M406]
 */
export function chooseExponentially<T>({ step, sizes, pick }: Nested<T>, scale: Rational, random: Random): T {
  const { numerator, denominator } = rational(scale.numerator, scale.denominator);
  if (numerator <= 0n || step * denominator < numerator) invalid("step", Number(step), "at least a scale > 0");
  const last = sizes.length - 1;
  // A candidate that is in the sets from k on is proposed 2^(last + 1 − k) times.
  const shifts = sizes.map((_, set) => BigInt(Math.max(1, last - set)));
  const weights = sizes.map((size, set) => size << (shifts[set] ?? 0n));
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n) invalid("sizes", 0, "one candidate at least");
  for (;;) {
    let at = belowBig(total, random);
    let set = 0;
    for (let weight = weights[0] ?? 0n; at >= weight; weight = weights[++set] ?? 0n) at -= weight;
    const { candidate, loss } = pick(set, at >> (shifts[set] ?? 0n));
    const layer = Math.min(last, Math.max(0, Number((loss + step - 1n) / step) - 1));
    let taken = bernoulliExp(loss * denominator - BigInt(layer) * numerator, numerator, random);
    for (let i = 0; taken && i < layer; i++) taken = bernoulliTwoOverE(random);
    if (taken) return candidate;
  }
}
