import { PrivacyError } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { MAX_SQL } from "./language.ts";
import { planOfSql, type SqlTerms } from "./plan-of-sql.ts";
import { readSql } from "./read.ts";
import { declaration } from "./sql-text.kit.ts";

const made = (sql: string, terms: SqlTerms = {}) => planOfSql(readSql(sql), declaration, terms);
const rows = (sql: string, terms: SqlTerms = { epsilon: "1" }) => made(sql, terms).plan.statistics;

/** The refusal of a query, as far as it is one: of its text, of its plan, or of what the plan asks. */
function refusal(sql: string, terms: SqlTerms = { epsilon: "1" }): string {
  try {
    const { plan, atItsPlace } = made(sql, terms);
    try {
      boundPlan(plan, declaration);
    } catch (error) {
      atItsPlace(error);
    }
    return "";
  } catch (error) {
    if (error instanceof PrivacyError) return error.message;
    throw error;
  }
}

describe("aggregates", () => {
  test.each([
    ["COUNT(*)", { statistic: "count" }],
    ["count(pay)", { statistic: "count", column: "pay" }],
    ["COUNT(DISTINCT person)", { statistic: "distinctUnits" }],
    ["COUNT(DISTINCT note)", { statistic: "distinctValues", column: "note", valuesPerUnit: 4 }],
    ["COUNT(DISTINCT note, values_per_unit => 1)", { statistic: "distinctValues", column: "note", valuesPerUnit: 1 }],
    ["SUM(pay)", { statistic: "sum", column: "pay" }],
    [
      "SUM(survey.pay, contribution_bounds_per_row => (0, 40))",
      { statistic: "sum", column: "pay", lower: 0, upper: 40 },
    ],
    [
      "SUM(pay, contribution_bounds_per_group => (0, 40))",
      { statistic: "unitSum", column: "pay", unitLower: 0, unitUpper: 40 },
    ],
    ["AVG(PAY)", { statistic: "mean", column: "pay" }],
    ["VAR_SAMP(pay)", { statistic: "variance", column: "pay" }],
    ["STDDEV(pay)", { statistic: "standardDeviation", column: "pay" }],
    ["MIN(age)", { statistic: "minimum", column: "age" }],
    ["MAX(age)", { statistic: "maximum", column: "age" }],
    ["MEDIAN(age)", { statistic: "median", column: "age" }],
    ["PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age ASC)", { statistic: "median", column: "age" }],
    ["PERCENTILE_CONT(age, 0.9)", { statistic: "quantiles", column: "age", quantiles: [0.9] }],
    ["APPROX_QUANTILES(age, 4)", { statistic: "quantiles", column: "age", quantiles: [0.25, 0.5, 0.75] }],
    ["CORR(age, pay)", { statistic: "correlation", column: "age", with: "pay" }],
    ["COVAR_SAMP(age, pay)", { statistic: "covariance", column: "age", with: "pay" }],
    ["REGR_SLOPE(pay, age)", { statistic: "regression", column: "pay", with: ["age"] }],
    ["INTERQUARTILE_RANGE(age)", { statistic: "interquartileRange", column: "age" }],
    ["HISTOGRAM(age, bins => ARRAY[0, 18, 65])", { statistic: "histogram", column: "age", bins: [0, 18, 65] }],
    ["COUNT(*) FILTER (WHERE member)", { statistic: "count", where: "member = true" }],
    ['AVG("Größe in cm")', { statistic: "mean", column: "Größe in cm" }],
  ])("%s", (aggregate, request) => {
    expect(rows(`SELECT ${aggregate} FROM survey`)).toEqual([{ ...request, epsilon: "1" }]);
  });

  test("slope and intercept of one line are one row of the plan", () => {
    expect(rows("SELECT REGR_SLOPE(pay, age) AS slope, REGR_INTERCEPT(pay, age) FROM survey")).toEqual([
      { id: "slope", statistic: "regression", column: "pay", with: ["age"], epsilon: "1" },
    ]);
  });
});

