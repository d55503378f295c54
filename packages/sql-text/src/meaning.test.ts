import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/refusal.kit.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { planOfSql, type SqlTerms } from "./plan-of-sql.ts";
import { readSql, readSqlAbout } from "./read.ts";
import { declaration } from "./sql-text.kit.ts";

const made = (sql: string, terms: SqlTerms = { epsilon: "1" }) => planOfSql(readSql(sql), declaration, terms);
const derived = (formula: string): string =>
  String(Object.values(made(`SELECT COUNT(*), ${formula} AS d FROM survey GROUP BY d`).plan.let ?? {})[0]);

const refusal = (sql: string, terms: SqlTerms = { epsilon: "1" }, about = declaration): string =>
  refusalOf(() => boundPlan(planOfSql(readSql(sql), about, terms).plan, about))?.message ?? "";

describe("functions mean what SQL means by them", () => {
  test.each([
    ["ROUND(pay)", "if(pay >= 0, round(pay), -round(-pay))"],
    ["ROUND(pay, 1)", "if(pay >= 0, round(pay, 0.1), -round(-pay, 0.1))"],
    ["ROUND_TO(pay, 0.5)", "round(pay, 0.5)"],
    ["DATE_TRUNC('month', seen)", "cut(seen, 'month')"],
    ["EXTRACT(ISODOW FROM seen)", "weekday(seen)"],
    ["DATE_TRUNC('hour', came)", "cut(came, 'hour')"],
    ["EXTRACT(HOUR FROM came)", "hour(came)"],
    ["full_years(seen, DATE '2025-01-01')", "age(seen, date('2025-01-01'))"],
  ])("%s is %s", (sql, formula) => {
    expect(derived(sql)).toBe(formula);
  });

  test.each([
    ["AGE(seen, seen)", "AGE of PostgreSQL has the later date first"],
    ["WEEK(seen)", "WEEK of MySQL begins on Sunday"],
    ["WEEKDAY(seen)", "WEEKDAY of MySQL counts from 0"],
    ["EXTRACT(DOW FROM seen)", "expected EXTRACT(YEAR FROM day), with YEAR, QUARTER"],
    ["date_trunc('month', seen) < '2024-03-15'", "a day is compared with days: write '2024-03' to compare months"],
  ])("%s is refused", (sql, words) => {
    expect(refusal(`SELECT ${sql} AS d, COUNT(*) FROM survey GROUP BY d`)).toContain(words);
  });

  test("a day is compared with days alone", () => {
    expect(refusal("SELECT COUNT(*) FROM survey WHERE moved < '2010-06-01'")).toBe(
      "line 1, column 35: where.value is \"2010-06-01\", must be a year such as '2024'",
    );
  });
});

describe("comparisons as values", () => {
  test.each([
    ["pay > 5", "if(pay > 5, true, if(pay <= 5, false))"],
    ["(pay > 5) IS NULL", "if(pay > 5, true, if(pay <= 5, false)) is null"],
    ["COALESCE(pay > 5, TRUE)", "coalesce(if(pay > 5, true, if(pay <= 5, false)), true)"],
    ["age > 5", "age > 5"],
    ["(pay > 5) IS TRUE", "pay > 5"],
    ["CASE WHEN pay > 5 THEN 1 ELSE 0 END", "if(pay > 5, 1, 0)"],
    ["member IS TRUE", "member = true"],
  ])("%s is missing where SQL has it missing: %s", (sql, formula) => {
    expect(derived(sql)).toBe(formula);
  });

  test("what is computed for WHERE is said to come from clamped values", () => {
    expect(made("SELECT COUNT(*) FROM survey WHERE pay * 2 > age").notes).toEqual([
      "pay * 2 > age is computed from values within the declared bounds of their columns.",
    ]);
    expect(made("SELECT COUNT(*) FROM survey WHERE came > TIMESTAMP '2024-03-01 10:30'")).toMatchObject({
      plan: { statistics: [{ where: "came > '2024-03-01T10:30:00+01:00'" }] },
    });
    expect(made("SELECT COUNT(*) FROM survey WHERE seen > DATE '2024-03-01'")).toMatchObject({
      notes: [],
      plan: { statistics: [{ where: "seen > '2024-03-01'" }] },
    });
  });
});

