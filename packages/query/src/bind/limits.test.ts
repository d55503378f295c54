import { expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { boundPlan } from "./bound-plan.ts";
import { partsOf } from "./cost.ts";
import { boundedBytesOf, workOf } from "./limits.ts";

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

test("whole numbers and impossible cells take their time, so that an answer departs after it is there", () => {
  const letters = Array.from({ length: 26 }, (_, at) => `x${at}`);
  const column = { type: "category", required: true, categories: letters };
  const declared = checkDeclaration({
    ...{ name: "t", source: { csv: "t.csv" }, mostRows: 1000, privacyUnit: "row" },
    columns: { a: column, b: column },
  });
  const leavesOf = (more: Partial<StatisticRequest>): number => {
    const request = { statistic: "tables", tables: "all", rho: 0.5, ...more } as const;
    const [statistic] = boundPlan({ statistics: [request] }, declared).statistics;
    return statistic === undefined ? 0 : workOf(statistic, 1).leaves;
  };
  const plain = leavesOf({});
  const [whole, facts] = [leavesOf({ numbers: "whole" }), leavesOf({ impossible: "a != 'x1' and b != 'x2'" })];
  // 300 rounds over 729 cells each; some 200,000 steps over 729 places.
  expect(whole).toBeGreaterThan(100 * plain);
  expect(facts).toBeGreaterThan(100 * plain);
});

test("answers by many columns and lists of many categories take their time, so that they depart after they are there", () => {
  const partsIn = (sizes: readonly number[], groupBy: readonly string[]) =>
    partsOf(
      boundPlan(
        { statistics: [{ statistic: "count", groupBy, rho: 0.5 }] },
        checkDeclaration({
          ...{ name: "t", source: { parquet: "t.parquet" }, mostRows: 1000, privacyUnit: "row" },
          columns: Object.fromEntries(
            sizes.map((size, at) => [
              `c${at}`,
              { type: "category", required: true, categories: Array.from({ length: size }, (_, value) => value) },
            ]),
          ),
        }),
      ),
    );
  const ten = Array.from({ length: 10 }, () => 3);
  const many = partsIn(
    ten,
    ten.map((_, at) => `c${at}`),
  );
  // Sent and received, ten names take as long as the integers themselves.
  expect(many.get("cell")).toBe(3 ** 10);
  expect(many.get("leaf")).toBe(2 * 10 * 3 ** 10);
  expect(partsIn(ten, []).get("leaf")).toBe(0);
  // A count alone lists the values of all required columns: 1 µs each.
  const [few = 0, large = 0] = [ten, [50_000, 50_000]].map((sizes) => partsIn(sizes, []).get("category"));
  expect(0.2e-6 * (large - few)).toBeGreaterThan(100);
});
