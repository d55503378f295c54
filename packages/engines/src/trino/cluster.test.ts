import { reveal } from "@dosimeter/core/exact";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino, openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine, Measured } from "../../../query/src/plan/engine.ts";
import { SALT } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

/** Made-up orders, the same after every restart. Of those of `sf10` it takes three nodes far longer to read than to see that they began. */
const ordersOf = (schema: "sf1" | "sf10"): Declaration =>
  checkDeclaration({
    name: "orders",
    source: { trino: { connection: "shop", schema, table: "orders" } },
    privacyUnit: { column: "custkey" },
    contribution: { rows: 3 },
    columns: {
      custkey: { type: "integer" },
      totalprice: { type: "number", lower: 0, upper: 500_000, granularity: 1 },
      orderstatus: { type: "category", categories: ["F", "O", "P"] },
    },
  });
const asked = {
  statistics: [{ statistic: "sum", column: "totalprice", groupBy: ["orderstatus"], epsilon: 1 }],
} as const;

describe.skipIf(noTrino !== null)(`a coordinator and two workers${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let server: TrinoServer;
  let engine: Engine;
  let measured: () => Promise<Measured>;
  let measuredForLong: () => Promise<Measured>;
  let sums: Measured;
  beforeAll(async () => {
    server = await openTrino({ workers: 2 });
    engine = await trinoEngine({ connections: { shop: { url: server.address("reader", "tpch") } } });
    measured = await measuring(ordersOf("sf1"));
    measuredForLong = await measuring(ordersOf("sf10"));
    sums = await measured();
  });
  afterAll(() => server.close());

  async function measuring(declaration: Declaration): Promise<() => Promise<Measured>> {
    const version = await engine.check(declaration, { salt: SALT });
    const plan = boundPlan(asked, declaration);
    return async () => reveal(await engine.run(plan, version));
  }

  /** The query of the plan, once it has begun to read. */
  async function begun(): Promise<string> {
    for (let tries = 0; tries < 300; tries++) {
      const [found] = await server.query(
        `SELECT query_id FROM system.runtime.queries WHERE state = 'RUNNING' AND "user" = 'reader' AND query LIKE '%"sf10"."orders"%' AND query LIKE '%sum(%'`,
      );
      if (found !== undefined) return String(found[0]);
    }
    throw new Error("the query did not begin");
  }

  /** What a plan ends with when something happens to the cluster while it is read. */
  async function interrupted(happens: (query: string) => Promise<unknown>): Promise<void> {
    const refused = expect(measuredForLong()).rejects.toMatchObject({ code: "ENGINE_FAILED", details: {} });
    await happens(await begun());
    await refused;
  }

  test("all three nodes read", async () => {
    const nodes = () => server.query("SELECT DISTINCT node_id FROM system.runtime.tasks ORDER BY 1");
    await expect.poll(() => measured().then(nodes), { timeout: 60_000 }).toEqual([["n0"], ["n1"], ["n2"]]);
  });

  test("a query that an operator ends fails as any other, and gives the same integers when it is run again", async () => {
    await interrupted((query) => server.query(`CALL system.runtime.kill_query('${query}', 'secret-reason')`));
    expect(await measured()).toEqual(sums);
  });

  test("a worker that dies: the query fails, and the nodes that are left give the same integers", async () => {
    await interrupted(() => server.killNode(2));
    await expect.poll(() => measured().catch(() => null), { timeout: 240_000, interval: 2000 }).toEqual(sums);
  });

  test("a coordinator that restarts: the query fails, nothing is read meanwhile, and afterwards the same integers", async () => {
    await interrupted(() => server.killNode(0));
    await expect(measured()).rejects.toMatchObject({ code: "ENGINE_FAILED", details: {} });
    expect(await engine.probe()).toEqual({ shop: "nothing listens at its address" });
    await server.restartNode(0);
    expect(await engine.probe()).toEqual({ shop: null });
    expect(await measured()).toEqual(sums);
  });
});