describe("groups", () => {
  test("by name, by place and by alias", () => {
    for (const by of ["region", "1", "survey.region"])
      expect(rows(`SELECT region, COUNT(*) AS n FROM survey GROUP BY ${by}`)).toMatchObject([{ groupBy: ["region"] }]);
    const { plan } = made("SELECT cut(age, 10) AS decade, COUNT(*) FROM survey GROUP BY decade");
    expect(plan).toMatchObject({ let: { decade: "cut(age, 10)" }, statistics: [{ groupBy: ["decade"] }] });
  });

  test("WIDTH_BUCKET numbers its buckets as PostgreSQL does, those beyond the bounds too", () => {
    const { plan } = made("SELECT WIDTH_BUCKET(age, 20, 60, 4) AS b, COUNT(*) FROM survey GROUP BY 1", { epsilon: 1 });
    expect(plan.let).toEqual({ b: "clamp(floor(age - 20, 10) / 10 + 1, 0, 5)" });
    expect(boundPlan(plan, declaration).statistics[0]?.groups.map(({ b }) => b)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("that are not declared are found once, by the count of people where there is one", () => {
    const sql = "SELECT note, AVG(age) AS a, COUNT(DISTINCT person) AS people FROM survey GROUP BY note";
    expect(rows(sql, { epsilon: "1", delta: "1e-6" })).toEqual([
      { id: "people", statistic: "keyCounts", column: "note", delta: "1e-6", epsilon: "0.5" },
      { id: "a", statistic: "mean", column: "age", groupBy: ["note"], keysFrom: "people", epsilon: "0.5" },
    ]);
    expect(refusal(sql)).toBe(
      'line 1, column 83: the values of "note" are not declared; finding them needs OPTIONS(delta = 1e-6) as well',
    );
  });
});

describe("filters mean what SQL means by them", () => {
  test.each([
    ["age >= 18 AND NOT (pay > 5)", "pay <= 5 and age >= 18"],
    ["NOT (age >= 18 AND pay > 5)", "age < 18 or pay <= 5"],
    ["pay NOT BETWEEN 1 AND 5", "pay < 1 or pay > 5"],
    ["NOT (region NOT IN ('a'))", "region = 'a'"],
    ["NOT (pay NOT BETWEEN 1 AND 5)", "pay <= 5 and pay >= 1"],
    ["seen >= DATE '2024-03-01'", "seen >= '2024-03-01'"],
    ["DATE '2024-03-01' > seen AND seen IN (DATE '2024-01-01')", "seen < '2024-03-01' and seen = '2024-01-01'"],
    ["moved BETWEEN '2001' AND '2010'", "moved between '2001' and '2010'"],
    ["(pay > 5) IS NOT TRUE AND ((pay > 5) IS TRUE)", "pay > 5 and not (pay > 5)"],
    ["region NOT IN ('a')", "not (region = 'a') and not (region is null)"],
    ["age NOT IN (18)", "not (age = 18)"],
    ["pay IS NOT NULL AND member IS NOT TRUE", "not (member = true) and not (pay is null)"],
    ["NOT member", "member = false"],
    ["18 < age", "age > 18"],
    ["age BETWEEN 18 AND 65", "age between 18 and 65"],
    ["note = '''; DROP TABLE survey; --'", "note = '''; DROP TABLE survey; --'"],
    ['"order" -- a comment\n/* and another */ = TRUE', '"order" = true'.replaceAll('"', "")],
  ])("%s", (sql, where) => {
    expect(rows(`SELECT COUNT(*) FROM survey WHERE ${sql}`)).toEqual([{ statistic: "count", where, epsilon: "1" }]);
  });

  test("what no filter can say is a derived column that must be true", () => {
    const { plan } = made("SELECT COUNT(*) FROM survey WHERE pay * 2 > age");
    expect(plan).toEqual({
      let: { "pay * 2 > age": "pay * 2 > age" },
      statistics: [{ statistic: "count", where: '"pay * 2 > age" = true' }],
    });
  });
});

describe("prices", () => {
  const two = "SELECT COUNT(*), AVG(age, epsilon => 0.2) FROM survey";

  test("a stated total is split evenly, and never exceeded", () => {
    expect(rows("SELECT COUNT(*), AVG(age), SUM(age) FROM survey").map(({ epsilon }) => epsilon)).toEqual(
      Array(3).fill("0.333333333333"),
    );
    expect(rows(two, { epsilon: "0.3" }).map(({ epsilon }) => epsilon)).toEqual(["0.1", "0.2"]);
    expect(
      rows(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1) COUNT(*) FROM survey; SELECT AVG(age) FROM survey",
        { epsilon: "0.4" },
      ).map(({ epsilon }) => epsilon),
    ).toEqual(["0.1", "0.3"]);
  });

  test("is never made up, and never two things at once", () => {
    expect(made("SELECT COUNT(*), AVG(age) FROM survey")).toMatchObject({
      unpriced: 2,
      plan: { statistics: [{ statistic: "count" }, { statistic: "mean" }] },
    });
    const stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1) COUNT(*) FROM survey";
    expect(refusal(stated, { epsilon: "0.2" })).toBe('epsilon is "0.2", must be 0.1, which the query itself states');
    expect(refusal(stated, { epsilon: "0.1" })).toBe("");
    expect(refusal(two, { epsilon: "0.2" })).toBe(
      'epsilon is "0.2", must be more than 0.2, which the query itself states',
    );
    expect(refusal("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 'lots') COUNT(*) FROM survey", {})).toBe(
      "line 1, column 42: epsilon must be a decimal, such as 0.1",
    );
  });

  test("δ that nothing needs is said to be kept", () => {
    expect(made("SELECT COUNT(*) FROM survey", { epsilon: 1 }).notes).toEqual([]);
    expect(
      made(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, delta=1e-6, max_groups_contributed=2, privacy_unit_column=person) COUNT(*) FROM survey",
      ).notes,
    ).toEqual(["delta is not needed, and none is spent: every group is declared."]);
  });
});

