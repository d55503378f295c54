import { PrivacyError } from "@dosimeter/core";
import { type Declaration, editPlan, type GivenRow, openRows, type Plan, type PlanDraft } from "@dosimeter/query";

/** A plan as a file: what `dosimeter plan quote --plan` and the server take. */
export const planFile = (plan: Plan): string => `${JSON.stringify(plan, null, 2)}\n`;

/** The plan of a file in place of the draft's rows; INVALID_PARAMETER with a reason for anything else. */
export function readPlanFile(text: string, draft: PlanDraft, declaration: Declaration): PlanDraft {
  const refuse = (want: string): never => {
    throw new PrivacyError("INVALID_PARAMETER", { name: "plan file", want });
  };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    refuse("JSON");
  }
  const plan = json as Partial<Plan> | null;
  if (typeof plan !== "object" || plan === null || !Array.isArray(plan.statistics))
    return refuse("{statistics: [{statistic, column, epsilon}]}");
  if (plan.adjacency !== undefined && plan.adjacency !== declaration.adjacency)
    return refuse(`made for neighbours "${declaration.adjacency}"`);
  const given = plan.statistics.map((row: unknown, index): GivenRow => {
    if (typeof row !== "object" || row === null) return refuse("a list of statistics");
    const { id, epsilon, rho, ...request } = row as Record<string, never>;
    return { id: typeof id === "string" ? id : `s${index + 1}`, request, epsilon, rho };
  });
  if (new Set(given.map(({ id }) => id)).size < given.length) return refuse("different ids for different rows");
  const confidence = plan.confidence ?? draft.confidence;
  const opened = { ...draft, confidence, rows: openRows(given, { confidence }, declaration) };
  return editPlan(opened, { kind: "allocate", allocate: draft.allocate }, declaration);
}
