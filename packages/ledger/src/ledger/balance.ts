import type { Caps, EpsilonAmount, FilterState, Lane } from "@dosimeter/core";
import type { AccountId, LedgerId } from "../id.ts";
import type { Quota } from "./ledger.ts";

/** What one node has and has used, under the rule in force. */
export interface Balance {
  readonly node: LedgerId | AccountId;
  readonly lane: Lane;
  readonly quota: Quota;
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  /** Σε/ε_q under addition, 1 − r/r₀ under tight; in [0, 1], for display. */
  readonly used: number;
  /** Σδ/δ_m in [0, 1], for display; 0 when there is no δ to spend. */
  readonly usedDelta: number;
}

/** One reason why a charge does not fit. Amounts are exact decimals; `residue` is in units of μ². */
export interface Refusal {
  /** The ledger or the account without room. */
  readonly node: LedgerId | AccountId;
  readonly dimension: "epsilon" | "delta" | "residue" | "unpriced";
  readonly available: string;
  readonly requested: string;
}

/** What a charge would do, decided from the same public state as the charge itself. */
export type Quote =
  | {
      readonly admitted: true;
      readonly lane: Lane;
      readonly before: readonly Balance[];
      readonly after: readonly Balance[];
    }
  | {
      readonly admitted: false;
      readonly lane: Lane;
      readonly before: readonly Balance[];
      readonly refusals: readonly Refusal[];
      /** The largest pure ε that still fits everywhere on the path. */
      readonly largestEpsilon: EpsilonAmount;
    };
