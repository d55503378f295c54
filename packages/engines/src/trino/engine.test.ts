import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { BoundedPlan } from "../../../query/src/plan/bounded.ts";
import { duckdbUnderTest } from "../duckdb/under-test.kit.ts";
import { engineKit } from "../engine/engine.kit.ts";
import { sameIntegersKit } from "../engine/same-integers.kit.ts";
import { sampleKit } from "../engine/sample.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";
import { trinoUnderTest } from "./under-test.kit.ts";

describe.skipIf(noTrino !== null)(`over a real server${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  engineKit("Trino", trinoUnderTest, { pairs: 2, every: 4, joins: 1 });
  sampleKit("Trino", trinoUnderTest);

  describe.each([
    { name: "one node", workers: 0, runs: 12 },
    { name: "a coordinator and two workers", workers: 2, runs: 4 },
  ])("Trino, $name, and DuckDB", ({ workers, runs }) => {
    let duck: EngineUnderTest;
    let trino: EngineUnderTest;
    beforeAll(async () => {
      [duck, trino] = [await duckdbUnderTest("parquet", 2), await trinoUnderTest({ workers })];
    });
    afterAll(() => Promise.all([duck.close(), trino.close()]));
    // The test of DuckDB and PostgreSQL draws the same tables and asks more of each.
    sameIntegersKit(() => [duck, trino], { runs, parts: 6 });
  });
});

const letters = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => String(at).padEnd(200, "'"));

function planOver(categories: readonly string[]): BoundedPlan {
  const declaration = checkDeclaration({
    name: "t",
    source: { trino: { connection: "lake", table: "t" } },
    privacyUnit: { column: "person" },
    contribution: { groups: 1, rowsPerGroup: 1 },
    columns: { person: { type: "text" }, region: { type: "category", categories } },
  });
  return boundPlan(
    {
      statistics: [
        { statistic: "count", epsilon: 1 },
        { statistic: "count", groupBy: ["region"], epsilon: 1 },
      ],
    },
    declaration,
  );
}

test("a plan whose statement Trino would not read is refused by its row, before anything connects", async () => {
  const engine = await trinoEngine({ connections: { lake: { url: "trino://ana@127.0.0.1:1/memory" } } });
  expect(() => engine.checkSize(planOver(letters(100)))).not.toThrow();
  // Every quotation mark is doubled, twice over in the statement around the statement.
  expect(() => engine.checkSize(planOver(letters(4000)))).toThrow(
    /^statistics\[1\] is \d{7}, must be at most 1000000 letters of SQL/,
  );
  await engine.close();
});
