import type { LedgerDatabase } from "@dosimeter/ledger";
import type { Source } from "@dosimeter/query/source";
import type { Measurer } from "../measuring/measurer.ts";
import type { ReleasedAnswers } from "../reuse/find.ts";
import type { Files } from "../sources/files.ts";
import type { Reach } from "../sources/reach.ts";
import type { Timetable } from "./timetable.ts";

export interface ReleaseDeps {
  readonly database: LedgerDatabase;
  readonly measurer: Measurer;
  readonly reach: Pick<Reach, "knows" | "knowing">;
  readonly files: Files;
  /** Bytes that the values which a plan may find may take where its table is measured. */
  readonly mostFoundBytes: (source: Source) => number;
  /** Bytes that bounded rows of a file may take, in memory and on the disk. */
  readonly mostBoundedBytes: number;
  readonly timetable: Timetable;
  readonly releasedAnswers: ReleasedAnswers;
  /** Who holds the leases of this server's charges. */
  readonly owner: string;
  /** Waits until answers can be stored, where they also go to a second place. */
  readonly taken: (signal: AbortSignal) => Promise<void>;
  /** Labelled steps for tests that kill the process there. */
  readonly step: (label: ReleaseStep) => void;
}

export const releaseSteps = ["release.bounded", "release.charged", "release.measured", "release.stored"] as const;
export type ReleaseStep = (typeof releaseSteps)[number];

/** Seconds without renewal after which another process may take a charge over. */
export const LEASE_SECONDS = 30;
