import type { Calculations } from "./ledger/calculations.ts";
import type { RequestLimits } from "./requests/request-limits.ts";
import type { Store } from "./stores/store.ts";

/** Places between two writes where a crash must do no harm; the kill tests stop at each. */
export const stepLabels = [
  "charge.begin",
  "charge.decided",
  "charge.entry",
  "charge.notified",
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

/** What every operation works with: the store and the settings of one open database. */
export interface Context extends Calculations {
  readonly store: Store;
  /** Called at each labelled step; does nothing outside tests. */
  readonly step: (label: StepLabel) => void;
  /** Most items in one commit: bounds how long the first of a group waits. */
  readonly commitGroup: number;
  /** Whether who asked may also decide: never, or only where no one else can, and then it is marked. */
  readonly selfApproval: "refuse" | "flag";
  readonly requestLimits: RequestLimits;
  /**
   * What a module keeps while the database is open, such as a cache or a queue: `make` is called once, by the first who
   * asks for it. So a module can keep something without being named here.
   */
  readonly kept: <T>(make: (context: Context) => T) => T;
}
