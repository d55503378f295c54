import {
  type ActiveRule,
  activeRuleRow,
  admit,
  type DpEvent,
  type FilterNode,
  type FilterTerms,
  type Mu2Quote,
  nextRule,
} from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId, PrincipalId } from "../values/id.ts";

/** Whether a plan price could matter now: in tight, or where only tight could admit and the ledger switches by itself. */
export function needsQuotes(
  admissionTerms: FilterTerms,
  path: readonly FilterNode[],
  events: readonly DpEvent[],
): boolean {
  if (countsMu2(admissionTerms.activeRule)) return true;
  const next = nextRule(admissionTerms.rule, admissionTerms.activeRule);
  if (next === null || !countsMu2(next) || admissionTerms.policy !== "auto") return false;
  return !admit({ ...admissionTerms, policy: "ask" }, path, events).admitted;
}

/** Plan prices are prices in μ². */
const countsMu2 = (activeRule: ActiveRule): boolean => activeRuleRow(activeRule).counts === "mu2";

const QUOTES = "SELECT * FROM plan_quote WHERE entry_seq = ?";

export async function quotesOf(
  { db }: Pick<Tx, "db">,
  entries: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly Mu2Quote[]>> {
  const found = new Map<bigint, Mu2Quote[]>();
  for (let start = 0; start < entries.length; start += MAX_NAMED) {
    const rows = await db
      .selectFrom("plan_quote")
      .selectAll()
      .where("entry_seq", "in", entries.slice(start, start + MAX_NAMED))
      .orderBy("entry_seq")
      .orderBy("remaining_mu2_before")
      .execute();
    for (const row of rows) found.set(row.entry_seq, [...(found.get(row.entry_seq) ?? []), toQuote(row)]);
  }
  return found;
}

/** Values in one statement; stores allow tens of thousands. */
const MAX_NAMED = 5_000;

export const toQuote = (row: Tables["plan_quote"]): Mu2Quote => ({
  before: row.remaining_mu2_before,
  after: row.remaining_mu2_after,
  slack: row.slack,
});

const INSERT =
  "INSERT INTO plan_quote (entry_seq, remaining_mu2_before, remaining_mu2_after, slack) VALUES (?, ?, ?, ?)";

/** Stores quotes that are new for the entry, each with its audit line. */
export async function putQuotes(
  { tx, chain }: Writing,
  {
    entry,
    quotes,
    actor,
    ledger,
  }: { entry: bigint; quotes: readonly Mu2Quote[]; actor: PrincipalId; ledger: LedgerId },
): Promise<void> {
  const known = new Set((await tx.all(QUOTES, [entry])).map((row) => row.remaining_mu2_before as bigint));
  for (const { before, after, slack } of quotes) {
    if (known.has(before)) continue;
    known.add(before);
    const row = { entry_seq: entry, remaining_mu2_before: before, remaining_mu2_after: after, slack } as const;
    await tx.run(INSERT, [entry, before, after, slack]);
    chain.append({ actor, action: "plan.quote", ledger, ...images.plan_quote(row) });
  }
}
