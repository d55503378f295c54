import type { DeltaAmount, EpsilonAmount, ResidueAmount } from "./amount.ts";
import type { DpEvent } from "./event.ts";
import { type Price, priceEvents } from "./price.ts";
import { leastResidue, type Margin, payResidue } from "./residue.ts";
import type { Adjacency, Caps, FilterState, Lane, Rule } from "./terms.ts";

/** What decides beside the caps: the rule, the lane now in force, and who may switch. */
export interface Standing {
  readonly rule: Rule;
  readonly lane: Lane;
  /** `auto`: the first charge that fits only tight switches the ledger. `ask` (default): only `switchLane` does. */
  readonly policy?: "auto" | "ask";
  readonly adjacency: Adjacency;
}

/** One filter on the path of a charge: the ledger first, then the accounts from the root to the payer. */
export interface FilterNode {
  readonly caps: Caps;
  readonly state: FilterState;
}

/** The certified residue price of a whole charge whose parameters were fixed in advance, at one exact r. [M18] */
export interface ResidueQuote {
  readonly before: ResidueAmount;
  readonly after: ResidueAmount;
  /** η, added to Σδ of the node that pays by this quote. */
  readonly slack: DeltaAmount;
}

export interface Refusal {
  /** Position on the path: 0 is the ledger. */
  readonly index: number;
  readonly dimension: "epsilon" | "delta" | "residue" | "unpriced";
  /** Units of the dimension; null where there is no such number. For `residue`: r, and the least r that could pay. */
  readonly available: bigint | null;
  readonly requested: bigint | null;
}

export type Admission =
  | {
      readonly admitted: true;
      readonly lane: Lane;
      /** This charge moved the ledger from addition to tight. */
      readonly switched: boolean;
      /** One for each node of the path. */
      readonly states: readonly FilterState[];
      readonly price: Price;
    }
  | { readonly admitted: false; readonly lane: Lane; readonly refusals: readonly Refusal[]; readonly price: Price };

/** The lane a rule opens in. */
export const openLane = (rule: Rule): Lane => (rule === "tight" ? "tight" : "addition");

/**
 * Decides one charge, all its events as one step, against every filter on the path under the rule in force. Pure: the
 * caller stores the new states, or nothing on a refusal. [M11]–[M19]
 */
export function admit(
  { rule, lane, policy = "ask", adjacency }: Standing,
  path: readonly FilterNode[],
  events: readonly DpEvent[],
  quotes: readonly ResidueQuote[] = [],
): Admission {
  const price = priceEvents(events, adjacency);
  const states = path.map((node) => nextState(node, price, { lane, quotes }));
  const refusals = path.flatMap((node, index) => refusalsOf(node, states[index] ?? node.state, { price, lane, index }));
  if (refusals.length === 0) return { admitted: true, lane, switched: false, states, price };
  if (lane === "addition" && rule === "additionThenTight" && policy === "auto") {
    const tight = path.map((node) => nextState(node, price, { lane: "tight", quotes }));
    const stays = path.every(
      (node, index) => refusalsOf(node, tight[index] ?? node.state, { price, lane: "tight", index }).length === 0,
    );
    if (stays) return { admitted: true, lane: "tight", switched: true, states: tight, price };
  }
  return { admitted: false, lane, refusals, price };
}

/** Whether an admin may switch: the residue has paid for every charge so far, and the rule knows a switch. [M12] */
export const canSwitch = ({ rule, lane }: Pick<Standing, "rule" | "lane">, ledger: FilterState): boolean =>
  rule === "additionThenTight" && lane === "addition" && ledger.residue !== null;

/** Both sums after a charge, whatever the caps say. A residue that cannot pay becomes null for good. */
export function nextState(
  { caps, state }: FilterNode,
  price: Price,
  { lane, quotes = [], margin = "charge" }: { lane: Lane; quotes?: readonly ResidueQuote[]; margin?: Margin },
): FilterState {
  const epsilon = state.epsilon === null || price.epsilon === null ? null : state.epsilon + price.epsilon;
  const delta = state.delta + price.delta;
  const before = state.residue;
  const folded = before === null || price.residue === null ? null : payResidue(before, price.residue, margin);
  const quote = quotes.find((each) => each.before === before && each.after < each.before && each.after >= 0n);
  if (quote !== undefined && (folded === null || quote.after > folded)) {
    // η counts against Σδ; under addition it must not push out what addition alone would admit.
    if (lane === "tight" || delta + quote.slack <= caps.delta) {
      return stateOf(epsilon, delta + quote.slack, quote.after);
    }
  }
  return stateOf(epsilon, delta, folded);
}

const stateOf = (epsilon: bigint | null, delta: bigint, residue: bigint | null): FilterState => ({
  epsilon: epsilon as EpsilonAmount | null,
  delta: delta as DeltaAmount,
  residue: residue as ResidueAmount | null,
});

function refusalsOf(
  { caps, state }: FilterNode,
  after: FilterState,
  { price, lane, index }: { price: Price; lane: Lane; index: number },
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  if (lane === "addition") {
    if (after.epsilon === null) refusals.push({ index, dimension: "unpriced", available: null, requested: null });
    else if (after.epsilon > caps.epsilon) {
      const available = caps.epsilon - (state.epsilon ?? 0n);
      refusals.push({ index, dimension: "epsilon", available, requested: price.epsilon });
    }
  } else if (after.residue === null) {
    if (price.residue === null) refusals.push({ index, dimension: "unpriced", available: null, requested: null });
    else
      refusals.push({ index, dimension: "residue", available: state.residue, requested: leastResidue(price.residue) });
  }
  if (after.delta > caps.delta) {
    refusals.push({
      index,
      dimension: "delta",
      available: caps.delta - state.delta,
      requested: after.delta - state.delta,
    });
  }
  return refusals;
}
