import { deltaAmount, integerSqrt } from "@dosimeter/core";
import { checkConfidence } from "../bound.ts";
import { wanted } from "../check.ts";
import type { Declaration } from "../declaration.ts";
import type { Budget } from "./budget.ts";
import {
  baseOf,
  type Edit,
  familyOf,
  formatUnits,
  isCounted,
  type Notice,
  type PlanDraft,
  type PlanRow,
  parseUnits,
  shareOf,
  withUnits,
} from "./draft.ts";
import { budgetsOf } from "./limits.ts";
import { boundedRow, errorAt, unitsFor } from "./price.ts";
import { largestWithin, redistribute } from "./redistribute.ts";
import { apportion, inFamily, linear, type Share, UNITS } from "./shares.ts";

/**
 * One edit of a plan: pure, integers only, the same input gives the same bytes. What the edit names is kept as typed, hard
 * holds never move, soft pins are let go (oldest first, with a notice) only where there is no room; the free rows share the
 * rest. An edit that cannot fit leaves the plan as it was and stays in `pending`. `null`: every row is taken as complete.
 */
export function editPlan(draft: PlanDraft, edit: Edit, declaration: Declaration | null): PlanDraft {
  const before: PlanDraft = { ...draft, notices: [], pending: null, over: "0", clock: draft.clock + 1 };
  const { next, edited } = applied(before, edit, declaration);
  return settled(draft, next, { edit, edited, declaration });
}

interface Applied {
  readonly next: PlanDraft;
  /** The row whose share was just typed or re-priced. */
  readonly edited?: string;
}

function applied(draft: PlanDraft, edit: Edit, declaration: Declaration | null): Applied {
  switch (edit.kind) {
    case "total": {
      if (edit.delta !== undefined) deltaAmount(edit.delta, "down");
      const delta = edit.delta === undefined ? {} : { delta: String(edit.delta) };
      return { next: { ...draft, epsilon: formatUnits(parseUnits(edit.epsilon)), ...delta } };
    }
    case "confidence":
      return { next: repriced({ ...draft, confidence: checkConfidence(edit.confidence) }, declaration) };
    case "people":
      return { next: repriced({ ...draft, people: edit.people }, declaration) };
    case "allocate":
      return { next: rebased({ ...draft, allocate: edit.allocate }, declaration) };
    case "accountant":
      return { next: { ...draft, accountant: edit.accountant } };
    case "headroom":
      return { next: { ...draft, headroom: edit.headroom } };
    case "sample":
      return { next: { ...draft, sample: checkSample(edit.sample, draft, declaration) } };
    case "reserve": {
      const reserve = parseUnits(edit.reserve, "reserve");
      if (reserve > UNITS) return wanted("reserve", edit.reserve, "from 0 to 1");
      return { next: { ...draft, reserve: formatUnits(reserve) } };
    }
    case "policy":
      return { next: { ...draft, policy: edit.policy } };
    case "add":
      return { next: rebased(added(draft, edit, declaration), declaration) };
    case "change":
      return changed(draft, edit, declaration);
    case "remove":
      return { next: { ...draft, rows: without(draft, edit.id) } };
    case "move":
      return { next: { ...draft, rows: moved(draft, edit.id, edit.to) } };
    case "epsilon":
    case "rho":
      return typed(draft, edit);
    case "accuracy":
      return asked(draft, edit, needed(declaration, "declaration"));
    case "target": {
      if (edit.target !== null && !(edit.target > 0)) return wanted("edit.target", edit.target, "above 0");
      const { target } = edit;
      const rows = withRow(draft, edit.id, ({ target: _, ...row }) => (target === null ? row : { ...row, target }));
      return { next: rebased({ ...draft, rows }, declaration) };
    }
    case "weight": {
      if (!(edit.weight > 0) || !(edit.weight <= 1e6))
        return wanted("edit.weight", edit.weight, "above 0, at most 1e6");
      const rows = withRow(draft, edit.id, (row) => ({ ...row, weight: edit.weight }));
      return { next: rebased({ ...draft, rows }, declaration) };
    }
    case "mode":
      return { next: { ...draft, rows: held(draft, edit, declaration) } };
    default:
      return edit satisfies never;
  }
}

function withRow(draft: PlanDraft, id: string, change: (row: PlanRow) => PlanRow): readonly PlanRow[] {
  if (!draft.rows.some((row) => row.id === id)) return wanted("edit.id", id, "the id of a row");
  return draft.rows.map((row) => (row.id === id ? change(row) : row));
}

