import { formatEpsilon, invalid, VERSION } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import { withDerived } from "@dosimeter/query/expression";
import { entries, type Fields, list, oneOf, own, record, text } from "@dosimeter/query/input";
import { withJoin } from "@dosimeter/query/join";
import { PLAN_FORMAT, plainPlan, planHash } from "@dosimeter/query/plan";
import { accountantChoices } from "./budget.ts";
import { givenUnits, type PlanDraft, type PlanRow, planOf } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { withOwned } from "./follow.ts";
import { type GivenRow, openRows } from "./open.ts";
import { blocksOfDraft } from "./price.ts";

export const MODES = ["free", "soft", "share", "error"] as const;
export const ALLOCATIONS = ["ratio", "even", "weights", "targets", "total"] as const;

/**
 * A plan with its budget, holds, targets and weights, and a hash over all of them. The server and the command line
 * accept it as a plan; `openPlan` gives back the same draft, with the same hash.
 */
export function savedPlan(known: PlanDraft, declaration: Declaration): Fields {
  // Another reader may own other answers: the file has the price of every row in its ε.
  const draft = known.rows.some(({ isOwned }) => isOwned === true)
    ? withOwned(known, { kind: "owned", ids: [] })
    : known;
  const { epsilon, delta, accountant, reserve, allocate, policy, sample, people, reason } = draft;
  const kept = planOf(draft);
  const ids = new Set(kept.statistics.map(({ id }) => id));
  const content = {
    format: PLAN_FORMAT,
    madeBy: VERSION,
    table: declaration.name,
    adjacency: declaration.adjacency,
    confidence: draft.confidence,
    ...present({ join: kept.join, let: kept.let, window: kept.window }),
    statistics: kept.statistics,
    budget: {
      epsilon,
      delta,
      accountant,
      reserve,
      allocate,
      policy,
      ...(sample === null ? {} : { sample }),
      ...(people === null ? {} : { people }),
      ...(reason === "" ? {} : { reason }),
    },
    rows: draft.rows.filter(({ id }) => ids.has(id)).map(settingsOfRow),
  };
  // Fields that JSON leaves out are not hashed either.
  const plain = JSON.parse(JSON.stringify(content)) as Fields;
  return { ...plain, hash: planHash(plain) };
}

const settingsOfRow = ({ id, mode, base, accuracy, target, weight }: PlanRow) => ({
  id,
  mode,
  base,
  ...present({ accuracy, target, weight }),
});

/**
 * Replaces the draft's rows by those of a saved or a plain plan. Refuses another version, another adjacency and an
 * edited file; computes the shares again from weights, holds and pins and does not trust those of the file.
 */
export function openPlan(json: unknown, draft: PlanDraft, declaration: Declaration): PlanDraft {
  const given = record(json, "plan");
  const isSaved = own(given, "format") !== undefined;
  const plan = record(plainPlan(json), "plan");
  const adjacency = own(plan, "adjacency");
  if (adjacency !== undefined && adjacency !== declaration.adjacency)
    return invalid("adjacency", adjacency, `"${declaration.adjacency}", as the table has it`);
  const statistics = list(own(plan, "statistics"), "statistics");
  const settings = isSaved ? list(own(given, "rows"), "rows").map((row, index) => readRow(row, `rows[${index}]`)) : [];
  const rows = statistics.map((row, index): GivenRow => {
    const { id, epsilon, rho, ...request } = record(row, `statistics[${index}]`) as Record<string, never>;
    const name = id === undefined ? `s${index + 1}` : text(id, `statistics[${index}].id`, 80);
    return { id: name, request, epsilon, rho, ...settings.find((each) => each.id === name) };
  });
  if (new Set(rows.map(({ id }) => id)).size < rows.length)
    return invalid("statistics", rows.length, "rows with different ids");
  const confidence = (own(plan, "confidence") as number | undefined) ?? draft.confidence;
  const budget = isSaved ? readBudget(own(given, "budget"), draft) : {};
  const formulas = own(plan, "let") as PlanDraft["let"];
  const join = own(plan, "join") as PlanDraft["join"];
  withDerived(withJoin(declaration, join), formulas);
  // A plan that names no blocks is about those of the draft.
  const window = (own(plan, "window") as PlanDraft["window"]) ?? draft.window;
  const about = window === undefined ? {} : { window };
  if (window !== undefined) blocksOfDraft(about, declaration);
  const { let: _, join: __, window: ___, follows, ...others } = draft;
  // A saved plan has an ε of its own.
  const following = follows === true && !isSaved ? { follows } : {};
  const derived = { ...present({ join, let: formulas }), ...about };
  const empty: PlanDraft = {
    ...others,
    ...following,
    ...derived,
    ...budget,
    confidence,
    rows: [],
    pending: null,
    over: "0",
    notices: [],
  };
  const opened = openRows(rows, { confidence, ...derived }, declaration).map((row) => {
    const base = settings.find(({ id }) => id === row.id)?.base;
    return base === undefined ? row : { ...row, base };
  });
  const whole = editPlan({ ...empty, rows: opened }, { kind: "policy", policy: empty.policy }, declaration);
  // Rows without a price get their first one, in order.
  return whole.follows === true
    ? opened.reduce((all, { id, request }) => editPlan(all, { kind: "change", id, request }, declaration), whole)
    : whole;
}

function readRow(json: unknown, path: string) {
  const given = record(json, path);
  entries(given, path, ["id", "mode", "base", "accuracy", "target", "weight"]);
  const positive = (key: string): number | undefined => {
    const value = own(given, key);
    if (value === undefined || (typeof value === "number" && value > 0 && Number.isFinite(value))) return value;
    return invalid(`${path}.${key}`, value, "a number above 0");
  };
  const base = text(own(given, "base"), `${path}.base`, 60);
  if (!/^\d+$/.test(base)) return invalid(`${path}.base`, base, "a whole number");
  return {
    id: text(own(given, "id"), `${path}.id`, 80),
    mode: oneOf(own(given, "mode"), `${path}.mode`, MODES),
    base,
    accuracy: positive("accuracy"),
    target: positive("target"),
    weight: positive("weight"),
  };
}

function readBudget(json: unknown, draft: PlanDraft): Partial<PlanDraft> {
  const given = record(json, "budget");
  entries(given, "budget", [
    "epsilon",
    "delta",
    "accountant",
    "reserve",
    "allocate",
    "policy",
    "sample",
    "people",
    "reason",
  ]);
  const decimal = (key: string): string => text(own(given, key), `budget.${key}`, 60);
  const { sample, people, reason } = given;
  const isAlone = draft.headroom === null;
  return {
    epsilon: formatEpsilon(givenUnits(decimal("epsilon"), "budget.epsilon")),
    ...(isAlone
      ? { delta: decimal("delta"), accountant: oneOf(given.accountant, "budget.accountant", accountantChoices) }
      : {}),
    reserve: decimal("reserve"),
    allocate: oneOf(given.allocate, "budget.allocate", ALLOCATIONS),
    policy: oneOf(given.policy, "budget.policy", ["rebalance", "strict"]),
    sample: isAlone ? ((sample as PlanDraft["sample"] | undefined) ?? null) : null,
    people: typeof people === "number" ? people : null,
    reason: typeof reason === "string" ? reason.slice(0, 1000) : "",
  };
}
