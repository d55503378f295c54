import { epsilonAmount, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { blocksOfDraft, openPlan, type PlanDraft, planOf } from "@dosimeter/planner";
import { boundPlan } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { planOfSql, readSqlAbout, sqlOfPlan } from "@dosimeter/sql-text";

/** SQL as the draft that it asks for. */
export interface SqlDraft {
  readonly draft: PlanDraft;
  readonly count: number;
  /** What its aggregates cost together; null where the text states no ε, and the plan's budget is split instead. */
  readonly epsilon: string | null;
  /** What people must know of what was made of the text. */
  readonly notes: readonly string[];
}

const SHOWN = "HAVING, ORDER BY and LIMIT are of a printed table; this plan keeps every group.";

/** The table as SQL; a first query for an empty one, and for one that SQL cannot say. */
export function sqlOfDraft(draft: PlanDraft, declaration: Declaration): string {
  const first = `SELECT\n  COUNT(*)\nFROM ${JSON.stringify(declaration.name)}`;
  try {
    return sqlOfPlan(planOf(draft), declaration) || first;
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_QUERY") return first;
    throw error;
  }
}

/** Throws a refusal with line and column; the draft's other settings stay. */
export function draftOfSql(text: string, draft: PlanDraft, declaration: Declaration): SqlDraft {
  // A plan must not lose what SQL cannot say of the other table.
  if (draft.join !== undefined) sqlOfPlan(planOf(draft), declaration);
  const { plan, tables, notes, atItsPlace } = planOfSql(readSqlAbout(text, declaration.name), declaration);
  try {
    const { window = draft.window } = plan;
    const blocks = blocksOfDraft(window === undefined ? {} : { window }, declaration);
    boundPlan({ ...plan, ...blocks, statistics: plan.statistics.map(priced) }, declaration);
  } catch (error) {
    return atItsPlace(error);
  }
  const epsilon = totalOf(plan.statistics);
  const budget = epsilon === null ? {} : { epsilon, reserve: "0" };
  const isShort = tables.some(
    ({ having, orderBy, limit, offset }) => having !== null || orderBy.length > 0 || limit !== null || offset > 0,
  );
  return {
    draft: openPlan(plan, { ...draft, ...budget }, declaration),
    count: plan.statistics.length,
    epsilon,
    notes: isShort ? [...notes, SHOWN] : notes,
  };
}

type Row = Plan["statistics"][number];

/** A row without a price is checked at any: it gets its own from the budget. */
const priced = (row: Row): Row => (row.epsilon === undefined && row.rho === undefined ? { ...row, epsilon: 1 } : row);

function totalOf(rows: readonly Row[]): string | null {
  if (rows.some(({ epsilon }) => epsilon === undefined)) return null;
  const units = rows.reduce((sum, { epsilon = 0 }) => sum + epsilonAmount(epsilon, "up"), 0n);
  return formatEpsilon(units);
}
