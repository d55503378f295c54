import type { Account, Dataset } from "@dosimeter/client";
import type { Headroom } from "@dosimeter/query";
import { epsilonLeft, isMore, lessOf } from "../charts.ts";

/** A first plan starts small: half an ε, or what is left. */
const FIRST_EPSILON = "0.5";

/** The initial ε of a first plan on an account. */
export function firstEpsilon({ balance }: Account): string {
  const left = epsilonLeft(balance);
  return left !== null && isMore(FIRST_EPSILON, left) && isMore(left, "0") ? lessOf(left, "0") : FIRST_EPSILON;
}

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
