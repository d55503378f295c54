import type { BlockBalances, Ledger as LedgerView } from "@dosimeter/client";
import {
  type ActiveRule,
  activeRuleRow,
  amountShare,
  type BlockRange,
  columnShare,
  filled,
  formatDate,
  formatDelta,
  formatMu2,
  type Runs,
  together,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Account, BlockBalance, Dataset, Ledger, LedgerDatabase, Schedule } from "@dosimeter/ledger";
import { blockCalendar } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Tables } from "../reuse/versioned-table.ts";
import { tableOf } from "../sources/tables.ts";
import { balanceView, epsilonOrNull, quotaView } from "./balance.ts";
import type { Directory } from "./directory.ts";

interface Spending {
  readonly node: Ledger | Account;
  readonly spent: readonly BlockBalance[];
}

/** What a block has spent, null for nothing, and the share of its budget, from 0 to 1, that reports to come have set aside in it. */
interface Held {
  readonly balance: BlockBalance["balance"] | null;
  readonly earmarked: number;
}

/** What a report has set aside in each block: a part of its account's quota, from 0 to 1; none in blocks that no window to come covers. */
interface Earmark {
  readonly account: Account;
  readonly kept: Runs<number>;
}

const isSame = <T>(a: T, b: T): boolean => a === b;

/**
 * The earmarks of the reports on these datasets that have not ended, of the accounts that are shown alone. A window to come covers the latest
 * blocks of the next report and all later ones; what is set aside there is what the report's account has not spent. A running total
 * that goes on keeps, up to its last block, for each that has not paid what its column costs.
 */
async function earmarksOf(
  { schedules }: Pick<LedgerDatabase, "schedules">,
  datasets: readonly Dataset[],
  { shown, calendar: { from, to } }: { readonly shown: readonly Spending[]; readonly calendar: BlockRange },
): Promise<readonly Earmark[]> {
  const byNode = new Map<string, Spending>(shown.map((each) => [each.node.id, each]));
  const open: Schedule[] = [];
  for (const { id } of datasets)
    open.push(...(await schedules.schedules(id)).filter(({ status }) => status !== "ended"));
  const found: Earmark[] = [];
  for (const { id, account, first, latest, horizon } of open) {
    const { node, spent = [] } = byNode.get(account) ?? {};
    if (node === undefined || !("parent" in node)) continue;
    if (horizon !== null) {
      const unpaid = unpaidOf({ from: first, to: Math.min(first + horizon - 1, to) }, spent);
      const kept = unpaid.map((at) => ({ from: at, to: at, value: columnShare({ horizon, step: at - first + 1 }) }));
      found.push({ account: node, kept });
      continue;
    }
    const last = await schedules.lastPoint(id);
    const start = Math.max(from, (last === null ? first : last + 1) - latest + 1);
    const runs = spent.map(({ from, to, balance }) => ({ from, to, value: 1 - balance.used }));
    const kept = start > to ? [] : filled(runs, [{ from: start, to }], { value: 1, same: isSame });
    found.push({ account: node, kept });
  }
  return found;
}

const unpaidOf = ({ from, to }: BlockRange, spent: readonly BlockRange[]): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).filter(
    (block) => !spent.some((run) => run.from <= block && block <= run.to),
  );

interface In {
  /** All accounts of the ledger, those too that are not shown. */
  readonly tree: readonly Account[];
  readonly calendar: BlockRange;
  readonly activeRule: ActiveRule;
}

/** What this node has in each block of the calendar, in rising order, where it has spent or holds anything. */
function heldBy(
  { node, spent }: Spending,
  earmarks: readonly Earmark[],
  { tree, calendar, activeRule }: In,
): Runs<Held> {
  const { counts } = activeRuleRow(activeRule);
  const balances = spent.map(({ from, to, balance }) => ({ from, to, value: balance }));
  const own = filled<BlockBalance["balance"] | null>(balances, [calendar], { value: null, same: isSame });
  const below = earmarks.filter(({ account }) => isWithin(account, node, tree));
  const shares = below.map(({ account: { caps }, kept }) => {
    const weight = amountShare(caps[counts], node.caps[counts]);
    const runs = kept.map(({ from, to, value }) => ({ from, to, value: value * weight }));
    return filled(runs, [calendar], { value: 0, same: isSame });
  });
  const held = together<BlockBalance["balance"] | number | null>([own, ...shares], [calendar]);
  return held.flatMap(({ from, to, value: [first = null, ...parts] }) => {
    const balance = typeof first === "number" ? null : first;
    const sum = parts.reduce<number>((total, part) => total + (typeof part === "number" ? part : 0), 0);
    const earmarked = Math.min(sum, 1 - (balance?.used ?? 0));
    return balance === null && earmarked === 0 ? [] : [{ from, to, value: { balance, earmarked } }];
  });
}

