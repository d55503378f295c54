import { deltaNumber, formatDelta, formatEpsilon, formatMu2, mu2Number } from "../amounts/amount.ts";
import { invalid } from "../error.ts";
import { normalQuantile } from "../numeric/special.ts";
import { type RuleRow, ruleRow } from "./rules.ts";
import { type Opening, openTerms, type Terms } from "./terms.ts";

/** The guarantee of all releases of a ledger together. The ledger's rule decides it, never the rule in force. [M13] */
export interface Guarantee {
  readonly form: RuleRow["guarantee"]["form"];
  /** The (ε, δ) that the sentence names, exact decimals. */
  readonly epsilon: string;
  readonly delta: string;
  readonly muSquared: string;
  readonly deltaSelection: string;
  readonly sentence: string;
}

const ROUND_UP = 1 + 1e-12;

export function guarantee(terms: Terms): Guarantee {
  const { form, words } = ruleRow(terms.rule).guarantee;
  const about = "Everything ever released about this population, whatever was asked and in whatever order, is together";
  return {
    form,
    epsilon: formatEpsilon(terms.epsilon),
    delta: formatDelta(terms.delta),
    muSquared: formatMu2(terms.mu2),
    deltaSelection: formatDelta(terms.deltaSelection),
    sentence: `${about} ${words(terms)}`,
  };
}

/** An upper bound on the δ of everything released, at any ε = x ≥ 0. Below the ledger's ε it follows from (ε, δ) alone. [M13] */
export function guaranteeDelta(terms: Terms, x: number): number {
  const least = leastEpsilon(terms);
  if (x < least) {
    // (ε, δ)-DP gives (x, 1 − (1 − δ)(1 + eˣ)/(1 + e^ε))-DP for x < ε
    const at = curveDelta(terms, least);
    return Math.min(1, (at + (1 - at) * ((1 - Math.exp(x - least)) / (1 + Math.exp(-least)))) * ROUND_UP);
  }
  return curveDelta(terms, x);
}

/** The trade-off curve of the guarantee: no attack on everything released has type II error below this at type I error α. [M13] */
export function guaranteeTradeoff(terms: Terms, alpha: number): number {
  if (!(alpha >= 0 && alpha <= 1)) {
    invalid("alpha", alpha, "between 0 and 1");
  }
  const least = leastEpsilon(terms);
  const muSquared = mu2Number(terms.mu2, "up");
  const mu = Math.sqrt(muSquared);
  // where the derivatives of the two branches in x vanish; any x ≥ ε gives a valid bound
  const first = mu === 0 ? least : Math.max(least, Math.min(700, -mu * normalQuantile(alpha) - muSquared / 2));
  const rest = Math.min(1, Math.max(0, 1 - alpha - deltaNumber(terms.deltaSelection, "up")));
  const second = mu === 0 ? least : Math.max(least, Math.min(700, muSquared / 2 - mu * normalQuantile(rest)));
  const low = 1 - curveDelta(terms, first) - Math.exp(first + Math.log(alpha));
  const high = Math.exp(-second) * (1 - curveDelta(terms, second) - alpha);
  return Math.max(0, low, high);
}

/** The sentence holds from this ε on. */
const leastEpsilon = (terms: Terms): number => ruleRow(terms.rule).guarantee.from(terms);

const curveDelta = (terms: Terms, x: number): number =>
  Math.min(1, ruleRow(terms.rule).guarantee.delta(terms, x) + deltaNumber(terms.deltaSelection, "up"));

export interface Amendment {
  readonly terms: Terms;
  /** The guarantee of histories that end under this version. */
  readonly sentence: string;
  /**
   * The guarantee of more histories: the new terms when no answer was released before, until a further raise; the ceiling when the
   * new terms stay within it, until a raise past it; else null.
   */
  readonly unconditional: Guarantee | null;
}

export type Raise = Pick<Opening, "epsilon" | "delta" | "deltaSelection">;

/** What an amendment of a ledger's terms may raise and never lower. */
export const neverFall = ["epsilon", "deltaFilter", "deltaSelection", "mu2"] as const;

/**
 * Raises a ledger's caps: never lower in ε, δ_f, δ_m or μ₀², else INVALID_PARAMETER. Every charge is then replayed
 * under the new caps (`replay`). The ceiling is the largest terms of the ledger, declared when it opened; null where none was. [M22]
 */
export function amendTerms(
  current: Terms,
  raise: Raise,
  { ceiling, answersSeen }: { ceiling: Terms | null; answersSeen: boolean },
): Amendment {
  const terms = openTerms({ ...raise, rule: current.rule, adjacency: current.adjacency });
  for (const name of neverFall) {
    if (terms[name] < current[name]) {
      invalid(name, terms[name], `at least ${current[name]} units`);
    }
  }
  const { epsilon, delta } = guarantee(terms);
  const isWithin = ceiling !== null && neverFall.every((name) => terms[name] <= ceiling[name]);
  const unconditional = answersSeen ? (isWithin ? guarantee(ceiling) : null) : guarantee(terms);
  const last = `Among the histories in which this version is the last, what was released is (${epsilon}, ${delta})-DP.`;
  const none =
    " Past the declared ceiling no unconditional sentence exists: the caps were raised after answers had been seen.";
  return { terms, sentence: unconditional === null ? last + none : last, unconditional };
}
