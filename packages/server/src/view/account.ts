import type { Account as AccountView } from "@dosimeter/client";
import { type Account, type Dataset, type Ledger, type LedgerDatabase, promisesLearning } from "@dosimeter/ledger";
import { type Actor, type Facts, holds, readable } from "../access/authority.ts";
import { balanceView, epsilonOrNull, quotaView, roomView } from "./balance.ts";
import { shownBlocks } from "./blocks.ts";
import { type Directory, holderView } from "./directory.ts";
import { capPromise } from "./report.ts";

/** What several accounts of a ledger have in common: itself, and those of its datasets that the actor may see. */
interface Shared {
  readonly ledger: Ledger;
  readonly datasets: readonly Dataset[];
  /** How many it pays for in all. */
  readonly tables: number;
}

/** One account as this actor sees it. */
async function accountView(
  account: Account,
  { ledger, datasets, tables }: Shared,
  actor: Actor,
  names: Directory,
  facts: Facts,
): Promise<AccountView> {
  const { database } = facts;
  const holder = holderView(account.holder, names);
  const spender = await holds("accountSpender", actor, { account: account.id }, facts);
  const mayRelease = spender && account.status === "active";
  const more = mayRelease ? await database.reports.roomForMore({ account: account.id }) : null;
  const { caps, state, ...said } = account;
  return {
    ...said,
    ...shownBlocks(ledger),
    name: holder.name,
    path: await pathOf(account, names, database),
    holder,
    quota: quotaView(account.quota),
    allocated: quotaView(account.allocated),
    ...roomView({ caps, state }, await database.ledgers.free(account.id)),
    balance: balanceView({ activeRule: ledger.activeRule, caps, state }),
    more: more === null ? null : { count: more.count, isAtLeast: more.isAtLeast, isDelta: more.isDelta },
    datasets: datasets.map(({ id }) => id),
    datasetNames: datasets.map(({ name }) => name),
    tables,
    mine: {
      mayRelease,
      mayGrant:
        account.holder.kind !== "principal" &&
        (await holds("accountGrantor", actor, { ledger: account.ledger, parent: account.id }, facts)),
      maySetAside:
        account.holder.kind === "principal" && account.holder.id === actor.principal.id && account.status === "active",
      mayManage: await holds("accountManager", actor, { account: account.id }, facts),
    },
    queryEpsilon: epsilonOrNull(account.queryEpsilon),
    sentence: promisesLearning(account) ? `Promised: ${capPromise(account)}.` : null,
  };
}

/** Several accounts, of any ledgers, in their order. */
export async function accountViews(
  accounts: readonly Account[],
  actor: Actor,
  names: Directory,
  facts: Facts,
): Promise<AccountView[]> {
  const views: AccountView[] = [];
  const shared = await sharedOf(new Set(accounts.map(({ ledger }) => ledger)), actor, facts);
  for (const account of accounts) {
    const known = shared.get(account.ledger);
    if (known !== undefined) views.push(await accountView(account, known, actor, names, facts));
  }
  return views;
}

/** By ledger; what the actor may see is asked once for all of them. */
async function sharedOf(ids: ReadonlySet<string>, actor: Actor, facts: Facts): Promise<ReadonlyMap<string, Shared>> {
  const { ledgers, catalog } = facts.database;
  const all: Shared[] = [];
  for (const id of ids) {
    const ledger = await ledgers.ledger(id);
    const datasets = await catalog.datasetsOf(ledger.population);
    all.push({ ledger, datasets, tables: datasets.length });
  }
  const seen = new Set(
    await readable(
      actor,
      all.flatMap(({ datasets }) => datasets),
      facts,
    ),
  );
  return new Map(
    all.map((one) => [one.ledger.id, { ...one, datasets: one.datasets.filter((each) => seen.has(each)) }]),
  );
}

/** Names from the top of the tree to this account. */
export async function pathOf(account: Account, names: Directory, { ledgers }: LedgerDatabase): Promise<string[]> {
  const path: string[] = [];
  for (let node: Account | null = account; node !== null; ) {
    path.unshift(names.nameOf(node.holder.id));
    node = node.parent === null ? null : await ledgers.account(node.parent);
  }
  return path;
}
