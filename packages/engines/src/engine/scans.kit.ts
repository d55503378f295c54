import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { type Bench, row } from "./people.kit.ts";
import type { Row } from "./under-test.kit.ts";

/** Next to those of other tests: values around edges, and those next to nothing. */
const edgy = fc.constantFrom(5e-324, -5e-324, 0.75, 0.49999999999999994, 0.25, -1, 2);
const rows = (most: number): fc.Arbitrary<readonly Row[]> =>
  fc.array(
    fc
      .tuple(row(fc.constantFrom("p1", "p2", "p3", null)), edgy, fc.boolean())
      .map(([one, pay, isEdgy]) => ({ ...one, ...(isEdgy ? { pay } : {}) })),
    { maxLength: most },
  );

const questions: readonly StatisticRequest[] = [
  { statistic: "count", epsilon: 1 },
  { statistic: "count", where: "age > 3", epsilon: 1 },
  { statistic: "sum", column: "age", epsilon: 1 },
  { statistic: "mean", column: "pay", epsilon: 1 },
  { statistic: "variance", column: "pay", epsilon: 1 },
  { statistic: "median", column: "pay", epsilon: 1 },
  { statistic: "median", column: "age", groupBy: ["member"], epsilon: 1 },
  { statistic: "histogram", column: "age", bins: 3, epsilon: 1 },
  { statistic: "histogram", column: "age", bins: 4, where: "age > 3", epsilon: 1 },
  { statistic: "histogram", column: "pay", bins: [0, 0.25, 0.5, 1], epsilon: 1 },
  { statistic: "histogram", column: "pay", bins: [-1, 0, 0.75, 2], groupBy: ["member"], epsilon: 1 },
  { statistic: "count", groupBy: ["old"], epsilon: 1 },
  { statistic: "mean", column: "pay", groupBy: ["big"], epsilon: 1 },
  { statistic: "median", column: "pay", groupBy: ["big"], epsilon: 1 },
  { statistic: "count", groupBy: ["month"], epsilon: 1 },
  { statistic: "histogram", column: "seen", bins: "month", epsilon: 1 },
  { statistic: "count", groupBy: ["seen"], epsilon: 1 },
  { statistic: "distinctUnits", groupBy: ["member"], epsilon: 1 },
];

/** Tests that a plan is the same in one scan as in several. */
export function scansKit({ exactly }: Bench, pairs: number): void {
  describe("scans [M370, M371]", () => {
    test("statistics measured together are those measured alone", async () => {
      await fc.assert(
        fc.asyncProperty(
          rows(30),
          fc.constantFrom(
            {},
            ...[1, 3, 9].map((rows) => ({ privacyUnit: { column: "person" }, contribution: { rows } })),
          ),
          async (table, unit) => {
            const plan = { let: { old: "age > 6", big: "pay > 0.6", month: "cut(seen, 'month')" } };
            const asked = questions.filter(({ statistic }) => statistic !== "distinctUnits" || "contribution" in unit);
            const [together] = await exactly(table, { ...plan, statistics: asked }, unit);
            const alone: Measured[] = [];
            for (const one of asked) alone.push((await exactly(table, { ...plan, statistics: [one] }, unit))[0]);
            expect(together).toEqual(alone.flat());
          },
        ),
        { numRuns: 8 + Math.min(pairs, 12) },
      );
    });

    test("bins hold the values that lie in them, as JavaScript compares them", async () => {
      const edges = [-1, 0, 0.75, 2];
      const placeOf = (x: number): number => edges.slice(1, -1).filter((edge) => x >= edge).length;
      await fc.assert(
        fc.asyncProperty(rows(60), async (table) => {
          const bins = { statistic: "histogram", column: "pay", bins: edges, epsilon: 1 } as const;
          const statistics: readonly StatisticRequest[] = [bins, { ...bins, groupBy: ["big"] }];
          const [[measured, byBig]] = await exactly(table, { let: { big: "pay > 0.6" }, statistics }, {});
          const expected = [0n, 0n, 0n];
          const grouped = Array.from({ length: 6 }, () => 0n);
          for (const { pay } of table)
            if (typeof pay === "number" && !Number.isNaN(pay)) {
              const at = placeOf(pay);
              const inGroup = at + (pay > 0.6 ? 3 : 0);
              expected[at] = (expected[at] ?? 0n) + 1n;
              grouped[inGroup] = (grouped[inGroup] ?? 0n) + 1n;
            }
          expect(measured).toEqual(expected);
          expect(byBig).toEqual(grouped);
        }),
        { numRuns: pairs },
      );
    });
  });
}
