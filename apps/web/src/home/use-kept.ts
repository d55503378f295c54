import type { DatasetSummary } from "@dosimeter/client";
import { useAccountTrees } from "../api/accounts.ts";
import { useEveryDataset } from "../api/datasets.ts";
import { useLedgers } from "../api/ledgers.ts";

/** Budgets shown on the home page; the others are among the datasets. */
const MAX_SHOWN = 8;

/** A budget that I keep: datasets of mine about the same people. */
export interface KeptBudget {
  /** null: its ledger is not open yet. */
  readonly ledger: string | null;
  readonly datasets: readonly DatasetSummary[];
}

/** The budgets of the datasets that I administer, once all that their rows show is there. */
export function useKept(administered: readonly string[]): {
  readonly isPending: boolean;
  readonly budgets: readonly KeptBudget[];
} {
  const isAsked = administered.length > 0;
  const all = useEveryDataset(isAsked);
  const mine = isAsked ? (all.data ?? []).filter(({ id }) => administered.includes(id)) : [];
  const budgets = [...Map.groupBy(mine, ({ population }) => population).values()]
    .slice(0, MAX_SHOWN)
    .map((datasets) => ({ ledger: datasets[0]?.ledger?.id ?? null, datasets }));
  const open = budgets.flatMap(({ ledger }) => (ledger === null ? [] : [ledger]));
  const parts = [...useLedgers(open), ...useAccountTrees(open)];
  return { isPending: isAsked && (all.isPending || parts.some(({ isPending }) => isPending)), budgets };
}