test.each([
  ["SELECT *\nFROM survey", "line 1, column 8: rows never leave; ask for an aggregate such as COUNT(*)"],
  [
    "SELECT COUNT(*) FROM survey\nWHERE age IN (SELECT 1)",
    "line 2, column 15: subqueries are not read; filter with WHERE",
  ],
  ["SELECT COUNT(*) FROM survey JOIN other ON 1 = 1", "line 1, column 40: a table is joined by who is protected"],
  ["SELECT COUNT(*) FROM survey, other", "line 1, column 28: a table is joined by who is protected"],
  ["SELECT AVG(аge) FROM survey", 'line 1, column 12: no column is called "аge" (а is U+0430); there are person, age'],
  ["SELECT AVG(age) + 1 FROM survey", "line 1, column 8: answers are not computed with here"],
  ["SELECT ROUND(AVG(age)) FROM survey", "line 1, column 14: aggregates stand in SELECT, HAVING and ORDER BY"],
  [
    "SELECT AVG(note) FROM survey",
    'line 1, column 8: column is "note", must be an integer, number or date column; it is text',
  ],
  ["SELECT AVG(order) FROM survey", 'line 1, column 12: found "order"'],
  ["SELECT COUNT(*) FROM survey WHERE note = 'it''s", "line 1, column 42: this text is not closed; close it with '"],
  ['SELECT COUNT(*) FROM "survey', 'line 1, column 22: this name is not closed; close it with "'],
  ["SELECT COUNT(*) /* FROM survey", "line 1, column 17: this comment is not closed; close it with */"],
  ["SELECT COUNT(*) FROM survey WHERE age = 'x'", 'line 1, column 35: where.value is "x", must be a finite number'],
  [
    "SELECT COUNT(*) FROM survey WHERE person = 'x'",
    'line 1, column 35: where.column is "person", must be another column',
  ],
  [
    "SELECT DATE_TRUNC('month', age) AS m, COUNT(*) FROM survey GROUP BY 1",
    'line 1, column 8: a part of this is "text", must be a number',
  ],
  ["SELECT COUNT(*) OVER () FROM survey", "line 1, column 17: window functions are not read; group with GROUP BY"],
  [
    "SELECT COUNT(*) FROM survey HAVING AVG(age) > 3",
    "line 1, column 36: only released values are read here; select this aggregate as well",
  ],
  [
    "SELECT region, age, COUNT(*) FROM survey GROUP BY region",
    'line 1, column 16: "age" is neither a group nor an aggregate',
  ],
  ["SELECT DISTINCT region FROM survey", "line 1, column 8: SELECT DISTINCT lists values of rows"],
  [
    "SELECT COUNT(*) FROM survey; DROP TABLE survey",
    "line 1, column 30: only SELECT is read; nothing here changes a table",
  ],
  [
    "SELECT COUNT(*) FROM survey; SELECT COUNT(*) FROM other",
    "line 1, column 51: each SELECT of one text must be about the same dataset, survey",
  ],
  ["SELECT COUNT(*) FROM survey WHERE age > $1", "line 1, column 41: parameters are not read; write the value"],
  [
    "SELECT region, AVG(age) FROM survey GROUP BY ROLLUP(region)",
    "line 1, column 16: CUBE, ROLLUP and GROUPING SETS are read of COUNT(*) and SUM(column)",
  ],
  [
    "SELECT COUNT(*) FROM survey GROUP BY CUBE(region), age",
    "line 1, column 50: CUBE, ROLLUP and GROUPING SETS stand alone",
  ],
  ["SELECT COUNT(*) FROM survey GROUP BY GROUPING SETS (())", "line 1, column 8: a grouping has at least one column"],
  ["SELECT note, COUNT(*) FROM survey GROUP BY CUBE(note)", 'line 1, column 14: the values of "note" are not declared'],
  ["SELECT COUNT(*) FROM survey WHERE note LIKE 'a%'", "line 1, column 40: LIKE is not read; compare with = or IN"],
  [
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, max_groups_contributed=5) COUNT(*) FROM survey",
    "line 1, column 53: max_groups_contributed must be 2, the groups of one person that the dataset declares",
  ],
  [
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, epsilon=2) COUNT(*) FROM survey",
    "line 1, column 53: epsilon is said twice",
  ],
  ["", "line 1, column 1: the text ends here, expected SELECT"],
  ["COPY survey TO STDOUT", "line 1, column 1: only SELECT is read; nothing here changes a table"],
])("%j is refused at its place", (sql, message) => {
  expect(refusal(sql, /epsilon/.test(sql) ? {} : { epsilon: "1" })).toContain(message);
});

