import { afterAll, beforeAll, describe } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { joinNeighbours } from "../../../query/src/join/join.kit.ts";
import { joinBlocks } from "../../../query/src/join/join-blocks.kit.ts";
import { benchOf } from "../engine/people.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
import { trinoUnderTest } from "./under-test.kit.ts";

describe.skipIf(noTrino !== null)(`joins in Trino${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let opened: EngineUnderTest;
  beforeAll(async () => {
    opened = await trinoUnderTest();
  });
  afterAll(() => opened.close());
  const bench = benchOf(() => opened);
  // Plans without groups: each of some hundred tables takes a second of the processor. Over DuckDB and PostgreSQL, a thousand pairs.
  joinNeighbours(bench, { runs: 5, share: 20 });
  joinBlocks(bench, { rounds: 20, share: 4 });
});
