import { reveal } from "@dosimeter/core/exact";
import { present } from "@dosimeter/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino, openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { measure, SALT } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

const plan: Plan = { statistics: [{ statistic: "count", groupBy: ["region"], epsilon: 1 }] };

describe.skipIf(noTrino !== null)(`snapshots of Iceberg${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let server: TrinoServer;
  let engine: Engine;
  let first: string;
  let second: string;
  beforeAll(async () => {
    server = await openTrino({ hasIceberg: true });
    const newest = async (): Promise<string> =>
      String(
        (
          await server.query(
            `SELECT CAST(snapshot_id AS varchar) FROM ${VISITS("$snapshots")} ORDER BY committed_at DESC LIMIT 1`,
          )
        )[0]?.[0],
      );
    await server.query("CREATE SCHEMA iceberg.ward");
    await server.query(
      `CREATE TABLE ${VISITS()} AS SELECT * FROM (VALUES ('p1', 'north'), ('p2', 'south')) AS t(patient, region)`,
    );
    first = await newest();
    await server.query(`INSERT INTO ${VISITS()} VALUES ('p3', 'north'), ('p4', 'north')`);
    second = await newest();
    await server.query(`ALTER TABLE ${VISITS()} ADD COLUMN age integer`);
    await server.query(`DELETE FROM ${VISITS()} WHERE patient = 'p1'`);
    await server.query("CREATE TABLE memory.default.visits AS SELECT 'p1' AS patient, 'north' AS region");
    const url = server.address("reader", "iceberg");
    engine = await trinoEngine({ connections: { lake: { url }, memory: { url: server.address("reader") } } });
  });
  afterAll(() => server.close());

  const at = (snapshot?: string, { connection = "lake", schema = "ward" } = {}) =>
    checkDeclaration({
      name: "visits",
      source: { trino: { connection, schema, table: "visits", ...present({ snapshot }) } },
      privacyUnit: { column: "patient" },
      contribution: { rows: 1 },
      columns: { patient: { type: "text" }, region: { type: "category", categories: ["north", "south"] } },
    });

  test("the rows of a snapshot are read for ever, whatever is added or deleted later", async () => {
    const read = async (snapshot?: string) => [...((await measure(engine, plan, at(snapshot)))[0] ?? [])];
    expect(await read(first)).toEqual([1n, 1n]);
    expect(await read(second)).toEqual([3n, 1n]);
    expect(await read()).toEqual([2n, 1n]);
    await server.query(`INSERT INTO ${VISITS()} VALUES ('p5', 'south', 3)`);
    expect(await read(first)).toEqual([1n, 1n]);
    expect(await read()).toEqual([2n, 2n]);
  });

  test("every snapshot is a version of its own, and no plan runs at another", async () => {
    const versions = await Promise.all([at(first), at(second), at()].map((each) => engine.check(each, { salt: SALT })));
    expect(new Set(versions.map(({ version }) => version)).size).toBe(3);
    const [one, two] = versions as [(typeof versions)[number], (typeof versions)[number]];
    expect(reveal(await engine.run(boundPlan(plan, at(first)), one))).toHaveLength(1);
    await expect(engine.run(boundPlan(plan, at(first)), two)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });

  test.each([
    ["that the table does not have", () => at("5")],
    ["of a connector without any", () => at(first, { connection: "memory", schema: "default" })],
  ])("a snapshot %s is refused by its number", async (_, declaration) => {
    const checked = engine.check(declaration(), { salt: SALT });
    await expect(checked).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: expect.stringMatching(/cannot read "\w+"."visits" at snapshot \d+/),
    });
  });
});

const VISITS = (more = ""): string => `iceberg.ward."visits${more}"`;
