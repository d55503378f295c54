import type { Json } from "../catalog/dataset.ts";
import type { LedgerId, PrincipalId } from "../id.ts";

/** One change, or one refusal, by someone, in a chain of hashes over everything before. */
export interface AuditLine {
  readonly seq: number;
  readonly at: string;
  readonly actor: PrincipalId;
  /** Noun and verb: `account.allocate`, `charge.refuse`. */
  readonly action: string;
  /** Id of what it happened to. */
  readonly subject: string;
  readonly ledger: LedgerId | null;
  readonly detail: Json;
  readonly hash: string;
}
