import type { Head } from "./audit/chain.ts";
import type { Known } from "./ledger/desk.ts";
import type { Quotes } from "./ledger/plan-quote.ts";
import type { FreeQuota } from "./ledger/quota.ts";
import type { Memory } from "./memory.ts";
import type { Patience } from "./people/patience.ts";
import type { Store } from "./store.ts";

/** Places between two writes where a crash must do no harm; the kill tests stop at each. */
export const stepLabels = [
  "charge.begin",
  "charge.decided",
  "charge.entry",
  "charge.told",
  "charge.written",
  "charge.settled",
  "charge.committed",
  "release.begin",
  "release.answers",
  "release.status",
  "release.written",
  "release.committed",
  "lease.written",
  "lease.committed",
] as const;

export type StepLabel = (typeof stepLabels)[number];

/** What every operation works with. */
export interface Context {
  readonly store: Store;
  /** Called at each labelled step; does nothing outside tests. */
  readonly step: (label: StepLabel) => void;
  /** Most items in one commit: bounds how long the first of a group waits. */
  readonly commitGroup: number;
  /** Whether who asked may also decide: never, or where nobody else can, marked for everyone to see. */
  readonly selfApproval: "refuse" | "flag";
  readonly patience: Patience;
  /** Prices plans whose parameters were all fixed in advance. [M150] */
  readonly quotes: Quotes;
  /** Replays long histories. [M20] */
  readonly freeQuota: FreeQuota;
  /** The end of the audit chain, and what the last charges read and wrote. */
  readonly head: Memory<Head>;
  readonly desk: Memory<Known>;
}
