import { DuckDBInstance } from "@duckdb/node-api";
import { fc, test } from "@fast-check/vitest";
import { sql } from "kysely";
import { afterAll, beforeAll, expect } from "vitest";
import { duckdbDialect } from "./dialect.ts";

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
});
afterAll(() => instance.closeSync());

const text = fc.string({ unit: fc.constantFrom("a", "'", '"', "\\", "$", "1", "\n", ";", "-", "é"), maxLength: 12 });

test.prop([text.filter((name) => name !== ""), text, text], { numRuns: 200 })(
  "DuckDB reads a name, a literal and a parameter as they were given",
  async (name, literal, parameter) => {
    const { text, parameters } = duckdbDialect.compile(
      sql`SELECT ${parameter} AS p, ${sql.lit(literal)} AS ${sql.id(name)}, ${parameter.length} AS n`,
    );
    const connection = await instance.connect();
    try {
      const reader = await connection.runAndReadAll(text, [...parameters]);
      expect(reader.columnNames()).toEqual(["p", name, "n"]);
      expect(reader.getRows()).toEqual([[parameter, literal, parameter.length]]);
    } finally {
      connection.closeSync();
    }
  },
);
