import { expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { boundPlan } from "./bound-plan.ts";
import { boundedBytesOf } from "./limits.ts";

const names = Array.from({ length: 30 }, (_, at) => `c${at}`);
const declaration = checkDeclaration({
  ...{ name: "t", source: { parquet: "t.parquet" }, mostRows: 1000, privacyUnit: { column: "u" } },
  contribution: { rows: 2 },
  columns: {
    u: { type: "integer" },
    ...Object.fromEntries(names.map((name) => [name, { type: "integer", lower: 0, upper: 2 }])),
  },
});
const bytesOf = (request: StatisticRequest) => boundedBytesOf(boundPlan({ statistics: [request] }, declaration));

test("a bounded row takes a number for each column of a table, not for each pair that is counted of it", () => {
  expect(bytesOf({ statistic: "count", epsilon: 1 })).toBe(1000 * (32 + 16));
  expect(bytesOf({ statistic: "syntheticTable", with: names, epsilon: 1 })).toBe(1000 * (32 + 16 * 30));
});