function rowOf(draft: PlanDraft, id: string): PlanRow {
  return draft.rows.find((row) => row.id === id) ?? wanted("edit.id", id, "the id of a row");
}

const without = (draft: PlanDraft, id: string): readonly PlanRow[] => {
  rowOf(draft, id);
  return draft.rows.filter((row) => row.id !== id);
};

function moved(draft: PlanDraft, id: string, to: number): readonly PlanRow[] {
  const row = rowOf(draft, id);
  const rest = without(draft, id);
  const at = Math.max(0, Math.min(rest.length, Math.trunc(to)));
  return [...rest.slice(0, at), row, ...rest.slice(at)];
}

const isFree = (row: PlanRow): boolean => row.mode === "free" && isCounted(row);

/** A new row weighs as much as the free rows do on average, so it gets the even share and they keep their ratios. */
function added(draft: PlanDraft, edit: Edit & { readonly kind: "add" }, declaration: Declaration | null): PlanDraft {
  const { id, request, target, weight } = edit;
  if (draft.rows.some((row) => row.id === id)) return wanted("edit.id", id, "an id that no row has");
  const row: PlanRow = {
    id,
    request,
    mode: "free",
    epsilon: "0",
    isComplete: isCompleteRow(draft, { id, request }, declaration),
    base: "0",
    ...(target === undefined ? {} : { target }),
    ...(weight === undefined ? {} : { weight }),
  };
  return { ...draft, rows: [...draft.rows, row.isComplete ? { ...row, base: averageBase(draft, row) } : row] };
}

const isCompleteRow = (
  draft: PlanDraft,
  row: Pick<PlanRow, "id" | "request">,
  declaration: Declaration | null,
): boolean => declaration === null || boundedRow(row, draft.confidence, declaration) !== null;

function averageBase(draft: PlanDraft, row: Pick<PlanRow, "id" | "request">): string {
  const free = draft.rows.filter((other) => other.id !== row.id && isFree(other));
  const sum = free.reduce((total, other) => total + linear(baseOf(other)), 0n);
  const average = sum === 0n ? UNITS : (sum + BigInt(free.length) / 2n) / BigInt(free.length);
  return String(inFamily({ noise: "laplace", units: average }, familyOf(row)).units);
}

function changed(
  draft: PlanDraft,
  { id, request }: Edit & { readonly kind: "change" },
  declaration: Declaration | null,
): Applied {
  const old = rowOf(draft, id);
  const isComplete = isCompleteRow(draft, { id, request }, declaration);
  const family = request.noise ?? "laplace";
  const base = String(inFamily(baseOf(old), family).units);
  const share = inFamily(shareOf(old), family);
  let row = withUnits({ ...old, request, isComplete, base }, share.units);
  if (isComplete && row.mode === "error" && row.accuracy !== undefined && declaration !== null)
    row = withUnits(row, unitsFor(row, row.accuracy, draft, declaration));
  if (isComplete && row.base === "0") row = { ...row, base: averageBase(draft, row) };
  const next = { ...draft, rows: draft.rows.map((other) => (other.id === id ? row : other)) };
  // A row that was unfinished takes its parked share back where it had one.
  const isBack = isComplete && !old.isComplete && share.units > 0n;
  return isBack ? { next, edited: id } : { next };
}

function typed(draft: PlanDraft, edit: Edit & { readonly kind: "epsilon" | "rho" }): Applied {
  const row = rowOf(draft, edit.id);
  const family = familyOf(row);
  if ((edit.kind === "rho") !== (family === "gaussian"))
    return wanted("edit.kind", edit.kind, family === "gaussian" ? "rho: the noise is Gaussian" : "epsilon");
  const units = parseUnits(edit.kind === "rho" ? edit.rho : edit.epsilon, edit.kind);
  return {
    next: { ...draft, rows: withRow(draft, edit.id, (old) => pinned(old, units, draft.clock)) },
    edited: edit.id,
  };
}

function asked(draft: PlanDraft, edit: Edit & { readonly kind: "accuracy" }, declaration: Declaration): Applied {
  const units = unitsFor(rowOf(draft, edit.id), edit.accuracy, draft, declaration);
  const rows = withRow(draft, edit.id, (row) => ({
    ...pinned(row, units, draft.clock),
    ...(row.mode === "error" ? { mode: "error" as const, accuracy: edit.accuracy } : {}),
  }));
  return { next: { ...draft, rows }, edited: edit.id };
}

