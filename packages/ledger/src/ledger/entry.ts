import type { DeltaAmount, DpEvent, EpsilonAmount, Lane, ResidueAmount } from "@dosimeter/core";
import type { AccountId, ChargeId, DatasetId, LedgerId, PrincipalId } from "../id.ts";

/** One immutable line of a ledger, hashed over the line before it. */
export interface Entry {
  readonly ledger: LedgerId;
  /** 1, 2, 3 … without gaps. */
  readonly number: number;
  readonly kind: "open" | "charge" | "switch";
  readonly charge: ChargeId | null;
  readonly account: AccountId | null;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId | null;
  /** The rule in force after this line. */
  readonly lane: Lane;
  readonly events: readonly DpEvent[];
  /** Σε of the events; null when one of them has no pure price. */
  readonly epsilon: EpsilonAmount | null;
  readonly delta: DeltaAmount;
  readonly residueBefore: ResidueAmount | null;
  readonly residueAfter: ResidueAmount | null;
  readonly at: string;
  readonly hash: string;
}

/** A page of a list; `next` continues it, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
