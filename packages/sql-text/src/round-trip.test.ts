import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import fc from "fast-check";
import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { JoinedColumn } from "../../query/src/declaration/join-type.ts";
import type { Plan } from "../../query/src/statistics/request.ts";
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
    { numRuns: 200 },
  );
  expect(count).toBeGreaterThan(50);
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

const visits = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "who" },
  contribution: { rows: 9 },
  columns: {
    who: { type: "text" },
    cost: { type: "number", lower: 0, upper: 9, granularity: 0.5 },
    day: { type: "date", lower: "2024-01-01", upper: "2024-12-31" },
    ward: { type: "category", categories: ["a", "it's"] },
    ill: { type: "boolean" },
    "length of stay": { type: "integer", lower: 0, upper: 90 },
  },
});
const both = { ...declaration, joinable: { ...joinable, dat_3: { version: 1, declaration: visits } } };

const counted = fc.constantFrom(
  undefined,
  "ill = true",
  "cost > 2.5 and (ward = 'it''s' or day < '2024-02-29')",
  "not ill = true or cost is null",
  'day between "2024-02-01" and "2024-02-29"'.replaceAll('"', "'"),
);
const takes: fc.Arbitrary<string | JoinedColumn> = fc.oneof(
  fc.constantFrom<string | JoinedColumn>("ward", "length of stay", { take: "one", column: "cost" }),
  fc
    .tuple(
      counted,
      fc.constantFrom<JoinedColumn>(
        { take: "count" },
        { take: "count", lower: 0, upper: 20 },
        { take: "sum", column: "cost", lower: -4.5, upper: 100 },
        { take: "sum", column: "length of stay", lower: 0, upper: 365 },
        { take: "min", column: "day" },
        { take: "max", column: "length of stay" },
        { take: "first", column: "ward", by: "day" },
        { take: "last", column: "ill", by: "length of stay" },
      ),
    )
    .map(([where, one]) => ({ ...one, ...present({ where }) })),
  counted.map((where = "ward = 'a'") => ({ take: "any" as const, where })),
);
const names = ["ward", "length of stay", "cost", "visits", "a b", 'x"y', "SELECT", "é", "who", "rows of visits"];

test("whatever a plan takes of a person's rows is SQL that PostgreSQL parses, and the SQL is the same plan", () => {
  let plain = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...names), takes), {
        selector: ([name]) => name.toLowerCase(),
        minLength: 1,
        maxLength: 5,
      }),
      fc.boolean(),
      fc.boolean(),
      (taken, isDerived, readsAll) => {
        const columns = Object.fromEntries(taken);
        const counts = taken.map(([column]) => ({ statistic: "count", column, epsilon: "0.1" }) as const);
        const plan: Plan = {
          join: { dataset: "dat_3", columns },
          ...(isDerived ? { let: { older: "age + 1" } } : {}),
          statistics: readsAll ? counts : [{ statistic: "count", where: "age >= 30", epsilon: "0.1" }],
        };
        const sql = sqlOfPlan(plan, both);
        if (sql.includes("JOIN visits")) plain += 1;
        const made = planOfSql(readSql(sql), both).plan;
        expect(boundPlan(made, both)).toEqual(boundPlan(plan, both));
        expect(sqlOfPlan(made, both)).toBe(sql);
        expect(planOfSql(readSql(sqlOfPlan(made, both)), both).plan).toEqual(made);
        expect(() => parseSync(standard(sql))).not.toThrow();
      },
    ),
    { numRuns: 150 },
  );
  expect(plain).toBeGreaterThan(0);
});

test("a join of an earlier version is refused", () => {
  const join = { dataset: "dat_2", version: 2, columns: { job: "job" } };
  expect(() => sqlOfPlan({ join, statistics: [{ statistic: "count", column: "job", epsilon: 1 }] }, whole)).toThrow(
    "newest version",
  );
});

