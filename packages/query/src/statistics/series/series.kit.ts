import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, within } from "../../../../engines/src/engine/neighbours.kit.ts";
import { type Bench, contribution, row } from "../../../../engines/src/engine/people.kit.ts";
import { measure, type Row } from "../../../../engines/src/engine/under-test.kit.ts";
import { released } from "../../audit/fuzz.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import type { Plan, StatisticRequest } from "../request.ts";

const monthly = { column: "seen", every: "month", zone: "UTC" };
const rho = 0.5;

/** Over dates and over numbers, of rows and of values of both signs, alone and by group. */
const requests: readonly StatisticRequest[] = [
  { statistic: "runningCount", column: "seen", bins: "day", rho },
  { statistic: "runningCount", column: "age", groupBy: ["region"], rho },
  { statistic: "runningTotal", column: "pay", with: "seen", bins: "day", rho },
  { statistic: "runningTotal", column: "pay", with: ["age"], bins: 4, groupBy: ["member"], rho },
  { statistic: "runningTotal", column: "age", with: "pay", bins: [-4, 0, 6], where: "age > 3", rho },
];

export function seriesKit({ declare, exactly, under }: Bench, { pairs }: { readonly pairs: number }): void {
  describe("series [M208]", () => {
    const tables = fc.array(row(fc.constantFrom("p1", "p2", "p3", null)), { maxLength: 24 });

    test.each([
      ["person", null],
      ["person in each month", monthly],
      ["person by cohort", { ...monthly, protects: "person" }],
    ])("removing one %s moves no mixed total further than declared", async (_, blocks) => {
      const over = blocks === null ? {} : { window: { blocks: ["2020-02 to 2020-03"] } };
      const isMonthly = blocks === monthly;
      const plan: Plan = { statistics: requests, ...over };
      const unitOf = ({ person = null, seen = null }: Row): string =>
        JSON.stringify([person, isMonthly ? String(seen).slice(0, 7) : null]);
      await fc.assert(
        fc.asyncProperty(tables, contribution, async (rows, bound) => {
          const declared = blocks === null ? {} : { blocks };
          const more = { privacyUnit: { column: "person" }, contribution: bound, ...declared };
          const declaration = await declare(rows, more);
          const { statistics } = boundPlan(plan, declaration);
          const before = await measure(under().engine, plan, declaration);
          for (const unit of new Set(rows.map(unitOf))) {
            const rest = await declare(
              rows.filter((each) => unitOf(each) !== unit),
              more,
            );
            const after = await measure(under().engine, plan, rest);
            statistics.forEach((statistic, at) => {
              const apart = distance(released(statistic, before[at]), released(statistic, after[at]));
              expect(within(apart, statistic.sensitivity), `${statistic.label} without ${unit}`).toBe(true);
            });
          }
        }),
        { numRuns: pairs },
      );
    });

    test("rows of one unit in the first period reach the declared sensitivity, and in no other", async () => {
      const plan: Plan = { statistics: [requests[0], requests[2]] as readonly StatisticRequest[] };
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 3 } };
      const rowsOn = (seen: string) => Array.from({ length: 4 }, () => ({ ...somebody, seen }));
      const [nobody, { statistics }] = await exactly([], plan, unit);
      const apart = async (seen: string) => {
        const [there] = await exactly(rowsOn(seen), plan, unit);
        return statistics.map((statistic, at) =>
          distance(released(statistic, there[at]), released(statistic, nobody[at])),
        );
      };
      const declared = statistics.map(({ sensitivity }) => sensitivity);
      expect(await apart("2020-02-24")).toEqual(declared);
      for (const [at, { l2Squared }] of (await apart("2020-02-25")).entries())
        expect(l2Squared).toBeLessThan(declared[at]?.l2Squared ?? 0n);
    });

    test("values are added up in the period of their row, clamped and rounded; rows without either are left out", async () => {
      const rows: readonly Row[] = [
        ...[
          { seen: "2020-02-24", pay: 1.3 },
          { seen: "1999-01-01", pay: 99 },
          { seen: "2020-02-29", pay: -2 },
        ],
        ...[
          { seen: "2020-03-01", pay: -99 },
          { seen: null, pay: 3 },
          { seen: "2020-03-02", pay: null },
        ],
        { seen: "2999-01-01", pay: 0.5 },
      ].map((each) => ({ ...somebody, ...each }));
      const statistics: readonly StatisticRequest[] = [
        { statistic: "runningTotal", column: "pay", with: "seen", bins: "month", epsilon: 1 },
        { statistic: "runningCount", column: "seen", bins: "month", epsilon: 1 },
      ];
      // In steps of ½: 3 + 12 − 4 in February, −8 + 1 in March.
      expect((await exactly(rows, { statistics }, {}))[0]).toEqual([
        [11n, -7n],
        [3n, 3n],
      ]);
      // Of a window, only what lies in it.
      const blocks = { privacyUnit: { column: "person" }, contribution: { rows: 9 }, blocks: monthly };
      const window = { blocks: ["2020-02"] };
      const over = (given: readonly StatisticRequest[]) => exactly(rows, { statistics: given, window }, blocks);
      expect((await over(statistics))[0]).toEqual([[-1n], [2n]]);
      const [byBlock, bound] = await over(statistics.map(({ bins: _, ...request }) => request));
      expect(byBlock).toEqual([[-1n], [2n]]);
      expect(bound.statistics.map(({ task }) => "bins" in task && task.bins.map(({ label }) => label))).toEqual([
        ["2020-02"],
        ["2020-02"],
      ]);
    });
  });
}

const somebody = { person: "p1", region: "a", word: "x", pay: 99, age: 5, member: true, seen: null, at: null } as const;
