import type { DeltaAmount, EpsilonAmount, Mu2Amount } from "../amounts/amount.ts";

/** The limits of one filter: a ledger's or an account's. */
export interface Caps {
  readonly epsilon: EpsilonAmount;
  /** Room for Σδ. */
  readonly delta: DeltaAmount;
  /** r₀: the remaining μ² before the first charge. */
  readonly residue: Mu2Amount;
}

/** What a filter has counted so far. */
export interface FilterState {
  /** Σε; null after a charge without a pure price. */
  readonly epsilon: EpsilonAmount | null;
  /** Σδ. */
  readonly delta: DeltaAmount;
  /** r: the remaining μ²; null after a charge that it could not pay. */
  readonly residue: Mu2Amount | null;
}

export const sameCaps = (a: Caps, b: Caps): boolean =>
  a.epsilon === b.epsilon && a.delta === b.delta && a.residue === b.residue;

export const sameState = (a: FilterState, b: FilterState): boolean =>
  a.epsilon === b.epsilon && a.delta === b.delta && a.residue === b.residue;

/** Of each amount the fuller one: what fits on top of it fits on top of both. */
export const fullerOf = (a: FilterState, b: FilterState): FilterState => ({
  epsilon: a.epsilon === null || b.epsilon === null ? null : a.epsilon > b.epsilon ? a.epsilon : b.epsilon,
  delta: a.delta > b.delta ? a.delta : b.delta,
  residue: a.residue === null || b.residue === null ? null : a.residue < b.residue ? a.residue : b.residue,
});
