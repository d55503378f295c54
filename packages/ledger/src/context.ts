import type { Store } from "./stores/store.ts";
import type { Calculations } from "./values/calculations.ts";

/** Places between two writes where a crash must do no harm; tests kill the process at each. */
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
  "release.public",
  "lease.written",
  "lease.committed",
] as const;

export type StepLabel = (typeof stepLabels)[number];

/** How often one person, with their services, may ask on one ledger: for quota, or for a raise. */
export interface RequestLimits {
  /** Requests that may wait for an answer at once. */
  readonly open: number;
  /** Requests made within a day that were not granted. */
  readonly aDay: number;
  /** Hours after a rejection before the same payer may be asked again; for a team, by the same team. */
  readonly pauseHours: number;
}

/** Arguments of every operation: the store and the settings of one open database. */
export interface Context extends Calculations {
  readonly store: Store;
  /** Called at each labelled step, for tests; what it throws at `charge.begin` refuses that charge. */
  readonly step: (label: StepLabel) => void;
  /** Most items in one commit: bounds how long the first of a group waits. */
  readonly commitGroup: number;
  /** Whether the requester may also decide: never, or only where no one else can, which is then marked. */
  readonly selfApproval: "refuse" | "flag";
  readonly requestLimits: RequestLimits;
  /** A charge takes at least the lifetime divided by this number; 100,000 when absent. */
  readonly mostCharges: bigint;
  /**
   * State of a module while the database is open, such as a cache or a queue. `make` is called once, on the first
   * use, so this file need not name the module.
   */
  readonly kept: <T>(make: (context: Context) => T) => T;
}
