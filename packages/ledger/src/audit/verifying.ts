export type Report = (table: string, id: string, problem: string) => void;

/** What the audit chain vouches for, by subject: the newest image of each row, and the hash of each ledger entry not met yet. */
export interface Vouched {
  readonly images: Map<string, string>;
  readonly entries: Set<string>;
}

export interface Verifying {
  readonly report: Report;
  readonly vouched: Vouched;
}

export const UNREADABLE = "cannot be read";

/** What `read` gives, or undefined when a stored text is no longer what was stored. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
