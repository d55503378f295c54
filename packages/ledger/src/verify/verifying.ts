import type { Pieces } from "../blocks/runs.ts";
import type { Tables } from "../stores/tables.ts";

export type Report = (table: string, id: string, problem: string) => void;

/** What the audit chain covers: the newest image of each row, and the hashes of the ledger entries still to come. */
export interface Vouched {
  readonly images: Map<string, string>;
  readonly entries: Set<string>;
  /** Blocks that lines say an entry is about, by its hash: of write-offs and of charges that were copied. */
  readonly windows: Map<string, readonly (readonly [from: number, to: number])[]>;
}

export interface Verifying {
  readonly report: Report;
  readonly vouched: Vouched;
}

export const UNREADABLE = "cannot be read";

/** The result of `read`, or undefined when a stored text was damaged. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export interface VerifyingLedger extends Verifying {
  readonly ledger: Tables["ledger"];
  /** Nodes with states in blocks that are still to be checked. */
  readonly nodes: Set<string>;
  /** Of every ledger. */
  readonly pieces: Pieces;
}
