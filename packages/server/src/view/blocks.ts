import type { BlockBalances, Ledger as LedgerView } from "@dosimeter/client";
import { formatDate, formatDelta, formatMu2 } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Account, Ledger } from "@dosimeter/ledger";
import { blockCalendar } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Tables } from "../reuse/versioned-table.ts";
import { tableOf } from "../sources/tables.ts";
import { balanceView, epsilonOrNull, quotaView } from "./balance.ts";
import type { Directory } from "./directory.ts";
import { earmarksOf, heldBy, type Spending } from "./earmarks.ts";

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
