import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { type Known, quotePlan } from "@dosimeter/query/quote";
import { expect, test } from "vitest";
import { quoteRows } from "./quote-rows.ts";

test("best bounds by an answer of 64 bins are found row by row, and others are served in between [M374]", async () => {
  const declaration = checkDeclaration({
    ...{ name: "pay", source: { csv: "pay.csv" }, privacyUnit: "row", adjacency: "addRemove" },
    columns: { pay: { type: "number", lower: 0, upper: 1000, provenance: "public" } },
  });
  const plan = boundPlan(
    {
      statistics: Array.from({ length: 8 }, (_, i) => ({
        ...{ id: `s${i}`, statistic: "standardDeviation", column: "pay", lower: 0, upper: 1000 - i, epsilon: "1" },
      })) as never,
    },
    declaration,
  );
  const points = Array.from({ length: 63 }, (_, i) => {
    const share = 0.5 ** (i / 2 + 1);
    return { at: ((i + 1) * 1000) / 64, least: Math.max(0, share - 1e-5), most: share + 1e-5 };
  });
  const tails: Known["tails"] = { from: "bins", points, rows: [90_000, 110_000], failureProbability: 0.01 };
  const known = new Map(plan.statistics.map(({ id }) => [id, { tails }]));
  let [turns, isOver] = [0, false];
  const watching = (async () => {
    for (; !isOver; turns += 1) await new Promise((resume) => setImmediate(resume));
  })();
  const quoted = await quoteRows(plan, { known });
  isOver = true;
  await watching;
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(quoted).toEqual(quotePlan(plan, { known }));
  expect(quoted[0]?.accuracy.bestBounds).not.toBeNull();
});
