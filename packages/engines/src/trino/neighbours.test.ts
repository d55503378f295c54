import { afterAll, beforeAll, describe, test } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { benchOf, expectSensitivities } from "../../../query/src/audit/bench.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
import { trinoUnderTest } from "./under-test.kit.ts";

describe.skipIf(noTrino !== null)(`neighbours in Trino${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let opened: EngineUnderTest;
  beforeAll(async () => {
    opened = await trinoUnderTest();
  });
  afterAll(() => opened.close());

  test("no statistic moves further than declared between 1,000 pairs of neighbouring tables, and each as far [M81]", () =>
    expectSensitivities(benchOf(opened), 1000));
});
