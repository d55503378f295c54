import { invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import {
  asNew,
  baseOf,
  type Edit,
  familyOf,
  givenUnits,
  isCounted,
  type PlanDraft,
  type PlanRow,
  shareOf,
  withUnits,
} from "./draft.ts";
import { boundedRow, errorAt, readableUnits, unitsFor } from "./price.ts";
import { inFamily, linear, type Share, UNITS } from "./shares.ts";

/** The plan after an edit of its rows, before the budget is divided again. */
export interface Applied {
  readonly next: PlanDraft;
  /** The row whose share was just typed or re-priced. */
  readonly edited?: string;
}

export function withRow(draft: PlanDraft, id: string, change: (row: PlanRow) => PlanRow): readonly PlanRow[] {
  if (!draft.rows.some((row) => row.id === id)) return invalid("edit.id", id, "the id of a row");
  return draft.rows.map((row) => (row.id === id ? change(row) : row));
}

export function rowOf(draft: PlanDraft, id: string): PlanRow {
  return draft.rows.find((row) => row.id === id) ?? invalid("edit.id", id, "the id of a row");
}

export const without = (draft: PlanDraft, id: string): readonly PlanRow[] => {
  rowOf(draft, id);
  return draft.rows.filter((row) => row.id !== id);
};

export function moved(draft: PlanDraft, id: string, to: number): readonly PlanRow[] {
  const row = rowOf(draft, id);
  const rest = without(draft, id);
  const at = Math.max(0, Math.min(rest.length, Math.trunc(to)));
  return [...rest.slice(0, at), row, ...rest.slice(at)];
}

export const isFree = (row: PlanRow): boolean => row.mode === "free" && isCounted(row);

/** Adds a row with the average weight of the free rows: it gets an even share and they keep their ratios. */
export function added(
  draft: PlanDraft,
  edit: Edit & { readonly kind: "add" },
  declaration: Declaration | null,
): PlanDraft {
  const { id, request, target, weight } = edit;
  if (draft.rows.some((row) => row.id === id)) return invalid("edit.id", id, "an id that no row has");
  const row: PlanRow = {
    id,
    request,
    mode: "free",
    epsilon: "0",
    isComplete: isCompleteRow(draft, { id, request }, declaration),
    base: "0",
    ...present({ target, weight }),
  };
  return { ...draft, rows: [...draft.rows, row.isComplete ? { ...row, base: averageBase(draft, row) } : row] };
}

const isCompleteRow = (
  draft: PlanDraft,
  row: Pick<PlanRow, "id" | "request">,
  declaration: Declaration | null,
): boolean => declaration === null || boundedRow(row, draft, declaration) !== null;

function averageBase(draft: PlanDraft, row: Pick<PlanRow, "id" | "request">): string {
  const free = draft.rows.filter((other) => other.id !== row.id && isFree(other));
  const sum = free.reduce((total, other) => total + linear(baseOf(other)), 0n);
  const average = sum === 0n ? UNITS : (sum + BigInt(free.length) / 2n) / BigInt(free.length);
  return String(inFamily({ noise: "laplace", units: average }, familyOf(row)).units);
}

export function changed(
  draft: PlanDraft,
  { id, request }: Edit & { readonly kind: "change" },
  declaration: Declaration | null,
): Applied {
  const old = rowOf(draft, id);
  const isComplete = isCompleteRow(draft, { id, request }, declaration);
  const family = familyOf({ request });
  const base = String(inFamily(baseOf(old), family).units);
  const share = inFamily(shareOf(old), family);
  const { known, ...plain } = asNew(old);
  const kept = isAboutSame(old.request, request) ? present({ known }) : {};
  let row = withUnits({ ...plain, ...kept, request, isComplete, base }, share.units);
  if (isComplete && row.mode === "error" && row.accuracy !== undefined && declaration !== null)
    row = withUnits(row, unitsFor(row, row.accuracy, draft, declaration));
  if (isComplete && row.base === "0") row = { ...row, base: averageBase(draft, row) };
  const next = { ...draft, rows: draft.rows.map((other) => (other.id === id ? row : other)) };
  // A row that becomes complete again gets back the share it had before.
  const isBack = isComplete && !old.isComplete && share.units > 0n;
  return isBack ? { next, edited: id } : { next };
}

/** Whether what earlier answers tell holds for both: all but bounds, rounding and noise is as it was. */
function isAboutSame(before: PlanRow["request"], after: PlanRow["request"]): boolean {
  const about = ({ lower: _, upper: __, granularity: ___, noise: ____, ...rest }: PlanRow["request"]): string =>
    JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
  return about(before) === about(after);
}

/** The message for a price of 0. */
export const ABOVE_ZERO = "above 0: an answer that costs nothing is noise alone";

export function typed(draft: PlanDraft, edit: Edit & { readonly kind: "epsilon" | "rho" }): Applied {
  const row = rowOf(draft, edit.id);
  const family = familyOf(row);
  if ((edit.kind === "rho") !== (family === "gaussian"))
    return invalid("edit.kind", edit.kind, family === "gaussian" ? "rho: the noise is Gaussian" : "epsilon");
  const given = edit.kind === "rho" ? edit.rho : edit.epsilon;
  const units = givenUnits(given, edit.kind);
  if (units === 0n) return invalid(edit.kind, given, ABOVE_ZERO);
  return {
    next: { ...draft, rows: withRow(draft, edit.id, (old) => pinned(old, units, draft.clock)) },
    edited: edit.id,
  };
}

/** A typed error at its least price, or at one of three digits. */
export function asked(
  draft: PlanDraft,
  edit: Edit & { readonly kind: "accuracy" },
  declaration: Declaration,
  isReadable: boolean,
): Applied {
  const least = unitsFor(rowOf(draft, edit.id), edit.accuracy, draft, declaration);
  const units = isReadable ? readableUnits(least) : least;
  const rows = withRow(draft, edit.id, (row) => ({
    ...pinned(row, units, draft.clock),
    ...(row.mode === "error" ? { mode: "error" as const, accuracy: edit.accuracy } : {}),
  }));
  return { next: { ...draft, rows }, edited: edit.id };
}

/** Keeps the typed share: a free row gets a soft pin, a hard hold holds the new share. */
const pinned = (row: PlanRow, units: bigint, clock: number): PlanRow => ({
  ...withUnits(asNew(row), units),
  mode: row.mode === "free" || row.mode === "soft" ? "soft" : "share",
  typedAt: clock,
});

export function held(
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
    if (error === null) return invalid("edit.mode", mode, "another hold: the row has no error yet");
    return { ...plain, mode, accuracy: error };
  });
}

/** Makes a pinned row free at its present share, with a weight on the scale of the free rows' weights. */
export function asFree(row: PlanRow, draft: PlanDraft): PlanRow {
  const free = draft.rows.filter((other) => other.id !== row.id && isFree(other));
  const total = (shares: readonly Share[]): bigint => shares.reduce((sum, share) => sum + linear(share), 0n);
  const [weights, spent] = [total(free.map(baseOf)), total(free.map(shareOf))];
  const share = linear(shareOf(row));
  const units = weights === 0n || spent === 0n ? share : (share * weights + spent / 2n) / spent;
  return { ...row, mode: "free", base: String(inFamily({ noise: "laplace", units }, familyOf(row)).units) };
}

/** Prices the rows that hold an error again. */
export function repriced(draft: PlanDraft, declaration: Declaration | null): PlanDraft {
  const rows = draft.rows.map((row) =>
    row.mode === "error" && row.accuracy !== undefined && isCounted(row)
      ? withUnits(row, unitsFor(row, row.accuracy, draft, needed(declaration, "declaration")))
      : row,
  );
  return { ...draft, rows };
}

export const needed = (declaration: Declaration | null, name: string): Declaration =>
  declaration ?? invalid(name, undefined, "given: an error has no price without it");
