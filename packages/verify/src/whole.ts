import { type Charged, mostLeft, planPrice, type Say, sum } from "./charge.ts";
import type { Row } from "./export.ts";
import { excess } from "./rules.ts";
import { type Terms, units } from "./terms.ts";

/** What is counted in all. */
interface Sums {
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  readonly mu2: bigint | null;
}

/** Where a ledger and an account store them. */
export const sumColumns = [
  { name: "epsilon", column: "state_epsilon", words: "Σε" },
  { name: "delta", column: "state_delta", words: "Σδ" },
  { name: "mu2", column: "state_remaining_mu2", words: "remaining μ²" },
] as const;

export interface Follower {
  /** A charge or a write-off; of its blocks the stored rows. */
  charge(entry: Row, charged: Charged, at: Step): void;
  /** From here on the lifetime is that of these terms, and has paid what was charged before. */
  raise(entry: Row, terms: Terms, say: Say): void;
  /** What the ledger says of itself: of each amount the most that it has counted. `runs`: what is stored of its blocks. */
  close(runs: readonly Row[], say: Say): Sums;
}

interface Step {
  readonly activeRule: string;
  readonly pieces: readonly Row[];
  readonly say: Say;
}

/** A ledger with one lifetime for all. */
export function followWhole(opening: Terms): Follower {
  let terms = opening;
  let state: Sums = { epsilon: 0n, delta: 0n, mu2: terms.mu2 };
  const charges: Charged[] = [];
  return {
    charge: (entry, charged, { activeRule, say }) => {
      const { counted } = charged;
      charges.push(charged);
      const paid = planPrice(entry, counted, { terms, say });
      if (units(entry.remaining_mu2_before) !== state.mu2) say("starts from another μ² than remained");
      const mu2 = units(entry.remaining_mu2_after);
      if (mu2 !== null && paid === undefined) {
        const left = state.mu2 === null || counted.pay === null ? null : counted.pay(state.mu2);
        if (left === null || mu2 > left) say("leaves more μ² than its events allow");
      }
      const delta = state.delta + counted.delta + (units(paid?.slack) ?? 0n);
      state = { epsilon: sum(state.epsilon, counted.epsilon), delta, mu2 };
      if (state.delta > terms.deltaSelection) say("goes beyond the room for Σδ");
      const over = excess(activeRule, state, terms.epsilon);
      if (over === "epsilon") say("goes beyond the lifetime ε");
      if (over === "mu2") say("could not be paid by the remaining μ²");
    },
    raise: (entry, raised, say) => {
      terms = raised;
      state = { ...state, mu2: amended(entry, { terms, charges, say }) };
    },
    close: () => state,
  };
}

/** What an amendment leaves: no more than every charge so far, paid again from the new remaining μ². */
function amended(
  entry: Row,
  { terms, charges, say }: { terms: Terms; charges: readonly Charged[]; say: Say },
): bigint | null {
  const mu2 = units(entry.remaining_mu2_after);
  let left: bigint | null = terms.mu2;
  for (const { price } of charges) left = left === null ? null : mostLeft(price, left);
  if (mu2 !== null && (left === null || mu2 > left)) say("leaves more μ² than its charges allow");
  return mu2;
}
