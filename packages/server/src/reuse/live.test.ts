import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { refuseEarlierJoin } from "./live.ts";

const visits = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "who" },
  contribution: { rows: 5 },
  columns: { who: { type: "integer" } },
});
const people = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: { person: { type: "integer" }, age: { type: "integer", lower: 0, upper: 100 } },
});
const declared = { ...people, joinable: { d2: { version: 1, declaration: visits } } };
const bounded = (column: string) => {
  const join = { dataset: "d2", version: 1, columns: { n: { take: "count", lower: 0, upper: 9 } } } as const;
  const plan: Plan = { join, statistics: [{ statistic: "sum", column, epsilon: 1 }] };
  return boundPlan(plan, declared);
};
const database = { postgres: { connection: "main", schema: "public", table: "people" } } as never;

test("no rows are drawn from an earlier version of a joined table that stays in its database", () => {
  expect(() => refuseEarlierJoin(bounded("n"), database, 2)).toThrow(
    /^join\.version is 1, must be answers that were released then/,
  );
  refuseEarlierJoin(bounded("n"), database, 1);
  refuseEarlierJoin(bounded("age"), database, 2);
  // The rows of files are kept.
  refuseEarlierJoin(bounded("n"), people.source, 2);
});
