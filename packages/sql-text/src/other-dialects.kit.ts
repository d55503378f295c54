import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../query/src/declaration/declaration.ts";

const declared = (name: string, columns: object, more: object = { privacyUnit: "row" }): Declaration =>
  checkDeclaration({ name, source: { csv: "t.csv" }, columns, ...more });

const person = { privacyUnit: { column: "id" }, contribution: { rows: 1 } };

/** Tables like those that such pages are about. */
export const tables = {
  professors: declared(
    "professors",
    { id: { type: "integer" }, item: { type: "text" }, quantity: { type: "integer", lower: 0, upper: 100 } },
    person,
  ),
  claims: declared(
    "t1",
    {
      id: { type: "integer" },
      age: { type: "integer", lower: 0, upper: 100 },
      num_claims: { type: "integer", lower: 0, upper: 50 },
      score: { type: "integer", lower: 0, upper: 10 },
      plan: { type: "category", categories: ["basic", "premium", "vip"] },
      day: { type: "text" },
    },
    person,
  ),
  pums: declared("PUMS.PUMS", {
    age: { type: "integer", lower: 0, upper: 100 },
    sex: { type: "category", categories: ["0", "1"] },
    educ: { type: "integer", lower: 1, upper: 16 },
    race: { type: "category", categories: ["1", "2", "3", "4", "5", "6"] },
    income: { type: "integer", lower: 0, upper: 500_000 },
    married: { type: "boolean" },
  }),
  members: declared(
    "members",
    {
      id: { type: "integer" },
      name: { type: "text" },
      age: { type: "integer", lower: 0, upper: 120 },
      gender: { type: "category", categories: ["female", "male", "nonbinary", "unspecified"] },
      education_level: {
        type: "category",
        categories: [
          "up-to-high-school",
          "high-school-diploma",
          "bachelors-degree",
          "masters-degree",
          "doctorate-professional",
        ],
      },
      zip_code: { type: "text" },
      loans: { type: "integer", lower: 0, upper: 200 },
      favorite_genres: { type: "text" },
    },
    person,
  ),
} as const;

type Row = readonly [style: string, table: keyof typeof tables, sql: string];

const DP = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS";
const FUNCTIONS = "BigQuery, Differentially private aggregate functions";
const CLAUSE = "BigQuery, Query syntax: differential privacy clause";
const USE = "BigQuery, Use differential privacy";
const ANALYST = "Snowflake, Querying data protected by differential privacy";
const DOMAINS = "Snowflake, About privacy domains";
const REFERENCE = "Snowflake, Differential privacy SQL reference";
const INTERVAL = "Snowflake, DP_INTERVAL_LOW";
const SMARTNOISE = "SmartNoise SQL, README";
const SAMPLES = "SmartNoise samples, SQL data access";
const SNSQL = "SmartNoise SQL, overview and advanced usage";
const FIRST = "Tumult Analytics, First steps";
const GROUPS = "Tumult Analytics, Group-by queries";
const NUMERICAL = "Tumult Analytics, Numerical aggregations";
const SIMPLE = "Tumult Analytics, Simple transformations";
const IDS = "Tumult Analytics, Working with privacy IDs";

/**
 * Queries in the style of these pages, over tables like theirs, none of them a quotation; Tumult's pages are written in Python, so theirs
 * are questions of that kind in SQL.
 */
