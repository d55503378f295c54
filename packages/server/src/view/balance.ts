import type { Balance as BalanceView } from "@dosimeter/client";
import {
  type ActiveRule,
  amountShare,
  type Caps,
  type FilterState,
  formatDelta,
  formatEpsilon,
  formatMu2,
  spentShare,
  type Terms,
} from "@dosimeter/core";
import type { Quota } from "@dosimeter/ledger";

/** A node's caps and state under the rule in force. */
export interface Node {
  readonly activeRule: ActiveRule;
  readonly caps: Caps;
  readonly state: FilterState;
}

/** Both sums of a node, exact, with the headline share of the rule in force. */
export function balanceView({ activeRule, caps, state }: Node): BalanceView {
  const mu2Spent = state.mu2 === null ? null : caps.mu2 - state.mu2;
  return {
    activeRule,
    epsilon: gauge(caps.epsilon, state.epsilon, (units) => formatEpsilon(units)),
    delta: gauge(caps.delta, state.delta, (units) => formatDelta(units)),
    mu2: gauge(caps.mu2, mu2Spent, (units) => formatMu2(units)),
    used: spentShare(caps, state, activeRule),
    usedDelta: amountShare(state.delta, caps.delta),
  };
}

/** An amount of ε, where there is one. */
export const epsilonOrNull = (units: bigint | null): string | null => (units === null ? null : formatEpsilon(units));

export const quotaView = ({ epsilon, delta }: Quota) => ({
  epsilon: formatEpsilon(epsilon),
  delta: formatDelta(delta),
});

/** What a node has given to accounts below that they did not spend, and what is free: with what is spent it is the budget. */
export const roomView = ({ caps, state }: Pick<Node, "caps" | "state">, free: Quota) => ({
  promised: state.epsilon === null ? null : formatEpsilon(atLeastNothing(caps.epsilon - state.epsilon - free.epsilon)),
  free: quotaView(free),
});

/** What is promised over a lifetime, and how the filter divides it. */
export const promiseView = ({
  epsilon,
  delta,
  deltaFilter,
  deltaSelection,
  mu2,
}: Omit<Terms, "rule" | "adjacency">) => ({
  epsilon: formatEpsilon(epsilon),
  delta: formatDelta(delta),
  deltaFilter: formatDelta(deltaFilter),
  deltaSelection: formatDelta(deltaSelection),
  muSquared: formatMu2(mu2),
});

const atLeastNothing = (units: bigint): bigint => (units > 0n ? units : 0n);

function gauge(cap: bigint, spent: bigint | null, format: (units: bigint) => string) {
  if (spent === null) return { cap: format(cap), spent: null, left: null };
  return { cap: format(cap), spent: format(spent), left: format(atLeastNothing(cap - spent)) };
}
