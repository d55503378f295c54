import { enlarge } from "../accounting/rounding.ts";
import { type DeltaAmount, deltaNumber, type EpsilonAmount, epsilonNumber, NO_EPSILON } from "../amounts/amount.ts";
import { plus } from "../amounts/arithmetic.ts";

/** What one block promises for its own unit. */
export interface BlockLoss {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

/**
 * What holds for a person with rows in all of these blocks, when each promises (ε_b, δ_b) for one person's rows in it: Σε exactly, and
 * δ₁ + e^ε₁·δ₂ + e^(ε₁+ε₂)·δ₃ … in the order that makes it least, rounded up, at most 1. Nothing for no blocks. [M163]
 */
export function lossAcrossBlocks(blocks: readonly BlockLoss[]): {
  readonly epsilon: EpsilonAmount;
  readonly delta: number;
} {
  const doubles = blocks.map(({ epsilon, delta }) => {
    const x = epsilonNumber(epsilon, "up");
    return { epsilon: x, delta: deltaNumber(delta, "up"), rank: delta === 0n ? 0 : Number(delta) / Math.expm1(x) };
  });
  // From the last term inwards: the term with the least δ/(e^ε − 1) is multiplied most often.
  const inwards = doubles.toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank < b.rank ? -1 : 1));
  const delta = inwards.reduce(
    (sum, each) => each.delta + (sum === 0 ? 0 : enlarge(Math.exp(each.epsilon) * sum, ULPS)),
    0,
  );
  return {
    epsilon: blocks.reduce((sum, { epsilon }) => plus(sum, epsilon), NO_EPSILON),
    delta: Math.min(1, enlarge(delta, ULPS * (blocks.length + 1))),
  };
}

/** More than exp, a product and a sum lose in one step. */
const ULPS = 6;
