import type { DeltaAmount, Mu2Amount } from "../amounts/amount.ts";
import { plus } from "../amounts/arithmetic.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "./adjacency.ts";
import type { Caps, FilterState } from "./filter-state.ts";
import { type Price, priceEvents } from "./price.ts";
import { type Margin, payMu2 } from "./remaining-mu2.ts";
import { type ActiveRule, activeRuleRow, hasRoom, nextRule, type Rule, ruleRow, type Shortfall } from "./rules.ts";

/** What decides in addition to the caps: the ledger's rule, the rule in force, and who may switch. */
export interface FilterTerms {
  readonly rule: Rule;
  readonly activeRule: ActiveRule;
  /** `auto`: the first charge that fits only the next rule switches the ledger. `ask` (default): an admin does. */
  readonly policy?: "auto" | "ask";
  readonly adjacency: Adjacency;
}

/** One filter on the path of a charge: the ledger first, then the accounts from the root to the payer. */
export interface FilterNode {
  readonly caps: Caps;
  readonly state: FilterState;
}

/** The certified price in μ² of a whole charge whose parameters were fixed in advance, at one exact r. [M18] */
export interface Mu2Quote {
  readonly before: Mu2Amount;
  readonly after: Mu2Amount;
  /** η, added to Σδ of the node that pays by this quote. */
  readonly slack: DeltaAmount;
}

export interface Refusal extends Shortfall {
  /** Position on the path: 0 is the ledger. */
  readonly index: number;
}

export type Admission =
  | {
      readonly admitted: true;
      readonly activeRule: ActiveRule;
      /** This charge switched the ledger to the next rule. */
      readonly switched: boolean;
      /** One for each node of the path. */
      readonly states: readonly FilterState[];
      readonly price: Price;
    }
  | {
      readonly admitted: false;
      readonly activeRule: ActiveRule;
      readonly refusals: readonly Refusal[];
      readonly price: Price;
    };

/** The rule in force when a ledger opens. */
export const openingRule = (rule: Rule): ActiveRule => ruleRow(rule).opens;

/**
 * Decides one charge, all its events as one step, against every filter on the path under the rule in force. Pure: the
 * caller stores the new states, or nothing on a refusal. [M11]–[M19]
 */
export function admit(
  terms: FilterTerms,
  path: readonly FilterNode[],
  events: readonly DpEvent[],
  quotes: readonly Mu2Quote[] = [],
): Admission {
  const price = priceEvents(events, terms.adjacency);
  const paid = pay(terms, path, price, quotes);
  if (paid !== null) return { admitted: true, ...paid, price };
  return {
    admitted: false,
    activeRule: terms.activeRule,
    refusals: refusals(terms.activeRule, path, price, quotes),
    price,
  };
}

/** The decision alone: the states after the charge, or null where a filter has no room. It searches for nothing, as what a refusal says must. */
export function pay(
  { rule, activeRule, policy = "ask" }: Omit<FilterTerms, "adjacency">,
  path: readonly FilterNode[],
  price: Price,
  quotes: readonly Mu2Quote[],
): Omit<Extract<Admission, { admitted: true }>, "admitted" | "price"> | null {
  const next = policy === "auto" ? nextRule(rule, activeRule) : null;
  for (const active of next === null ? [activeRule] : [activeRule, next]) {
    const states: FilterState[] = [];
    for (const node of path) {
      const after = nextState(node, price, { activeRule: active, quotes });
      if (!hasRoom(node.caps, after, active)) break;
      states.push(after);
    }
    if (states.length === path.length) return { activeRule: active, switched: active !== activeRule, states };
  }
  return null;
}

/** What each filter without room lacks under the rule in force. */
export const refusals = (
  activeRule: ActiveRule,
  path: readonly FilterNode[],
  price: Price,
  quotes: readonly Mu2Quote[],
): readonly Refusal[] =>
  path.flatMap((node, index) =>
    refusalsOf(node, nextState(node, price, { activeRule, quotes }), { price, activeRule, index }),
  );

/**
 * Whether an admin may switch: the ledger's rule has a next rule, and that one could have paid for every charge so far.
 * [M12]
 */
export function canSwitch(
  { rule, activeRule }: Pick<FilterTerms, "rule" | "activeRule">,
  ledger: FilterState,
): boolean {
  const next = nextRule(rule, activeRule);
  return next !== null && ledger[activeRuleRow(next).counts] !== null;
}

/**
 * Both sums after a charge, without a check of the caps. A remaining μ² that cannot pay becomes null and stays null.
 */
export function nextState(
  { caps, state }: FilterNode,
  price: Price,
  {
    activeRule,
    quotes = [],
    margin = "charge",
  }: { activeRule: ActiveRule; quotes?: readonly Mu2Quote[]; margin?: Margin },
): FilterState {
  const epsilon = state.epsilon === null || price.epsilon === null ? null : plus(state.epsilon, price.epsilon);
  const delta = plus(state.delta, price.delta);
  const before = state.mu2;
  const folded = before === null || price.mu2 === null ? null : payMu2(before, price.mu2, margin);
  const quote = quotes.find((each) => each.before === before && each.after < each.before && each.after >= 0n);
  if (quote !== undefined && (folded === null || quote.after > folded)) {
    // η counts against Σδ. A rule that does not count μ² must admit as much as it would without η.
    const withSlack = plus(delta, quote.slack);
    if (activeRuleRow(activeRule).counts === "mu2" || withSlack <= caps.delta)
      return { epsilon, delta: withSlack, mu2: quote.after };
  }
  return { epsilon, delta, mu2: folded };
}

function refusalsOf(
  { caps, state }: FilterNode,
  after: FilterState,
  { price, activeRule, index }: { price: Price; activeRule: ActiveRule; index: number },
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  const rule = activeRuleRow(activeRule);
  if (!rule.admits(caps, after)) refusals.push({ index, ...rule.shortfall(caps, state, price) });
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
