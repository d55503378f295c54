import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { type EngineUnderTest, measure } from "./under-test.kit.ts";

export const columns = {
  person: { type: "text" },
  age: { type: "integer", lower: 0, upper: 100, required: true },
} as const;
const stored = { person: "VARCHAR", age: "BIGINT" } as const;
export const ROWS = 4000;
const rows = Array.from({ length: ROWS }, (_, index) => ({ person: `p${index >> 1}`, age: index % 101 }));

export const people = { name: "t", privacyUnit: { column: "person" }, contribution: { rows: 2 }, columns };
export const fixed = { name: "t", privacyUnit: "row", adjacency: "replace", size: { public: ROWS }, columns };

/** Tests plans that ask for a sample. */
export function sampleKit(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(`a secret sample in ${name} [M128]`, () => {
    let under: EngineUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.close());

    test("each run samples whole units, each with its probability, independently of other runs", async () => {
      const declaration = checkDeclaration({ ...people, source: await under.store(stored, rows) });
      const statistics: Plan["statistics"] = [
        { statistic: "count", epsilon: 1 },
        { statistic: "distinctUnits", epsilon: 1 },
      ];
      const plan: Plan = { sample: { rate: "0.25" }, statistics };
      const units: number[] = [];
      for (let i = 0; i < 6; i++) {
        const [[count = 0n] = [], [distinct = 0n] = []] = await measure(under.engine, plan, declaration);
        expect(count % 2n).toBe(0n);
        units.push(Number(count) / 2, Number(distinct));
      }
      // 12 independent binomials of 2000 and ¼: each within 6σ, their spread as it should be (χ²₁₂ beyond 45 or below 1: 10⁻⁵).
      const scores = units.map((n) => (n - 500) / Math.sqrt(375));
      for (const score of scores) expect(Math.abs(score)).toBeLessThan(6);
      const chi = scores.reduce((sum, score) => sum + score ** 2, 0);
      expect(chi).toBeGreaterThan(1);
      expect(chi).toBeLessThan(45);
    });

    test("rows as units: each row has its chance", async () => {
      const declaration = checkDeclaration({
        ...people,
        privacyUnit: "row",
        contribution: undefined,
        source: await under.store(stored, rows),
      });
      const plan: Plan = { sample: { rate: 0.5 }, statistics: [{ statistic: "count", epsilon: 1 }] };
      const [[count = 0n] = []] = await measure(under.engine, plan, declaration);
      expect(Math.abs(Number(count) - ROWS / 2)).toBeLessThan(6 * Math.sqrt(ROWS / 4));
    });

    test("a fixed number of rows, any of them equally likely", async () => {
      const declaration = checkDeclaration({ ...fixed, source: await under.store(stored, rows) });
      const plan: Plan = {
        sample: { size: 400 },
        statistics: [
          { statistic: "count", epsilon: 1 },
          { statistic: "sum", column: "age", epsilon: 1 },
        ],
      };
      const [[count] = [], [sum = 0n] = []] = await measure(under.engine, plan, declaration);
      expect(count).toEqual(400n);
      expect(Math.abs(Number(sum) / 400 - 50)).toBeLessThan(6 * (29.2 / 20));
      const [, [other] = []] = await measure(under.engine, plan, declaration);
      expect(other).not.toBe(sum); // equal with probability about 1/1500
    });

    test("several columns, curves, most frequent values and losses on a sample use whole people", async () => {
      const declaration = checkDeclaration({
        ...people,
        columns: { ...columns, person: { type: "text" }, group: { type: "category", categories: ["a", "b"] } },
        source: await under.store(
          { ...stored, group: "VARCHAR" },
          rows.map((row, at) => ({ ...row, group: at % 4 < 3 ? "a" : "b" })),
        ),
        contribution: { rows: 1 },
      });
      const statistics: Plan["statistics"] = [
        { statistic: "cutUnits", epsilon: 1 },
        { statistic: "clippedValues", column: "age", epsilon: 1 },
        { statistic: "cdf", column: "age", epsilon: 1 },
        { statistic: "topValues", column: "group", k: 1, epsilon: 1 },
        { statistic: "regression", column: "age", with: ["age"], epsilon: 1 },
      ];
      expect(() => boundPlan({ sample: { rate: "0.5" }, statistics }, declaration)).toThrow("with");
      const plan: Plan = { sample: { rate: "0.5" }, statistics: statistics.slice(0, 4) };
      const measured = await measure(under.engine, plan, declaration);
      const totals = measured.map((vector) => Number(vector.reduce((a, b) => a + b, 0n)));
      // Each of 2000 people is in with chance ½, with one row counted: 6σ either way.
      for (const total of totals) expect(Math.abs(total - 1000)).toBeLessThan(6 * Math.sqrt(500));
      expect(measured[0]?.[0]).toBe(0n); // everyone has two rows, and one counts
      expect(new Set(totals).size).toBeGreaterThan(1); // each statistic has a sample of its own: equal with chance 10⁻⁶
    });
  });
}
