import type { Account, Dataset } from "@dosimeter/client";
import type { Headroom } from "@dosimeter/query";

/** The ledger and the account that pays, under the active rule. */
export function headroomOf({ ledger, adjacency }: Dataset, { name, balance }: Account): Headroom | null {
  if (ledger === null) return null;
  const node = (label: string, { epsilon, delta, residue }: Account["balance"]) => ({
    name: label,
    epsilon: { cap: epsilon.cap, spent: epsilon.spent },
    delta: { cap: delta.cap, spent: delta.spent },
    residue: { cap: residue.cap, left: residue.left },
  });
  return {
    rule: ledger.rule,
    lane: ledger.lane,
    policy: "ask",
    adjacency,
    path: [node("the ledger", ledger.balance), node(name, balance)],
  };
}
