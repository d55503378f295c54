import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/folder.kit.ts";
import { duckdbEngine } from "../../engines/src/duckdb/engine.ts";
import { measure } from "../../engines/src/engine/under-test.kit.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../query/src/plan/engine.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { readSql } from "./read.ts";

const declaration = checkDeclaration({
  name: "t",
  source: { csv: "t.csv" },
  privacyUnit: "row",
  columns: {
    a: { type: "integer", lower: -3, upper: 3 },
    b: { type: "integer", lower: 0, upper: 2 },
    m: { type: "boolean" },
    r: { type: "category", categories: ["x", "y"] },
    d: { type: "date", lower: "2024-01-01", upper: "2024-12-31" },
  },
});
const ROWS = [-3, -1, 2, 3, null].flatMap((a) =>
  [0, 2, null].flatMap((b) =>
    [true, false, null].flatMap((m) =>
      ["x", "y", null].flatMap((r) => ["2024-02-29", "2024-06-01", null].map((d) => [a, b, m, r, d])),
    ),
  ),
);

const root = temporaryFolder();
let engine: Engine;
let database: DuckDBInstance;
beforeAll(async () => {
  await writeFile(
    join(root, "t.csv"),
    ["a,b,m,r,d", ...ROWS.map((row) => row.map((each) => each ?? "").join(","))].join("\n"),
  );
  engine = await duckdbEngine({ root, threads: 1 });
  database = await DuckDBInstance.create(":memory:");
});
afterAll(async () => {
  await engine.close();
  database.closeSync();
});

const truthOf = fc.letrec<{ truth: string; number: string }>((tie) => ({
  number: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "b", "-1", "2") },
    fc
      .tuple(tie("number"), fc.constantFrom("+", "-", "*"), fc.constantFrom("a", "b", "2"))
      .map(([x, op, y]) => `(${x} ${op} ${y})`),
    fc.tuple(tie("truth"), tie("number")).map(([c, x]) => `CASE WHEN ${c} THEN ${x} ELSE b END`),
    tie("number").map((x) => `ROUND(${x} / 2)`),
    fc.tuple(tie("number"), tie("number")).map(([x, y]) => `COALESCE(${x}, ${y})`),
    fc.constantFrom("EXTRACT(MONTH FROM d)", "EXTRACT(ISODOW FROM d)", "EXTRACT(WEEK FROM d)"),
  ),
  truth: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("m", "a > 1", "a = b", "r = 'x'", "r <> 'x'", "d >= DATE '2024-03-01'", "b IS NULL", "m IS TRUE"),
    fc.constantFrom("a IN (2, 3)", "a NOT IN (2, 3)", "r NOT IN ('x')", "a BETWEEN -1 AND 2", "b NOT BETWEEN 0 AND 1"),
    fc
      .tuple(tie("number"), fc.constantFrom("=", "<>", "<", "<=", ">", ">="), tie("number"))
      .map((each) => `(${each.join(" ")})`),
    fc.tuple(tie("truth"), fc.constantFrom("AND", "OR"), tie("truth")).map(([x, op, y]) => `(${x} ${op} ${y})`),
    tie("truth").map((x) => `NOT (${x})`),
    fc
      .tuple(
        tie("truth"),
        fc.constantFrom("IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS NULL", "IS NOT NULL"),
      )
      .map(([x, is]) => `(${x}) ${is}`),
    fc.tuple(tie("truth"), tie("truth")).map(([x, y]) => `((${x}) = (${y}))`),
    fc.tuple(tie("truth"), tie("truth")).map(([x, y]) => `COALESCE(${x}, ${y})`),
  ),
})).truth;

const AT_ONCE = 25;

/** Bounds hold every value, so nothing is clamped, and SQL of a database has the same rows. */
test("a condition is true of the rows of which a database has it true, however values are missing", async () => {
  const connection = await database.connect();
  await connection.run(
    `CREATE TABLE t AS SELECT a::INTEGER AS a, b::INTEGER AS b, m::BOOLEAN AS m, nullif(r, '') AS r, d::DATE AS d FROM read_csv('${join(root, "t.csv")}', all_varchar = true)`,
  );
  const plan = (sql: string) => planOfSql(readSql(sql), declaration, { epsilon: "100" }).plan;
  // Where it is true, and where it is not missing.
  const select = (conditions: readonly string[]): string => {
    const items = conditions.flatMap((each, index) => [
      `COUNT(*) FILTER (WHERE ${each}) AS c${index}`,
      `COUNT(${each}) AS v${index}`,
    ]);
    return `SELECT ${items.join(", ")} FROM t`;
  };
  // Two constants are not compared, nor formulas nested too deep.
  const isRead = (condition: string): boolean => {
    try {
      return condition.length < 300 && plan(select([condition])) !== null;
    } catch (error) {
      if (error instanceof PrivacyError) return false;
      throw error;
    }
  };
  const conditions = fc.sample(truthOf, { numRuns: 300, seed: 19 }).filter(isRead);
  expect(conditions.length).toBeGreaterThan(200);
  for (let at = 0; at < conditions.length; at += AT_ONCE) {
    const some = conditions.slice(at, at + AT_ONCE);
    const [row] = (await connection.runAndReadAll(select(some))).getRows();
    const counted = (await measure(engine, plan(select(some)), declaration)).map(([count]) => count);
    const shown = (counts: readonly unknown[]) =>
      some.map((each, index) => [each, counts[2 * index], counts[2 * index + 1]]);
    expect(shown(counted)).toEqual(shown(row ?? []));
  }
  connection.closeSync();
});
