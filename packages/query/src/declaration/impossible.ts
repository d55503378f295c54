import { invalid } from "@dosimeter/core";
import type { Declaration } from "./declaration.ts";
import { type Predicate, predicateColumns, predicateText } from "./predicate.ts";
import { readPredicate } from "./predicate-text.ts";

const MAX_FACTS = 16;

/** Facts about what no row can be, joined by or. */
export const factsIn = (predicate: Predicate): readonly Predicate[] =>
  predicate.op === "or" ? predicate.of : [predicate];

/** The owner's facts, each about two declared columns. */
export function checkImpossible(
  json: unknown,
  declaration: Pick<Declaration, "columns" | "privacyUnit">,
): Predicate | undefined {
  if (json === undefined) return undefined;
  const predicate = readPredicate(json, declaration, "impossible");
  const facts = factsIn(predicate);
  if (facts.length > MAX_FACTS) invalid("impossible", facts.length, `at most ${MAX_FACTS} facts, joined by or`);
  for (const fact of facts)
    if (new Set(predicateColumns(fact)).size !== 2)
      invalid(
        "impossible",
        predicateText(fact),
        "facts about two columns each, such as age < 15 and married = true, joined by or",
      );
  return predicate;
}
