import {
  type ActiveRule,
  type Adjacency,
  aboutMu2,
  activeRuleRow,
  admit,
  type DpEvent,
  deltaAmount,
  type EpsilonAmount,
  epsilonAmount,
  type FilterNode,
  type FilterState,
  formatRational,
  integerSqrt,
  type Mu2Step,
  mu2Amount,
  payMu2,
  pureEpsilon,
  type Rule,
  rational,
} from "@dosimeter/core";
import { type Share, UNITS } from "./shares.ts";

/** One filter on the way from the ledger to the account that pays: caps and what is spent or left, exact decimals. */
interface HeadroomNode {
  readonly name: string;
  readonly epsilon: { readonly cap: string; readonly spent: string | null };
  readonly delta: { readonly cap: string; readonly spent: string | null };
  /** `left` is r; null after a charge that it could not pay. */
  readonly mu2: { readonly cap: string; readonly left: string | null };
}

export interface Margins {
  /** ≥ 0 where the list keeps the limit, and falling as any share grows; NaN where the accountant cannot price the list. */
  readonly margin: (shares: readonly Share[]) => number;
  /**
   * Cheaper approximations of the margin, each closer than the one before: they guide the search and never decide. Each
   * finds its end within 2^−digits.
   */
  readonly rough?: readonly { readonly margin: (shares: readonly Share[]) => number; readonly digits: bigint }[];
}

/** The amounts that an account may still spend, as plain data: the ledger first, the payer last. */
export interface Headroom {
  readonly rule: Rule;
  readonly activeRule: ActiveRule;
  readonly policy: "ask" | "auto";
  readonly adjacency: Adjacency;
  readonly path: readonly HeadroomNode[];
}

export const filterPath = ({ path }: Headroom): readonly FilterNode[] =>
  path.map(({ epsilon, delta, mu2 }) => ({
    caps: {
      epsilon: epsilonAmount(epsilon.cap, "down"),
      delta: deltaAmount(delta.cap, "down"),
      mu2: mu2Amount(mu2.cap, "down"),
    },
    state: {
      epsilon: epsilon.spent === null ? null : epsilonAmount(epsilon.spent, "up"),
      delta: deltaAmount(delta.spent ?? delta.cap, "up"),
      mu2: mu2.left === null ? null : mu2Amount(mu2.left, "down"),
    },
  }));

/** The event that the ledger records for a row of this price. */
function eventOfShare({ noise, units }: Share): DpEvent {
  if (noise === "laplace") return { kind: "pure", epsilon: formatRational(rational(units, UNITS)) };
  const grid = 10n ** 30n;
  const square = (UNITS * grid * grid + 2n * units - 1n) / (2n * units);
  const root = integerSqrt(square);
  return {
    kind: "gaussian",
    noiseMultiplier: formatRational(rational(root * root === square ? root : root + 1n, grid)),
  };
}

/**
 * How far the ledger's rule is from refusing the shares while it keeps `reserve` (in 10⁻¹²) of the payer's amounts: ≥ 0
 * admits. In units of the amount that the rule in force counts; only the sign decides. Shares are charged in the order
 * given.
 */
export function ledgerMargin(headroom: Headroom, reserve: bigint): Margins {
  const path = filterPath(headroom);
  const payer = path.at(-1);
  const { rule, activeRule, policy, adjacency } = headroom;
  const keep = (amount: bigint): bigint => (amount * reserve + UNITS - 1n) / UNITS;
  if (activeRuleRow(activeRule).counts === "mu2") return mu2Margin(path, keep);
  const margin = (shares: readonly Share[]): number => {
    const paid = shares.filter(({ units }) => units > 0n);
    if (paid.length === 0 || payer === undefined) return 0;
    const decided = admit({ rule, activeRule, policy, adjacency }, path, paid.map(eventOfShare));
    if (decided.admitted) {
      const after = decided.states.at(-1);
      const { counts, spent } = activeRuleRow(decided.activeRule);
      const left = (state: FilterState): bigint =>
        payer.caps[counts] - (spent(payer.caps, state) ?? payer.caps[counts]);
      return Number(left(after ?? payer.state) - keep(left(payer.state)));
    }
    const [refusal] = decided.refusals;
    if (refusal?.available == null || refusal.requested === null) return Number.NEGATIVE_INFINITY;
    return -Math.max(1, Number(refusal.requested - refusal.available));
  };
  return { margin };
}

