/** One thing that does not add up. */
export interface Problem {
  readonly table: string;
  readonly id: string;
  readonly problem: string;
}

/** The result of recomputing everything from the entries. */
export interface Verification {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly lines: number;
  readonly entries: number;
  readonly releases: number;
  /** Hash of the newest audit line: keep it outside to notice a lost tail. */
  readonly head: string;
}
