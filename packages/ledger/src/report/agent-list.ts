import { type Adjacency, formatDelta, formatEpsilon, priceEvent } from "@dosimeter/core";
import { type AgentSpend, gdpEpsilon, type Spend } from "@dosimeter/core/accounting";

/** The part of the budget's δ for a line of Gaussian noise, because AGENT's list has only pairs (ε, δ). */
const GAUSSIAN_SHARE = 1 / 1000;

/**
 * A class of spends as AGENT records queries: an (ε, δ), and its ρ where the noise was Gaussian. undefined where it
 * has no such pair. Gaussian noise is listed with the ε that it has at a thousandth of the budget's δ.
 */
export function agentSpend(
  { event, facts }: Spend,
  { delta, adjacency }: { readonly delta: number; readonly adjacency: Adjacency },
): AgentSpend | undefined {
  if (event.kind === "gaussian" || event.kind === "gdp") {
    const own = delta * GAUSSIAN_SHARE;
    if (!(own > 0)) return undefined;
    return { epsilon: gdpEpsilon(facts.muSquared, own), delta: own, gaussian: true, rho: facts.muSquared / 2 };
  }
  const price = priceEvent(event, adjacency);
  if (price.epsilon === null) return undefined;
  return { epsilon: formatEpsilon(price.epsilon), delta: formatDelta(price.delta) };
}
