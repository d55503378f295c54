import type { DatasetSummary } from "@dosimeter/client";
import { formatDelta, formatEpsilon } from "@dosimeter/core";
import type { Account, Ledger, NamedDataset, Quota } from "@dosimeter/ledger";
import type { Actor } from "../access/authority.ts";
import type { Tables } from "../reuse/versioned-table.ts";
import { balanceView, roomView } from "./balance.ts";
import { shownBlocks } from "./blocks.ts";

/** A dataset in a list: what protects it and how much of that is used. */
export async function datasetSummary(
  dataset: NamedDataset,
  { principal, roles }: Actor,
  { database }: Pick<Tables, "database">,
  mine?: readonly Account[],
): Promise<DatasetSummary> {
  const population = await database.catalog.population(dataset.population);
  const ledger = await database.ledgers.ledgerOf(dataset.population);
  const own = ledger === null ? [] : (mine ?? (await database.ledgers.accountsOf(principal.id)));
  return {
    id: dataset.id,
    name: dataset.name,
    population: dataset.population,
    privacyUnit: population.privacyUnit,
    adjacency: population.adjacency,
    myRoles: [
      ...(roles.datasetAdminOf.includes(dataset.id) ? ["datasetAdmin" as const] : []),
      ...(roles.auditor || roles.auditorOf.includes(dataset.id) ? ["auditor" as const] : []),
    ],
    myAccounts: own.filter((account) => account.ledger === ledger?.id).map(({ id }) => id),
    ledger: ledger === null ? null : headline(ledger, await database.ledgers.free(ledger.id)),
    createdAt: dataset.createdAt,
  };
}

function headline(ledger: Ledger, free: Quota) {
  const balance = balanceView(ledger);
  const { id, rule, activeRule, quota, status, over } = ledger;
  return {
    id,
    ...shownBlocks(ledger),
    rule,
    activeRule,
    epsilon: formatEpsilon(quota.epsilon),
    delta: formatDelta(quota.delta),
    used: balance.used,
    balance,
    ...roomView(ledger, free),
    status,
    over,
  };
}
