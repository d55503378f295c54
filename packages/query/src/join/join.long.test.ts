import { afterAll, beforeAll, describe } from "vitest";
import { duckdbUnderTest } from "../duckdb/under-test.kit.ts";
import { benchOf } from "../engine/people.kit.ts";
import type { EngineUnderTest } from "../engine/under-test.kit.ts";
import { postgresUnderTest } from "../postgres/under-test.kit.ts";
import { joinNeighbours } from "./join.kit.ts";

/** Each table of people is compared with a removal and a replacement of everyone in it. */
describe.each([
  ["DuckDB", () => duckdbUnderTest("csv", 1)],
  ["PostgreSQL", postgresUnderTest],
] as const)("joins over %s, at length", (_, open) => {
  let opened: EngineUnderTest;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  joinNeighbours(
    benchOf(() => opened),
    { runs: 170, share: 20, atLeast: 1000 },
  );
});
