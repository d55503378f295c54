import { reveal } from "@dosimeter/core/exact";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino, openPassage, openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { SALT } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

/** Part of the value of each partition, so of the folder that Trino's errors name when a file is gone. */
const SECRET = "secret-row-value";
const PARTITIONS = 5000;
/** In one statement: `iceberg.max-partitions-per-writer`. */
const AT_ONCE = 1000;

/** A failure that says nothing, whatever happened to the table. */
const FAILED = {
  code: "ENGINE_FAILED",
  details: {},
  message: "the data engine could not run the plan; the charge stands and is run again under its key",
};

const plan: Plan = {
  statistics: [
    { statistic: "count", epsilon: 1 },
    { statistic: "sum", column: "age", epsilon: 1 },
  ],
};

describe.skipIf(noTrino !== null)(`tables that vanish${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let server: TrinoServer;
  let engine: Engine;
  /** What happens to a table before a statement is run. */
  let before: (statement: string) => Promise<unknown> = async () => {};
  let close: () => Promise<void>;
  beforeAll(async () => {
    server = await openTrino({ hasIceberg: true });
    const passage = await openPassage(server, (statement) => before(statement));
    close = passage.close;
    await server.query("CREATE SCHEMA iceberg.ward");
    await server.query("CREATE SCHEMA memory.ward");
    engine = await trinoEngine({
      connections: {
        iceberg: { url: passage.address("reader", "iceberg") },
        memory: { url: passage.address("reader") },
      },
    });
  });
  afterAll(async () => {
    await close();
    await server.close();
  });

  async function fill(table: string, partitions: number): Promise<void> {
    const partitioned = table.startsWith("iceberg") ? "WITH (partitioning = ARRAY['region'])" : "";
    await server.query(`CREATE TABLE ${table} (patient bigint, age integer, region varchar) ${partitioned}`);
    for (let first = 0; first < partitions; first += AT_ONCE)
      await server.query(
        `INSERT INTO ${table} SELECT i, CAST(i % 90 AS integer), '${SECRET}' || CAST(i AS varchar) FROM UNNEST(sequence(${first}, ${first + Math.min(AT_ONCE, partitions) - 1})) AS t(i)`,
      );
  }

  const declared = (table: string, connection = "iceberg"): Declaration =>
    checkDeclaration({
      name: "visits",
      source: { trino: { connection, schema: "ward", table } },
      privacyUnit: { column: "patient" },
      contribution: { rows: 4 },
      columns: {
        patient: { type: "integer" },
        age: { type: "integer", lower: 0, upper: 100 },
        region: { type: "category", categories: [`${SECRET}1`, `${SECRET}2`] },
      },
    });

  /** The table is gone before the first statement with these letters. */
  function dropped(table: string, letters: string): void {
    before = async (statement) => {
      if (!statement.includes(letters)) return;
      before = async () => {};
      await server.query(`DROP TABLE ${table}`);
    };
  }

  test.each(
    ["iceberg", "memory"].flatMap((connection) =>
      [
        ["its columns are read", "information_schema.columns"],
        ["the first statistic", "count("],
        ["the second statistic", "sum("],
      ].map(([moment = "", letters = ""], at) => ({ connection, moment, letters, table: `gone${at}` })),
    ),
  )("of $connection, before $moment: one constant failure", async ({ connection, letters, table }) => {
    await fill(`${connection}.ward.${table}`, 10);
    const declaration = declared(table, connection);
    const version = await engine.check(declaration, { salt: SALT });
    dropped(`${connection}.ward.${table}`, letters);
    await expect(engine.run(boundPlan(plan, declaration), version)).rejects.toMatchObject(FAILED);
    expect(await server.query(`SHOW TABLES FROM ${connection}.ward LIKE '${table}'`)).toEqual([]);
  });

  test.each([
    ["iceberg", "the table cannot be read: it is damaged or not what its declaration says"],
    ["memory", 'connection "memory" cannot be used: its catalogue, schema or table does not exist'],
  ])("of %s, while it is declared: refused without a value", async (connection, message) => {
    await fill(`${connection}.ward.fresh`, 10);
    dropped(`${connection}.ward.fresh`, "count(");
    const checked = engine.check(declared("fresh", connection), { salt: SALT });
    await expect(checked).rejects.toMatchObject({ code: "DATA_UNREADABLE", message });
  });

  test(`${PARTITIONS} partitions: the integers of one, nothing that counts them, and when they go in mid-query, a constant failure`, async () => {
    await fill("iceberg.ward.many", PARTITIONS);
    await fill("iceberg.ward.few", 1);
    const at = (table: string) => ({ trino: { connection: "iceberg", schema: "ward", table } });
    expect(await engine.describe(at("many"))).toEqual(await engine.describe(at("few")));
    expect((await engine.list?.(at("many")))?.tables).toEqual(["few", "many"]);
    await server.query("CREATE VIEW iceberg.ward.seen AS SELECT * FROM iceberg.ward.many");
    const declaration = declared("seen");
    const version = await engine.check(declaration, { salt: SALT });
    const whole = boundPlan(plan, declaration);
    const ages = Array.from({ length: PARTITIONS }, (_, i) => BigInt(i % 90)).reduce((a, b) => a + b);
    expect(reveal(await engine.run(whole, version)).map(([value]) => value)).toEqual([BigInt(PARTITIONS), ages]);

    // It takes far longer to read than to see that it began.
    await server.query(
      "CREATE OR REPLACE VIEW iceberg.ward.seen AS SELECT m.* FROM iceberg.ward.many m CROSS JOIN UNNEST(sequence(1, 10000))",
    );
    const failing = expect(engine.run(whole, version)).rejects.toMatchObject(FAILED);
    const isRunning = `SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND "user" = 'reader' AND query LIKE '%count(%'`;
    await expect.poll(async () => (await server.query(isRunning))[0]?.[0], { timeout: 120_000 }).toBe(1);
    await server.query("DROP TABLE iceberg.ward.many");
    await failing;
  });
});
