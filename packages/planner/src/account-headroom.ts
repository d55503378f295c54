import type { ActiveRule, Adjacency, Rule } from "@dosimeter/core";
import type { Headroom, HeadroomNode } from "./headroom.ts";

/** As the server says it. */
type Balance = Pick<HeadroomNode, "epsilon" | "delta"> & { readonly mu2: HeadroomNode["mu2"] };

/**
 * What an account may still spend, from the dataset and the account as the server tells of them; null without a ledger. Over blocks it is what an
 * untouched one has: which blocks pay, and what they have left, is said by the quote.
 */
export function headroomOf(
  {
    ledger,
    adjacency,
  }: {
    readonly ledger: { readonly rule: Rule; readonly activeRule: ActiveRule; readonly balance: Balance } | null;
    readonly adjacency: Adjacency;
  },
  { name, balance }: { readonly name: string; readonly balance: Balance },
  { hasBlocks }: { readonly hasBlocks: boolean },
): Headroom | null {
  if (ledger === null) return null;
  const node = (label: string, { epsilon, delta, mu2 }: Balance): HeadroomNode => ({
    name: label,
    epsilon: { cap: epsilon.cap, spent: hasBlocks ? "0" : epsilon.spent },
    delta: { cap: delta.cap, spent: hasBlocks ? "0" : delta.spent },
    mu2: { cap: mu2.cap, left: hasBlocks ? mu2.cap : mu2.left },
  });
  return {
    rule: ledger.rule,
    activeRule: ledger.activeRule,
    policy: "ask",
    adjacency,
    path: [node("the ledger", ledger.balance), node(name, balance)],
  };
}
