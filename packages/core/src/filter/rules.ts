import {
  type DeltaAmount,
  deltaAmount,
  type EpsilonAmount,
  epsilonNumber,
  formatDelta,
  formatEpsilon,
  formatMu2,
  type Mu2Amount,
  mu2Number,
  NO_EPSILON,
  NO_MU2,
} from "../amounts/amount.ts";
import { minus } from "../amounts/arithmetic.ts";
import type { Decimal } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { gaussianDelta } from "../numeric/gaussian-profile.ts";
import type { Caps, FilterState } from "./filter-state.ts";
import type { Price } from "./price.ts";
import { largestMu2, largestPure, leastMu2 } from "./remaining-mu2.ts";

/** Why a filter refuses a charge. */
export interface Shortfall {
  readonly dimension: "epsilon" | "delta" | "mu2" | "unpriced";
  /** Units of the dimension; null where there is no such number. For `mu2`: r, and the least r that could pay. */
  readonly available: bigint | null;
  readonly requested: bigint | null;
}

/** How a filter decides while this rule is in force. */
export interface ActiveRuleRow {
  readonly label: string;
  /** The end of the sentence "added up by …", and the label of the gauge. */
  readonly words: string;
  readonly counting: string;
  /** What a gauge shows: the field of a state, a cap and a balance that this rule counts, and its unit. */
  readonly counts: "epsilon" | "mu2";
  readonly unit: "ε" | "μ²";
  /** Whether the state depends on the order of the charges and must be replayed from the history. A sum does not. */
  readonly isFold: boolean;
  /** Whether the rule has room for a filter in this state. Σδ has a cap of its own under every rule. */
  readonly admits: (caps: Caps, state: FilterState) => boolean;
  /** Why it does not, for a charge of this price that would lead from `before` to a state without room. */
  readonly shortfall: (caps: Caps, before: FilterState, price: Price) => Shortfall;
  /** How much of it is spent; null when the history has no value there. */
  readonly spent: (caps: Caps, state: FilterState) => bigint | null;
  /** The largest ε of one pure charge that fits now. */
  readonly largestPure: (caps: Caps, state: FilterState) => EpsilonAmount;
}

const UNPRICED: Shortfall = { dimension: "unpriced", available: null, requested: null };

const activeRules = {
  addition: {
    label: "addition",
    words: "addition",
    counting: "counted by addition",
    counts: "epsilon",
    unit: "ε",
    isFold: false,
    admits: (caps, { epsilon }) => epsilon !== null && epsilon <= caps.epsilon,
    shortfall: (caps, { epsilon }, price) =>
      epsilon === null || price.epsilon === null
        ? UNPRICED
        : { dimension: "epsilon", available: caps.epsilon - epsilon, requested: price.epsilon },
    spent: (_caps, { epsilon }) => epsilon,
    largestPure: (caps, { epsilon }) => (epsilon === null ? NO_EPSILON : minus(caps.epsilon, epsilon)),
  },
  tight: {
    label: "tight",
    words: "the tight rule",
    counting: "counted as remaining μ², the tight rule",
    counts: "mu2",
    unit: "μ²",
    isFold: true,
    admits: (_caps, { mu2 }) => mu2 !== null,
    shortfall: (_caps, { mu2 }, price) =>
      price.mu2 === null ? UNPRICED : { dimension: "mu2", available: mu2, requested: leastMu2(price.mu2) },
    spent: (caps, { mu2 }) => (mu2 === null ? null : caps.mu2 - mu2),
    largestPure: (_caps, { mu2 }) => largestPure(mu2),
  },
} as const satisfies Record<string, ActiveRuleRow>;

/** The admission rule in force, which decides each charge. A ledger's rule opens with one and may switch to another. */
export type ActiveRule = keyof typeof activeRules;

export interface Lifetime {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  /** δ_f: what the tight filter may lose. */
  readonly deltaFilter: DeltaAmount;
  /** δ_m: room for the sum of the events' own δ (key selection, plan slack). δ_f + δ_m = δ. */
  readonly deltaSelection: DeltaAmount;
  /** μ₀²: the largest with δ_Gauss(ε; μ₀²) ≤ δ_f, rounded down. */
  readonly mu2: Mu2Amount;
}

/** How a ledger opens under a rule, and its guarantee. */
export interface RuleRow {
  readonly label: string;
  /** The texts of the pages: a short one, and one for the form that chooses the rule. */
  readonly words: { readonly short: string; readonly offer: string };
  readonly opens: ActiveRule;
  /** The rule it may switch to; a switch is final. Null for none. */
  readonly switchesTo: ActiveRule | null;
  readonly caps: {
    /** δ_m of a new ledger, from its δ and what was asked for. */
    readonly deltaSelection: (delta: DeltaAmount, given?: Decimal) => DeltaAmount;
    /** Whether a caller may choose δ_m. */
    readonly takesDeltaSelection: boolean;
    /** r₀ of a ledger, or of an account that caps what its holder learns. */
    readonly mu2: (epsilon: EpsilonAmount, deltaFilter: DeltaAmount) => Mu2Amount;
  };
  /** The guarantee of all releases together. */
  readonly guarantee: {
    readonly form: "pureAndDelta" | "gaussianAndDelta" | "profileFrom";
    readonly words: (lifetime: Lifetime) => string;
    /** The ε from which `delta` holds. */
    readonly from: (lifetime: Lifetime) => number;
    /** δ at ε = x, without δ_m, rounded up. */
    readonly delta: (lifetime: Lifetime, x: number) => number;
  };
}

