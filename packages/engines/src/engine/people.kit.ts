import fc from "fast-check";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { BoundedPlan } from "../../../query/src/plan/bounded.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { type EngineUnderTest, measure, type Row, type Stored } from "./under-test.kit.ts";

export const columns = {
  person: { type: "text" },
  region: { type: "category", categories: ["a", "b", "c", "d"] },
  word: { type: "text" },
  age: { type: "integer", lower: 0, upper: 10 },
  pay: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
  member: { type: "boolean" },
  seen: { type: "date", lower: "2020-02-24", upper: "2020-03-05" },
  // In the second night of these three the clocks skip an hour.
  at: { type: "timestamp", zone: "Europe/Berlin", granularity: "hour", lower: "2020-03-28", upper: "2020-03-30" },
};
const stored = {
  person: "VARCHAR",
  region: "VARCHAR",
  word: "VARCHAR",
  age: "BIGINT",
  pay: "DOUBLE",
  member: "BOOLEAN",
  seen: "DATE",
  at: "TIMESTAMPTZ",
} as const;

/** Instants within, at and far outside of the bounds, and at the hour that is skipped. */
const instant = fc.constantFrom(
  "2020-03-27 23:00:00Z",
  "2020-03-28 12:34:56Z",
  "2020-03-29 00:59:59Z",
  "2020-03-29 01:00:00Z",
  "2020-03-30 21:59:59Z",
  "0001-01-02 00:00:00Z",
  "9999-12-30 00:00:00Z",
  null,
);

export const row = (person: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
  fc.record({
    person,
    region: fc.constantFrom("a", "b", "c", "d", "zz", null),
    word: fc.constantFrom("x", "ä", "X", "", null),
    age: fc.oneof(fc.integer({ min: -3, max: 14 }), fc.constant(null)),
    pay: fc.oneof(
      fc.double({ min: -8, max: 9, noNaN: true }),
      fc.constantFrom(null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 6, -4, 0.25),
    ),
    member: fc.constantFrom(true, false, null),
    seen: fc.constantFrom("2020-02-24", "2020-02-29", "2020-03-01", "2020-03-05", "0001-01-01", "9999-12-31", null),
    at: instant,
  });

export const contribution = fc.oneof(
  fc.record({ rows: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ groups: fc.integer({ min: 1, max: 3 }), rowsPerGroup: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ rows: fc.integer({ min: 1, max: 5 }), groups: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ rows: fc.integer({ min: 1, max: 6 }), rowsPerGroup: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    rows: fc.integer({ min: 1, max: 6 }),
    groups: fc.integer({ min: 1, max: 3 }),
    rowsPerGroup: fc.integer({ min: 1, max: 3 }),
  }),
);

/** An engine and tables of people for it, for all parts of the specification of engines. */
export interface Bench {
  readonly under: () => EngineUnderTest;
  readonly declare: (
    rows: readonly Row[],
    more: object,
    types?: Readonly<Record<string, Stored>>,
  ) => Promise<Declaration>;
  /** The exact integers of a plan, and the plan with its bounds. */
  readonly exactly: (rows: readonly Row[], plan: Plan, more: object) => Promise<[Measured, BoundedPlan]>;
}

export function benchOf(under: () => EngineUnderTest): Bench {
  const declare: Bench["declare"] = async (rows, more, types = stored) => {
    const source = await under().store(types, rows);
    return checkDeclaration({ name: "t", source, privacyUnit: "row", columns, ...more });
  };
  const exactly: Bench["exactly"] = async (rows, plan, more) => {
    const declaration = await declare(rows, more);
    return [await measure(under().engine, plan, declaration), boundPlan(plan, declaration)];
  };
  return { under, declare, exactly };
}
