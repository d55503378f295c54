import type { LedgerId, PrincipalId } from "./id.ts";

/** An audit line; the chain adds number, time and hashes. */
export interface Note {
  readonly actor: PrincipalId;
  readonly action: string;
  readonly subject: string;
  readonly ledger?: LedgerId | null;
  /** Public facts, amounts as decimal strings. Never a row of data, never a secret. */
  readonly detail?: object;
  /** The row as it stands after the change: only its hash is kept, so a later edit shows and no name is copied. */
  readonly image?: object;
}

/** A note with the number of its line. */
export interface Said extends Note {
  readonly seq: bigint;
}
