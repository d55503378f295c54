import { activeRuleRow, type Caps, formatEpsilon, formatMu2, nextState, openState, priceEvents } from "@dosimeter/core";
import type { SpendHistory } from "./history.ts";

/** Left of a node after a number of charges: ε under addition, μ² under tight, exact decimals; null when it has no value. */
export interface PointLeft {
  readonly charges: number;
  readonly at: string | null;
  readonly left: string | null;
}

/** The remaining budget over time, under the present rule and caps; the first point is before any charge. */
export function leftOverTime(history: SpendHistory): readonly PointLeft[] {
  const { admissionTerms, path, stops } = history;
  const caps = path.at(-1)?.caps;
  if (caps === undefined) return [];
  const countsMu2 = activeRuleRow(admissionTerms.activeRule).counts === "mu2";
  const lefts = countsMu2 ? remaining(history, caps) : epsilons(history, caps.epsilon);
  const format = (left: bigint | null): string | null =>
    left === null ? null : countsMu2 ? formatMu2(left) : formatEpsilon(left);
  return [
    { charges: 0, at: null, left: format(countsMu2 ? caps.mu2 : caps.epsilon) },
    ...stops.map(({ charges, at }, index) => ({ charges, at, left: format(lefts[index] ?? null) })),
  ];
}

function epsilons({ kinds, stops, admissionTerms }: SpendHistory, cap: bigint): readonly (bigint | null)[] {
  const prices = kinds.map((events) => priceEvents(events, admissionTerms.adjacency).epsilon);
  let left: bigint | null = cap;
  return stops.map(({ added }) => {
    for (const [kind, count] of added) {
      const price = prices[kind] ?? null;
      left = left === null || price === null ? null : left - price * BigInt(count);
    }
    return left === null || left < 0n ? null : left;
  });
}

/** A ledger stores r after each of its lines; that of an account is replayed from its charges under its present caps. */
function remaining({ isLedger, kinds, stops, admissionTerms, sequence, plans }: SpendHistory, caps: Caps) {
  if (isLedger) return stops.map(({ mu2 }) => mu2);
  const prices = kinds.map((events) => priceEvents(events, admissionTerms.adjacency));
  let state = openState(caps);
  let done = 0;
  return stops.map(({ charges }) => {
    for (; done < charges; done++) {
      const price = prices[sequence[done] ?? 0];
      const quotes = plans.get(done) ?? [];
      if (price !== undefined)
        state = nextState({ caps, state }, price, { activeRule: admissionTerms.activeRule, quotes });
    }
    return state.mu2;
  });
}
