import { expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { BoundedPlan } from "../../../query/src/plan/bounded.ts";
import { trinoEngine } from "./engine.ts";

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
