import { epsilonAmount, formatEpsilon, invalid, MAX_EPSILON } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Formula, JoinRequest } from "@dosimeter/query/declaration";
import type { DecimalInput, NoiseFamily } from "@dosimeter/query/plan";
import type { Known } from "@dosimeter/query/quote";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import type { AccountantChoice } from "./budget.ts";
import type { Headroom } from "./headroom.ts";
import type { Share } from "./shares.ts";

/**
 * How the share of a row changes when the planner divides the budget again: freely (`free`); it stays as last typed
 * until another row needs room (`soft`); it never changes (`share`); or it changes so that the row's error stays
 * (`error`).
 */
export type RowMode = "free" | "soft" | "share" | "error";

export interface PlanRow {
  readonly id: string;
  /** Settings without a price. */
  readonly request: Partial<StatisticRequest>;
  readonly mode: RowMode;
  /** Share of ε as an exact decimal; "0" while the row has none, or pays in ρ. */
  readonly epsilon: string;
  /** Share of ρ as an exact decimal, where the noise is Gaussian. */
  readonly rho?: string;
  /**
   * Whether the settings are enough to bound the row's error. An incomplete row costs nothing and keeps its share for
   * later.
   */
  readonly isComplete: boolean;
  /** An earlier answer serves the row: it costs nothing, and its price is what a new answer would take. */
  readonly isOwned?: true;
  /** What earlier answers tell of it. */
  readonly known?: Known;
  /** Weight among the free rows, exact: every edit scales shares from it, so that rounding does not add up. */
  readonly base: string;
  /** The error that the mode `error` keeps. */
  readonly accuracy?: number;
  /** The error that would be good enough. */
  readonly target?: number;
  /** Importance in the allocations `weights` and `total`; 1 when absent. */
  readonly weight?: number;
  /** The clock of the last typed edit: soft pins are released oldest first. */
  readonly typedAt?: number;
}

export type Allocation = "ratio" | "even" | "weights" | "targets" | "total";

/** A plan under construction. Plain JSON; amounts are exact decimals of 10⁻¹² units. */
export interface PlanDraft {
  readonly rows: readonly PlanRow[];
  /** The other table of the same people, and what is taken of it; absent where there is none. */
  readonly join?: JoinRequest;
  /** Derived columns by name, as the plan writes them; absent where there are none. */
  readonly let?: Readonly<Record<string, string | Formula>>;
  /** Of a population with blocks, those that the plan is about. */
  readonly window?: NonNullable<Plan["window"]>;
  /** ε to divide among the rows. */
  readonly epsilon: string;
  /** On an account: ε is the sum of the rows, each at its first price, until a person types ε or says how to split it. */
  readonly follows?: boolean;
  readonly delta: string;
  readonly accountant: AccountantChoice;
  /** What the paying account may still spend; null for a plan that stands alone. Its rule then decides. */
  readonly headroom: Headroom | null;
  /** Secrecy of the sample, of a plan that stands alone under replace-one. */
  readonly sample: { readonly size: number; readonly population: number } | null;
  /** Part of the budget to leave untouched, an exact decimal from 0 to 1. */
  readonly reserve: string;
  readonly policy: "rebalance" | "strict";
  readonly allocate: Allocation;
  readonly confidence: number;
  /** People to assume in errors that need their number. */
  readonly people: number | null;
  /** The reason for a high price: required above ε = 1 or δ = 1/n². */
  readonly reason: string;
  /** By how much the typed values, or under `strict` the rows, exceed the budget; "0" when they fit. */
  readonly over: string;
  /** A typed edit that does not fit; it is kept and the plan stays unchanged. */
  readonly pending: Pending | null;
  /** Side effects of the last edit. */
  readonly notices: readonly Notice[];
  /** Counts edits, for the age of soft pins. */
  readonly clock: number;
}

interface Pending {
  readonly edit: Edit;
  /** In the row's own unit (ε or ρ) for an edit of a row, else in ε. */
  readonly needs: string;
  readonly available: string;
}

