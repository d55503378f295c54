import type { Dataset } from "@dosimeter/client";
import { checkDeclaration, type Declaration } from "@dosimeter/query";

/** The declaration in the planner's own type, or null when this build cannot read it. */
export function declarationOf(dataset: Pick<Dataset, "declaration">): Declaration | null {
  try {
    return checkDeclaration(dataset.declaration);
  } catch {
    return null;
  }
}
