import type { Account, Ledger } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import type { IcicleNode, IcicleSpec } from "@dosimeter/plot";
import { gaugeOf, gaugeUnit } from "../../charts.ts";
import { isMore, lessOf, sumOf } from "../../sums.ts";

/** Accounts whose parent is the ledger or is not visible to me. */
export const rootsOf = (all: readonly Account[]): readonly Account[] =>
  all.filter(({ parent }) => parent === null || !all.some(({ id }) => id === parent));

export const childrenOf = (all: readonly Account[], parent: Account): readonly Account[] =>
  all.filter((other) => other.parent === parent.id);

/** The visible tree under the active rule; closed accounts that spent nothing are left out of the picture. */
export function icicleOf(ledger: Ledger, all: readonly Account[]): IcicleSpec {
  const shown = all.filter(({ status, balance }) => status !== "closed" || gaugeOf(balance).spent !== "0");
  const place = (account: Account): IcicleNode =>
    nodeOf(account, account.name, childrenOf(shown, account).map(place), markOf(account));
  return {
    title: "The budget tree",
    unit: gaugeUnit(ledger.balance),
    root: nodeOf(ledger, "Lifetime", rootsOf(shown).map(place), undefined),
  };
}

/** Free is the quota that no account below has, hidden accounts included; in μ² only visible accounts are known. */
function nodeOf(
  { id, balance, free: open }: Pick<Ledger, "id" | "balance" | "free">,
  label: string,
  children: readonly IcicleNode[],
  mark: string | undefined,
): IcicleNode {
  const { cap: total, spent: known } = gaugeOf(balance);
  const spent = known ?? total;
  const left = lessOf(total, spent);
  const promised = sumOf(children.map((child) => lessOf(child.total, child.spent)));
  const isPromising = children.length > 0 && gaugeUnit(balance) === "ε";
  const free = isPromising && isMore(left, open.epsilon) ? open.epsilon : lessOf(left, promised);
  const allocated = lessOf(left, free);
  return { id, label, total, spent, allocated, free, children, ...present({ mark }) };
}

const markOf = ({ status, kind }: Account): string | undefined =>
  status === "active" ? (kind === "cap" ? "cap" : undefined) : status;
