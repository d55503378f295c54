import type { Context } from "../context.ts";
import type { Tables } from "../stores/tables.ts";
import { checkInstant } from "../values/check.ts";
import type { DatasetId, LedgerId, PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { checkCursor, checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** One change, or one refusal, by someone, in a chain of hashes over everything before. */
export interface AuditLine {
  readonly sequence: number;
  readonly at: string;
  readonly actor: PrincipalId;
  /** Noun and verb: `account.allocate`, `charge.refuse`. */
  readonly action: string;
  readonly subject: string;
  readonly ledger: LedgerId | null;
  readonly detail: Json;
  readonly hash: string;
}

interface AuditFilter {
  readonly actor?: string | undefined;
  /** `request.approve`, or all of one noun: `request`. */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only what this person did, or what happened on the ledgers of these datasets. */
  readonly mine?: { readonly principal: PrincipalId; readonly datasets: readonly DatasetId[] | "all" } | undefined;
}

const toLine = (row: Tables["audit"]): AuditLine => ({
  sequence: Number(row.seq),
  at: row.at,
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  ledger: row.ledger_id,
  detail: JSON.parse(row.detail) as Json,
  hash: row.hash,
});

/** Newest first. */
export async function auditLines(
  { store }: Context,
  { ledger, after, limit, ...filter }: PageOptions & AuditFilter & { ledger?: LedgerId | undefined },
): Promise<Page<AuditLine>> {
  const rows = checkLimit(limit);
  const cursor = checkCursor(after);
  let query = store.read.selectFrom("audit").selectAll();
  if (ledger !== undefined) query = query.where("ledger_id", "=", ledger);
  const { actor, action, subject, since, until, mine } = filter;
  if (actor !== undefined) query = query.where("actor", "=", actor as PrincipalId);
  if (action !== undefined)
    query = action.includes(".")
      ? query.where("action", "=", action)
      : query.where("action", ">=", `${action}.`).where("action", "<", `${action}/`);
  if (subject !== undefined) query = query.where("subject", "=", subject);
  if (since !== undefined) query = query.where("at", ">=", checkInstant(since, "since"));
  if (until !== undefined) query = query.where("at", "<=", checkInstant(until, "until"));
  if (mine !== undefined) {
    const { principal, datasets } = mine;
    query = query.where(({ or, eb, selectFrom }) => {
      if (datasets === "all") return or([eb("actor", "=", principal), eb("ledger_id", "is not", null)]);
      const ledgers = selectFrom("ledger")
        .innerJoin("dataset", "dataset.population_id", "ledger.population_id")
        .select("ledger.id")
        .where("dataset.id", "in", ["" as DatasetId, ...datasets]);
      return or([eb("actor", "=", principal), eb("ledger_id", "in", ledgers)]);
    });
  }
  if (cursor !== undefined) query = query.where("seq", "<", cursor);
  const items = (await query.orderBy("seq", "desc").limit(rows).execute()).map(toLine);
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : String(last.sequence) };
}

/** Oldest first, from the line after `sequence` on. */
export async function auditLinesAfter(
  { store }: Context,
  { sequence, limit }: { readonly sequence: number; readonly limit: number },
): Promise<readonly AuditLine[]> {
  const rows = store.read
    .selectFrom("audit")
    .selectAll()
    .where("seq", ">", BigInt(sequence))
    .orderBy("seq")
    .limit(limit);
  return (await rows.execute()).map(toLine);
}
