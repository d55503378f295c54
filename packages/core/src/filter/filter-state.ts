import type { DeltaAmount, EpsilonAmount, Mu2Amount } from "../amounts/amount.ts";

/** The room of one filter: a ledger's or an account's. */
export interface Caps {
  readonly epsilon: EpsilonAmount;
  /** Room for Σδ. */
  readonly delta: DeltaAmount;
  /** r₀: the μ² it opens with. */
  readonly residue: Mu2Amount;
}

/** What a filter has counted so far. */
export interface FilterState {
  /** Σε; null once something was charged that has no pure price. */
  readonly epsilon: EpsilonAmount | null;
  /** Σδ. */
  readonly delta: DeltaAmount;
  /** r: the remaining μ²; null once the history no longer fits it. */
  readonly residue: Mu2Amount | null;
}
