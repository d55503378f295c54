import { type EpsilonAmount, epsilonAmount, formatEpsilon } from "@dosimeter/core";
import { boundPlan } from "./bound.ts";
import { wanted } from "./check.ts";
import type { Declaration } from "./declaration.ts";
import type { DecimalInput, Plan, StatisticRequest } from "./plan.ts";
import { declaredRows, leastUnits } from "./quote.ts";

/** How a row takes part when ε is shared out again: freely, or held at its share. */
export type RowMode = "free" | "held";

export interface PlanRow {
  readonly id: string;
  /** Settings without a price; it may be incomplete, costs nothing then and blocks nothing. */
  readonly request: Partial<StatisticRequest>;
  readonly mode: RowMode;
  /** Share of ε as an exact decimal; "0" while the row has none. */
  readonly epsilon: string;
}

/** A plan being made. Plain JSON; amounts are exact decimals of 10⁻¹² units. */
export interface PlanDraft {
  readonly rows: readonly PlanRow[];
  /** ε to share out. */
  readonly epsilon: string;
  readonly allocate: "ratio" | "even";
  readonly confidence: number;
  /** People to assume in errors that need their number. */
  readonly people: number | null;
  /** By how much the rows exceed ε; "0" when they fit. What was typed is never lost. */
  readonly over: string;
}

export type Edit =
  | { readonly kind: "total"; readonly epsilon: DecimalInput }
  | { readonly kind: "confidence"; readonly confidence: number }
  | { readonly kind: "people"; readonly people: number | null }
  | { readonly kind: "allocate"; readonly allocate: PlanDraft["allocate"] }
  | { readonly kind: "add"; readonly id: string; readonly request: Partial<StatisticRequest> }
  | { readonly kind: "change"; readonly id: string; readonly request: Partial<StatisticRequest> }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "epsilon"; readonly id: string; readonly epsilon: DecimalInput }
  | { readonly kind: "accuracy"; readonly id: string; readonly accuracy: number }
  | { readonly kind: "mode"; readonly id: string; readonly mode: RowMode };

export const emptyDraft = (epsilon: DecimalInput): PlanDraft => ({
  rows: [],
  epsilon: formatEpsilon(epsilonAmount(epsilon, "down")),
  allocate: "ratio",
  confidence: 0.95,
  people: null,
  over: "0",
});

/**
 * One edit of a plan: pure, integers only, the same input gives the same bytes. What the edit names is kept as typed; held
 * rows keep their share; the free rows share what is left, in the ratio they had or evenly, to the last unit.
 */
export function editPlan(draft: PlanDraft, edit: Edit, declaration: Declaration): PlanDraft {
  switch (edit.kind) {
    case "total":
      return shareOut({ ...draft, epsilon: formatEpsilon(epsilonAmount(edit.epsilon, "down")) });
    case "confidence":
      return { ...draft, confidence: edit.confidence };
    case "people":
      return { ...draft, people: edit.people };
    case "allocate":
      return shareOut({ ...draft, allocate: edit.allocate });
    case "add":
      return addRow(draft, edit.id, edit.request);
    case "remove":
      return shareOut({ ...draft, rows: draft.rows.filter((row) => row.id !== edit.id) });
    case "change":
      return { ...draft, rows: withRow(draft, edit.id, (row) => ({ ...row, request: edit.request })) };
    case "mode":
      return { ...draft, rows: withRow(draft, edit.id, (row) => ({ ...row, mode: edit.mode })) };
    case "epsilon":
      return setShare(draft, edit.id, epsilonAmount(edit.epsilon, "down"));
    case "accuracy":
      return setShare(draft, edit.id, priceOf(draft, edit.id, edit.accuracy, declaration));
  }
}

/** The plan of the rows that have a share: what is quoted and released. */
export const planOf = (draft: PlanDraft): Plan => ({
  confidence: draft.confidence,
  statistics: draft.rows
    .filter((row) => unitsOf(row) > 0n && row.request.statistic !== undefined)
    .map((row) => ({ ...row.request, id: row.id, epsilon: row.epsilon }) as StatisticRequest),
});

