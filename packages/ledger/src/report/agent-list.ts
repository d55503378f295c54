import { type Adjacency, type DpEvent, formatDelta, formatEpsilon, priceEvent } from "@dosimeter/core";
import { type AgentSpend, gdpEpsilon, lossFacts, spendClasses } from "@dosimeter/core/accounting";

/** Of the budget's δ, what a line of Gaussian noise is listed with: AGENT's list knows only pairs (ε, δ). */
export const GAUSSIAN_SHARE = 1 / 1000;

/**
 * A list of events as AGENT records queries: an (ε, δ) each, its ρ beside it where the noise was Gaussian. undefined
 * where an event has no such pair. Gaussian noise is listed with the ε that it has at a thousandth of the budget's δ.
 */
export function agentList(
  events: readonly DpEvent[],
  { delta, adjacency }: { readonly delta: number; readonly adjacency: Adjacency },
): readonly AgentSpend[] | undefined {
  const list: AgentSpend[] = [];
  for (const { event, count } of spendClasses(events)) {
    const { muSquared } = lossFacts(event);
    if (event.kind === "gaussian" || event.kind === "gdp") {
      const own = delta * GAUSSIAN_SHARE;
      if (!(own > 0)) return undefined;
      list.push({ epsilon: gdpEpsilon(muSquared, own), delta: own, count, gaussian: true, rho: muSquared / 2 });
      continue;
    }
    const price = priceEvent(event, adjacency);
    if (price.epsilon === null) return undefined;
    list.push({ epsilon: formatEpsilon(price.epsilon), delta: formatDelta(price.delta), count });
  }
  return list;
}
