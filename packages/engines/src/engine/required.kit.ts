import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { measureJoin } from "../../../query/src/join/join.kit.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { everyStatistic } from "./neighbours.kit.ts";
import { type Bench, columns, contribution, row } from "./people.kit.ts";
import { measure, type Row } from "./under-test.kit.ts";

/** Tests that only rows with a declared value of every required column count, whatever is asked. */
export function requiredKit({ under, declare, exactly }: Bench, pairs: number): void {
  describe("required columns [M330]", () => {
    const required = {
      ...columns,
      region: { ...columns.region, required: true },
      age: { ...columns.age, required: true },
      pay: { ...columns.pay, required: true },
      seen: { ...columns.seen, required: true },
    };
    const { categories } = columns.region;
    const counts = ({ region, age, pay, seen }: Row): boolean =>
      categories.includes(String(region)) && age !== null && pay !== null && !Number.isNaN(pay) && seen !== null;

    test("every statistic is that of the table without the rows that lack one", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(row(fc.constantFrom("p1", "p2", "p3", null)), { minLength: 6, maxLength: 24 }),
          contribution,
          fc.constantFrom([], ["region"], ["member"]),
          fc.constantFrom(undefined, "age > 3"),
          fc.nat({ max: 3 }),
          async (rows, bound, groupBy, where, part) => {
            const statistics = everyStatistic(groupBy, where).filter((_, index) => index % 4 === part);
            const more = { privacyUnit: { column: "person" }, contribution: bound, columns: required };
            const [all] = await exactly(rows, { statistics }, more);
            const [kept] = await exactly(rows.filter(counts), { statistics }, more);
            expect(all).toEqual(kept);
          },
        ),
        { numRuns: pairs },
      );
    });

    test("with a public number of rows, one that stops to count moves a sum by no more than the width of its bounds [M89]", async () => {
      const types = { sex: "VARCHAR", x: "BIGINT" } as const;
      const sumOf = async (rows: readonly Row[]) => {
        const source = await under().store(types, rows);
        const table = await declare([], {
          source,
          ...{ adjacency: "replace", privacyUnit: "row", size: { public: 3 } },
          columns: {
            sex: { type: "category", categories: ["f", "m"], required: true },
            x: { type: "integer", lower: 100, upper: 120, required: true },
          },
        });
        const [sum] = await measure(
          under().engine,
          { statistics: [{ statistic: "sum", column: "x", epsilon: 1 }] },
          table,
        );
        return Number(sum?.[0]);
      };
      const others = [
        { sex: "f", x: 110 },
        { sex: "m", x: 115 },
      ];
      const whole = await sumOf([...others, { sex: "m", x: 120 }]);
      for (const row of [
        { sex: "unknown", x: 120 },
        { sex: null, x: 120 },
        { sex: "m", x: null },
      ])
        expect((await sumOf([...others, row])) - whole).toBe(-20);
    });

    test.each([
      ["texts", (at: number) => `it's "${at}", ж`],
      ["texts of any character", (at: number) => `${at}\u001f${at + 1}`],
      ["numbers", (at: number) => at / 10],
    ] as const)("of many categories each counts its own rows: %s", async (_, value) => {
      const categories = Array.from({ length: 300 }, (__, at) => value(at));
      const asked = [0, 7, 7, 299, 300, 299, 7];
      const source = await under().store(
        { kind: typeof value(0) === "number" ? "DOUBLE" : "VARCHAR" },
        [...asked.map((at) => value(at)), null].map((kind) => ({ kind })),
      );
      const table = await declare([], {
        ...{ source, privacyUnit: "row" },
        columns: { kind: { type: "category", categories, required: true } },
      });
      const statistics = [
        { statistic: "count", epsilon: 1 },
        { statistic: "count", groupBy: ["kind"], epsilon: 1 },
      ] as const;
      const [all, byKind] = await measure(under().engine, { statistics }, table);
      expect(all).toEqual([6n]);
      expect(byKind?.flatMap((count, at) => (count === 0n ? [] : [[at, count]]))).toEqual([
        [0, 1n],
        [7, 3n],
        [299, 2n],
      ]);
    });

    test("the groups of a required category add up to all rows, though the table holds a value that its owner forgot", async () => {
      const sexes = ["f", "m", "unknown", null, "  ", "M"];
      const source = await under().store(
        { sex: "VARCHAR", code: "BIGINT" },
        sexes.map((sex, code) => ({ sex, code })),
      );
      const table = await declare([], {
        source,
        columns: {
          sex: { type: "category", categories: ["f", "m"], required: true },
          code: { type: "category", categories: [0, 1, 2, 3, 4, 5, 6] },
        },
      });
      const plan: Plan = {
        statistics: [
          { statistic: "count", epsilon: 1 },
          { statistic: "count", groupBy: ["sex"], epsilon: 1 },
          { statistic: "count", groupBy: ["code"], epsilon: 1 },
          { statistic: "count", where: "sex is null", epsilon: 1 },
        ],
      };
      expect(await measure(under().engine, plan, table)).toEqual([[2n], [1n, 1n], [1n, 1n, 0n, 0n, 0n, 0n, 0n], [0n]]);
      const numbers = { code: { type: "category", categories: [0, 5], required: true } };
      expect(
        await measure(
          under().engine,
          { statistics: plan.statistics.slice(0, 1) },
          await declare([], { source, columns: numbers }),
        ),
      ).toEqual([[2n]]);
    });

    test("labels declared where the table has codes: nothing counts, in the groups and in the total alike", async () => {
      const source = await under().store({ sex: "VARCHAR" }, [{ sex: "no" }, { sex: "yes" }, { sex: "no" }]);
      const statistics = [[], ["sex"]].map((groupBy) => ({ statistic: "count", groupBy, epsilon: 1 }) as const);
      const sex = { type: "category", categories: ["0", "1"] };
      const of = async (column: object) =>
        measure(under().engine, { statistics }, await declare([], { source, columns: { sex: column } }));
      expect(await of({ ...sex, required: true })).toEqual([[0n], [0n, 0n]]);
      expect(await of(sex)).toEqual([[3n], [0n, 0n]]);
    });

    test("both tables of a join have only the rows that count", async () => {
      const store = async (name: string, rows: readonly Row[]) => {
        const source = await under().store({ person: "VARCHAR", sex: "VARCHAR", cost: "BIGINT" }, rows);
        return checkDeclaration({
          ...{ name, source, privacyUnit: { column: "person" }, contribution: { rows: 9 } },
          columns: {
            person: { type: "text" },
            sex: { type: "category", categories: ["f", "m"], required: true },
            cost: { type: "integer", lower: 0, upper: 9, required: true },
          },
        });
      };
      const rows = [
        { person: "p1", sex: "f", cost: 1 },
        { person: "p1", sex: "unknown", cost: 2 },
        { person: "p2", sex: "m", cost: 3 },
        { person: "p2", sex: "m", cost: null },
      ];
      const [mine, visits] = [await store("people", rows), await store("visits", rows)];
      const declaration = { ...mine, joinable: { visits: { version: 1, declaration: visits } } };
      const columns = {
        visits: { take: "count", lower: 0, upper: 9 },
        paid: { take: "sum", column: "cost", lower: 0, upper: 9 },
      } as const;
      const statistics = ["visits", "paid"].map((column) => ({ statistic: "sum", column, epsilon: 1 }) as const);
      const plan: Plan = { join: { dataset: "visits", on: "person", columns }, statistics };
      const [measured] = await measureJoin(under(), plan, declaration);
      expect(measured).toEqual([[2n], [4n]]);
    });
  });
}
