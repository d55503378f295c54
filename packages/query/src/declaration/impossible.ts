import { invalid } from "@dosimeter/core";
import type { Declaration } from "./declaration.ts";
import type { Key } from "./key.ts";
import { type Predicate, predicateColumns, predicateText } from "./predicate.ts";
import { readPredicate } from "./predicate-text.ts";

const MAX_FACTS = 16;

type Table = Pick<Declaration, "columns" | "privacyUnit">;

/** A predicate of at most 16 facts. INVALID_PARAMETER for one of more. */
export function fewFacts(predicate: Predicate, path: string): readonly Predicate[] {
  const facts = factsIn(predicate);
  return facts.length > MAX_FACTS ? invalid(path, facts.length, `at most ${MAX_FACTS} facts, joined by or`) : facts;
}

export const TWO_COLUMNS = "facts about two columns each, such as age < 15 and married = true, joined by or";

/** Facts about what no row can be, joined by or. */
const factsIn = (predicate: Predicate): readonly Predicate[] => (predicate.op === "or" ? predicate.of : [predicate]);

/** The owner's facts, each about two declared columns, as text. */
export function checkImpossible(json: unknown, declaration: Table): string | undefined {
  if (json === undefined) return undefined;
  const predicate = readPredicate(json, declaration, "impossible");
  for (const fact of fewFacts(predicate, "impossible"))
    if (new Set(predicateColumns(fact)).size !== 2) invalid("impossible", predicateText(fact), TWO_COLUMNS);
  return predicateText(predicate);
}

/** The facts of a checked declaration. */
export const factsOf = (declaration: Table & Pick<Declaration, "impossible">): readonly Predicate[] =>
  declaration.impossible === undefined ? [] : factsIn(readPredicate(declaration.impossible, declaration, "impossible"));

/** What no row of a table can be by its declaration, in words: its facts, and what lies in another place than its column says. */
export function breaches(declaration: Declaration): readonly { readonly says: string; readonly rows: Predicate }[] {
  const nested = Object.entries(declaration.columns).flatMap(([name, { within }]) => {
    if (within === undefined) return [];
    const { column, of } = within;
    const above: readonly Key[] = declaration.columns[column]?.categories ?? [];
    const elsewhere = above.map(
      (value): Predicate => ({
        op: "and",
        of: [
          { op: "in", column: name, values: of[String(value)] ?? [] },
          { op: "!=", column, value },
        ],
      }),
    );
    return [{ says: `${name} in another ${column}`, rows: { op: "or", of: elsewhere } as const }];
  });
  return [...nested, ...factsOf(declaration).map((rows) => ({ says: predicateText(rows), rows }))];
}