/** The decision of `admit` under a rule that counts μ²: every node pays the same steps from its own r. [M15, M16] */
function mu2Margin(path: readonly FilterNode[], keep: (amount: bigint) => bigint): Margins {
  const remaining = path.map(({ state }) => state.mu2);
  const [least = null] = [...remaining].sort((a, b) => (a === null ? -1 : b === null ? 1 : a < b ? -1 : a > b ? 1 : 0));
  if (least === null) return { margin: () => Number.NEGATIVE_INFINITY };
  const payer = remaining.at(-1) ?? least;
  const kept = keep(payer);
  const units = (mu2: number): bigint => BigInt(Math.ceil(mu2 * 1e12));
  return {
    margin: (shares) => {
      const steps = stepsOf(shares);
      if (steps.length === 0) return 0;
      // The remaining amount is discontinuous at the end; the needed amount is continuous.
      const about = aboutMu2(steps);
      if (!(about < 1e300)) return Number.NEGATIVE_INFINITY;
      if (units(about) > least) return Number(least - units(about) - kept);
      const left = payMu2(payer, steps);
      if (payMu2(least, steps) === null || left === null) return -1;
      return kept === 0n ? Number(least - units(about)) : Number(left - kept);
    },
    // Backwards from the amount to keep.
    rough: [
      {
        digits: 38n,
        margin: (shares) => {
          const steps = stepsOf(shares);
          const alone = Number(least) / 1e12 - aboutMu2(steps);
          return kept === 0n ? alone : Math.min(alone, Number(payer) / 1e12 - aboutMu2(steps, Number(kept) / 1e12));
        },
      },
    ],
  };
}

const stepsOf = (shares: readonly Share[]): readonly Mu2Step[] =>
  shares
    .filter(({ units }) => units > 0n)
    .map(({ noise, units }) =>
      noise === "laplace"
        ? { kind: "pure", epsilon: pureEpsilon(units as EpsilonAmount), count: 1n }
        : { kind: "subtract", cost: 2n * units },
    );

/** As the server says it. */
type Balance = Pick<HeadroomNode, "epsilon" | "delta"> & { readonly mu2: HeadroomNode["mu2"] };

/**
 * What an account may still spend, from the dataset and the account as the server tells of them; null without a ledger. Over blocks it is what an
 * untouched one has: which blocks pay, and what they have left, is said by the quote.
 */
export function headroomOf(
  {
    ledger,
    adjacency,
  }: {
    readonly ledger: { readonly rule: Rule; readonly activeRule: ActiveRule; readonly balance: Balance } | null;
    readonly adjacency: Adjacency;
  },
  { name, balance }: { readonly name: string; readonly balance: Balance },
  { hasBlocks }: { readonly hasBlocks: boolean },
): Headroom | null {
  if (ledger === null) return null;
  const node = (label: string, { epsilon, delta, mu2 }: Balance): HeadroomNode => ({
    name: label,
    epsilon: { cap: epsilon.cap, spent: hasBlocks ? "0" : epsilon.spent },
    delta: { cap: delta.cap, spent: hasBlocks ? "0" : delta.spent },
    mu2: { cap: mu2.cap, left: hasBlocks ? mu2.cap : mu2.left },
  });
  return {
    rule: ledger.rule,
    activeRule: ledger.activeRule,
    policy: "ask",
    adjacency,
    path: [node("the ledger", ledger.balance), node(name, balance)],
  };
}