describe("names hold where SQL has them", () => {
  const inner = "WITH p AS (SELECT *, survey.pay / 12 AS monthly FROM survey)";

  test("what WITH derives, in its own statement, under its name or its alias", () => {
    for (const text of ["AVG(monthly) FROM p", "AVG(p.monthly) FROM p", "AVG(q.monthly) FROM p AS q"])
      expect(rows(`${inner} SELECT ${text}`)).toEqual([{ statistic: "mean", column: "monthly", epsilon: "1" }]);
  });

  test.each([
    ["in another statement", `${inner} SELECT AVG(monthly) FROM p; SELECT AVG(monthly) FROM survey`, '"monthly"'],
    ["under the name that is read inside", `${inner} SELECT AVG(survey.monthly) FROM p`, '"survey.monthly"'],
    ["under the name that an alias hides", `${inner} SELECT AVG(p.monthly) FROM p AS q`, '"p.monthly"'],
    ["under its own name inside", "WITH p AS (SELECT *, p.pay / 12 AS m FROM survey) SELECT AVG(m) FROM p", '"p.pay"'],
    [
      "by the alias of a group of another statement",
      "SELECT cut(age, 10) AS decade, COUNT(*) FROM survey GROUP BY 1; SELECT COUNT(*) FROM survey GROUP BY decade",
      '"decade"',
    ],
  ])("and not %s", (_, sql, name) => {
    expect(refusal(sql)).toContain(`no column is called ${name}`);
  });
});

test("PERCENTILE_DISC says that no row need hold its value", () => {
  const { notes, plan } = made("SELECT PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY age) FROM survey", { epsilon: "1" });
  expect(plan.statistics).toEqual([{ statistic: "quantiles", column: "age", quantiles: [0.9], epsilon: "1" }]);
  expect(notes).toEqual([expect.stringContaining("no row need hold that value")]);
});

test("a refusal has its place as facts", () => {
  expect(() => readSql("SELECT\n  *")).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ name: "sql", line: 2, column: 3 }) }),
  );
});

