import type { Json } from "../catalog/dataset.ts";
import type { AccountId, ChargeId, DatasetId, LedgerId, PrincipalId, ReleaseId } from "../id.ts";

/** Proof of what was paid for these answers; every fact in it is public. */
export interface Receipt {
  readonly release: ReleaseId;
  readonly charge: ChargeId;
  readonly ledger: LedgerId;
  readonly entry: number;
  readonly entryHash: string;
  readonly epsilon: string | null;
  readonly delta: string;
  readonly guaranteeVersion: number;
  /** SHA-256 of the answers' text as stored. */
  readonly answersHash: string;
  readonly at: string;
}

/** The noisy answers of one charge, stored for ever. */
export interface Release {
  readonly id: ReleaseId;
  readonly charge: ChargeId;
  readonly ledger: LedgerId;
  readonly account: AccountId;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId;
  readonly request: Json;
  readonly answers: Json;
  /** The guarantee sentence in force when it was released. */
  readonly sentence: string;
  readonly receipt: Receipt;
  readonly at: string;
}