function isWithin(account: Account, node: Ledger | Account, tree: readonly Account[]): boolean {
  if (!("parent" in node)) return true;
  for (let at: Account | undefined = account; at !== undefined; at = tree.find(({ id }) => id === at?.parent))
    if (at.id === node.id) return true;
  return false;
}

/** The blocks of a ledger as the wire says them; nothing where it has none. */
export function shownBlocks({ blocks }: Pick<Ledger, "blocks">): Pick<LedgerView, "blocks"> {
  if (blocks === null) return {};
  const { every, zone, protects, earlier } = blocks;
  if (earlier === undefined) return { blocks: { every, zone, ...present({ protects }) } };
  const { through, isClosed } = earlier;
  return { blocks: { every, zone, earlier: { through: formatDate(through, every), isClosed } } };
}

/** The blocks from the first that is declared to the last that has begun or was spent from, and the last that is closed. */
function calendarOf(declared: readonly Declaration[], shown: readonly Spending[]) {
  const calendars = declared.map((one) => blockCalendar(one, Date.now() / 1000));
  const last = (of: (calendar: (typeof calendars)[number]) => number | null): number | null => {
    const known = calendars.map(of).filter((block) => block !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  const from = Math.min(...calendars.map((calendar) => calendar.first));
  const begun = last((calendar) => calendar.begun);
  const spent = shown.flatMap((each) => each.spent.at(-1)?.to ?? []);
  return { begun, closed: last((calendar) => calendar.closed), range: { from, to: Math.max(begun ?? from, ...spent) } };
}

/**
 * What the ledger and the accounts that are seen have spent in each block, and what reports that are paid from these accounts have set aside;
 * no rows where the ledger has none.
 */
export async function blocksView(
  ledger: Ledger,
  isSeen: (account: Account) => Promise<boolean>,
  { nameOf }: Directory,
  { database, files }: Tables,
): Promise<BlockBalances> {
  const { blocks, activeRule } = ledger;
  if (blocks === null) return { calendar: null, rows: [] };
  const { every, zone } = blocks;
  const name = (block: number): string => formatDate(block, every);
  const datasets = await database.catalog.datasetsOf(ledger.population);
  const declared = datasets.map((one) => tableOf(one, files).declaration).filter((one) => one.blocks !== undefined);
  // A ledger that just got blocks is ahead of its tables.
  if (declared.length === 0) return { calendar: null, rows: [] };
  const tree = await database.ledgers.accounts(ledger.id);
  const seen: Account[] = [];
  for (const account of tree) if (await isSeen(account)) seen.push(account);
  const shown: readonly Spending[] = await Promise.all(
    [ledger, ...seen].map(async (node) => ({ node, spent: await database.ledgers.blockBalances(node.id) })),
  );
  const { begun, closed, range: calendar } = calendarOf(declared, shown);
  const earmarks = await earmarksOf(database, datasets, { shown, calendar });
  return {
    calendar: {
      ...{ every, zone, first: name(calendar.from) },
      last: begun === null ? null : name(begun),
      closed: closed === null ? null : name(closed),
    },
    rows: shown.map(({ node, spent }) => ({
      account: node === ledger ? null : (node as Account).id,
      name: node === ledger ? "the ledger" : nameOf((node as Account).holder.id),
      quota: quotaView(node.quota),
      activeRule,
      muSquared: formatMu2(node.caps.mu2),
      // What was spent before a ledger had blocks counts in all that could have been measured, however long ago: only blocks are shown.
      runs: heldBy({ node, spent }, earmarks, { tree, calendar, activeRule }).map(({ from, to, value }) => ({
        ...{ from: name(from), to: name(to) },
        epsilon: value.balance === null ? "0" : epsilonOrNull(value.balance.state.epsilon),
        delta: formatDelta(value.balance?.state.delta ?? 0n),
        mu2: value.balance === null ? "0" : balanceView(value.balance).mu2.spent,
        used: value.balance?.used ?? 0,
        earmarked: value.earmarked,
      })),
    })),
  };
}