describe("hostile text", () => {
  test.each([
    [
      "a megabyte",
      `SELECT COUNT(*) FROM survey WHERE ${"age > 1 OR ".repeat(100_000)}age > 1`,
      `at most ${MAX_SQL} characters`,
    ],
    ["nested brackets", `SELECT COUNT(*) FROM survey WHERE ${"(".repeat(10_000)}age`, "at most 64 levels deep"],
    ["nested NOT", `SELECT COUNT(*) FROM survey WHERE ${"NOT ".repeat(10_000)}member`, "at most 64 levels deep"],
    ["nested settings", `SELECT AVG(age, bins => ${"(".repeat(10_000)}`, "not so deep"],
    ["nested calls", `SELECT ${"AVG(".repeat(10_000)}age`, "at most 64 levels deep"],
    ["nested FROM", `SELECT COUNT(*) FROM ${"(".repeat(10_000)}`, "not read"],
    ["open comments", `SELECT COUNT(*) ${"/*".repeat(40_000)}`, "this comment is not closed"],
    ["quotes", `SELECT COUNT(*) FROM survey WHERE note = ${"'".repeat(90_001)}`, "this text is not closed"],
    ["a long name", `SELECT AVG(${"a".repeat(9000)}) FROM survey`, "no column is called"],
    ["a long sum", `SELECT AVG(${"age + ".repeat(500)}age) FROM survey`, "at most 64 levels deep"],
    ["many cases", `SELECT AVG(CASE ${"WHEN member THEN 1 ".repeat(100)}END) FROM survey`, "at most 64 levels deep"],
    [
      "a long WHERE",
      `SELECT COUNT(*) FROM survey WHERE ${"age > 1 OR ".repeat(2000)}member`,
      "a formula or condition has at most 10000 characters",
    ],
    [
      "a WHERE in a thousand filters",
      `SELECT ${Array.from({ length: 999 }, (_, i) => `COUNT(*) FILTER (WHERE age > ${i})`).join(", ")}, COUNT(*) FROM survey WHERE ${Array.from({ length: 700 }, (_, i) => `age > ${i} OR `).join("")}member`,
      "the filters of all aggregates together have at most 1048576 characters",
    ],
    [
      "comparisons of comparisons",
      `SELECT COUNT(*) FROM survey WHERE ${"(".repeat(40)}pay > 1${") = (pay < 2)".repeat(40)}`,
      "comparisons are compared too often here",
    ],
    ["many columns", `SELECT ${"COUNT(*), ".repeat(9000)}COUNT(*) FROM survey`, "at most 1000 columns"],
    ["many statements", "SELECT COUNT(*) FROM survey;".repeat(3000), "at most 1000 SELECT"],
    [
      "tripling",
      `SELECT COUNT(*) FROM survey WHERE ${"round(".repeat(20)}age${")".repeat(20)} > 1`,
      "fewer than 50 parts",
    ],
    [
      "doubling",
      `SELECT COUNT(*) FROM survey WHERE ${"if(".repeat(30)}age${" BETWEEN 0 AND 1, 1, 0)".repeat(30)} = 1`,
      "fewer than 1000 parts",
    ],
  ])("%s is refused in time that grows with the text alone", (_, sql, message) => {
    const { user } = process.cpuUsage();
    expect(refusal(sql)).toContain(message);
    expect(process.cpuUsage().user - user).toBeLessThan(10_000_000);
  });

  test("names of prototypes are names", () => {
    expect(refusal("SELECT AVG(__proto__) FROM survey")).toContain('no column is called "__proto__"');
    expect(refusal("SELECT CONSTRUCTOR(age) FROM survey")).toContain('found "CONSTRUCTOR", expected an aggregate');
    const own = checkDeclaration({
      name: "t",
      source: { csv: "t.csv" },
      privacyUnit: "row",
      columns: { toString: { type: "boolean" }, select: { type: "boolean" } },
    });
    expect(
      planOfSql(readSql('SELECT "select", COUNT(*) FROM t WHERE toString GROUP BY "select"'), own).plan.statistics,
    ).toEqual([{ statistic: "count", groupBy: ["select"], where: "toString = true" }]);
  });
});
