import type { DpEvent } from "../event.ts";
import type { Adjacency } from "./adjacency.ts";
import { type Mu2Quote, nextState, openingRule } from "./filter.ts";
import { type Caps, type FilterState, sameState } from "./filter-state.ts";
import { priceEvents } from "./price.ts";
import { type ActiveRule, hasRoom, nextRule, type Rule } from "./rules.ts";
import { openState } from "./terms.ts";

/** One charge as the ledger stores it. */
export interface ChargedStep {
  readonly events: readonly DpEvent[];
  /** The rule in force after it: a switch by the charge itself shows here. */
  readonly activeRule: ActiveRule;
  readonly quotes?: readonly Mu2Quote[];
}

/** The state after every prefix of a history, from the opening on, bit for bit as the same build stored it. [M21] */
export function replay(caps: Caps, history: readonly ChargedStep[], adjacency: Adjacency): readonly FilterState[] {
  let state = openState(caps);
  const states = [state];
  for (const { events, activeRule, quotes = [] } of history) {
    state = nextState({ caps, state }, priceEvents(events, adjacency), { activeRule, quotes });
    states.push(state);
  }
  return states;
}

export interface StoredStep extends ChargedStep {
  readonly before: FilterState;
  readonly after: FilterState;
}

export interface Discrepancy {
  /** Position in the history. */
  readonly index: number;
  readonly problem:
    | "notTheOpeningState"
    | "notThePreviousState"
    | "activeRuleMovedBack"
    | "epsilon"
    | "delta"
    | "mu2"
    | "overCap";
}

/**
 * Checks a stored history without trusting the build that wrote it: sums exactly, every step of the remaining μ²
 * against the domination inequality with outward rounding, caps at every prefix. Empty when all is well. [M21]
 */
export function verifyHistory(
  { caps, rule, adjacency }: { caps: Caps; rule: Rule; adjacency: Adjacency },
  history: readonly StoredStep[],
): readonly Discrepancy[] {
  const found: Discrepancy[] = [];
  let previous = openState(caps);
  let activeRule = openingRule(rule);
  history.forEach((step, index) => {
    const report = (problem: Discrepancy["problem"]): number => found.push({ index, problem });
    if (!sameState(step.before, previous)) report(index === 0 ? "notTheOpeningState" : "notThePreviousState");
    if (step.activeRule !== activeRule && step.activeRule !== nextRule(rule, activeRule)) report("activeRuleMovedBack");
    activeRule = step.activeRule;
    const price = priceEvents(step.events, adjacency);
    const expected = nextState({ caps, state: step.before }, price, {
      activeRule,
      quotes: step.quotes ?? [],
      margin: "verify",
    });
    const { after } = step;
    if (after.epsilon !== expected.epsilon) report("epsilon");
    if (after.delta < step.before.delta + price.delta || after.delta > expected.delta) report("delta");
    if (after.mu2 !== null && (expected.mu2 === null || after.mu2 > expected.mu2)) report("mu2");
    if (!hasRoom(caps, after, activeRule)) report("overCap");
    previous = after;
  });
  return found;
}
