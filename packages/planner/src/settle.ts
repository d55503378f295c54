import { formatEpsilon } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Budget } from "./budget.ts";
import {
  asNew,
  baseOf,
  type Edit,
  familyOf,
  isCounted,
  type Notice,
  type PlanDraft,
  type PlanRow,
  parseUnits,
  shareOf,
  withUnits,
} from "./draft.ts";
import { withAllLeft } from "./follow.ts";
import { budgetsOf } from "./limits.ts";
import { largestWithin, redistribute } from "./redistribute.ts";
import { asFree, rowOf, withRow } from "./rows.ts";
import { apportion, inFamily, linear, type Share, UNITS } from "./shares.ts";

interface Settling {
  readonly edit: Edit;
  readonly edited: string | undefined;
  readonly declaration: Declaration | null;
  readonly isFull?: boolean;
}

/**
 * Divides the rest of the budget among the free rows; releases soft pins when the rest is too small; else keeps the
 * edit as pending.
 */
export function settled(old: PlanDraft, draft: PlanDraft, { edit, edited, declaration, isFull }: Settling): PlanDraft {
  const budgets = budgetsOf(draft);
  const keeps = (shares: readonly Share[]): boolean => budgets.some(({ margin }) => margin(shares) >= 0);
  if (draft.policy === "strict") {
    const rows = edit.kind === "add" ? withEvenShare(draft, edit.id, budgets) : draft.rows;
    const excess = keeps(rows.filter(isCounted).map(shareOf)) ? 0n : excessOf({ ...draft, rows });
    return { ...draft, rows, over: formatEpsilon(excess) };
  }
  const newcomer = isFull === true ? undefined : newcomerOf(draft, edit);
  let current = draft;
  const notices: Notice[] = [];
  for (;;) {
    if (keeps(leastShares(current, edited, newcomer))) break;
    const oldest = oldestPin(current, edited);
    if (oldest === undefined) {
      if (newcomer === undefined) return keptAsDraft(old, draft, { edit, edited, budgets });
      // A new row is always accepted: without room it has no share yet.
      return settled(old, draft, { edit, edited, declaration, isFull: true });
    }
    current = {
      ...current,
      rows: current.rows.map((row) => (row.id === oldest.id ? asFree(withoutPin(oldest), current) : row)),
    };
    notices.push({ kind: "released", id: oldest.id, from: amountOf(oldest), to: "0" });
  }
  const isPinned = (row: PlanRow): boolean => isCounted(row) && (row.mode !== "free" || row.id === edited);
  const sharing = current.rows
    .filter(isCounted)
    .map((row) => ({ id: row.id, isFree: !isPinned(row), share: isPinned(row) ? shareOf(row) : baseOf(row) }));
  const shares = redistribute(sharing, budgets);
  const rows = current.rows.map((row) => {
    const units = shares.get(row.id);
    return units === undefined ? row : withUnits(row, units);
  });
  const completed = notices.map((notice) => {
    const row = rows.find(({ id }) => id === notice.id);
    return row === undefined ? notice : { ...notice, to: amountOf(row) };
  });
  return { ...current, rows, notices: completed };
}

const amountOf = (row: PlanRow): string => formatEpsilon(shareOf(row).units);

function withoutPin({ typedAt: _, ...row }: PlanRow): PlanRow {
  return { ...row, mode: "free" };
}

const oldestPin = (draft: PlanDraft, edited: string | undefined): PlanRow | undefined =>
  draft.rows
    .filter((row) => row.mode === "soft" && row.id !== edited && isCounted(row))
    .sort((a, b) => (a.typedAt ?? 0) - (b.typedAt ?? 0))[0];

/** The row that this edit adds or completes and that has no share yet. */
const newcomerOf = (draft: PlanDraft, edit: Edit): string | undefined =>
  edit.kind === "add" || edit.kind === "change"
    ? draft.rows.find((row) => row.id === edit.id && row.isComplete && shareOf(row).units === 0n)?.id
    : undefined;

/** The least share of a free row: 0.001, or a tenth of its even share when that is less. */
const FLOOR = UNITS / 1000n;

