import { afterAll, beforeAll, describe } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { benchOf } from "../engine/people.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
import { joinNeighbours } from "../join/join.kit.ts";
import { trinoUnderTest } from "./under-test.kit.ts";

describe.skipIf(noTrino !== null)(`joins in Trino${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let opened: EngineUnderTest;
  beforeAll(async () => {
    opened = await trinoUnderTest();
  });
  afterAll(() => opened.close());
  // As over DuckDB and PostgreSQL, in join.long.test.ts.
  joinNeighbours(
    benchOf(() => opened),
    { runs: 75, share: 20, atLeast: 1000 },
  );
});
