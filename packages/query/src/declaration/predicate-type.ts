import type { Key } from "./key.ts";

type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";

/**
 * Which rows count: a closed, total language over declared columns. Every comparison with a missing value is false
 * (`!=` too); `not` flips what is left, so each predicate is true or false on every possible row and none can fail [M86].
 */
export type Predicate =
  | { readonly op: Comparison; readonly column: string; readonly value: Key }
  | {
      readonly op: "between";
      readonly column: string;
      readonly lower: number | string;
      readonly upper: number | string;
    }
  | { readonly op: "in"; readonly column: string; readonly values: readonly Key[] }
  | { readonly op: "isNull"; readonly column: string }
  | { readonly op: "and" | "or"; readonly of: readonly Predicate[] }
  | { readonly op: "not"; readonly of: Predicate };