test("a subquery of a person's rows is read as a statistician writes it, and a note says what people without rows have", () => {
  const planned = (sql: string) => planOfSql(readSql(sql), both, { epsilon: "0.1" });
  const { plan, notes } = planned(`
    SELECT AVG(v.visits, lower => 0, upper => 20) AS mean
    FROM survey LEFT JOIN (
      SELECT v.who AS person, COUNT(*) AS visits, SUM(cost, contribution_bounds_per_group => (0, 50)) AS paid,
        COUNT(ward) AS wards, LOGICAL_OR(ill) AS sick, MIN_BY("length of stay", day) FILTER (WHERE ill) AS stay
      FROM Visits v WHERE day >= DATE '2024-06-01' GROUP BY 1
    ) v USING (person)
    WHERE visits > 0 AND NOT sick`);
  const where = "day >= '2024-06-01'";
  expect(plan.join).toEqual({
    dataset: "dat_3",
    columns: {
      visits: { take: "count", where },
      paid: { take: "sum", column: "cost", lower: 0, upper: 50, where },
      wards: { take: "count", where: `${where} and not (ward is null)` },
      sick: { take: "any", where: `${where} and ill = true` },
      stay: { take: "first", column: "length of stay", by: "day", where: `${where} and ill = true` },
    },
  });
  expect(plan.statistics).toEqual([
    { id: "mean", statistic: "mean", column: "visits", lower: 0, upper: 20, epsilon: "0.1", where: expect.any(String) },
  ]);
  expect(notes).toEqual([
    "Where a person has no rows of visits that count, visits is 0 and paid is 0 and wards is 0 and sick is false, not NULL.",
  ]);
});

test("inner joins find free names past thousands that the table has taken", () => {
  const taken = Array.from({ length: 4000 }, (_, at) => `Rows of visits${at === 0 ? "" : ` ${at + 1}`}`);
  const columns = {
    ...both.columns,
    ...Object.fromEntries(taken.map((name) => [name, { type: "boolean", provenance: "public" }] as const)),
  };
  const sql = Array.from(
    { length: 50 },
    (_, at) =>
      `SELECT COUNT(*) AS c${at} FROM survey JOIN (SELECT who AS person, MIN(cost) AS m${at} FROM visits WHERE cost > ${at} GROUP BY who) v USING (person) WHERE m${at} > 2`,
  );
  const { plan } = planOfSql(readSql(sql.join(";")), { ...both, columns }, { epsilon: "0.1" });
  const names = Object.keys(plan.join?.columns ?? {}).filter((name) => name.startsWith("rows of"));
  expect(names).toEqual(Array.from({ length: 50 }, (_, at) => `rows of visits ${4001 + at}`));
});

test("an inner join keeps people with a row that counts, and prints as what it asks", () => {
  const planned = (sql: string) => planOfSql(readSql(sql), both, { epsilon: "0.1" });
  const table = planned("SELECT AVG(cost) FROM survey JOIN visits USING (person) WHERE age > 30");
  expect(table.plan).toMatchObject({
    join: { columns: { cost: "cost", "rows of visits": { take: "count" } } },
    statistics: [{ where: 'age > 30 and "rows of visits" >= 1' }],
  });
  const inner = planned(
    "SELECT COUNT(*) FROM survey JOIN (SELECT who AS person, COUNT(*) AS n FROM visits WHERE ill GROUP BY who) v USING (person)",
  );
  expect(inner.plan).toMatchObject({
    join: { columns: { n: { take: "count", where: "ill = true" } } },
    statistics: [{ where: "n >= 1" }],
  });
  expect(inner.notes).toEqual([]);
  const summed = planned(
    "SELECT COUNT(*) FROM survey JOIN (SELECT who AS person, MIN(cost) AS least FROM visits WHERE ill GROUP BY who) v USING (person) WHERE least > 2",
  );
  expect(summed.plan).toMatchObject({
    join: { columns: { least: { take: "min" }, "rows of visits": { take: "count", where: "ill = true" } } },
    statistics: [{ where: 'least > 2 and "rows of visits" >= 1' }],
  });
  // Two SELECT: one keeps everyone, the other those of the other table.
  const two = planned(
    "SELECT COUNT(*) FROM survey; SELECT COUNT(*) AS both FROM survey INNER JOIN visits v USING (person)",
  );
  expect(two.plan.statistics.map(({ where }) => where)).toEqual([undefined, '"rows of visits" >= 1']);
  for (const { plan } of [table, inner, summed, two]) {
    const sql = sqlOfPlan(plan, both);
    expect(planOfSql(readSql(sql), both).plan).toEqual(plan);
    expect(() => parseSync(standard(sql))).not.toThrow();
  }
});

test("names in quotes have a prefix before them, as every name", () => {
  const planned = (from: string, ...[tall, age]: readonly string[]) =>
    planOfSql(readSql(`SELECT AVG(${tall}), AVG(${age}) FROM ${from}`), whole, { epsilon: "0.1" }).plan;
  const plain = planned("survey LEFT JOIN people USING (person)", '"how tall"', '"people.age"');
  for (const [tall, age] of [
    ['p."how tall"', 'p."age"'],
    ['"p"."how tall"', '"p".age'],
    ['P . "how tall"', "p.age"],
  ] as const)
    expect(planned("survey LEFT JOIN people p USING (person)", tall, age)).toEqual(plain);
});

