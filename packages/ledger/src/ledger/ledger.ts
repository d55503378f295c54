import type { Caps, DeltaAmount, EpsilonAmount, FilterState, Lane, Rule, Terms } from "@dosimeter/core";
import type { LedgerId, PopulationId, PrincipalId } from "../id.ts";

/** Permission to spend: ε in 1e-12, δ in 1e-18. */
export interface Quota {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

/** The filter of one population. It alone carries the guarantee. */
export interface Ledger {
  readonly id: LedgerId;
  readonly population: PopulationId;
  readonly rule: Rule;
  /** The one rule in force now. */
  readonly lane: Lane;
  /** Who switches `additionThenTight`: the dataset admin, or the first charge that fits only tight. */
  readonly policy: "ask" | "auto";
  readonly mode: "funded" | "overbooked";
  readonly status: "open" | "frozen";
  readonly terms: Terms;
  /** Version of the guarantee sentence in force. */
  readonly version: number;
  readonly sentence: string;
  /** The lifetime (ε, δ). */
  readonly quota: Quota;
  /** The sum of the quotas of the accounts directly below. */
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  /** Number of entries; the newest one's hash. */
  readonly entries: number;
  readonly head: string;
  readonly openedAt: string;
  readonly openedBy: PrincipalId;
}