/** What was typed stays put: a free row gets a soft pin, a hard hold holds the new share. */
const pinned = (row: PlanRow, units: bigint, clock: number): PlanRow => ({
  ...withUnits(row, units),
  mode: row.mode === "free" || row.mode === "soft" ? "soft" : "share",
  typedAt: clock,
});

function held(
  draft: PlanDraft,
  { id, mode }: Edit & { readonly kind: "mode" },
  declaration: Declaration | null,
): readonly PlanRow[] {
  return withRow(draft, id, (row) => {
    if (row.mode === mode) return row;
    const { accuracy: _, typedAt: __, ...plain } = row;
    if (mode === "free") return asFree({ ...plain, mode }, draft);
    if (mode === "soft") return { ...plain, mode, typedAt: draft.clock };
    if (mode === "share") return { ...plain, mode };
    const error = errorAt(row, draft, needed(declaration, "declaration"));
    if (error === null) return wanted("edit.mode", mode, "another hold: the row has no error yet");
    return { ...plain, mode, accuracy: error };
  });
}

/** A pinned row becomes free at the share it has: its weight is put on the scale of the free rows' weights. */
function asFree(row: PlanRow, draft: PlanDraft): PlanRow {
  const free = draft.rows.filter((other) => other.id !== row.id && isFree(other));
  const total = (shares: readonly Share[]): bigint => shares.reduce((sum, share) => sum + linear(share), 0n);
  const [weights, spent] = [total(free.map(baseOf)), total(free.map(shareOf))];
  const share = linear(shareOf(row));
  const units = weights === 0n || spent === 0n ? share : (share * weights + spent / 2n) / spent;
  return { ...row, mode: "free", base: String(inFamily({ noise: "laplace", units }, familyOf(row)).units) };
}

/** Rows that hold an error are priced again. */
function repriced(draft: PlanDraft, declaration: Declaration | null): PlanDraft {
  const rows = draft.rows.map((row) =>
    row.mode === "error" && row.accuracy !== undefined && isCounted(row)
      ? withUnits(row, unitsFor(row, row.accuracy, draft, needed(declaration, "declaration")))
      : row,
  );
  return { ...draft, rows };
}

/** New weights of the free rows, where the allocation is not "as they were". A row that lacks what it asks for keeps its own. */
function rebased(draft: PlanDraft, declaration: Declaration | null): PlanDraft {
  if (draft.allocate === "ratio") return draft;
  const rows = draft.rows.map((row) => (isFree(row) ? { ...row, base: newBase(row, draft, declaration) } : row));
  return { ...draft, rows };
}

function newBase(row: PlanRow, draft: PlanDraft, declaration: Declaration | null): string {
  const inOwn = (units: bigint): string =>
    String(inFamily({ noise: "laplace", units: units > 0n ? units : 1n }, familyOf(row)).units);
  const weight = BigInt(Math.round((row.weight ?? 1) * 1e6));
  switch (draft.allocate) {
    case "ratio":
      return row.base;
    case "even":
      return inOwn(UNITS);
    case "weights":
      return inOwn((UNITS * weight) / 1_000_000n);
    case "targets":
    case "total": {
      if (row.target === undefined || declaration === null) return row.base;
      const need = linear({
        noise: familyOf(row),
        units: unitsFor(row, row.target, draft, declaration),
      });
      // Least Σ (weight/target)·error: ε ∝ √need, and σ ∝ 1/√ρ makes √(2ρ) ∝ ∛need.
      if (draft.allocate === "targets") return inOwn(need);
      if (familyOf(row) === "laplace") return inOwn(integerSqrt((need * UNITS * weight) / 1_000_000n));
      return inOwn(BigInt(Math.round(Math.cbrt((Number(need) / 1e12) * (Number(weight) / 1e6)) * 1e12)));
    }
    default:
      return draft.allocate satisfies never;
  }
}

const MOST_FUNCTIONING = 3;

/** [M48]; replace-one and a plan that stands alone only: the ledger's own sample is fixed when it opens. */
function checkSample(
  sample: PlanDraft["sample"],
  draft: PlanDraft,
  declaration: Declaration | null,
): PlanDraft["sample"] {
  if (sample === null) return null;
  if (draft.headroom !== null) return wanted("sample", sample.population, "absent: the ledger fixed it when it opened");
  if (declaration !== null && declaration.adjacency !== "replace")
    return wanted("sample", sample.population, "absent under add/remove neighbours");
  if (!(sample.population > sample.size))
    return wanted("sample.population", sample.population, `more than the ${sample.size} in the sample`);
  const { epsilon, delta } = limitOfSample(draft, sample);
  if (epsilon > MOST_FUNCTIONING)
    return wanted("sample.population", sample.population, `small enough for a functioning epsilon of at most 3`);
  if (delta * sample.size >= 1)
    return wanted("sample.population", sample.population, "such that delta stays below 1/n");
  return sample;
}

