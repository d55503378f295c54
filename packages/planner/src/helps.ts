import type { Declaration } from "@dosimeter/query/declaration";
import { leavesOf } from "@dosimeter/query/plan";
import type { PlanDraft, PlanRow } from "./draft.ts";
import { fitnessOf } from "./grade.ts";
import { boundedRow } from "./price.ts";

/** A change that would make a row useful at its share. */
export interface Help {
  readonly kind: "granularity" | "people";
  /** The new granularity, or the least number of people. */
  readonly value: number;
  /** The error then, in the answer's unit. */
  readonly error: number;
}

const COARSER = [2, 5, 10, 20];
const MAX_PEOPLE = 2 ** 40;

/**
 * Coarser steps for choices and curves, and the number of people that the row needs; empty when it is useful already or
 * no change helps.
 */
export function helpsFor(row: PlanRow, draft: PlanDraft, declaration: Declaration): readonly Help[] {
  const now = fitnessOf(row, draft, declaration);
  if (now === null || (now.grade !== "useless" && now.grade !== "poor")) return [];
  return [...coarser(row, draft, declaration, now.error), ...morePeople(row, draft, declaration)];
}

function coarser(row: PlanRow, draft: PlanDraft, declaration: Declaration, error: number): readonly Help[] {
  const bounded = boundedRow(row, draft, declaration);
  const leafed = bounded === null ? undefined : leavesOf(bounded);
  if (bounded === null || leafed === undefined) return [];
  const step = Number(leafed.ticks.step.numerator) / Number(leafed.ticks.step.denominator);
  const tried = COARSER.flatMap((factor) => {
    const value = step * factor;
    const request = { ...row.request, granularity: value };
    if (boundedRow({ id: row.id, request }, draft, declaration) === null) return [];
    const found = fitnessOf({ ...row, request }, draft, declaration);
    return found === null || found.error >= error ? [] : [{ kind: "granularity" as const, value, ...found }];
  });
  const best = tried.find(({ grade }) => grade !== "useless");
  return best === undefined ? [] : [{ kind: best.kind, value: best.value, error: best.error }];
}

function morePeople(row: PlanRow, draft: PlanDraft, declaration: Declaration): readonly Help[] {
  const at = (people: number) => {
    const isPublic = declaration.size !== undefined && "public" in declaration.size;
    const sized = { ...declaration, size: isPublic ? { public: people } : { assumed: people } };
    return fitnessOf(row, { ...draft, people }, sized);
  };
  const helps = (people: number): boolean => {
    const found = at(people);
    return found !== null && found.grade !== "useless" && found.grade !== "poor";
  };
  if (!helps(MAX_PEOPLE)) return [];
  let [low, high] = [1, MAX_PEOPLE];
  while (high - low > Math.max(1, high / 64)) {
    const middle = Math.floor(Math.sqrt(low * high));
    if (middle <= low || middle >= high) break;
    if (helps(middle)) high = middle;
    else low = middle;
  }
  // Two digits, rounded up.
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(high)) - 1);
  const value = Math.ceil(high / unit) * unit;
  return [{ kind: "people", value, error: at(value)?.error ?? 0 }];
}
