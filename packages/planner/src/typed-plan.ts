import { formatEpsilon, invalid } from "@dosimeter/core";
import { isRecord, present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import { type Fields, list, oneOf, record } from "@dosimeter/query/input";
import { accountantChoices } from "./budget.ts";
import { type Edit, familyOf, givenUnits, type PlanDraft, type PlanRow, withUnits } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { withOwned } from "./follow.ts";
import { blocksOfDraft, boundedRow, wholeDeclaration } from "./price.ts";
import { ALLOCATIONS, MODES } from "./saved-plan.ts";

/**
 * All of a plan that a person typed, also rows that are not complete and an edit that waits for room; nothing of what the server tells of
 * answers and budgets.
 */
export function typedPlan(draft: PlanDraft): Fields {
  const { headroom: _, notices: __, ...typed } = withOwned(draft, { kind: "owned", ids: [] });
  return { ...typed };
}

/**
 * The same plan over `opened`, a plan without rows on the account that pays now. INVALID_PARAMETER where it is none, or where the table has
 * no longer what it derives or joins.
 */
export function openTyped(json: unknown, opened: PlanDraft, declaration: Declaration): PlanDraft {
  const given = record(json, "plan");
  const { let: formulas, join, window } = given as Partial<Pick<PlanDraft, "let" | "join" | "window">>;
  const { follows: _, ...base } = opened;
  const isAlone = opened.headroom === null;
  const empty: PlanDraft = {
    ...base,
    ...present({ let: formulas, join, window: window ?? opened.window }),
    ...(given.follows === true && !isAlone ? { follows: true } : {}),
    epsilon: units(given.epsilon, "epsilon"),
    reserve: text(given.reserve, "reserve"),
    policy: oneOf(given.policy, "policy", ["rebalance", "strict"]),
    allocate: oneOf(given.allocate, "allocate", ALLOCATIONS),
    confidence: number(given.confidence, "confidence"),
    people: given.people === null ? null : number(given.people, "people"),
    reason: text(given.reason, "reason"),
    clock: number(given.clock, "clock"),
    over: text(given.over, "over"),
    ...(isAlone
      ? {
          delta: text(given.delta, "delta"),
          accountant: oneOf(given.accountant, "accountant", accountantChoices),
          sample: isRecord(given.sample) ? (given.sample as unknown as PlanDraft["sample"]) : null,
        }
      : {}),
  };
  wholeDeclaration(declaration, empty);
  if (empty.window !== undefined) blocksOfDraft(empty, declaration);
  const rows = list(given.rows, "rows").map((row, index) => rowOf(row, `rows[${index}]`, empty, declaration));
  if (new Set(rows.map(({ id }) => id)).size < rows.length) invalid("rows", rows.length, "rows with different ids");
  const plan = { ...empty, rows };
  const { edit } = isRecord(given.pending) ? given.pending : {};
  return isRecord(edit) ? editPlan(plan, edit as unknown as Edit, declaration) : plan;
}

function rowOf(json: unknown, path: string, plan: PlanDraft, declaration: Declaration): PlanRow {
  const given = record(json, path);
  const request = record(given.request, `${path}.request`) as PlanRow["request"];
  const id = text(given.id, `${path}.id`);
  const base = text(given.base, `${path}.base`);
  if (!/^\d+$/.test(base)) invalid(`${path}.base`, base, "a whole number");
  const numbers = ["accuracy", "target", "weight", "typedAt"].flatMap((key) =>
    given[key] === undefined ? [] : [[key, number(given[key], `${path}.${key}`)]],
  );
  const row: PlanRow = {
    id,
    request,
    mode: oneOf(given.mode, `${path}.mode`, MODES),
    epsilon: "0",
    isComplete: boundedRow({ id, request }, plan, declaration) !== null,
    base,
    ...Object.fromEntries(numbers),
  };
  const amount = familyOf(row) === "gaussian" ? "rho" : "epsilon";
  const name = `${path}.${amount}`;
  return given[amount] === undefined ? row : withUnits(row, givenUnits(text(given[amount], name), name));
}

const text = (json: unknown, name: string): string =>
  typeof json === "string" ? json : invalid(name, undefined, "a text");
const number = (json: unknown, name: string): number =>
  typeof json === "number" ? json : invalid(name, undefined, "a number");
const units = (json: unknown, name: string): string => formatEpsilon(givenUnits(text(json, name), name));
