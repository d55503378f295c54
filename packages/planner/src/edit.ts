import { formatEpsilon, integerSqrt, invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import { withDerived } from "@dosimeter/query/expression";
import { withJoin } from "@dosimeter/query/join";
import { checkConfidence } from "@dosimeter/query/plan";
import {
  asNew,
  type Edit,
  familyOf,
  givenUnits,
  isCounted,
  type PlanDraft,
  type PlanRow,
  parseUnits,
} from "./draft.ts";
import { asSum, isFollowing, summed, withAllLeft, withFirstPrice, withOwned } from "./follow.ts";
import { blocksOfDraft, boundedRow, unitsFor } from "./price.ts";
import {
  ABOVE_ZERO,
  type Applied,
  added,
  asked,
  changed,
  held,
  isFree,
  moved,
  needed,
  repriced,
  typed,
  without,
  withRow,
} from "./rows.ts";
import { checkDelta, checkSample } from "./sample.ts";
import { filled, settled } from "./settle.ts";
import { inFamily, linear, UNITS } from "./shares.ts";

/**
 * Computes new weights of the free rows, unless the allocation keeps them. A row without the field that the allocation
 * needs keeps its weight.
 */
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
      const need = linear({ noise: familyOf(row), units: unitsFor(row, row.target, draft, declaration) });
      // Least Σ (weight/target)·error: ε ∝ √need, and σ ∝ 1/√ρ makes √(2ρ) ∝ ∛need.
      if (draft.allocate === "targets") return inOwn(need);
      if (familyOf(row) === "laplace") return inOwn(integerSqrt((need * UNITS * weight) / 1_000_000n));
      return inOwn(BigInt(Math.round(Math.cbrt((Number(need) / 1e12) * (Number(weight) / 1e6)) * 1e12)));
    }
    default:
      return draft.allocate satisfies never;
  }
}

/**
 * Applies one edit to a plan: pure, integers only, the same input gives the same bytes. The edited value stays as
 * typed, hard holds never move, soft pins are released (oldest first, with a notice) only when there is no room; the
 * free rows share the rest. The price of a typed error has three digits, rounded up, unless only the least price fits. An edit that cannot fit leaves the plan unchanged and stays in `pending`. Without a
 * declaration (`null`) every row counts as complete.
 */
export function editPlan(draft: PlanDraft, edit: Edit, declaration: Declaration | null): PlanDraft {
  const edited = editOnce(draft, edit, declaration, true);
  if (edit.kind !== "accuracy" || isCalm(edited)) return edited;
  // The rounded price moves something that the exact one leaves alone.
  const exact = editOnce(draft, edit, declaration, false);
  return isCalm(exact) || exact.pending !== null ? exact : edited;
}

const isCalm = ({ pending, over, notices }: PlanDraft): boolean =>
  pending === null && over === "0" && notices.length === 0;

function editOnce(draft: PlanDraft, edit: Edit, declaration: Declaration | null, isReadable: boolean): PlanDraft {
  if (edit.kind === "owned") return withOwned(draft, edit);
  const isTyped = edit.kind === "total" || edit.kind === "allocate";
  const { follows, ...kept } = draft;
  const clean = { notices: [], pending: null, over: "0", clock: draft.clock + 1 };
  const before: PlanDraft = { ...(isTyped ? kept : draft), ...clean };
  const { next, edited } = applied(before, edit, declaration, isReadable);
  if (follows === true && isFollowing(next) && declaration !== null) {
    const priced = withFirstPrice(before, next, edit, declaration);
    const sum = asSum(priced);
    if (sum !== null) return sum;
    const shared = settled(draft, withAllLeft(priced), { edit, edited, declaration });
    return shared.pending === null && shared.over === "0" ? summed(shared) : shared;
  }
  // While a person fills in an incomplete row, all rows keep their shares until the next edit of something else.
  const isFilling = edit.kind === "change" || edit.kind === "epsilon" || edit.kind === "rho";
  if (isFilling && draft.policy === "rebalance" && !isComplete(next, edit.id)) return filled(draft, next, edit);
  return settled(draft, next, { edit, edited, declaration });
}

const isComplete = ({ rows }: PlanDraft, id: string): boolean => rows.some((row) => row.id === id && row.isComplete);

function applied(
  draft: PlanDraft,
  edit: Exclude<Edit, { kind: "owned" }>,
  declaration: Declaration | null,
  isReadable: boolean,
): Applied {
  switch (edit.kind) {
    case "total": {
      if (edit.delta !== undefined) checkDelta(edit.delta, draft, declaration);
      const delta = edit.delta === undefined ? {} : { delta: String(edit.delta) };
      const units = givenUnits(edit.epsilon);
      if (units === 0n) return invalid("epsilon", edit.epsilon, ABOVE_ZERO);
      // Rows that are paid share it; where none is, all ask for new answers.
      const rows = draft.rows.some(isCounted) ? draft.rows : draft.rows.map(asNew);
      return { next: { ...draft, rows, epsilon: formatEpsilon(units), ...delta } };
    }
    case "confidence":
      return { next: repriced({ ...draft, confidence: checkConfidence(edit.confidence) }, declaration) };
    case "let":
      return { next: withColumns(draft, { join: draft.join, let: edit.let }, declaration) };
    case "join":
      return { next: withColumns(draft, { join: edit.join ?? undefined, let: draft.let }, declaration) };
    case "window":
      if (declaration !== null) blocksOfDraft(edit, declaration);
      return {
        next: withColumns({ ...draft, window: edit.window }, { join: draft.join, let: draft.let }, declaration),
      };
    case "people":
      return { next: repriced({ ...draft, people: edit.people }, declaration) };
    case "reason":
      return { next: { ...draft, reason: edit.reason } };
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
      if (reserve > UNITS) return invalid("reserve", edit.reserve, "from 0 to 1");
      return { next: { ...draft, reserve: formatEpsilon(reserve) } };
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
      return asked(draft, edit, needed(declaration, "declaration"), isReadable);
    case "target": {
      if (edit.target !== null && !(edit.target > 0)) return invalid("edit.target", edit.target, "above 0");
      const { target } = edit;
      const rows = withRow(draft, edit.id, ({ target: _, ...row }) => (target === null ? row : { ...row, target }));
      return { next: rebased({ ...draft, rows }, declaration) };
    }
    case "weight": {
      if (!(edit.weight > 0) || !(edit.weight <= 1e6))
        return invalid("edit.weight", edit.weight, "above 0, at most 1e6");
      const rows = withRow(draft, edit.id, (row) => ({ ...row, weight: edit.weight }));
      return { next: rebased({ ...draft, rows }, declaration) };
    }
    case "mode":
      return { next: { ...draft, rows: held(draft, edit, declaration) } };
    default:
      return edit satisfies never;
  }
}

/** Replaces the joined and the derived columns, which can make a row complete or incomplete, as the blocks can. */
function withColumns(
  draft: PlanDraft,
  {
    join,
    let: formulas = {},
  }: { readonly join: PlanDraft["join"] | undefined; readonly let?: PlanDraft["let"] | undefined },
  declaration: Declaration | null,
): PlanDraft {
  const { let: _, join: __, ...plain } = draft;
  if (declaration !== null) withDerived(withJoin(declaration, join), formulas);
  const next: PlanDraft = {
    ...plain,
    ...present({ join }),
    ...(Object.keys(formulas).length === 0 ? {} : { let: formulas }),
  };
  const rows = next.rows.map((row) => ({
    ...row,
    isComplete: declaration === null || boundedRow(row, next, declaration) !== null,
  }));
  return repriced({ ...next, rows }, declaration);
}