function leastShares(draft: PlanDraft, edited: string | undefined, newcomer?: string): readonly Share[] {
  const counted = draft.rows.filter(isCounted);
  const tenth = parseUnits(draft.epsilon) / BigInt(10 * Math.max(1, counted.length));
  const floor: Share = { noise: "laplace", units: tenth < FLOOR ? tenth : FLOOR };
  const isWaiting = (row: PlanRow): boolean => row.id !== newcomer && shareOf(row).units === 0n;
  return counted.map((row) =>
    row.mode === "free" && row.id !== edited && !isWaiting(row) ? inFamily(floor, familyOf(row)) : shareOf(row),
  );
}

/** The unchanged plan with the typed edit as pending: its value, the amount it needs and the amount available. */
function keptAsDraft(
  old: PlanDraft,
  draft: PlanDraft,
  { edit, edited, budgets }: { edit: Edit; edited: string | undefined; budgets: readonly Budget[] },
): PlanDraft {
  const base: PlanDraft = { ...old, notices: [], clock: draft.clock };
  if (edited === undefined) {
    const available = parseUnits(draft.epsilon);
    const hard = draft.rows.filter((row) => isCounted(row) && row.mode !== "free" && row.mode !== "soft");
    const kept = hard.reduce((sum, row) => sum + linear(shareOf(row)), 0n);
    const least = leastShares(draft, undefined).reduce((sum, share) => sum + linear(share), 0n);
    const needs = kept > available ? kept : least;
    const over = needs > available ? needs - available : 1n;
    const pending = { edit, needs: formatEpsilon(needs), available: formatEpsilon(available) };
    return { ...base, pending, over: formatEpsilon(over) };
  }
  const row = rowOf(draft, edited);
  const needs = shareOf(row).units;
  const available = mostFor(draft, row, budgets);
  const pending = { edit, needs: formatEpsilon(needs), available: formatEpsilon(available) };
  return { ...base, pending, over: formatEpsilon(needs > available ? needs - available : 1n) };
}

/** A draft in which an incomplete row was filled in: as it is, or the old one where the row now asks for more than the whole budget. */
export function filled(old: PlanDraft, draft: PlanDraft, edit: Edit & { readonly id: string }): PlanDraft {
  const share = shareOf(rowOf(draft, edit.id));
  const [needs, available] = [linear(share), parseUnits(draft.epsilon)];
  if (edit.kind === "change" || needs <= available) return draft;
  const most = inFamily({ noise: "laplace", units: available }, share.noise).units;
  const pending = { edit, needs: formatEpsilon(share.units), available: formatEpsilon(most) };
  return { ...old, notices: [], clock: draft.clock, pending, over: formatEpsilon(needs - available) };
}

/** The most that one row can get while the hard holds stay and every other row is at its floor. */
export function mostFor(
  plan: PlanDraft,
  row: PlanRow,
  budgets: readonly Budget[] = budgetsOf(withAllLeft(plan)),
): bigint {
  if (!row.isComplete) return 0n;
  const whole = withAllLeft(plan);
  const draft = { ...whole, rows: whole.rows.map((other) => (other.id === row.id ? asNew(other) : other)) };
  const free = (other: PlanRow): PlanRow => (other.mode === "soft" ? withoutPin(other) : other);
  const counted = draft.rows.filter(isCounted).map(free);
  const least = leastShares({ ...draft, rows: counted }, undefined);
  const noise = familyOf(row);
  const given = (units: bigint): readonly Share[] =>
    least.map((share, index) => (counted[index]?.id === row.id ? { noise, units } : share));
  const most = budgets.map(({ margin }) => largestWithin((units) => margin(given(units)), UNITS));
  return most.reduce((a, b) => (b > a ? b : a), 0n);
}

function withEvenShare(draft: PlanDraft, id: string, budgets: readonly Budget[]): readonly PlanRow[] {
  const [share = 0n] = apportion(
    parseUnits(draft.epsilon),
    draft.rows.filter(isCounted).map(() => 1n),
  );
  const most = mostFor(draft, rowOf(draft, id), budgets);
  const even = inFamily({ noise: "laplace", units: share }, familyOf(rowOf(draft, id))).units;
  return withRow(draft, id, (row) => (row.isComplete ? withUnits(row, even < most ? even : most) : row));
}

/** The amount by which the rows exceed ε, on the scale of ε; at least one unit. */
function excessOf(draft: PlanDraft): bigint {
  const sum = draft.rows.filter(isCounted).reduce((total, row) => total + linear(shareOf(row)), 0n);
  const excess = sum - parseUnits(draft.epsilon);
  return excess > 0n ? excess : 1n;
}
