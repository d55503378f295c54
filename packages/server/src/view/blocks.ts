import type { BlockBalances, Ledger as LedgerView } from "@dosimeter/client";
import { formatDate, formatDelta } from "@dosimeter/core";
import type { Account, Ledger } from "@dosimeter/ledger";
import { blockCalendar } from "@dosimeter/query";
import type { Tables } from "../reuse/versioned-table.ts";
import { tableOf } from "../sources/tables.ts";
import { epsilonOrNull, quotaView } from "./balance.ts";
import type { Directory } from "./directory.ts";

/** The blocks of a ledger as the wire says them; nothing where it has none. */
export function shownBlocks({ blocks }: Pick<Ledger, "blocks">): Pick<LedgerView, "blocks"> {
  if (blocks === null) return {};
  const { every, zone, protects, earlier } = blocks;
  if (earlier === undefined) return { blocks: { every, zone, ...(protects === undefined ? {} : { protects }) } };
  const { through, isClosed } = earlier;
  return { blocks: { every, zone, earlier: { through: formatDate(through, every), isClosed } } };
}

/** What the ledger and these accounts have spent in each block; no rows where the ledger has none. */
export async function blocksView(
  ledger: Ledger,
  accounts: readonly Account[],
  { nameOf }: Directory,
  { database, files }: Tables,
): Promise<BlockBalances> {
  const { blocks } = ledger;
  if (blocks === null) return { calendar: null, rows: [] };
  const name = (block: number): string => formatDate(block, blocks.every);
  const datasets = await database.catalog.datasetsOf(ledger.population);
  const declared = datasets.map((one) => tableOf(one, files).declaration).filter((one) => one.blocks !== undefined);
  // A ledger that just got blocks is ahead of its tables.
  if (declared.length === 0) return { calendar: null, rows: [] };
  const calendars = declared.map((one) => blockCalendar(one, Date.now() / 1000));
  const first = Math.min(...calendars.map((calendar) => calendar.first));
  const last = (of: (calendar: (typeof calendars)[number]) => number | null): string | null => {
    const known = calendars.map(of).filter((block) => block !== null);
    return known.length === 0 ? null : name(Math.max(...known));
  };
  return {
    calendar: {
      ...{ every: blocks.every, zone: blocks.zone, first: name(first) },
      last: last(({ begun }) => begun),
      closed: last(({ closed }) => closed),
    },
    rows: await Promise.all(
      [ledger, ...accounts].map(async (node) => ({
        account: node === ledger ? null : (node as Account).id,
        name: node === ledger ? "the ledger" : nameOf((node as Account).holder.id),
        quota: quotaView(node.quota),
        // What was spent before a ledger had blocks counts in all that could have been measured, however long ago.
        runs: (await database.ledgers.blockBalances(node.id))
          .filter(({ to }) => to >= first)
          .map(({ from, to, balance: { state, used } }) => ({
            from: name(Math.max(from, first)),
            to: name(to),
            epsilon: epsilonOrNull(state.epsilon),
            delta: formatDelta(state.delta),
            used,
          })),
      })),
    ),
  };
}
