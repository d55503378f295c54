import type { PageOptions } from "../books.ts";
import { checkCursor, checkLimit } from "../check.ts";
import type { Context } from "../context.ts";
import type { LedgerId, PrincipalId } from "../id.ts";
import type { Json } from "../json.ts";
import type { Page } from "../ledger/entry.ts";
import type { Tables } from "../tables.ts";

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

const toLine = (row: Tables["audit"]): AuditLine => ({
  seq: Number(row.seq),
  at: row.at,
  actor: row.actor as PrincipalId,
  action: row.action,
  subject: row.subject,
  ledger: row.ledger_id as LedgerId | null,
  detail: JSON.parse(row.detail) as Json,
  hash: row.hash,
});

export async function auditLines(
  { store }: Context,
  { ledger, after, limit }: PageOptions & { ledger?: LedgerId | undefined },
): Promise<Page<AuditLine>> {
  const rows = checkLimit(limit);
  const cursor = checkCursor(after);
  let query = store.read.selectFrom("audit").selectAll();
  if (ledger !== undefined) query = query.where("ledger_id", "=", ledger);
  if (cursor !== undefined) query = query.where("seq", "<", cursor);
  const items = (await query.orderBy("seq", "desc").limit(rows).execute()).map(toLine);
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : String(last.seq) };
}
