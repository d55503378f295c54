import { formatDelta, formatEpsilon, formatMu2, ledgerCaps, openState, openTerms } from "@dosimeter/core";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../query/src/declaration/declaration.ts";
import type { Edit, PlanDraft } from "./draft.ts";
import { editPlan } from "./edit.ts";
import type { Headroom } from "./headroom.ts";

/** A table of people, a row each; where their number is public they may be replaced. */
export const peopleWith = (columns: object, size: object = { assumed: 1000 }): Declaration =>
  checkDeclaration({
    ...{ name: "people", source: { csv: "people.csv" }, privacyUnit: "row", size, columns },
    ...("public" in size ? { adjacency: "replace" } : {}),
  });

export const player =
  (declaration: Declaration) =>
  (draft: PlanDraft, ...edits: readonly Edit[]): PlanDraft =>
    edits.reduce((current, edit) => editPlan(current, edit, declaration), draft);

/** Of a ledger and one account below it, from which nothing was spent. */
export function headroomOf(activeRule: "addition" | "tight", epsilon = "1"): Headroom {
  const caps = ledgerCaps(openTerms({ epsilon, delta: "1e-6", rule: "additionThenTight" }));
  const path = ["ledger", "account"].map((name) => ({
    name,
    epsilon: { cap: formatEpsilon(caps.epsilon), spent: "0" },
    delta: { cap: formatDelta(caps.delta), spent: "0" },
    mu2: { cap: formatMu2(caps.mu2), left: formatMu2(openState(caps).mu2 ?? caps.mu2) },
  }));
  return { rule: "additionThenTight", activeRule, policy: "ask", adjacency: "addRemove", path };
}
