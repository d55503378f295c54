import { describe, expect, test } from "vitest";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { type Bench, columns } from "./people.kit.ts";
import { measure, type Row, SALT } from "./under-test.kit.ts";

/** Tests which rows of a unit count. */
export function boundingKit({ under, declare, exactly }: Bench): void {
  describe("bounding [M80]", () => {
    test("case 11, 12, 13: a unit with many rows, all alike or in every group, still counts within its bounds", async () => {
      const alike: Row[] = Array.from({ length: 5000 }, () => ({
        person: "p1",
        region: "a",
        age: 5,
        pay: 1,
        member: null,
      }));
      const spread: Row[] = ["a", "b", "c", "d"].flatMap((region) => alike.slice(0, 10).map((r) => ({ ...r, region })));
      const [[count]] = await exactly(
        alike,
        { statistics: [{ statistic: "count", epsilon: 1 }] },
        { privacyUnit: { column: "person" }, contribution: { rows: 7 } },
      );
      expect(count).toEqual([7n]);
      const plan: Plan = { statistics: [{ statistic: "count", groupBy: ["region"], epsilon: 1 }] };
      const unit = { privacyUnit: { column: "person" }, contribution: { groups: 2, rowsPerGroup: 3 } };
      const [[first]] = await exactly(spread, plan, unit);
      const [[again]] = await exactly(spread.toReversed(), plan, unit);
      expect(first?.toSorted()).toEqual([0n, 0n, 3n, 3n]);
      expect(again).toEqual(first);
    });

    test("case 56: the choice of groups does not favour any key", async () => {
      // Chance that a fair choice fails: each of 4 keys is kept by Binomial(2000, ½) units, 5.5σ either way: 1.5e-7.
      const rows = Array.from({ length: 2000 }, (_, index) =>
        ["a", "b", "c", "d"].map((region) => ({ person: `p${index}`, region, age: 1, pay: 1, member: true })),
      ).flat();
      const [[kept]] = await exactly(
        rows,
        { statistics: [{ statistic: "distinctUnits", groupBy: ["region"], epsilon: 1 }] },
        { privacyUnit: { column: "person" }, contribution: { groups: 2, rowsPerGroup: 1 } },
      );
      for (const count of kept ?? []) expect(Math.abs(Number(count) - 1000)).toBeLessThan(5.5 * Math.sqrt(500));
    });

    test("case 15: rows without a unit are dropped", async () => {
      const rows = [null, null, "p1"].map((person) => ({ person, region: "a", age: 1, pay: 1, member: true }));
      const [measured] = await exactly(
        rows,
        {
          statistics: [
            { statistic: "count", epsilon: 1 },
            { statistic: "distinctUnits", epsilon: 1 },
          ],
        },
        { privacyUnit: { column: "person" }, contribution: { rows: 5 } },
      );
      expect(measured).toEqual([[1n], [1n]]);
    });

    test("case 14: units are distinguished by their exact text, letters written in two ways are one, whole numbers by their value", async () => {
      const rows = ["1", "01", "1 ", "A", "a", "é", "e\u0301"].map((person) => ({
        person,
        region: "a",
        age: 1,
        pay: 1,
        member: true,
      }));
      const plan: Plan = { statistics: [{ statistic: "distinctUnits", epsilon: 1 }] };
      const [[texts]] = await exactly(rows, plan, { privacyUnit: { column: "person" }, contribution: { rows: 1 } });
      expect(texts).toEqual([6n]);
      const numbered = await declare(rows.slice(0, 3), {
        privacyUnit: { column: "person" },
        contribution: { rows: 1 },
        columns: { ...columns, person: { type: "integer" } },
      });
      if (under().strict === true)
        await expect(under().engine.check(numbered, { salt: SALT })).rejects.toThrow(
          /column "person" is stored as (text|varchar)/,
        );
      else expect(await measure(under().engine, plan, numbered)).toEqual([[1n]]);
    });
  });
}
