import { join } from "node:path";
import { reveal } from "@dosimeter/core/exact";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { engineKit } from "../engine/engine.kit.ts";
import { duckdbEngine } from "./engine.ts";
import { duckdbUnderTest } from "./under-test.kit.ts";

// Each fuzzed table is compared with one removal and one replacement for every unit; a thousand more pairs, many to a table: audit.long.test.ts.
engineKit("DuckDB over Parquet, at length", () => duckdbUnderTest("parquet", 2), { pairs: 8, joins: 2 });
// The statements are those over Parquet but for how a file is read, which engine.test.ts tries with every kind of file.
// join.long.test.ts fuzzes joins over CSV.
engineKit("DuckDB over CSV", () => duckdbUnderTest("csv", 1), { pairs: 2, every: 8, joins: 0 });

test("people of a table that are too many to be bounded at once are bounded part by part, in the same memory", async () => {
  const ROWS = 2_000_000;
  const root = temporaryFolder();
  const writer = await DuckDBInstance.create(":memory:");
  const connection = await writer.connect();
  await connection.run(
    `COPY (SELECT i // 2 AS u, i % 50 AS g FROM range(${ROWS}) AS t(i)) TO '${join(root, "rows.parquet")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  writer.closeSync();
  const declaration = checkDeclaration({
    ...{ name: "t", source: { parquet: "rows.parquet" }, mostRows: ROWS, privacyUnit: { column: "u" } },
    contribution: { groups: 2, rowsPerGroup: 2 },
    columns: { u: { type: "integer" }, g: { type: "integer", lower: 0, upper: 49 } },
  });
  const plan = { statistics: [{ statistic: "count", groupBy: ["g"], epsilon: 1 }] } as const;
  const measured = async (limits: { readonly mostHeld?: number }) => {
    const engine = await duckdbEngine({ root, threads: 1, memoryLimit: "80MB", ...limits });
    onTestFinished(() => engine.close());
    const version = await engine.check(declaration, { salt: "07".repeat(32) });
    return reveal(await engine.run(boundPlan(plan, declaration), version));
  };
  expect(await measured({ mostHeld: 250_000 })).toEqual([Array.from({ length: 50 }, () => BigInt(ROWS / 50))]);
  await expect(measured({})).rejects.toMatchObject({ code: "ENGINE_FAILED" });
});
