import { PrivacyError } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { released } from "../../../query/src/audit/fuzz.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { distance, everyStatistic, within } from "./neighbours.kit.ts";
import { type Bench, contribution, row } from "./people.kit.ts";
import { measure, type Row } from "./under-test.kit.ts";

const MONTHS = ["2020-02", "2020-03"];
const DAYS = ["2020-02-24", "2020-02-29", "2020-03-01", "2020-03-05"];
const monthly = { column: "seen", every: "month", zone: "UTC" };

const monthOf = ({ seen }: Row): string => String(seen).slice(0, 7);

/** Those that the declaration takes over these blocks. */
export function takenOver(requests: readonly StatisticRequest[], declaration: Declaration, blocks: readonly string[]) {
  return requests.filter((request) => {
    try {
      boundPlan({ statistics: [request], window: { blocks } }, declaration);
      return true;
    } catch (error) {
      if (error instanceof PrivacyError && error.code === "UNSUPPORTED_QUERY") return false;
      throw error;
    }
  });
}

/** Whether the integers of two windows without a block in common add up: those of different values do not, and periods of blocks are those of the window. */
const addsUp = ({ statistic, column }: StatisticRequest): boolean =>
  !statistic.startsWith("distinct") && !(statistic === "runningCount" && column === monthly.column);

export const addedUp = (vectors: readonly (readonly bigint[])[]): readonly bigint[] =>
  Array.from({ length: Math.max(0, ...vectors.map(({ length }) => length)) }, (_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] ?? 0n), 0n),
  );

