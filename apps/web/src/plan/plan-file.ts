import { invalid } from "@dosimeter/core";
import { openPlan, type PlanDraft, savedPlan } from "@dosimeter/planner";
import type { Declaration } from "@dosimeter/query/declaration";

/** A plan as a file, which `dosimeter plan quote --plan`, the server and this page read. */
export const planFile = (draft: PlanDraft, declaration: Declaration): string =>
  `${JSON.stringify(savedPlan(draft, declaration), null, 2)}\n`;

/** The plan of a file in place of the draft's rows; INVALID_PARAMETER with a reason for anything else. */
export function readPlanFile(text: string, draft: PlanDraft, declaration: Declaration): PlanDraft {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    invalid("plan file", undefined, "JSON");
  }
  return openPlan(json, draft, declaration);
}