test("a join is read wherever its columns stand, and says what it does with people of several rows or none", () => {
  const planned = (sql: string) => planOfSql(readSql(sql), both, { epsilon: "0.1" });
  const terse = planned("SELECT AVG(cost) FROM survey LEFT JOIN Visits USING (Person)");
  expect(terse.plan).toMatchObject({ join: { dataset: "dat_3", columns: { cost: "cost" } } });
  expect(terse.notes).toEqual(["Of several rows of one who in visits, one is read, the same in every release."]);
  const full = planned(
    'SELECT p.job, MEDIAN(p.Age), AVG(s.age) FROM survey AS s LEFT OUTER JOIN dat_2 p USING ("person") WHERE "how tall" > 150 GROUP BY p.job',
  );
  expect(full.plan.join?.columns).toEqual({ job: "job", "people.age": "age", "how tall": "how tall" });
  expect(full.plan.statistics).toMatchObject([{ column: "people.age" }, { column: "age" }]);
  expect(full.notes).toEqual([]);
  const counted = planned("SELECT COUNT(*) FROM survey JOIN visits USING (person)");
  expect(counted.notes).toEqual(["A row stays one row, however many rows visits has of its who."]);
  const sums = "SUM(cost, contribution_bounds_per_group => (0, 9)) FILTER (WHERE cost > 5) AS c, COUNT(*) AS n";
  const summed = planned(
    `SELECT AVG(c), AVG(n, lower => 0, upper => 9) FROM survey JOIN (SELECT who AS person, ${sums} FROM visits GROUP BY who) v USING (person)`,
  );
  expect(summed.notes).toEqual(["Where a person has no rows of visits that count, c is 0, not NULL."]);
});

test("subqueries within subqueries are refused at the first, however many there are", () => {
  const one = "JOIN (SELECT person, COUNT(*) AS n FROM people ";
  for (const between of [one, `LEFT ${one}`, "JOIN (WITH people AS (SELECT * FROM people JOIN ("])
    expect(() => readSql(`SELECT COUNT(*) FROM survey ${one}${between.repeat(1500)}`)).toThrow(
      "line 1, column 76: only what one person's rows come to",
    );
});

test.each([
  ["SELECT AVG(job) FROM survey LEFT JOIN others USING (person)", "line 1, column 39", "not another dataset"],
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
    "line 1, column 68",
    "one other table",
  ],
  ["SELECT AVG(people.age) FROM survey JOIN (SELECT 1) USING (person)", "line 1, column 50", "from"],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT job AS person, COUNT(*) AS n FROM people GROUP BY job) USING (person)",
    "line 1, column 33",
    "one row for each person",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n FROM people GROUP BY person, job) USING (person)",
    "line 1, column 33",
    "one row for each person",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, SUM(age) AS n FROM people GROUP BY person) USING (person)",
    "line 1, column 48",
    "bounds of one person's total",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) FROM people GROUP BY person) USING (person)",
    "line 1, column 48",
    "with AS",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n, MIN(age) AS n FROM people GROUP BY person) USING (person)",
    "line 1, column 63",
    "two columns are called",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n FROM people GROUP BY person) a USING (person) JOIN (SELECT person, MIN(age) AS n FROM people GROUP BY person) b USING (person)",
    "line 1, column 129",
    "taken in two ways",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, AVG(age) AS n FROM people GROUP BY person) USING (person)",
    "line 1, column 48",
    "AVG",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n FROM people GROUP BY person HAVING n > 2) USING (person)",
    "line 1, column 33",
    "only what one person's rows come to",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n FROM people WHERE age * 2 > 9 GROUP BY person) USING (person)",
    "line 1, column 80",
    "comparing its columns with values",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS n FROM people WHERE pay > 2 GROUP BY person) USING (person)",
    "line 1, column 80",
    "no column is called",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, ANY_VALUE(age) AS n FROM people WHERE age > 2 GROUP BY person) USING (person)",
    "line 1, column 48",
    "one of all rows",
  ],
  [
    "SELECT AVG(n) FROM survey JOIN (SELECT person, COUNT(*) AS pay FROM people GROUP BY person) USING (person)",
    "line 1, column 69",
    "a name that no other column has",
  ],
  ["SELECT ANY_VALUE(age) FROM survey", "line 1, column 8", "values of rows never leave"],
  ["SELECT COUNT(*) FROM survey s WHERE s.* > 1", "line 1, column 37", "rows never leave"],
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
  ["SELECT AVG(people.pay) FROM survey LEFT JOIN people USING (person)", "line 1, column 46", "no column of"],
  [
    "SELECT AVG(age), AVG(people.pay) FROM survey JOIN people USING (person)",
    "line 1, column 22",
    "no column is called",
  ],
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
