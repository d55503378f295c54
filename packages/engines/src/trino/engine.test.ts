import { afterAll, beforeAll, describe } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { duckdbUnderTest } from "../duckdb/under-test.kit.ts";
import { engineKit } from "../engine/engine.kit.ts";
import { sameIntegersKit } from "../engine/same-integers.kit.ts";
import { sampleKit } from "../engine/sample.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
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
