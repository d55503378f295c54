import fc from "fast-check";
import { expect, test } from "vitest";
import { treesOf } from "../../../query/src/declaration/predicate.kit.ts";
import type { Predicate } from "../../../query/src/declaration/predicate.ts";
import { type Bench, row } from "./people.kit.ts";
import type { Row } from "./under-test.kit.ts";

export function predicateKit({ exactly }: Bench, pairs: number): void {
  test("predicates agree with a plain evaluation on every row [M86]", async () => {
    const value = {
      region: fc.constantFrom("a", "b"),
      age: fc.integer({ min: -2, max: 12 }),
      pay: fc.constantFrom(-4, 0, 0.25, 6, 1e300),
      member: fc.boolean(),
      seen: fc.constantFrom("2020-02-24", "2020-02-29", "2020-03-01", "0001-01-01", "9999-12-31"),
    };
    const order = fc.constantFrom("=", "!=", "<", "<=", ">", ">=") as fc.Arbitrary<"=">;
    const leaf: fc.Arbitrary<Predicate> = fc.oneof(
      fc.record({ op: order, column: fc.constant("age"), value: value.age }),
      fc.record({ op: order, column: fc.constant("pay"), value: value.pay }),
      fc.record({
        op: fc.constantFrom("=", "!=") as fc.Arbitrary<"=">,
        column: fc.constant("region"),
        value: value.region,
      }),
      fc.record({
        op: fc.constantFrom("=", "!=") as fc.Arbitrary<"=">,
        column: fc.constant("member"),
        value: value.member,
      }),
      fc.record({
        op: fc.constant("between" as const),
        column: fc.constantFrom("age", "pay"),
        lower: fc.constantFrom(-1, 2),
        upper: fc.constantFrom(2, 5.5),
      }),
      fc.record({
        op: fc.constant("in" as const),
        column: fc.constant("age"),
        values: fc.array(value.age, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ op: order, column: fc.constant("seen"), value: value.seen }),
      fc.record({
        op: fc.constant("between" as const),
        column: fc.constant("seen"),
        lower: fc.constantFrom("2020-02-24", "0001-01-01"),
        upper: fc.constantFrom("2020-02-29", "9999-12-31"),
      }),
      fc.record({
        op: fc.constant("in" as const),
        column: fc.constant("seen"),
        values: fc.array(value.seen, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        op: fc.constant("isNull" as const),
        column: fc.constantFrom("age", "pay", "region", "member", "seen"),
      }),
    );
    const predicate = treesOf(leaf);
    await fc.assert(
      fc.asyncProperty(
        fc.array(row(fc.constant("p")), { maxLength: 20 }),
        fc.array(predicate, { minLength: 1, maxLength: 8 }),
        async (rows, predicates) => {
          const [measured] = await exactly(
            rows,
            { statistics: predicates.map((where) => ({ statistic: "count", where, epsilon: 1 })) },
            {},
          );
          expect(measured).toEqual(predicates.map((where) => [BigInt(rows.filter((r) => holds(where, r)).length)]));
        },
      ),
      { numRuns: 3 * pairs },
    );
  });
}

/** Evaluates a predicate in TypeScript, independently of SQL. */
function holds(predicate: Predicate, r: Row): boolean {
  switch (predicate.op) {
    case "and":
      return predicate.of.every((part) => holds(part, r));
    case "or":
      return predicate.of.some((part) => holds(part, r));
    case "not":
      return !holds(predicate.of, r);
  }
  const x = r[predicate.column] ?? null;
  const missing = x === null || Number.isNaN(x);
  if (predicate.op === "isNull") return missing;
  if (missing) return false;
  switch (predicate.op) {
    case "between":
      return x >= predicate.lower && x <= predicate.upper;
    case "in":
      return predicate.values.includes(x as never);
    case "=":
      return x === predicate.value;
    case "!=":
      return x !== predicate.value;
    case "<":
      return x < predicate.value;
    case "<=":
      return x <= predicate.value;
    case ">":
      return x > predicate.value;
    case ">=":
      return x >= predicate.value;
  }
}
