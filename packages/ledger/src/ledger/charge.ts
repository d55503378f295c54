import type { DpEvent, Lane } from "@dosimeter/core";
import type { Json } from "../catalog/dataset.ts";
import type { Adjacency } from "../catalog/population.ts";
import type { AccountId, ChargeId, DatasetId, LedgerId, PrincipalId } from "../id.ts";

/** The durable debit of a plan's events. */
export interface Charge {
  readonly id: ChargeId;
  readonly ledger: LedgerId;
  readonly account: AccountId;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId;
  readonly key: string;
  readonly status: "charged" | "released";
  /** What was asked, as the server gave it; recovery runs it again. */
  readonly request: Json;
  readonly events: readonly DpEvent[];
  readonly lane: Lane;
  /** Number of its ledger entry. */
  readonly entry: number;
  /** Hash of its ledger entry. */
  readonly entryHash: string;
  readonly leaseOwner: string;
  readonly leaseUntil: string;
  /** How often someone took its lease; 1 at first. */
  readonly tries: number;
  readonly at: string;
}

export interface ChargeRequest {
  readonly principal: PrincipalId;
  /** The paying account: the principal's own. */
  readonly account: AccountId;
  readonly dataset: DatasetId;
  /** Idempotency key, 1 to 200 characters, unique per principal. */
  readonly key: string;
  /** The plan, opaque here. The same key with another request is refused with IDEMPOTENCY_CONFLICT. */
  readonly request: Json;
  readonly events: readonly DpEvent[];
  /** Neighbour relation the events were priced for; must be the population's. */
  readonly adjacency: Adjacency;
  readonly lease: Lease;
}

/** Who works on a charge, and for how long before somebody else may. */
export interface Lease {
  readonly owner: string;
  readonly seconds: number;
}

export interface ChargeOutcome {
  readonly charge: Charge;
  /** The key had been charged before; nothing was spent now. */
  readonly repeated: boolean;
}
