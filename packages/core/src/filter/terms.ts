import {
  type DeltaAmount,
  deltaAmount,
  type EpsilonAmount,
  epsilonAmount,
  type Mu2Amount,
  NO_DELTA,
  NO_EPSILON,
} from "../amounts/amount.ts";
import { minus } from "../amounts/arithmetic.ts";
import type { Decimal } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import type { Adjacency } from "./adjacency.ts";
import type { Caps, FilterState } from "./filter-state.ts";
import { activeRuleRow, type Lifetime, type Rule, ruleRow } from "./rules.ts";

/** What a ledger promises for its lifetime: fixed at opening, changed only by an amendment. */
export interface Terms extends Lifetime {
  readonly rule: Rule;
  readonly adjacency: Adjacency;
}

/** Permission to spend; a missing δ is the pro-rata share of the ledger's. */
export interface Quota {
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount;
}

export interface Opening {
  /** Lifetime ε, > 0. */
  readonly epsilon: Decimal;
  /** Lifetime δ in [0, 1). */
  readonly delta: Decimal;
  readonly rule: Rule;
  readonly adjacency?: Adjacency;
  /** δ_m itself (not a fraction), 0 to δ; default δ/10, and all of δ for a ledger whose rule only adds. */
  readonly deltaSelection?: Decimal;
}

/** A million nats: sums stay within 64-bit storage. */
export const MAX_EPSILON = (10n ** 18n) as EpsilonAmount;

/** The terms of a new ledger; caps round down. INVALID_PARAMETER for ε ≤ 0 or > 10⁶, δ ≥ 1, `tight` without δ. [M10] */
export function openTerms({ epsilon, delta, rule, adjacency = "addRemove", deltaSelection }: Opening): Terms {
  const epsilonCap = epsilonAmount(epsilon, "down");
  if (epsilonCap <= 0n || epsilonCap > MAX_EPSILON) {
    invalid("epsilon", epsilon, "at least 1e-12 and at most 1e6");
  }
  const deltaCap = deltaAmount(delta, "down");
  if (deltaCap >= 10n ** 18n) invalid("delta", delta, "below 1");
  const { caps, opens } = ruleRow(rule);
  const selection = caps.deltaSelection(deltaCap, deltaSelection);
  const filter = minus(deltaCap, selection);
  const mu2 = caps.mu2(epsilonCap, filter);
  if (mu2 === 0n && activeRuleRow(opens).counts === "mu2") {
    invalid("delta", delta, `large enough for the rule ${ruleRow(rule).label}`);
  }
  return {
    rule,
    adjacency,
    epsilon: epsilonCap,
    delta: deltaCap,
    deltaFilter: filter,
    deltaSelection: selection,
    mu2,
  };
}

export const ledgerCaps = ({ epsilon, deltaSelection, mu2 }: Terms): Caps => ({
  epsilon,
  delta: deltaSelection,
  mu2,
});

/** An account's share: ε_q, δ_m·δ_q/δ and μ₀²·ε_q/ε, each rounded down. It carries no guarantee of its own. [M14] */
export function shareCaps(terms: Terms, quota: Quota): Caps {
  return {
    epsilon: quota.epsilon,
    delta: deltaRoom(terms, quota),
    mu2: ((terms.mu2 * quota.epsilon) / terms.epsilon) as Mu2Amount,
  };
}

/** An account's cap on what its holder learns: r₀ solves δ_Gauss(ε_q; r₀) = δ_f·δ_q/δ instead. [M14] */
export function capCaps(terms: Terms, quota: Quota): Caps {
  const filter = terms.delta === 0n ? 0n : (terms.deltaFilter * quotaDelta(terms, quota)) / terms.delta;
  return {
    epsilon: quota.epsilon,
    delta: deltaRoom(terms, quota),
    mu2: ruleRow(terms.rule).caps.mu2(quota.epsilon, filter as DeltaAmount),
  };
}

/** A quota's δ: its own, or pro rata. */
export const quotaDelta = (terms: Terms, { epsilon, delta }: Quota): DeltaAmount =>
  delta ?? (((terms.delta * epsilon) / terms.epsilon) as DeltaAmount);

const deltaRoom = (terms: Terms, quota: Quota): DeltaAmount =>
  (terms.delta === 0n ? 0n : (terms.deltaSelection * quotaDelta(terms, quota)) / terms.delta) as DeltaAmount;

export const openState = (caps: Caps): FilterState => ({
  epsilon: NO_EPSILON,
  delta: NO_DELTA,
  mu2: caps.mu2,
});
