import {
  activeRuleRow,
  type BlockStates,
  type Caps,
  columnMu2,
  formatDate,
  type Mu2Amount,
  PrivacyError,
} from "@dosimeter/core";
import { atLeastZero } from "@dosimeter/core/internal";
import { runsOf } from "../blocks/runs.ts";
import { capsOf } from "../ledger/node.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { blocksOfTerms } from "../values/terms.ts";
import { openChildren } from "./open-children.ts";

type AccountRow = Tables["account"];

/** A report that set aside what an account has; `next` is the first block after those that were charged. */
interface Report {
  readonly latest: number;
  readonly horizon: number | null;
  readonly first: number;
  readonly next: number;
}

/**
 * QUOTA_UNAVAILABLE where the scheduled reports of a person's account would lose what they set aside: in each block that they have yet to cover, what is
 * left of the account must pay for all that those below it may still spend there. What it spent by itself, before it had any, is in no quota of
 * theirs. An overbooked account keeps nothing.
 */
export async function refuseUnbacked(tx: Tx, ledger: Tables["ledger"], account: AccountRow): Promise<void> {
  const blocks = blocksOfTerms(ledger.terms);
  if (blocks === null || account.holder_kind !== "principal" || account.mode === "overbooked") return;
  const children = await openChildren(tx, account.id);
  const reports = new Map<string, Report>();
  for (const { id } of children) {
    const report = await reportOf(tx, id);
    if (report !== null) reports.set(id, report);
  }
  if (reports.size === 0) return;
  const [own = [], ...runs] = await runsOf(tx, [account, ...children]);
  const spentByAccount = spendingOf(own, capsOf(account));
  const below = children.map((child, at) => ({
    caps: capsOf(child),
    report: reports.get(child.id),
    spent: spendingOf(runs[at] ?? [], capsOf(child)),
  }));
  const start = Math.min(...[...reports.values()].map(({ next, latest }) => next - latest + 1));
  const { counts } = activeRuleRow(ledger.active_rule);
  for (const { from, to } of own)
    for (let block = Math.max(from, start); block <= to; block++) {
      const isCovered = [...reports.values()].some((report) => covers(report, block));
      for (const amount of isCovered ? ([counts, "delta"] as const) : []) {
        const needed = below.map(({ caps, report, spent }) => {
          const most = report === undefined ? caps[amount] : partOf(caps, { amount, report, block });
          return atLeastZero(most - spent(block, amount));
        });
        const left = capsOf(account)[amount] - spentByAccount(block, amount);
        if (needed.reduce((sum, one) => sum + one, 0n) > left) throw unbacked(account, formatDate(block, blocks.every));
      }
    }
}

async function reportOf({ db }: Tx, account: AccountRow["id"]): Promise<Report | null> {
  const row = await db
    .selectFrom("schedule")
    .leftJoin("schedule_point", (join) =>
      join.onRef("schedule_point.schedule_id", "=", "schedule.id").on("charge_id", "is not", null),
    )
    .select(["latest", "horizon", "block_first"])
    .select(({ fn }) => fn.max("block").as("last"))
    .where("account_id", "=", account)
    .where("status", "<>", "ended")
    .groupBy("schedule.id")
    .executeTakeFirst();
  if (row === undefined) return null;
  const first = Number(row.block_first);
  const next = row.last === null ? first : Number(row.last) + 1;
  return { latest: Number(row.latest), horizon: row.horizon === null ? null : Number(row.horizon), first, next };
}

const covers = ({ latest, horizon, first, next }: Report, block: number): boolean =>
  block > Math.max(first, next) - latest && (horizon === null || block < first + horizon);

interface Part {
  readonly amount: keyof Caps;
  readonly report: Report;
  readonly block: number;
}

/**
 * How much of its account a report takes of a block over its life, rounded up; 0 where no report to come covers the block. Of μ² all but the column of a
 * running total: a pure answer takes more the less is left, and no more from the account above while that has as much left. [M14] [M209]
 */
function partOf(caps: Caps, { amount, report, block }: Part): bigint {
  if (!covers(report, block)) return 0n;
  const { latest, horizon, first } = report;
  if (horizon !== null) return columnMu2(caps[amount] as Mu2Amount, { horizon, step: block - first + 1 });
  if (amount === "mu2") return caps.mu2;
  const windows = BigInt(Math.min(latest, block - first + latest));
  return (caps[amount] * windows + BigInt(latest) - 1n) / BigInt(latest);
}

/** Spent of a block, asked of ever later blocks. */
function spendingOf(runs: BlockStates, caps: Caps): (block: number, amount: keyof Caps) => bigint {
  let at = 0;
  return (block, amount) => {
    while ((runs[at]?.to ?? block) < block) at++;
    const run = runs[at];
    if (run === undefined || block < run.from) return 0n;
    return amount === "mu2" ? caps.mu2 - (run.value.mu2 ?? caps.mu2) : (run.value[amount] ?? 0n);
  };
}

const unbacked = ({ id }: AccountRow, block: string): PrivacyError =>
  new PrivacyError(
    "QUOTA_UNAVAILABLE",
    { name: "account", got: id, want: "one that keeps what its scheduled reports set aside", block },
    `a scheduled report could lose what it set aside: of ${block} less would be left than the budgets below it may still spend. Give less, or end the report`,
  );
