import type { Balance as BalanceView } from "@dosimeter/client";
import {
  type ActiveRule,
  activeRuleRow,
  type Caps,
  type FilterState,
  formatDelta,
  formatEpsilon,
  formatMu2,
} from "@dosimeter/core";
import type { Quota } from "@dosimeter/ledger";

/** A node's caps and state under the rule in force. */
export interface Node {
  readonly lane: ActiveRule;
  readonly caps: Caps;
  readonly state: FilterState;
}

/** Both sums of a node, exact, with the headline share of the rule in force. */
export function balanceView({ lane, caps, state }: Node): BalanceView {
  const { counts, spent } = activeRuleRow(lane);
  const mu2Spent = state.mu2 === null ? null : caps.mu2 - state.mu2;
  const usedDelta = share(state.delta, caps.delta);
  return {
    lane,
    epsilon: gauge(caps.epsilon, state.epsilon, (units) => formatEpsilon(units)),
    delta: gauge(caps.delta, state.delta, (units) => formatDelta(units)),
    residue: gauge(caps.mu2, mu2Spent, (units) => formatMu2(units)),
    used: share(spent(caps, state), caps[counts]),
    usedDelta,
  };
}

/** An amount of ε, where there is one. */
export const epsilonOrNull = (units: bigint | null): string | null => (units === null ? null : formatEpsilon(units));

export const quotaView = ({ epsilon, delta }: Quota) => ({
  epsilon: formatEpsilon(epsilon),
  delta: formatDelta(delta),
});

function gauge(cap: bigint, spent: bigint | null, format: (units: bigint) => string) {
  if (spent === null) return { cap: format(cap), spent: null, left: null };
  return { cap: format(cap), spent: format(spent), left: format(cap > spent ? cap - spent : 0n) };
}

/** For display, in [0, 1]; what can no longer be paid counts as used up. */
function share(spent: bigint | null, cap: bigint): number {
  if (spent === null) return 1;
  return cap === 0n ? 0 : Math.min(1, Number(spent) / Number(cap));
}
