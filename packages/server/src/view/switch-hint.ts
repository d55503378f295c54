import { type Adjacency, type DpEvent, formatMu2, nextRule, payMu2, priceEvents } from "@dosimeter/core";
import type { Ledger, Quote } from "@dosimeter/ledger";

/**
 * Where addition refuses a plan that the tight rule would pay: what it would cost there and who can switch. Null where the
 * ledger cannot switch, or where switching does not help.
 */
export function switchHint(
  quote: Quote,
  ledger: Ledger,
  { events, adjacency }: { readonly events: readonly DpEvent[]; readonly adjacency: Adjacency },
): string | null {
  if (quote.admitted || nextRule(ledger.rule, ledger.activeRule) === null) return null;
  if (quote.refusals.some(({ dimension }) => dimension !== "epsilon" && dimension !== "unpriced")) return null;
  const { mu2: price } = priceEvents(events, adjacency);
  if (price === null) return null;
  const left = quote.before.map(({ state }) => state.mu2);
  const after = left.map((amount) => (amount === null ? null : payMu2(amount, price)));
  const [before, rest] = [left[0], after[0]];
  if (before == null || rest == null || after.includes(null)) return null;
  const cost = formatMu2(before - rest);
  return `The tight rule has room for it: it would take μ² = ${cost} of the ${formatMu2(before)} that the ledger has left. An admin of the dataset can switch the ledger to it, once and for good (dosimeter ledger switch)`;
}
