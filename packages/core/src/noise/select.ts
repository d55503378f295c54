import { type Rational, rational } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { bernoulliExp } from "./laplace.ts";
import { below, type Random } from "./random.ts";

/** `length` candidates of equal score, each `loss` ≥ 0 whole units below the best. */
export interface Run {
  readonly length: number;
  readonly loss: bigint;
}

/**
 * Permute and flip (McKenna and Sheldon 2020): candidates in uniformly random order, each taken with probability exactly
 * exp(−loss/scale). With scale = 2Δ/ε it is ε-differentially private. Exact: integers and Bernoulli(exp(−a/b)) alone. Returns
 * the position of the candidate, counted through all runs in order. At least one run must have loss 0. [M92]
 */
export function permuteAndFlip(runs: readonly Run[], scale: Rational, random: Random): number {
  const { numerator, denominator } = rational(scale.numerator, scale.denominator);
  if (numerator <= 0n) invalid("scale", Number(numerator), "> 0");
  const left = new Lengths(runs.map(({ length }) => length));
  if (!runs.some(({ length, loss }) => length > 0 && loss === 0n))
    invalid("runs", undefined, "one candidate at least with loss 0");
  for (;;) {
    // Picks a run with probability proportional to its remaining candidates; a rejection removes one candidate of it.
    const index = left.find(below(left.total, random));
    const loss = runs[index]?.loss ?? 0n;
    if (bernoulliExp(loss * denominator, numerator, random)) {
      const before = runs.slice(0, index).reduce((sum, { length }) => sum + length, 0);
      return before + below(runs[index]?.length ?? 1, random);
    }
    left.shorten(index);
  }
}

/** Prefix sums that change: a binary indexed tree. */
class Lengths {
  readonly #tree: Float64Array;
  total: number;

  constructor(lengths: readonly number[]) {
    this.#tree = new Float64Array(lengths.length + 1);
    this.total = 0;
    lengths.forEach((length, index) => {
      if (!Number.isSafeInteger(length) || length < 0) invalid(`runs[${index}].length`, length, "a whole number >= 0");
      this.#add(index, length);
      this.total += length;
    });
    if (this.total > Number.MAX_SAFE_INTEGER) invalid("runs", this.total, "at most 2^53 candidates");
  }

  shorten(index: number): void {
    this.#add(index, -1);
    this.total -= 1;
  }

  /** The run that holds the candidate at `position` among those left. */
  find(position: number): number {
    let [at, rest] = [0, position];
    for (let step = 2 ** Math.floor(Math.log2(this.#tree.length)); step >= 1; step /= 2) {
      const sum = this.#tree[at + step];
      if (sum !== undefined && sum <= rest) {
        at += step;
        rest -= sum;
      }
    }
    return at;
  }

  #add(index: number, change: number): void {
    for (let i = index + 1; i < this.#tree.length; i += i & -i) this.#tree[i] = (this.#tree[i] ?? 0) + change;
  }
}
