import {
  type DeltaAmount,
  deltaAmount,
  deltaNumber,
  type EpsilonAmount,
  epsilonAmount,
  epsilonNumber,
  type ResidueAmount,
  residueNumber,
} from "./amount.ts";
import { PrivacyError } from "./error.ts";
import { logGaussianDelta } from "./gaussian-profile.ts";
import type { Decimal } from "./rational.ts";

/** Which filter admits: see DESIGN §2 and [M10]–[M13]. */
export type Rule = "addition" | "tight" | "additionThenTight";
/** The one sum in force now. */
export type Lane = "addition" | "tight";
/** What one privacy unit's change means; it belongs to the ledger and is never mixed. */
export type Adjacency = "addRemove" | "replace" | "replaceSpecial";

/** What a ledger promises for its lifetime: fixed at opening, changed only by an amendment. */
export interface Terms {
  readonly rule: Rule;
  readonly adjacency: Adjacency;
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  /** δ_f: what the tight filter may lose. */
  readonly deltaFilter: DeltaAmount;
  /** δ_m: room for the sum of the events' own δ (key selection, plan slack). δ_f + δ_m = δ. */
  readonly deltaSelection: DeltaAmount;
  /** μ₀²: the largest with δ_Gauss(ε; μ₀²) ≤ δ_f, rounded down. */
  readonly residue: ResidueAmount;
}

/** Permission to spend; a missing δ is the pro-rata share of the ledger's. */
export interface Quota {
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount;
}

/** The room of one filter: a ledger's or an account's. */
export interface Caps {
  readonly epsilon: EpsilonAmount;
  /** Room for Σδ. */
  readonly delta: DeltaAmount;
  /** r₀. */
  readonly residue: ResidueAmount;
}

/** What a filter has counted so far. */
export interface FilterState {
  /** Σε; null once something was charged that has no pure price. */
  readonly epsilon: EpsilonAmount | null;
  /** Σδ. */
  readonly delta: DeltaAmount;
  /** r, the μ² that is left; null once the history no longer fits it. */
  readonly residue: ResidueAmount | null;
}

export interface Opening {
  /** Lifetime ε, > 0. */
  readonly epsilon: Decimal;
  /** Lifetime δ in [0, 1). */
  readonly delta: Decimal;
  readonly rule: Rule;
  readonly adjacency?: Adjacency;
  /** δ_m itself (not a fraction), 0 to δ; default δ/10, and all of δ for a ledger of addition alone. */
  readonly deltaSelection?: Decimal;
}

/** A million nats: sums stay within 64-bit storage. */
export const LARGEST_EPSILON = (10n ** 18n) as EpsilonAmount;

/** The terms of a new ledger; caps round down. INVALID_PARAMETER for ε ≤ 0 or > 10⁶, δ ≥ 1, `tight` without δ. [M10] */
export function openTerms({ epsilon, delta, rule, adjacency = "addRemove", deltaSelection }: Opening): Terms {
  const epsilonCap = epsilonAmount(epsilon, "down");
  if (epsilonCap <= 0n || epsilonCap > LARGEST_EPSILON) {
    throw new PrivacyError("INVALID_PARAMETER", {
      name: "epsilon",
      got: epsilon,
      want: "at least 1e-12 and at most 1e6",
    });
  }
  const deltaCap = deltaAmount(delta, "down");
  if (deltaCap >= 10n ** 18n)
    throw new PrivacyError("INVALID_PARAMETER", { name: "delta", got: delta, want: "below 1" });
  const selection = selectionShare(rule, deltaCap, deltaSelection);
  const filter = (deltaCap - selection) as DeltaAmount;
  const residue = rule === "addition" ? (0n as ResidueAmount) : largestResidue(epsilonCap, filter);
  if (rule === "tight" && residue === 0n) {
    throw new PrivacyError("INVALID_PARAMETER", { name: "delta", got: delta, want: "large enough for the rule tight" });
  }
  return {
    rule,
    adjacency,
    epsilon: epsilonCap,
    delta: deltaCap,
    deltaFilter: filter,
    deltaSelection: selection,
    residue,
  };
}

function selectionShare(rule: Rule, delta: DeltaAmount, given: Decimal | undefined): DeltaAmount {
  if (rule === "addition") return delta;
  if (given === undefined) return (delta / 10n) as DeltaAmount;
  const selection = deltaAmount(given, "down", "deltaSelection");
  if (selection > delta) {
    throw new PrivacyError("INVALID_PARAMETER", { name: "deltaSelection", got: given, want: "at most delta" });
  }
  return selection;
}

/** The caps of the ledger itself. */
export const ledgerCaps = ({ epsilon, deltaSelection, residue }: Terms): Caps => ({
  epsilon,
  delta: deltaSelection,
  residue,
});

/** An account's share: ε_q, δ_m·δ_q/δ and μ₀²·ε_q/ε, each rounded down. It carries no guarantee of its own. [M14] */
export function shareCaps(terms: Terms, quota: Quota): Caps {
  return {
    epsilon: quota.epsilon,
    delta: deltaRoom(terms, quota),
    residue: ((terms.residue * quota.epsilon) / terms.epsilon) as ResidueAmount,
  };
}

/** An account's cap on what its holder learns: r₀ solves δ_Gauss(ε_q; r₀) = δ_f·δ_q/δ instead. [M14] */
export function capCaps(terms: Terms, quota: Quota): Caps {
  const filter = terms.delta === 0n ? 0n : (terms.deltaFilter * quotaDelta(terms, quota)) / terms.delta;
  return {
    epsilon: quota.epsilon,
    delta: deltaRoom(terms, quota),
    residue: terms.rule === "addition" ? (0n as ResidueAmount) : largestResidue(quota.epsilon, filter as DeltaAmount),
  };
}

/** A quota's δ: its own, or pro rata. */
export const quotaDelta = (terms: Terms, { epsilon, delta }: Quota): DeltaAmount =>
  delta ?? (((terms.delta * epsilon) / terms.epsilon) as DeltaAmount);

const deltaRoom = (terms: Terms, quota: Quota): DeltaAmount =>
  (terms.delta === 0n ? 0n : (terms.deltaSelection * quotaDelta(terms, quota)) / terms.delta) as DeltaAmount;

export const openState = (caps: Caps): FilterState => ({
  epsilon: 0n as EpsilonAmount,
  delta: 0n as DeltaAmount,
  residue: caps.residue,
});

/** The largest μ² with δ_Gauss(ε; μ²) ≤ δ_f, decided with outward rounding; 0 when δ_f is 0. [M10] */
export function largestResidue(epsilon: EpsilonAmount, deltaFilter: DeltaAmount): ResidueAmount {
  if (deltaFilter <= 0n || epsilon <= 0n) return 0n as ResidueAmount;
  const least = epsilonNumber(epsilon, "down");
  const logDelta = Math.log(deltaNumber(deltaFilter, "down"));
  const fits = (units: bigint): boolean => {
    const value = logGaussianDelta(least, residueNumber(units as ResidueAmount, "up"));
    return value + 4e-15 * (1 + least + Math.abs(value)) <= logDelta - 4e-16 * (1 + Math.abs(logDelta));
  };
  let high = 1n;
  while (fits(high)) high *= 2n;
  let low = high / 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low as ResidueAmount;
}