/** Tests that an engine measures a window, bounded for each person in each block [M164]. */
export function windowKit({ declare, under }: Bench, { pairs }: { readonly pairs: number }): void {
  const people = fc.constantFrom("p1", "p2", "p3", null);
  const tables = fc.array(row(people), { maxLength: 24 });
  const groupings = fc.constantFrom([], ["region"], ["member"]);
  const windows = fc.constantFrom([MONTHS[0]], [MONTHS[1]], MONTHS) as fc.Arbitrary<readonly string[]>;

  const over = async (
    rows: readonly Row[],
    statistics: readonly StatisticRequest[],
    more: object,
    blocks: readonly string[],
  ): Promise<Measured> => {
    const declaration = await declare(rows, more);
    return measure(under().engine, { statistics, window: { blocks } }, declaration);
  };

  describe("windows [M164]", () => {
    test("removing one person's rows of one month moves no statistic further than declared, and other rows none", async () => {
      await fc.assert(
        fc.asyncProperty(
          ...([tables, contribution, groupings, windows, fc.nat({ max: 3 })] as const),
          async (rows, bound, groupBy, blocks, part) => {
            const more = { privacyUnit: { column: "person" }, contribution: bound, blocks: monthly };
            const declaration = await declare(rows, more);
            const asked = takenOver(everyStatistic(groupBy), declaration, blocks).filter((_, at) => at % 4 === part);
            if (asked.length === 0) return;
            const { statistics } = boundPlan({ statistics: asked, window: { blocks } }, declaration);
            const before = await measure(under().engine, { statistics: asked, window: { blocks } }, declaration);
            const units = new Set(
              rows.map(({ person, seen }) => JSON.stringify([person, monthOf({ seen: seen ?? null })])),
            );
            for (const unit of units) {
              const [person, month] = JSON.parse(unit) as [string | null, string];
              const rest = rows.filter((each) => each.person !== person || monthOf(each) !== month);
              const after = await over(rest, asked, more, blocks);
              const isInside = blocks.includes(month) && person !== null;
              statistics.forEach((statistic, index) => {
                const apart = distance(released(statistic, before[index]), released(statistic, after[index]));
                const text = `${statistic.label} without ${unit}: ${Object.values(apart)}`;
                expect(within(apart, statistic.sensitivity), text).toBe(true);
                if (!isInside) expect(apart.l1, text).toBe(0n);
              });
            }
          },
        ),
        { numRuns: pairs },
      );
    });

    test("a window is the sum of its blocks: the bounds hold in each of them", async () => {
      await fc.assert(
        fc.asyncProperty(tables, contribution, groupings, async (rows, bound, groupBy) => {
          const blocks = { column: "seen", every: "day", zone: "UTC" };
          const more = { privacyUnit: { column: "person" }, contribution: bound, blocks };
          const declaration = await declare(rows, more);
          const asked = takenOver(everyStatistic(groupBy), declaration, DAYS).filter(addsUp);
          const whole = await measure(under().engine, { statistics: asked, window: { blocks: DAYS } }, declaration);
          let sums: readonly (readonly bigint[])[] = asked.map(() => []);
          for (const day of DAYS) {
            const one = await measure(under().engine, { statistics: asked, window: { blocks: [day] } }, declaration);
            sums = sums.map((sum, index) => addedUp([sum, one[index] ?? []]));
          }
          asked.forEach((request, index) => {
            expect([...(whole[index] ?? [])], request.statistic).toEqual(sums[index]);
          });
        }),
        { numRuns: Math.max(1, Math.floor(pairs / 2)) },
      );
    });

    test("rows that are units are measured in a window like people of one row each", async () => {
      await fc.assert(
        fc.asyncProperty(tables, async (table) => {
          const rows = table.map((one, at) => ({ ...one, person: `p${at}` }));
          const asked: readonly StatisticRequest[] = [
            { statistic: "histogram", column: "age", bins: 3, epsilon: 1 },
            { statistic: "histogram", column: "pay", bins: [0, 0.25, 0.5, 1], epsilon: 1 },
            { statistic: "histogram", column: "seen", bins: "month", epsilon: 1 },
            { statistic: "count", groupBy: ["month"], epsilon: 1 },
          ];
          const plan = { let: { month: "cut(seen, 'month')" }, statistics: asked, window: { blocks: MONTHS } };
          const byPerson = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
          const [alone, people] = await Promise.all(
            [{ privacyUnit: "row" as const }, byPerson].map(async (unit) =>
              measure(under().engine, plan, await declare(rows, { ...unit, blocks: monthly })),
            ),
          );
          expect(alone).toEqual(people);
        }),
        { numRuns: pairs },
      );
    });

    test("a person's bound is for each month by itself, a number that names a person is one, and no date is no block", async () => {
      const types = { who: "BIGINT", seen: "DATE" } as const;
      const dates = [
        ...["2020-02-01", "2020-02-02", "2020-02-29", "2020-03-01", "2020-03-02"].map((seen) => ({ who: 1, seen })),
        ...[null, "0001-01-01", "9999-12-31", "2020-01-31", "2020-04-01"].map((seen) => ({ who: 1, seen })),
        // Of others, each within their own bound: one row counts.
        ...[
          { who: 11, seen: "2020-02-01" },
          { who: null, seen: "2020-02-01" },
          { who: 12, seen: null },
        ],
        ...[
          { who: 13, seen: "0001-01-01" },
          { who: 14, seen: "9999-12-31" },
          { who: 15, seen: "2020-01-31" },
        ],
        ...[{ who: 16, seen: "2020-04-01" }],
      ];
      const declaration = checkDeclaration({
        name: "t",
        source: await under().store(types, dates),
        privacyUnit: { column: "who" },
        contribution: { rows: 2 },
        blocks: monthly,
        columns: { who: { type: "integer" }, seen: { type: "date", lower: "2020-02-10", upper: "2020-03-20" } },
      });
      const counted = (blocks: readonly string[]) =>
        measure(under().engine, { statistics: [{ statistic: "count", epsilon: 1 }], window: { blocks } }, declaration);
      expect(await counted(["2020-02"])).toEqual([[3n]]);
      expect(await counted(["2020-03"])).toEqual([[2n]]);
      expect(await counted(MONTHS)).toEqual([[5n]]);
    });

    test("a time is in the month that the clocks of its zone show", async () => {
      const at = [
        "2020-02-29 22:59:59+00",
        "2020-02-29 23:00:00+00",
        "2020-03-31 21:59:59+00",
        "2020-03-31 22:00:00+00",
      ];
      const source = await under().store(
        { at: "TIMESTAMPTZ" },
        at.map((time) => ({ at: time })),
      );
      const declaration = checkDeclaration({
        ...{ name: "t", source, privacyUnit: "row", blocks: { column: "at", every: "month" } },
        columns: { at: { type: "timestamp", zone: "Europe/Berlin", lower: "2020-02-01", upper: "2020-03-31" } },
      });
      const version = await under().engine.check(declaration, { salt: "5e".repeat(32) });
      const plan = { statistics: [{ statistic: "count", epsilon: 1 }] } as const;
      const counted = async (blocks: readonly string[]) =>
        reveal(await under().engine.run(boundPlan({ ...plan, window: { blocks } }, declaration), version));
      expect(await counted(["2020-02"])).toEqual([[1n]]);
      expect(await counted(["2020-03"])).toEqual([[2n]]);
    });
  });
}