const unitsOf = (row: { readonly epsilon: string }): bigint => epsilonAmount(row.epsilon, "down");
const shown = (units: bigint): string => formatEpsilon(units as EpsilonAmount);
const total = (rows: readonly PlanRow[]): bigint => rows.reduce((sum, row) => sum + unitsOf(row), 0n);

function withRow(draft: PlanDraft, id: string, change: (row: PlanRow) => PlanRow): readonly PlanRow[] {
  if (!draft.rows.some((row) => row.id === id)) return wanted("edit.id", id, "the id of a row");
  return draft.rows.map((row) => (row.id === id ? change(row) : row));
}

function setShare(draft: PlanDraft, id: string, units: bigint): PlanDraft {
  return shareOut({ ...draft, rows: withRow(draft, id, (row) => ({ ...row, epsilon: shown(units) })) }, id);
}

function priceOf(draft: PlanDraft, id: string, accuracy: number, declaration: Declaration): bigint {
  const row = draft.rows.find((candidate) => candidate.id === id);
  if (row === undefined) return wanted("edit.id", id, "the id of a row");
  const plan = { statistics: [{ ...row.request, epsilon: 1 } as StatisticRequest], confidence: draft.confidence };
  const [statistic] = boundPlan(plan, declaration).statistics;
  if (statistic === undefined) return wanted("edit.id", id, "a complete row");
  return leastUnits(statistic, accuracy, 1 - draft.confidence, draft.people ?? declaredRows(declaration));
}

/** A new row takes an even share of what is not held; the old free rows keep their ratios in the rest. */
function addRow(draft: PlanDraft, id: string, request: Partial<StatisticRequest>): PlanDraft {
  if (draft.rows.some((row) => row.id === id)) return wanted("edit.id", id, "an id that no row has");
  const free = draft.rows.filter((row) => row.mode === "free");
  const available = unitsOf(draft) - total(draft.rows.filter((row) => row.mode === "held"));
  const share = available > 0n ? available / BigInt(free.length + 1) : 0n;
  const rows: readonly PlanRow[] = [...draft.rows, { id, request, mode: "free", epsilon: shown(share) }];
  return shareOut({ ...draft, rows }, id);
}

/** Shares what the held rows and `keep` leave among the free rows, by largest remainder: Σ is exactly ε or less. */
function shareOut(draft: PlanDraft, keep?: string): PlanDraft {
  const isFree = (row: PlanRow): boolean => row.mode === "free" && row.id !== keep;
  const fixed = total(draft.rows.filter((row) => !isFree(row)));
  const free = draft.rows.filter(isFree);
  const available = unitsOf(draft) - fixed;
  const over = shown(available < 0n ? -available : 0n);
  if (free.length === 0) return { ...draft, over };
  const shares = apportion(available > 0n ? available : 0n, basesOf(free, draft.allocate));
  const rows = draft.rows.map((row) =>
    isFree(row) ? { ...row, epsilon: shown(shares[free.indexOf(row)] ?? 0n) } : row,
  );
  return { ...draft, rows, over };
}

function basesOf(rows: readonly PlanRow[], allocate: PlanDraft["allocate"]): readonly bigint[] {
  const shares = rows.map(unitsOf);
  return allocate === "even" || shares.every((share) => share === 0n) ? rows.map(() => 1n) : shares;
}

/** Splits `amount` in proportion to `bases`, all of it, each part within one unit of its exact share; ties to the first. */
export function apportion(amount: bigint, bases: readonly bigint[]): readonly bigint[] {
  const sum = bases.reduce((a, b) => a + b, 0n);
  if (sum === 0n) return bases.map(() => 0n);
  const parts = bases.map((base) => (amount * base) / sum);
  let left = amount - parts.reduce((a, b) => a + b, 0n);
  const order = bases
    .map((base, index) => ({ index, remainder: (amount * base) % sum }))
    .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  const extra = new Set<number>();
  for (const { index } of order) {
    if (left === 0n) break;
    extra.add(index);
    left -= 1n;
  }
  return parts.map((part, index) => part + (extra.has(index) ? 1n : 0n));
}
