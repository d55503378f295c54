import { formatEpsilon, formatPeriod, PrivacyError } from "@dosimeter/core";
import { leastIndex } from "@dosimeter/core/internal";
import { boundNumber, type Declaration } from "@dosimeter/query/declaration";
import { isWhole } from "@dosimeter/query/plan";
import { boundsText } from "@dosimeter/query/quote";
import { type Edit, familyOf, isCounted, type PlanDraft, type PlanRow, parseUnits, shareOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { roomFor } from "./first-price.ts";
import { fitnessOf } from "./grade.ts";
import { bestBoundsOf, errorAt, readableRoom } from "./price.ts";
import { mostFor } from "./settle.ts";
import { linear } from "./shares.ts";

/** A way to make room for an edit that does not fit, and the plan it gives. */
export interface WayOut {
  readonly kind: "best" | "release" | "reserve" | "bestBounds" | "bounds" | "confidence" | "raise" | "drop";
  /** The row whose share shrinks, which may be the edited row. */
  readonly id: string | null;
  /** The edits to apply to the present plan, in order. */
  readonly edits: readonly Edit[];
  readonly result: PlanDraft;
  /** Error of the edited row afterwards; null where it is dropped or has none. */
  readonly error: number | null;
  /** The new ε, reserve, bound, bounds or confidence. */
  readonly value: string | null;
  /** It answers another question: tighter bounds change what is counted, and what they change is no noise [M350]. */
  readonly isOtherQuestion: boolean;
}

type Rowed = Edit & { readonly kind: "epsilon" | "rho" | "accuracy" };

/** Every way to make room for the pending edit, with the plan it gives. Empty when nothing is pending. */
export function waysOut(draft: PlanDraft, declaration: Declaration): readonly WayOut[] {
  const { pending } = draft;
  if (pending === null) return [];
  const { edit } = pending;
  if (edit.kind === "epsilon" || edit.kind === "rho" || edit.kind === "accuracy")
    return rowWays(draft, edit, declaration).filter((way) => way !== null);
  const needed = draft.rows.filter(isCounted).filter((row) => row.mode !== "free");
  return [
    ...needed.map((row) => tried("release", row.id, [{ kind: "mode", id: row.id, mode: "free" }, edit])),
    tried("raise", null, [{ ...edit, kind: "total", epsilon: pending.needs } as Edit], pending.needs),
    ...needed.map((row) => tried("drop", row.id, [{ kind: "remove", id: row.id }, edit])),
  ].filter((way) => way !== null);

  function tried(kind: WayOut["kind"], id: string | null, edits: readonly Edit[], value: string | null = null) {
    return attempt(draft, declaration, { kind, id, edits, value, edited: null });
  }
}

/** An edit of a row that does not fit, and what is tried with it. */
interface Trying {
  readonly draft: PlanDraft;
  readonly declaration: Declaration;
  readonly edit: Rowed;
  readonly row: PlanRow;
  /** The most that the row can have. */
  readonly most: bigint;
  readonly way: (kind: WayOut["kind"], id: string | null, edits: readonly Edit[], value?: string) => WayOut | null;
  readonly accepts: (edits: readonly Edit[]) => boolean;
}

function rowWays(draft: PlanDraft, edit: Rowed, declaration: Declaration): readonly (WayOut | null)[] {
  const row = draft.rows.find(({ id }) => id === edit.id);
  if (row === undefined) return [];
  const way: Trying["way"] = (kind, id, edits, value) =>
    attempt(draft, declaration, { kind, id, edits, value: value ?? null, edited: edit.id });
  const accepts = (edits: readonly Edit[]): boolean =>
    attempt(draft, declaration, { kind: "best", id: null, edits, value: null, edited: null }) !== null;
  const trying = { draft, declaration, edit, row, most: mostFor(draft, row), way, accepts };
  const holds = draft.rows.filter((other) => other.id !== row.id && (other.mode === "share" || other.mode === "error"));
  return [
    bestWay(trying, trying.most) ?? bestWay(trying, besideOthers(trying)),
    ...holds.map((held) => way("release", held.id, [{ kind: "mode", id: held.id, mode: "free" }, edit])),
    reserveWay(trying),
    bestBoundsWay(trying) ?? boundsWay(trying),
    confidenceWay(trying),
    raiseWay(trying),
    way("drop", row.id, [{ kind: "remove", id: row.id }]),
  ];
}

const paying = ({ id, request }: PlanRow, units: bigint): Edit =>
  request.noise === "gaussian"
    ? { kind: "rho", id, rho: formatEpsilon(units) }
    : { kind: "epsilon", id, epsilon: formatEpsilon(units) };

function bestWay({ row, way }: Trying, most: bigint): WayOut | null {
  const units = readableRoom(most);
  return units > 0n ? way("best", row.id, [paying(row, units)], formatEpsilon(units)) : null;
}

/** What there is for the edit that waits: the most that a way out takes; where none does, with all other rows at their least. */
export const availableFor = ({ pending }: PlanDraft, ways: readonly WayOut[]): string =>
  ways.find(({ kind }) => kind === "best")?.value ?? pending?.available ?? "0";

/** What is there while the others keep what they have. */
function besideOthers({ draft: { rows, headroom, reserve }, row }: Trying): bigint {
  const others = rows.filter((other) => other.id !== row.id && isCounted(other));
  return headroom === null ? 0n : roomFor(row, others.map(shareOf), { headroom, reserve });
}

function reserveWay({ draft, edit, way, accepts }: Trying): WayOut | null {
  if (parseUnits(draft.reserve) === 0n) return null;
  const share = largestKept((kept) => accepts([{ kind: "reserve", reserve: kept }, edit]), draft.reserve);
  return share === null ? null : way("reserve", null, [{ kind: "reserve", reserve: share }, edit], share);
}

/** At the most there is, the bounds that an earlier answer tells to leave the least error in all [M374]. */
function bestBoundsWay({ draft, declaration, row, most, way }: Trying): WayOut | null {
  if (most <= 0n) return null;
  const best = { kind: "best", id: null, edits: [paying(row, most)], value: null, edited: null } as const;
  const result = attempt(draft, declaration, best)?.result;
  const found = result === undefined ? null : bestBoundsOf(result, row.id, declaration);
  if (found === null) return null;
  const { lower, upper } = found;
  const change: Edit = { kind: "change", id: row.id, request: { ...row.request, lower, upper } };
  return way("bestBounds", row.id, [...best.edits, change], boundsText(found));
}

/** The largest upper bound, in steps of a hundredth of the range, that makes the typed error affordable. */
function boundsWay({ declaration, edit, row: { id, request }, way, accepts }: Trying): WayOut | null {
  const column = request.column === undefined ? undefined : declaration.columns[request.column];
  const lower = boundNumber(request.lower, column) ?? column?.lower;
  const upper = boundNumber(request.upper, column, true) ?? column?.upper;
  if (edit.kind !== "accuracy" || lower === undefined || upper === undefined) return null;
  const shown = (end: number): number | string =>
    column?.calendar === undefined ? end : formatPeriod(end, column.calendar);
  const upperAt = (percent: number): number | string => {
    const bound = lower + ((upper - lower) * percent) / 100;
    return shown(column !== undefined && isWhole(column) ? Math.floor(bound) : bound);
  };
  const edits = (to: number | string): readonly Edit[] => [
    { kind: "change", id, request: { ...request, lower: shown(lower), upper: to } },
    edit,
  ];
  const low = leastIndex((percent) => !accepts(edits(upperAt(percent))), 0, 100) - 1;
  return low < 5 ? null : way("bounds", id, edits(upperAt(low)), String(upperAt(low)));
}

function confidenceWay({ draft, edit, way, accepts }: Trying): WayOut | null {
  if (edit.kind !== "accuracy") return null;
  const lower = [0.99, 0.95, 0.9, 0.8].find(
    (confidence) => confidence < draft.confidence && accepts([{ kind: "confidence", confidence }, edit]),
  );
  return lower === undefined
    ? null
    : way("confidence", null, [{ kind: "confidence", confidence: lower }, edit], String(lower));
}

function raiseWay({ draft: { headroom, pending, rows }, edit, row, way }: Trying): WayOut | null {
  if (headroom !== null || pending === null) return null;
  // What is held stays, and what is free keeps what it has.
  const others = rows.filter((other) => other.id !== row.id && isCounted(other));
  const kept = others.reduce((sum, other) => sum + linear(shareOf(other)), 0n);
  const total = formatEpsilon(kept + linear({ noise: familyOf(row), units: parseUnits(pending.needs) }));
  return way("raise", null, [{ kind: "total", epsilon: total }, edit], total);
}

/** The largest part of the reserve, in hundredths of the whole, for which a condition holds. */
function largestKept(holds: (reserve: string) => boolean, reserve: string): string | null {
  const at = (percent: number): string => formatEpsilon(BigInt(percent) * 10n ** 10n);
  if (!holds(at(0))) return null;
  return at(Math.max(0, leastIndex((percent) => !holds(at(percent)), 0, Math.ceil(Number(reserve) * 100)) - 1));
}

function attempt(
  draft: PlanDraft,
  declaration: Declaration,
  {
    kind,
    id,
    edits,
    value,
    edited,
  }: Pick<WayOut, "kind" | "id" | "edits" | "value"> & { readonly edited: string | null },
): WayOut | null {
  let result: PlanDraft = { ...draft, pending: null, over: "0" };
  try {
    for (const edit of edits) {
      result = editPlan(result, edit, declaration);
      if (result.pending !== null) return null;
    }
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
  const row = result.rows.find((other) => other.id === edited);
  const error = row === undefined ? null : errorAt(row, result, declaration);
  // What is typed, or raised to it, is no suggestion.
  if (kind !== "raise" && row !== undefined && isUseless(row, result, declaration)) return null;
  if (result.rows.some((other) => other.id !== edited && isSpoiled(other, draft, result, declaration))) return null;
  return { kind, id, edits, result, value, error, isOtherQuestion: kind === "bounds" || kind === "bestBounds" };
}

const isUseless = (row: PlanRow, draft: PlanDraft, declaration: Declaration): boolean =>
  fitnessOf(row, draft, declaration)?.grade === "useless";

/** A row that gave up its share to make room, and says nothing any more. */
function isSpoiled(row: PlanRow, before: PlanDraft, after: PlanDraft, declaration: Declaration): boolean {
  const had = before.rows.find(({ id }) => id === row.id);
  if (had === undefined || shareOf(had).units <= shareOf(row).units) return false;
  return isUseless(row, after, declaration) && !isUseless(had, before, declaration);
}
