import type { Dataset } from "@dosimeter/client";
import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";

/** The declaration in the planner's own type, or null when this build cannot read it. */
export function declarationOf(dataset: Pick<Dataset, "declaration">): Declaration | null {
  try {
    return checkDeclaration(dataset.declaration);
  } catch {
    return null;
  }
}

/** A declaration with the tables of the same people that a plan on it may join; those that this build cannot read are left out. */
export function joiningDeclaration(
  dataset: Pick<Dataset, "declaration">,
  others: readonly Pick<Dataset, "id" | "version" | "declaration">[],
): Declaration | null {
  const declaration = declarationOf(dataset);
  const joinable = others.flatMap((other) => {
    const theirs = declarationOf(other);
    return theirs === null ? [] : [[other.id, { version: other.version, declaration: theirs }] as const];
  });
  return declaration === null || joinable.length === 0
    ? declaration
    : { ...declaration, joinable: Object.fromEntries(joinable) };
}