describe("aggregates", () => {
  test("COUNT(DISTINCT a) counts all values of a person, or asks how many", () => {
    expect(made("SELECT COUNT(DISTINCT note) FROM survey").notes).toEqual([
      "COUNT(DISTINCT note) counts up to 4 values of each person; with fewer (values_per_unit => 1) it is more exact.",
    ]);
    const { rows: _, ...unlimited } = declaration.contribution;
    const about = { ...declaration, contribution: unlimited };
    expect(refusal("SELECT COUNT(DISTINCT note) FROM survey", { epsilon: 1 }, about)).toContain(
      "line 1, column 8: write COUNT(DISTINCT note, values_per_unit => 1)",
    );
  });

  test("a variance says by what it divides", () => {
    expect(made("SELECT VAR_SAMP(age) FROM survey").notes).toEqual([
      "VAR_SAMP divides by the number of rows here, as VAR_POP does, and not by one less.",
    ]);
    expect(made("SELECT VAR_POP(age), STDDEV_POP(age), COVAR_POP(age, pay) FROM survey").notes).toEqual([]);
  });

  test("an aggregate with a FILTER does not find the groups", () => {
    const terms = { epsilon: "1", delta: "1e-6" };
    const sql = "SELECT note, AVG(age) FILTER (WHERE member) AS a, COUNT(*) AS n FROM survey GROUP BY note";
    expect(made(sql, terms).plan.statistics).toMatchObject([
      { id: "n", keys: "select", delta: "1e-6" },
      { id: "a", keysFrom: "n", where: "member = true" },
    ]);
    expect(refusal(sql.replace(", COUNT(*) AS n", ""), terms)).toContain(
      "line 1, column 14: the groups are found among the rows of an aggregate without FILTER; select COUNT(*) as well",
    );
  });
});

describe("prices", () => {
  test("ε is never added to ρ", () => {
    const sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*), AVG(age, rho => 0.1) FROM survey";
    expect(refusal(sql, {})).toBe("line 1, column 42: epsilon is 1, must be left out: a row pays in rho");
    expect(refusal("SELECT COUNT(*), AVG(age, rho => 0.1) FROM survey")).toContain("a row pays in rho");
    expect(refusal(sql.replace("epsilon = 1", "epsilon = 1, rho = 1").replace(", rho => 0.1", ""), {})).toContain(
      "column 55: rho is 1, must be left out: a row pays in epsilon",
    );
  });

  test("δ is split between the SELECT that find groups", () => {
    const one = "SELECT note, COUNT(*) FROM survey GROUP BY note";
    const deltas = (sql: string, delta: string) =>
      made(sql, { epsilon: 1, delta }).plan.statistics.flatMap((row) => row.delta ?? []);
    expect(deltas(one, "1e-6")).toEqual(["1e-6"]);
    expect(deltas(`${one}; ${one}; SELECT COUNT(*) FROM survey`, "1e-6")).toEqual(["0.0000005", "0.0000005"]);
    expect(refusal(`${one}; ${one}`, { epsilon: 1, delta: "1e-12" })).toContain("delta is");
  });

  test("a least number of people needs groups that are found", () => {
    expect(
      refusal(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, min_privacy_units_per_group=5) region, COUNT(*) FROM survey GROUP BY 1",
        {},
      ),
    ).toContain("line 1, column 53: min_privacy_units_per_group is of groups that are found in rows");
  });
});

describe("columns of the result", () => {
  test.each([
    ["SELECT COUNT(*) AS n, AVG(age) AS N FROM survey", 'column 23: two columns are called "N"'],
    ["SELECT region, region AS r, COUNT(*) FROM survey GROUP BY region", 'column 16: "r" is selected twice'],
    ["SELECT COUNT(*) FROM survey HAVING COUNT(*)", "HAVING takes a condition"],
    ["SELECT COUNT(*) AS n FROM survey HAVING n > 'x'", "a number is compared with a number alone; this is a text"],
    ["SELECT region, COUNT(*) FROM survey GROUP BY 1 HAVING region > 'b'", "a text is compared with =, <> or IN"],
    ["SELECT seen, COUNT(*) FROM survey GROUP BY 1 HAVING seen > '2024'", "a day is compared with a day alone"],
    ["SELECT HISTOGRAM(age, bins => 3) AS h FROM survey ORDER BY h", '"h" has several values in each row'],
    [
      "SELECT region AS a, COUNT(*) AS region FROM survey GROUP BY 1 HAVING region > 3",
      '"region" is a group and the name of another column; rename that one',
    ],
  ])("%s is refused", (sql, words) => {
    expect(refusal(sql)).toContain(words);
  });

  test("ORDER BY means the name of a column before a group", () => {
    const sql = "SELECT region AS a, COUNT(*) AS region FROM survey GROUP BY 1 ORDER BY region";
    expect(made(sql).tables[0]?.orderBy).toEqual([{ place: 1, isDescending: false, nullsFirst: false }]);
  });
});

test("a text about another dataset than the plan's is refused", () => {
  expect(() => readSqlAbout("SELECT COUNT(*) FROM visits", "survey")).toThrow(
    "line 1, column 22: this plan is about survey; write FROM survey",
  );
  expect(readSqlAbout("SELECT COUNT(*) FROM SURVEY", "survey").statements).toHaveLength(1);
});

test("a dataset that protects rows counts one value of each row", () => {
  const rows = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: { a: { type: "text" } },
  });
  expect(planOfSql(readSql("SELECT COUNT(DISTINCT a) FROM t"), rows, { epsilon: 1 })).toMatchObject({
    notes: [],
    plan: { statistics: [{ statistic: "distinctValues", column: "a" }] },
  });
});