export const queries: readonly Row[] = [
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, max_groups_contributed=1, privacy_unit_column=id) item, AVG(quantity, contribution_bounds_per_group => (0,100)) average_quantity FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, AVG(quantity, contribution_bounds_per_group => (0,100)) AS average_quantity FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=1e20, delta=.01, privacy_unit_column=id) item, AVG(quantity) average_quantity FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, COUNT(*, contribution_bounds_per_group=>(0, 100)) times_requested FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, COUNT(item, contribution_bounds_per_group=>(0, 100)) times_requested FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, COUNT(*) times_requested FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, PERCENTILE_CONT(quantity, 0.5, contribution_bounds_per_row => (0,100)) percentile_requested FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, SUM(quantity, contribution_bounds_per_group => (0,100)) quantity FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, VAR_POP(quantity, contribution_bounds_per_row => (0,100)) pop_variance FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, SUM(quantity, report_format => 'JSON') quantity FROM professors GROUP BY item`,
  ],
  [
    FUNCTIONS,
    "professors",
    "SELECT WITH ANONYMIZATION OPTIONS(epsilon=10, delta=.01, kappa=2) item, ANON_AVG(quantity CLAMPED BETWEEN 0 AND 100) average_quantity FROM professors GROUP BY item",
  ],
  [
    CLAUSE,
    "professors",
    `${DP}(epsilon=10, delta=.01, max_groups_contributed=2, privacy_unit_column=id) item, AVG(quantity, contribution_bounds_per_group=>(0, 100)) AS average_quantity FROM professors GROUP BY item`,
  ],
  [
    CLAUSE,
    "professors",
    `${DP}(epsilon=10, delta=.01, max_groups_contributed=NULL, privacy_unit_column=id) item, AVG(quantity) FROM professors GROUP BY item`,
  ],
  [
    CLAUSE,
    "professors",
    `${DP}(epsilon=1.1, max_groups_contributed=1, privacy_unit_column=id, group_selection_strategy=PUBLIC_GROUPS) item, AVG(quantity) AS average_quantity FROM professors RIGHT OUTER JOIN (SELECT DISTINCT item FROM products) USING (item) GROUP BY item`,
  ],
  [
    CLAUSE,
    "professors",
    `${DP}(epsilon=1.1, delta=.01, privacy_unit_column=id, group_selection_strategy=PUBLIC_GROUPS) item, COUNT(*) FROM professors GROUP BY item`,
  ],
  [
    CLAUSE,
    "professors",
    `${DP}(epsilon=1.1, delta=.01, privacy_unit_column=id, group_selection_strategy=LAPLACE_THRESHOLD, min_privacy_units_per_group=10) item, COUNT(DISTINCT id) AS people FROM professors GROUP BY item`,
  ],
  [
    CLAUSE,
    "professors",
    "SELECT WITH AGGREGATION_THRESHOLD OPTIONS(threshold=50, privacy_unit_column=id) item, COUNT(*) FROM professors GROUP BY item",
  ],
  [
    USE,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) item, AVG(quantity) FROM (SELECT * FROM professors WHERE quantity > 0) GROUP BY item`,
  ],
  [
    USE,
    "professors",
    `${DP}(epsilon=10, delta=.01, privacy_unit_column=id) AVG(quantity, contribution_bounds_per_row=>(0, 100)) FROM professors p JOIN students s ON p.id = s.id`,
  ],
  [USE, "professors", "CREATE OR REPLACE VIEW dataset.view_on_professors AS SELECT * FROM professors"],
  [DOMAINS, "claims", "SELECT COUNT(age) AS count_age FROM t1 WHERE age >= 20 AND age <= 100 GROUP BY score"],
  [DOMAINS, "claims", "SELECT plan, AVG(age) FROM t1 GROUP BY plan"],
  [DOMAINS, "claims", "SELECT AVG(age) FROM t1 WHERE age BETWEEN 18 AND 65"],
  [DOMAINS, "claims", "SELECT plan, COUNT(*) FROM t1 WHERE plan IN ('basic', 'vip') GROUP BY plan"],
  [DOMAINS, "claims", "ALTER TABLE t1 MODIFY COLUMN age SET PRIVACY DOMAIN BETWEEN (0, 120)"],
  [INTERVAL, "claims", "SELECT SUM(num_claims) AS sum_claims, DP_INTERVAL_LOW(sum_claims) FROM t1"],
  [
    INTERVAL,
    "claims",
    "SELECT SUM(num_claims) AS sum_claims, DP_INTERVAL_LOW(sum_claims), DP_INTERVAL_HIGH(sum_claims) FROM t1;",
  ],
  [ANALYST, "claims", "SELECT plan, COUNT(*) AS 'c', DP_INTERVAL_LOW('c') FROM t1 GROUP BY plan"],
  [ANALYST, "claims", "SELECT plan, 1 + COUNT(*) AS c, DP_INTERVAL_LOW(c) FROM t1 GROUP BY plan"],
  [
    ANALYST,
    "claims",
    "SELECT plan, COUNT(*) AS c, DP_INTERVAL_LOW(c) AS low, DP_INTERVAL_HIGH(c) AS high FROM t1 GROUP BY plan ORDER BY c DESC",
  ],
  [ANALYST, "claims", "SELECT COUNT(DISTINCT id) FROM t1 WHERE num_claims > 3"],
  [ANALYST, "claims", "SELECT AVG(total) FROM (SELECT id, SUM(num_claims) AS total FROM t1 GROUP BY id)"],
  [REFERENCE, "claims", "SELECT STDDEV(age), VARIANCE(age) FROM t1"],
  [REFERENCE, "claims", "SELECT CASE WHEN age < 18 THEN 'minor' ELSE 'adult' END AS g, COUNT(*) FROM t1 GROUP BY g"],
  [REFERENCE, "claims", "SELECT COUNT(*) FROM t1 LEFT OUTER JOIN t2 USING (id)"],
  [REFERENCE, "claims", "SELECT COUNT(*) FROM t1 UNION ALL SELECT COUNT(*) FROM t1"],
  [REFERENCE, "claims", "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) FROM t1 GROUP BY month"],
  [REFERENCE, "claims", "SELECT COUNT_IF(age > 65) FROM t1"],
  [SMARTNOISE, "pums", "SELECT sex, AVG(age) AS age FROM PUMS.PUMS GROUP BY sex"],
  [SAMPLES, "pums", "SELECT married, AVG(income) AS income, COUNT(*) AS n FROM PUMS.PUMS GROUP BY married"],
  [SNSQL, "pums", "SELECT COUNT(*) AS n FROM PUMS.PUMS"],
  [SNSQL, "pums", "SELECT COUNT(*) AS n, SUM(income) AS income FROM PUMS.PUMS WHERE age > 80"],
  [SNSQL, "pums", "SELECT sex, race, COUNT(*) AS n FROM PUMS.PUMS GROUP BY sex, race ORDER BY n DESC LIMIT 5"],
  [SNSQL, "pums", "SELECT educ, COUNT(*) AS n FROM PUMS.PUMS GROUP BY educ HAVING n > 100"],
  [SNSQL, "pums", "SELECT VARIANCE(age), STDDEV(income) FROM PUMS.PUMS"],
  [SNSQL, "pums", "SELECT TOP 5 race, COUNT(*) FROM PUMS.PUMS GROUP BY race"],
  [SNSQL, "pums", "SELECT age, income FROM PUMS.PUMS"],
  [SNSQL, "pums", "SELECT AVG(income) * 2 FROM PUMS.PUMS"],
  [FIRST, "members", "SELECT COUNT(*) FROM members"],
  [FIRST, "members", "SELECT COUNT(*) FROM members WHERE age < 18"],
  [
    FIRST,
    "members",
    "SELECT COUNT(*) FROM members WHERE education_level = 'masters-degree' OR education_level = 'doctorate-professional'",
  ],
  [GROUPS, "members", "SELECT education_level, COUNT(*) FROM members GROUP BY education_level"],
  [
    GROUPS,
    "members",
    "SELECT gender, education_level, AVG(age, lower => 0, upper => 120) FROM members GROUP BY gender, education_level",
  ],
  [GROUPS, "members", "SELECT zip_code, COUNT(*) FROM members GROUP BY zip_code"],
  [NUMERICAL, "members", "SELECT SUM(loans, lower => 0, upper => 100) FROM members"],
  [
    NUMERICAL,
    "members",
    "SELECT age, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY loans) FROM members WHERE age BETWEEN 10 AND 79 GROUP BY age",
  ],
  [NUMERICAL, "members", "SELECT MIN(age), MAX(age) FROM members"],
  [SIMPLE, "members", "SELECT floor_to(age, 10) AS decade, AVG(loans) FROM members GROUP BY decade"],
  [SIMPLE, "members", "SELECT genre, COUNT(*) FROM members CROSS JOIN UNNEST(favorite_genres) AS genre GROUP BY genre"],
  [IDS, "members", "SELECT COUNT(DISTINCT id) FROM members"],
];
