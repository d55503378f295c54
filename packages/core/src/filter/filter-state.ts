import type { DeltaAmount, EpsilonAmount, Mu2Amount } from "../amounts/amount.ts";

/** The limits of one filter: a ledger's or an account's. */
export interface Caps {
  readonly epsilon: EpsilonAmount;
  /** Room for Σδ. */
  readonly delta: DeltaAmount;
  /** r₀: the remaining μ² before the first charge. */
  readonly mu2: Mu2Amount;
}

/** What a filter has counted so far. */
export interface FilterState {
  /** Σε; null after a charge without a pure price. */
  readonly epsilon: EpsilonAmount | null;
  /** Σδ. */
  readonly delta: DeltaAmount;
  /** r: the remaining μ²; null after a charge that it could not pay. */
  readonly mu2: Mu2Amount | null;
}

export const sameCaps = (a: Caps, b: Caps): boolean =>
  a.epsilon === b.epsilon && a.delta === b.delta && a.mu2 === b.mu2;

export const sameState = (a: FilterState, b: FilterState): boolean =>
  a.epsilon === b.epsilon && a.delta === b.delta && a.mu2 === b.mu2;

/** Of each amount the fuller one: what fits on top of it fits on top of both. */
export const fullerOf = (a: FilterState, b: FilterState): FilterState => ({
  epsilon: a.epsilon === null || b.epsilon === null ? null : a.epsilon > b.epsilon ? a.epsilon : b.epsilon,
  delta: a.delta > b.delta ? a.delta : b.delta,
  mu2: a.mu2 === null || b.mu2 === null ? null : a.mu2 < b.mu2 ? a.mu2 : b.mu2,
});