const ROUND_UP = 1 + 1e-12;

/** The given δ_m, or a tenth of δ. */
function givenOrTenth(delta: DeltaAmount, given?: Decimal): DeltaAmount {
  if (given === undefined) return (delta / 10n) as DeltaAmount;
  const selection = deltaAmount(given, "down", "deltaSelection");
  if (selection > delta) {
    invalid("deltaSelection", given, "at most delta");
  }
  return selection;
}

const gaussianCaps = { deltaSelection: givenOrTenth, takesDeltaSelection: true, mu2: largestMu2 } as const;

const gaussianProfile = ({ mu2 }: Lifetime, x: number): number => gaussianDelta(x, mu2Number(mu2, "up")) * ROUND_UP;

/** Every admission rule, one row each. The wire, the pages and the command line list these; `verify` has its own reading. */
const rules = {
  addition: {
    label: "addition",
    words: {
      short: "addition: ε simply adds up",
      offer: "Addition: ε simply adds up. Best for a few big answers; Gaussian noise is refused",
    },
    opens: "addition",
    switchesTo: null,
    caps: { deltaSelection: (delta) => delta, takesDeltaSelection: false, mu2: () => NO_MU2 },
    guarantee: {
      form: "pureAndDelta",
      words: ({ epsilon, deltaSelection }) => {
        const [e, d] = [formatEpsilon(epsilon), formatDelta(deltaSelection)];
        return deltaSelection === 0n ? `${e}-DP.` : `${e}-DP composed with (0, ${d})-DP; so it is (${e}, ${d})-DP.`;
      },
      from: ({ epsilon }) => epsilonNumber(epsilon, "up"),
      delta: () => 0,
    },
  },
  tight: {
    label: "tight",
    words: {
      short: "tight: many answers cost less together",
      offer: "Tight: many small answers, and Gaussian noise, cost less together",
    },
    opens: "tight",
    switchesTo: null,
    caps: gaussianCaps,
    guarantee: {
      form: "gaussianAndDelta",
      words: ({ epsilon, delta, deltaSelection, mu2 }) =>
        `μ-GDP with μ² = ${formatMu2(mu2)} composed with (0, ${formatDelta(deltaSelection)})-DP; so it is (${formatEpsilon(epsilon)}, ${formatDelta(delta)})-DP.`,
      from: () => 0,
      delta: gaussianProfile,
    },
  },
  additionThenTight: {
    label: "addition first, then tight",
    words: {
      short: "addition first, then tight",
      offer: "Automatic: simple sums first, then the tight rule, which fits more",
    },
    opens: "addition",
    switchesTo: "tight",
    caps: gaussianCaps,
    guarantee: {
      form: "profileFrom",
      words: ({ epsilon, delta, deltaSelection, mu2 }) => {
        const e = formatEpsilon(epsilon);
        return `(${e}, ${formatDelta(delta)})-DP, and (x, δ(x))-DP for every x ≥ ${e} with δ(x) = δ_Gauss(x; μ² = ${formatMu2(mu2)}) + ${formatDelta(deltaSelection)}.`;
      },
      from: ({ epsilon }) => epsilonNumber(epsilon, "up"),
      delta: gaussianProfile,
    },
  },
} as const satisfies Record<string, RuleRow>;

/** The admission rule that a ledger is opened under, for its lifetime: see [M10]–[M13]. */
export type Rule = keyof typeof rules;

/** The rule of a ledger that is opened without one. */
export const DEFAULT_RULE: Rule = "additionThenTight";
export const ruleNames = Object.keys(rules) as readonly Rule[];
export const activeRuleNames = Object.keys(activeRules) as readonly ActiveRule[];

/** INVALID_PARAMETER for a name that is no rule: someone may have edited the database or the export. */
export function ruleRow(rule: Rule): RuleRow {
  return Object.hasOwn(rules, rule) ? rules[rule] : invalid("rule", rule, `one of ${ruleNames.join(", ")}`);
}
export function activeRuleRow(active: ActiveRule): ActiveRuleRow {
  return Object.hasOwn(activeRules, active)
    ? activeRules[active]
    : invalid("active rule", active, `one of ${activeRuleNames.join(", ")}`);
}

/** The rule that a ledger may still switch to; null when there is none or the switch has been made. */
export const nextRule = (rule: Rule, active: ActiveRule): ActiveRule | null =>
  active === ruleRow(rule).opens ? ruleRow(rule).switchesTo : null;

/** Whether an (account's or ledger's) state has room, in Σδ too. */
export const hasRoom = (caps: Caps, state: FilterState, active: ActiveRule): boolean =>
  state.delta <= caps.delta && activeRuleRow(active).admits(caps, state);

/** A part of a whole, from 0 to 1, for display: 1 where the part has no sum, and nothing of a whole of 0 where it is 0 too. */
export function amountShare(part: bigint | null, whole: bigint): number {
  if (part === null) return 1;
  if (whole === 0n) return part === 0n ? 0 : 1;
  return Math.min(1, Number(part) / Number(whole));
}

/** What of a filter is spent, from 0 to 1, in what the rule in force counts. */
export function spentShare(caps: Caps, state: FilterState, active: ActiveRule): number {
  const { counts, spent } = activeRuleRow(active);
  return amountShare(spent(caps, state), caps[counts]);
}
