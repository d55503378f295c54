import { afterAll, beforeAll, describe } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import { benchOf } from "../../../engines/src/engine/people.kit.ts";
import type { EngineUnderTest } from "../../../engines/src/engine/under-test.kit.ts";
import { postgresUnderTest } from "../../../engines/src/postgres/under-test.kit.ts";
import { joinNeighbours } from "./join.kit.ts";
import { joinBlocks } from "./join-blocks.kit.ts";

/** Of each table of people: everyone in it removed and replaced, and those tables with each other where they are neighbours too. */
describe.each([
  ["DuckDB", () => duckdbUnderTest("csv", 1)],
  ["PostgreSQL", postgresUnderTest],
] as const)("joins over %s, at length", (_, open) => {
  let opened: EngineUnderTest;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  const bench = benchOf(() => opened);
  joinNeighbours(bench, { runs: 40, share: 20, atLeast: 500 });
  joinBlocks(bench, { rounds: 10, share: 4 });
});