function limitOfSample(draft: PlanDraft, { size, population }: NonNullable<PlanDraft["sample"]>) {
  const epsilon = Number(draft.epsilon);
  return {
    epsilon: Math.log1p((Math.expm1(epsilon) * population) / size),
    delta: (Number(draft.delta) * population) / size,
  };
}

const needed = (declaration: Declaration | null, name: string): Declaration =>
  declaration ?? wanted(name, undefined, "given: an error has no price without it");

interface Settling {
  readonly edit: Edit;
  readonly edited: string | undefined;
  readonly declaration: Declaration | null;
  readonly isFull?: boolean;
}

/** Shares out what the pinned rows leave; lets soft pins go where they leave too little; or keeps the edit as a draft. */
function settled(old: PlanDraft, draft: PlanDraft, { edit, edited, declaration, isFull }: Settling): PlanDraft {
  const budgets = budgetsOf(draft);
  const keeps = (shares: readonly Share[]): boolean => budgets.some(({ margin }) => margin(shares) >= 0);
  if (draft.policy === "strict") {
    const rows = edit.kind === "add" ? withEvenShare(draft, edit.id, budgets) : draft.rows;
    const excess = keeps(rows.filter(isCounted).map(shareOf)) ? 0n : excessOf({ ...draft, rows });
    return { ...draft, rows, over: formatUnits(excess) };
  }
  const newcomer = isFull === true ? undefined : newcomerOf(draft, edit);
  let current = draft;
  const notices: Notice[] = [];
  for (;;) {
    if (keeps(leastShares(current, edited, newcomer))) break;
    const oldest = oldestPin(current, edited);
    if (oldest === undefined) {
      if (newcomer === undefined) return keptAsDraft(old, draft, { edit, edited, budgets });
      // A new row is never turned away: it waits without a share until there is room.
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
  const told = notices.map((notice) => {
    const row = rows.find(({ id }) => id === notice.id);
    return row === undefined ? notice : { ...notice, to: amountOf(row) };
  });
  return { ...current, rows, notices: told };
}

const amountOf = (row: PlanRow): string => formatUnits(shareOf(row).units);

function withoutPin({ typedAt: _, ...row }: PlanRow): PlanRow {
  return { ...row, mode: "free" };
}

const oldestPin = (draft: PlanDraft, edited: string | undefined): PlanRow | undefined =>
  draft.rows
    .filter((row) => row.mode === "soft" && row.id !== edited && isCounted(row))
    .sort((a, b) => (a.typedAt ?? 0) - (b.typedAt ?? 0))[0];

/** The row that joins with this edit and has no share yet. */
const newcomerOf = (draft: PlanDraft, edit: Edit): string | undefined =>
  edit.kind === "add" || edit.kind === "change"
    ? draft.rows.find((row) => row.id === edit.id && row.isComplete && shareOf(row).units === 0n)?.id
    : undefined;

/** No free row is pressed below 0.001, or a tenth of its even share where that is less. */
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

/** The plan as it was, with what was typed beside it, what it needs and what there is for it. */
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
    const pending = { edit, needs: formatUnits(needs), available: formatUnits(available) };
    return { ...base, pending, over: formatUnits(over) };
  }
  const row = rowOf(draft, edited);
  const needs = shareOf(row).units;
  const available = mostFor(draft, row, budgets);
  const pending = { edit, needs: formatUnits(needs), available: formatUnits(available) };
  return { ...base, pending, over: formatUnits(needs > available ? needs - available : 1n) };
}

/** The most that one row can get while the hard holds stay and every other row is at its floor. */
export function mostFor(draft: PlanDraft, row: PlanRow, budgets: readonly Budget[] = budgetsOf(draft)): bigint {
  if (!isCounted(row)) return 0n;
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

/** By how much the rows exceed ε, on the scale of ε; at least one unit. */
function excessOf(draft: PlanDraft): bigint {
  const sum = draft.rows.filter(isCounted).reduce((total, row) => total + linear(shareOf(row)), 0n);
  const excess = sum - parseUnits(draft.epsilon);
  return excess > 0n ? excess : 1n;
}
