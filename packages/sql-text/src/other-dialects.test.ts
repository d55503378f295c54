import { PrivacyError } from "@dosimeter/core";
import { loadModule, parseSync } from "libpg-query";
import { beforeAll, describe, expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { queries, tables } from "./other-dialects.kit.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { readSql } from "./read.ts";
import { standard } from "./standard.kit.ts";

beforeAll(() => loadModule());

/** What is done with a query: the statistics that it asks for, or where and why it is refused. */
function done(sql: string, table: keyof typeof tables): string {
  try {
    const { plan, atItsPlace } = planOfSql(readSql(sql), tables[table], /epsilon/.test(sql) ? {} : { epsilon: "1" });
    try {
      return boundPlan(plan, tables[table])
        .statistics.map(({ label }) => label)
        .join("; ");
    } catch (error) {
      return atItsPlace(error);
    }
  } catch (error) {
    if (error instanceof PrivacyError) return `refused: ${error.message}`;
    throw error;
  }
}

test("there are sixty of them, in the style of four products", () => {
  expect(queries).toHaveLength(60);
  expect(new Set(queries.map(([page]) => page.split(/[ ,]/)[0]))).toEqual(
    new Set(["BigQuery", "Snowflake", "SmartNoise", "Tumult"]),
  );
});

describe("queries in the style of the documentation of others", () => {
  test("what is done with each", () => {
    const lines = queries.map(([page, table, sql]) => `${page}\n  ${sql}\n  → ${done(sql, table)}`);
    expect(lines.join("\n\n")).toMatchSnapshot();
  });

  test.each(queries)("%s, over %s: what is accepted is SQL of PostgreSQL too: %s", (_, table, sql) => {
    if (done(sql, table).startsWith("refused")) return;
    expect(() => parseSync(standard(sql))).not.toThrow();
  });
});
