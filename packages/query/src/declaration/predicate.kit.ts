import fc from "fast-check";
import type { Predicate } from "./predicate.ts";

/** Predicates of any shape over these leaves. */
export const treesOf = (leaf: fc.Arbitrary<Predicate>): fc.Arbitrary<Predicate> =>
  fc.letrec<{ predicate: Predicate }>((tie) => ({
    predicate: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.record({
        op: fc.constantFrom("and" as const, "or" as const),
        of: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ op: fc.constant("not" as const), of: tie("predicate") }),
    ),
  })).predicate;
