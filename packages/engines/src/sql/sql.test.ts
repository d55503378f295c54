import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Sql } from "../../../query/src/dialect/dialect.ts";
import type { BoundedStatistic } from "../../../query/src/plan/bounded.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { duckdbDialect } from "../duckdb/dialect.ts";
import { trinoDialect } from "../trino/dialect.ts";
import { boundedRows, boundsFor } from "./bounded-rows.ts";
import { cellsOf, rowsOf, unitKindOf } from "./sql.ts";

const columns = {
  person: { type: "text" },
  region: { type: "category", categories: ["north", "south"] },
  age: { type: "integer", lower: 0, upper: 100 },
  pay: { type: "number", lower: 0, upper: 10, granularity: 0.5 },
};
const table = {
  dialect: duckdbDialect,
  from: sql`people`,
  types: { person: "VARCHAR", region: "VARCHAR", age: "BIGINT", pay: "DOUBLE" },
};
const trinoTypes = { person: "varchar", region: "varchar", age: "bigint", pay: "double" };
const perRow = checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns });
const perPerson = (contribution: object): Declaration =>
  checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: { column: "person" }, contribution, columns });

function bounded(request: object, declaration: Declaration): BoundedStatistic {
  const [statistic] = boundPlan(
    { statistics: [{ epsilon: 1, ...request } as StatisticRequest] },
    declaration,
  ).statistics;
  if (statistic === undefined) throw new Error("one statistic");
  return statistic;
}

function sqlOf(request: object, declaration: Declaration): Sql {
  const statistic = bounded(request, declaration);
  const rows = rowsOf(statistic, declaration, table);
  const kept = boundedRows(duckdbDialect, statistic, rows, unitKindOf(declaration), "salt");
  const isWeighted = boundsFor(statistic, unitKindOf(declaration)) === "counted";
  return duckdbDialect.compile(
    cellsOf(duckdbDialect, statistic, { from: sql`(${kept})`, isWeighted, areDecimals: false }),
  );
}

test.each([
  ["count, unit row", { statistic: "count" }, perRow],
  [
    "mean by group with a filter, unit row",
    { statistic: "mean", column: "pay", groupBy: ["region"], where: "age >= 18" },
    perRow,
  ],
  [
    "mean by group, C rows a unit: packed",
    { statistic: "mean", column: "pay", groupBy: ["region"] },
    perPerson({ rows: 4 }),
  ],
  ["sum, one row a unit", { statistic: "sum", column: "age" }, perPerson({ rows: 1 })],
  [
    "sum by group, groups and rows bounded",
    { statistic: "sum", column: "age", groupBy: ["region"] },
    perPerson({ groups: 1, rowsPerGroup: 2 }),
  ],
  ["units by group", { statistic: "distinctUnits", groupBy: ["region"] }, perPerson({ groups: 1, rowsPerGroup: 9 })],
  ["histogram of numbers", { statistic: "histogram", column: "pay", bins: [0, 1, 2.5, 10] }, perRow],
])("SQL of %s", (_, request, declaration) => {
  expect(sqlOf(request, declaration)).toMatchSnapshot();
});

test.each([
  ["a row", perRow],
  ["two rows of a person", perPerson({ rows: 2 })],
])("SQL of totals in tables for Trino, %s", (_, declaration) => {
  const statistic = bounded({ statistic: "tableSums", column: "pay", tables: "region+age", bins: 4 }, declaration);
  const from = sql`people`;
  const rows = rowsOf(statistic, declaration, { ...table, dialect: trinoDialect, from, types: trinoTypes });
  const kept = boundedRows(trinoDialect, statistic, rows, unitKindOf(declaration), "salt");
  const relation = { from: sql`(${kept})`, isWeighted: false, areDecimals: false };
  expect(trinoDialect.compile(cellsOf(trinoDialect, statistic, relation))).toMatchSnapshot();
});

