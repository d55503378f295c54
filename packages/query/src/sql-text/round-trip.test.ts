import { PrivacyError } from "@dosimeter/core";
import fc from "fast-check";
import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Plan } from "../statistics/request.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { sqlOfPlan } from "./print.ts";
import { readSql } from "./read.ts";
import { declaration, plans } from "./sql-text.kit.ts";
import { standard } from "./standard.kit.ts";

beforeAll(() => loadModule());

const boundOrNull = (plan: Plan) => {
  try {
    return boundPlan(plan, declaration);
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
};

test("every plan is SQL that PostgreSQL parses, and the SQL is the same plan", () => {
  let count = 0;
  fc.assert(
    fc.property(plans, (plan) => {
      const bound = boundOrNull(plan);
      if (bound === null) return;
      count += 1;
      const sql = sqlOfPlan(plan, declaration);
      const first = planOfSql(readSql(sql), declaration).plan;
      expect(boundPlan(first, declaration)).toEqual(bound);
      const again = sqlOfPlan(first, declaration);
      expect(again).toBe(sql);
      expect(planOfSql(readSql(again), declaration).plan).toEqual(first);
      expect(() => parseSync(standard(sql))).not.toThrow();
    }),
    { numRuns: 400 },
  );
  expect(count).toBeGreaterThan(100);
});

const people = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: {
    person: { type: "text" },
    age: { type: "integer", lower: 18, upper: 90 },
    job: { type: "category", categories: ["a", "b"] },
    "how tall": { type: "number", lower: 0, upper: 250 },
  },
});
const joinable = { dat_2: { version: 3, declaration: people } };
const whole = { ...declaration, joinable };

test("columns of another table are SQL, under their own names and under those of both, also where columns are derived", () => {
  const join = { dataset: "dat_2", columns: { job: "job", "how tall": "how tall", "people.age": "age" } } as const;
  const statistics: Plan["statistics"] = [
    { statistic: "mean", column: "how tall", groupBy: ["job"], where: "age >= 30", epsilon: "0.1" },
    { statistic: "mean", column: "people.age", groupBy: ["job"], where: "age >= 30", epsilon: "0.1" },
    { statistic: "count", epsilon: "0.2" },
  ];
  const derived = { let: { older: '"people.age" - age' } };
  const also = { statistic: "mean", column: "older", epsilon: 1 } as const;
  for (const plan of [
    { join, statistics },
    { join, ...derived, statistics: [...statistics, also] },
  ]) {
    const sql = sqlOfPlan(plan, whole);
    const made = planOfSql(readSql(sql), whole).plan;
    expect(made.join).toEqual(join);
    expect(boundPlan(made, whole)).toEqual(boundPlan(plan, whole));
    expect(sqlOfPlan(made, whole)).toBe(sql);
    expect(() => parseSync(standard(sql))).not.toThrow();
  }
});

test("a join that SQL cannot say is refused", () => {
  const price = { epsilon: 1 };
  const mean = (column: string) => [{ statistic: "mean", column, ...price }] as const;
  for (const [columns, statistics] of [
    [{ n: { take: "count", lower: 0, upper: 9 } }, mean("n")],
    [{ tall: "how tall" }, mean("tall")],
    [{ "how tall": "how tall", job: "job" }, mean("how tall")],
  ] as const)
    expect(() => sqlOfPlan({ join: { dataset: "dat_2", columns }, statistics }, whole)).toThrow("only as they are");
});

test("a join is read wherever its columns stand, and says what it does with people of several rows or none", () => {
  const many = checkDeclaration({
    name: "visits",
    source: { csv: "visits.csv" },
    privacyUnit: { column: "person" },
    contribution: { rows: 9 },
    columns: { person: { type: "text" }, cost: { type: "number", lower: 0, upper: 9 } },
  });
  const both = { ...declaration, joinable: { ...joinable, dat_3: { version: 1, declaration: many } } };
  const planned = (sql: string) => planOfSql(readSql(sql), both, { epsilon: "0.1" });
  const terse = planned("SELECT AVG(cost) FROM survey JOIN Visits USING (Person)");
  expect(terse.plan).toMatchObject({ join: { dataset: "dat_3", columns: { cost: "cost" } } });
  expect(terse.notes).toEqual([
    "Of several rows of one person in visits, one is read, the same in every release.",
    "Rows without a partner in visits stay, and lack its columns, as with LEFT JOIN; WHERE … IS NOT NULL leaves them out.",
  ]);
  const full = planned(
    'SELECT p.job, MEDIAN(p.Age), AVG(s.age) FROM survey AS s LEFT OUTER JOIN dat_2 p USING ("person") WHERE "how tall" > 150 GROUP BY p.job',
  );
  expect(full.plan.join?.columns).toEqual({ job: "job", "people.age": "age", "how tall": "how tall" });
  expect(full.plan.statistics).toMatchObject([{ column: "people.age" }, { column: "age" }]);
  expect(full.notes).toEqual([]);
});

test.each([
  ["SELECT AVG(job) FROM survey LEFT JOIN others USING (person)", "line 1, column 39", "no other dataset"],
  ["SELECT AVG(age) FROM survey LEFT JOIN people USING (person)", "line 1, column 39", "no column of"],
  ["SELECT AVG(people.age) FROM survey LEFT JOIN people USING (age)", "line 1, column 60", "USING (person)"],
  ["SELECT AVG(people.age) FROM survey LEFT JOIN people USING (person, age)", "column 66", "LEFT JOIN people"],
  ["SELECT AVG(p.age) FROM survey s JOIN people p ON s.person = p.person", "line 1, column 47", "LEFT JOIN people"],
  ["SELECT AVG(people.age) FROM survey RIGHT JOIN people USING (person)", "line 1, column 36", "LEFT JOIN people"],
  ["SELECT AVG(people.age) FROM survey CROSS JOIN people", "line 1, column 36", "LEFT JOIN people"],
  ["SELECT AVG(people.age) FROM survey NATURAL JOIN people", "line 1, column 36", "LEFT JOIN people"],
  ["SELECT AVG(people.age) FROM survey, people", "line 1, column 35", "LEFT JOIN people"],
  [
    "SELECT AVG(people.age) FROM survey JOIN people USING (person) JOIN more USING (person)",
    "line 1, column 63",
    "one other table",
  ],
  ["SELECT AVG(people.age) FROM survey JOIN (SELECT 1) USING (person)", "line 1, column 41", "subqueries"],
  [
    "SELECT AVG(people.age) FROM survey JOIN people USING (person); SELECT AVG(job) FROM survey",
    "line 1, column 75",
    "no column is called",
  ],
  [
    "SELECT AVG(people.age) FROM survey JOIN people USING (person); SELECT AVG(n) FROM survey JOIN more USING (person)",
    "line 1, column 95",
    "one other table",
  ],
  ["SELECT AVG(people.pay) FROM survey JOIN people USING (person)", "line 1, column 41", "no column of"],
])("%s is refused at its place", (sql, place, words) => {
  const refusal = (() => {
    try {
      planOfSql(readSql(sql), whole, { epsilon: "0.1" });
      return "";
    } catch (error) {
      return String(error);
    }
  })();
  expect(refusal).toContain(place);
  expect(refusal).toContain(words);
});
