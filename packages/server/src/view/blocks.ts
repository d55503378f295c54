import type { BlockBalances } from "@dosimeter/client";
import { formatDate, formatDelta } from "@dosimeter/core";
import type { Account, Ledger } from "@dosimeter/ledger";
import { blockCalendar } from "@dosimeter/query";
import type { Tables } from "../reuse/versioned-table.ts";
import { tableOf } from "../sources/tables.ts";
import { epsilonOrNull, quotaView } from "./balance.ts";
import type { Directory } from "./directory.ts";

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
  const calendars = datasets.map((one) => blockCalendar(tableOf(one, files).declaration, Date.now() / 1000));
  const first = Math.min(...calendars.map((calendar) => calendar.first));
  const last = (of: (calendar: (typeof calendars)[number]) => number | null): string | null => {
    const known = calendars.map(of).filter((block) => block !== null);
    return known.length === 0 ? null : name(Math.max(...known));
  };
  return {
    calendar: { ...blocks, first: name(first), last: last(({ begun }) => begun), closed: last(({ closed }) => closed) },
    rows: await Promise.all(
      [ledger, ...accounts].map(async (node) => ({
        account: node === ledger ? null : (node as Account).id,
        name: node === ledger ? "the ledger" : nameOf((node as Account).holder.id),
        quota: quotaView(node.quota),
        runs: (await database.ledgers.blockBalances(node.id)).map(({ from, to, balance: { state, used } }) => ({
          from: name(from),
          to: name(to),
          epsilon: epsilonOrNull(state.epsilon),
          delta: formatDelta(state.delta),
          used,
        })),
      })),
    ),
  };
}
