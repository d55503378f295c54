import type { Caps, FilterState } from "@dosimeter/core";
import type { AccountId, DatasetId, LedgerId, PrincipalId, TeamId } from "../id.ts";
import type { Quota } from "./ledger.ts";

export type Holder =
  | { readonly kind: "dataset"; readonly id: DatasetId }
  | { readonly kind: "team"; readonly id: TeamId }
  | { readonly kind: "principal"; readonly id: PrincipalId };

/** A node of the tree below a ledger. Its quota is permission, not a guarantee. Only accounts of principals are charged. */
export interface Account {
  readonly id: AccountId;
  readonly ledger: LedgerId;
  /** null: funded by the ledger itself. */
  readonly parent: AccountId | null;
  readonly holder: Holder;
  /** A `share` of the guarantee, or a `cap` on what its holder learns. */
  readonly kind: "share" | "cap";
  readonly mode: "funded" | "overbooked";
  readonly status: "active" | "frozen" | "closed";
  readonly quota: Quota;
  /** The sum of the children's quotas. */
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  readonly openedAt: string;
}