test("texts are parameters and names are quoted, whatever they hold", () => {
  const name = 'a"b; drop table t;--';
  const declaration = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: { [name]: { type: "text" } },
  });
  const { text, parameters } = sqlOf(
    { statistic: "count", where: { op: "=", column: name, value: "'; drop table t;--" } },
    declaration,
  );
  expect(text).toContain('"a""b; drop table t;--"');
  expect(text).not.toContain("'; drop");
  expect(parameters).toContain("'; drop table t;--");
});

test("no name and no value is written into SQL as it is", () => {
  const folder = new URL("../../..", import.meta.url).pathname;
  const sources = globSync("{query,engines}/src/**/*.ts", {
    cwd: folder,
    exclude: (file) => /\.(test|kit)\.ts$/.test(file),
  });
  const raw = sources.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/sql\.raw\(([^\n]*)/g)].map(([, argument = ""]) => argument),
  );
  expect(raw.length).toBeGreaterThan(10);
  // Numbers, one of six comparisons, a type of this program's own: nothing that anybody declared or asked.
  const ours = /^(String\(|(code|predicate)\.op === "!=" \? "<>" : |(target|type)\)|typeof members\[0\] === "number")/;
  expect(raw.filter((argument) => !ours.test(argument))).toEqual([]);
});

test("the form of the query depends on declared bounds only", () => {
  const forms = [1, 8, 9, 4096].map((rows) =>
    sqlOf({ statistic: "count", groupBy: ["region"] }, perPerson({ rows })).text.includes("HAVING"),
  );
  expect(forms).toEqual([false, false, true, true]);
});

test.each([
  [{ statistic: "mean", column: "pay", groupBy: ["region"] }, 1],
  [{ statistic: "mean", column: "pay", groupBy: ["region"] }, 3],
  [{ statistic: "count", groupBy: ["region"] }, 2],
  [{ statistic: "histogram", column: "age", bins: 4 }, 5],
])("every form keeps the same rows: %j, %d rows a unit", async (request, rows) => {
  const statistic = bounded(request, perPerson({ rows }));
  const people = sql`(SELECT 'p' || (i * i % 37) AS person, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region, i % 90 AS age, (i * 7 % 41) / 4.0::DOUBLE AS pay FROM range(600) AS t(i)) AS people`;
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const kept = async (form: "packed" | "heavy" | "windows"): Promise<unknown> => {
    const from = rowsOf(statistic, perPerson({ rows }), { ...table, from: people });
    const { text, parameters } = duckdbDialect.compile(
      sql`SELECT * FROM (${boundedRows(duckdbDialect, statistic, from, "text", "salt", form)}) AS b ORDER BY ALL`,
    );
    return (await connection.runAndReadAll(text, [...parameters])).getRows();
  };
  const packed = await kept("packed");
  expect(packed).not.toEqual([]);
  expect(await kept("heavy")).toEqual(packed);
  expect(await kept("windows")).toEqual(packed);
  connection.closeSync();
  instance.closeSync();
});

test("no floating-point aggregate, division by data, random or early-out ever appears [M84, M86]", () => {
  const requests = [
    { statistic: "count" },
    { statistic: "mean", column: "pay" },
    { statistic: "sum", column: "pay" },
    { statistic: "histogram", column: "age", bins: 7 },
  ];
  for (const request of requests)
    for (const declaration of [
      perRow,
      perPerson({ rows: 3 }),
      perPerson({ rows: 30 }),
      perPerson({ groups: 1, rowsPerGroup: 1 }),
    ]) {
      const { text } = sqlOf(request, declaration);
      expect(text).not.toMatch(/\b(avg|stddev|var_|quantile|approx_|fsum|any_value|first|last|random|limit|sample)\b/i);
      expect(text.match(/sum\((.*?)\)/)?.[1] ?? "v").toMatch(/^w$|^v( \+ -?\d+)?$/);
    }
});