/** The planner released a soft pin to make room. */
export interface Notice {
  readonly kind: "released";
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

export type Edit =
  | { readonly kind: "total"; readonly epsilon: DecimalInput; readonly delta?: DecimalInput }
  | { readonly kind: "confidence"; readonly confidence: number }
  | { readonly kind: "let"; readonly let: Readonly<Record<string, string | Formula>> }
  | { readonly kind: "join"; readonly join: JoinRequest | null }
  | { readonly kind: "window"; readonly window: NonNullable<Plan["window"]> }
  | { readonly kind: "people"; readonly people: number | null }
  | { readonly kind: "reason"; readonly reason: string }
  | { readonly kind: "allocate"; readonly allocate: Allocation }
  | { readonly kind: "accountant"; readonly accountant: AccountantChoice }
  | { readonly kind: "headroom"; readonly headroom: Headroom | null }
  | { readonly kind: "sample"; readonly sample: PlanDraft["sample"] }
  | { readonly kind: "reserve"; readonly reserve: DecimalInput }
  | { readonly kind: "policy"; readonly policy: PlanDraft["policy"] }
  | {
      readonly kind: "add";
      readonly id: string;
      readonly request: Partial<StatisticRequest>;
      readonly target?: number;
      readonly weight?: number;
    }
  | { readonly kind: "change"; readonly id: string; readonly request: Partial<StatisticRequest> }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "move"; readonly id: string; readonly to: number }
  | { readonly kind: "epsilon"; readonly id: string; readonly epsilon: DecimalInput }
  | { readonly kind: "rho"; readonly id: string; readonly rho: DecimalInput }
  | { readonly kind: "accuracy"; readonly id: string; readonly accuracy: number }
  | { readonly kind: "target"; readonly id: string; readonly target: number | null }
  | { readonly kind: "weight"; readonly id: string; readonly weight: number }
  | { readonly kind: "mode"; readonly id: string; readonly mode: RowMode }
  /** The rows that earlier answers serve, and no others; what such answers tell of rows. */
  | { readonly kind: "owned"; readonly ids: readonly string[]; readonly known?: Readonly<Record<string, Known>> };

export const emptyDraft = (epsilon: DecimalInput, delta: DecimalInput = "0"): PlanDraft => ({
  rows: [],
  epsilon: formatEpsilon(epsilonAmount(epsilon, "down")),
  delta: String(delta),
  accountant: "addition",
  headroom: null,
  sample: null,
  reserve: "0",
  policy: "rebalance",
  allocate: "ratio",
  confidence: 0.95,
  people: null,
  reason: "",
  over: "0",
  pending: null,
  notices: [],
  clock: 0,
});

/** The plan of the complete rows that have a share, for a quote or a release. */
export const planOf = (draft: PlanDraft): Plan => ({
  ...present({ join: draft.join, let: draft.let, window: draft.window }),
  confidence: draft.confidence,
  statistics: draft.rows
    .filter((row) => row.isComplete && row.request.statistic !== undefined && shareOf(row).units > 0n)
    .map(requestWith),
});

export const requestWith = (row: PlanRow): StatisticRequest =>
  ({
    ...row.request,
    id: row.id,
    ...(familyOf(row) === "gaussian" ? { rho: row.rho ?? "0" } : { epsilon: row.epsilon }),
  }) as StatisticRequest;

export const parseUnits = (decimal: DecimalInput, name = "epsilon"): bigint => epsilonAmount(decimal, "down", name);

/** An ε or ρ that a person or a file gives: no more than any ledger takes. */
export function givenUnits(decimal: DecimalInput, name = "epsilon"): bigint {
  const units = parseUnits(decimal, name);
  return units > MAX_EPSILON ? invalid(name, decimal, `at most ${formatEpsilon(MAX_EPSILON)}`) : units;
}

/** Whether the row takes a part of the budget. */
export const isCounted = (row: PlanRow): boolean => row.isComplete && row.isOwned !== true;
export const asNew = ({ isOwned: _, ...row }: PlanRow): PlanRow => row;
export const familyOf = ({ request }: Pick<PlanRow, "request">): NoiseFamily =>
  request.noise === "gaussian" ? "gaussian" : "laplace";
export const shareOf = (row: PlanRow): Share => {
  const noise = familyOf(row);
  return { noise, units: parseUnits(noise === "gaussian" ? (row.rho ?? "0") : row.epsilon) };
};
export const withUnits = (row: PlanRow, units: bigint): PlanRow =>
  familyOf(row) === "gaussian"
    ? { ...row, epsilon: "0", rho: formatEpsilon(units) }
    : { ...withoutRho(row), epsilon: formatEpsilon(units) };
export const baseOf = (row: PlanRow): Share => ({ noise: familyOf(row), units: BigInt(row.base) });

function withoutRho({ rho: _, ...row }: PlanRow): PlanRow {
  return row;
}
