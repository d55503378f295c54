import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { released } from "../../../query/src/audit/fuzz.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { distance, everyStatistic, within } from "./neighbours.kit.ts";
import { type Bench, contribution, row } from "./people.kit.ts";
import { measure, type Row } from "./under-test.kit.ts";
import { addedUp, takenOver } from "./window.kit.ts";

const MONTHS = ["2020-02", "2020-03"];
const monthly = { protects: "person", column: "seen", every: "month", zone: "UTC" };

/** The month of a person's least date, in words; null without any. The calendar does not matter: it holds two of the months. */
function cohortOf(rows: readonly Row[], person: Row["person"]): string | null {
  const dates = rows.filter((each) => each.person === person && each.seen !== null).map(({ seen }) => String(seen));
  return dates.sort()[0]?.slice(0, 7) ?? null;
}

const peopleOf = (rows: readonly Row[]): readonly (string | number | boolean)[] =>
  [...new Set(rows.map(({ person }) => person ?? null))].filter((person) => person !== null);

/** Tests that an engine measures cohorts: all rows of a person or none, bounded over all of them [M170]. */
export function cohortKit({ declare, under }: Bench, { pairs }: { readonly pairs: number }): void {
  const people = fc.constantFrom("p1", "p2", "p3", null);
  const tables = fc.array(row(people), { maxLength: 24 });
  const groupings = fc.constantFrom([], ["region"], ["member"]);
  const windows = fc.constantFrom([MONTHS[0]], [MONTHS[1]], MONTHS) as fc.Arbitrary<readonly string[]>;
  const unit = { privacyUnit: { column: "person" } };

  const over = async (
    rows: readonly Row[],
    statistics: readonly StatisticRequest[],
    more: object,
    blocks?: readonly string[],
  ): Promise<Measured> => {
    const declaration = await declare(rows, more);
    const window = blocks === undefined ? {} : { window: { blocks } };
    return measure(under().engine, { statistics, ...window }, declaration);
  };

  describe("cohorts [M170]", () => {
    test("removing a person moves no statistic further than declared, and not at all where the cohort is not in the window", async () => {
      await fc.assert(
        fc.asyncProperty(
          ...([tables, contribution, groupings, windows, fc.nat({ max: 3 })] as const),
          async (rows, bound, groupBy, blocks, part) => {
            const more = { ...unit, contribution: bound, blocks: monthly };
            const declaration = await declare(rows, more);
            const asked = takenOver(everyStatistic(groupBy), declaration, blocks).filter((_, at) => at % 4 === part);
            const { statistics } = boundPlan({ statistics: asked, window: { blocks } }, declaration);
            const before = await over(rows, asked, more, blocks);
            for (const person of peopleOf(rows)) {
              const rest = rows.filter((each) => each.person !== person);
              const after = await over(rest, asked, more, blocks);
              const isInside = blocks.includes(cohortOf(rows, person) ?? "");
              statistics.forEach((statistic, index) => {
                const apart = distance(released(statistic, before[index]), released(statistic, after[index]));
                const text = `${statistic.label} without ${person}: ${Object.values(apart)}`;
                expect(within(apart, statistic.sensitivity), text).toBe(true);
                if (!isInside) expect(apart.l1, text).toBe(0n);
              });
            }
          },
        ),
        { numRuns: pairs },
      );
    });

    test("a window is a table that holds its people alone, in all their rows, whatever the plan filters", async () => {
      const filters = fc.constantFrom(undefined, "seen >= '2020-03-01'", "age > 3");
      await fc.assert(
        fc.asyncProperty(
          ...([tables, contribution, groupings, windows, filters, fc.nat({ max: 3 })] as const),
          async (rows, bound, groupBy, blocks, where, part) => {
            const more = { ...unit, contribution: bound, blocks: monthly };
            const declaration = await declare(rows, more);
            const asked = takenOver(everyStatistic(groupBy, where), declaration, blocks).filter(
              (_, at) => at % 4 === part,
            );
            const measured = await over(rows, asked, more, blocks);
            const theirs = rows.filter(({ person = null }) => blocks.includes(cohortOf(rows, person) ?? ""));
            const plain = await over(theirs, asked, { ...unit, contribution: bound });
            asked.forEach((request, index) => {
              expect([...(measured[index] ?? [])], request.statistic).toEqual([...(plain[index] ?? [])]);
            });
          },
        ),
        { numRuns: pairs },
      );
    });

    test("people add up across windows: no one is in two", async () => {
      const asked = [
        { statistic: "distinctUnits", epsilon: 1 },
        { statistic: "distinctUnits", groupBy: ["region"], epsilon: 1 },
        { statistic: "count", epsilon: 1 },
      ] as const;
      await fc.assert(
        fc.asyncProperty(tables, async (rows) => {
          const more = { ...unit, contribution: { rows: 3 }, blocks: monthly };
          const [both, ...each] = await Promise.all(
            [MONTHS, ...MONTHS.map((month) => [month])].map((blocks) => over(rows, asked, more, blocks)),
          );
          const sums = asked.map((_, at) => addedUp(each.map((one) => one[at] ?? [])));
          expect((both ?? []).map((vector) => [...vector])).toEqual(sums);
        }),
        { numRuns: Math.max(1, Math.floor(pairs / 2)) },
      );
    });

    test("the least date decides, of numbers that name a person too; rows without a date belong to their person", async () => {
      const seen = (who: number | null, ...dates: readonly (string | null)[]) => dates.map((at) => ({ who, seen: at }));
      const rows = [
        ...seen(1, "2020-03-09", "2020-02-29", null, "9999-12-31"), // four rows of February
        ...seen(2, "2020-03-01"),
        ...seen(3, null, null), // in no cohort
        ...seen(4, "2020-01-31", "2020-02-01"), // before the calendar, and so in none
        ...seen(5, "2020-04-01"), // after it
        ...seen(6, "9999-12-31", "2020-03-31"),
        ...seen(7, "0001-01-01", "2020-03-31"),
        ...seen(null, "2020-02-01"),
      ];
      const source = await under().store({ who: "BIGINT", seen: "DATE" }, rows);
      const declared = (columns: object, most = 9) =>
        checkDeclaration({
          ...{ name: "t", source, privacyUnit: { column: "who" }, contribution: { rows: most }, blocks: monthly },
          columns: { seen: { type: "date", lower: "2020-02-10", upper: "2020-03-20" }, ...columns },
        });
      const counts = async (declaration: ReturnType<typeof declared>, blocks: readonly string[]) => {
        const statistics: readonly StatisticRequest[] = [
          { statistic: "count", epsilon: 1 },
          { statistic: "distinctUnits", epsilon: 1 },
        ];
        const measured = await measure(under().engine, { statistics, window: { blocks } }, declaration);
        return measured.map(([only]) => Number(only));
      };
      const numbered = declared({ who: { type: "integer" } });
      expect(await counts(numbered, ["2020-02"])).toEqual([4, 1]);
      expect(await counts(numbered, ["2020-03"])).toEqual([3, 2]);
      expect(await counts(numbered, MONTHS)).toEqual([7, 3]);
      // The bound is for all rows of a person.
      expect(await counts(declared({ who: { type: "integer" } }, 2), MONTHS)).toEqual([5, 3]);
      const listed = declared({ who: { type: "category", categories: [7, 6, 1] } });
      expect(await counts(listed, ["2020-02"])).toEqual([4, 1]);
      expect(await counts(listed, ["2020-03"])).toEqual([2, 1]);
    });
  });
}
