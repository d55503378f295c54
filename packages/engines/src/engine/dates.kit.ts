import {
  calendarUnits,
  FIRST_DAY,
  firstDayOf,
  formatPeriod,
  LAST_DAY,
  parsePeriod,
  periodOfDay,
} from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Plan, StatisticRequest } from "../../../query/src/statistics/request.ts";
import type { Bench } from "./people.kit.ts";
import { measure, type Row, SALT, type Stored } from "./under-test.kit.ts";

/** How one day is stored in seven columns, and how each is declared. */
const STORED = {
  day: ["DATE", {}, (iso: string) => iso],
  clock: ["TIMESTAMP", { pattern: "YYYY-MM-DD*" }, (iso: string) => `${iso} 23:59:59`],
  iso: ["VARCHAR", {}, (iso: string) => iso],
  german: ["VARCHAR", { pattern: "DD.MM.YYYY" }, (iso: string) => iso.split("-").reverse().join(".")],
  loose: ["VARCHAR", { pattern: "M/D/YYYY" }, (iso: string) => loose(iso)],
  packed: ["BIGINT", { pattern: "YYYYMMDD" }, (iso: string) => Number(iso.replaceAll("-", ""))],
} as const satisfies Record<string, readonly [Stored, object, (iso: string) => string | number]>;

const loose = (iso: string): string => {
  const [year, month, day] = iso.split("-");
  return `${Number(month)}/${Number(day)}/${year}`;
};

const names = Object.keys(STORED) as readonly (keyof typeof STORED)[];
const storage = Object.fromEntries(names.map((name) => [name, STORED[name][0]]));
const rowOf = (iso: string | null): Row =>
  Object.fromEntries(names.map((name) => [name, iso === null ? null : STORED[name][2](iso)]));

const unparsable = [
  "2024-02-30",
  "2023-02-29",
  "1900-02-29",
  "2024-13-01",
  "2024-00-01",
  "2024-01-00",
  "0000-01-01",
  "2024-1-1",
  " 2024-01-01",
  "2024-01-01 ",
  "2024-01-01T00:00:00",
  "2024/01/01",
  "+2024-01-01",
  "-024-01-01",
  "12024-01-01",
  "2024-01-01 (BC)",
  "infinity",
  "epoch",
  "today",
  "２024-01-01",
  "2024-01-0a",
  "----------",
  "",
] as const;

/** An engine reads, compares and counts dates as the calendar of `core` does, whatever is stored [M190]. */
export function datesKit({ under }: Bench, pairs: number): void {
  const table = async (types: Readonly<Record<string, Stored>>, rows: readonly Row[], columns: object) =>
    checkDeclaration({ name: "t", source: await under().store(types, rows), privacyUnit: "row", columns });

  describe("dates", () => {
    test("one day stored in different ways is one period, from year 1000 to 9999", async () => {
      const day = fc.oneof(
        fc.integer({ min: periodOfDay(FIRST_DAY, "day") + 365 * 1000, max: LAST_DAY }),
        fc.integer({ min: -400, max: 400 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(day), { minLength: 1, maxLength: 12 }), async (days) => {
          const rows = days.map((each) => rowOf(each === null ? null : formatPeriod(each, "day")));
          for (const unit of calendarUnits) {
            const columns = Object.fromEntries(
              names.map((name) => [
                name,
                { type: "date", lower: "1000-01-01", upper: "9999-12-31", granularity: unit, ...STORED[name][1] },
              ]),
            );
            const known = days.filter((each) => each !== null);
            const periods = [...new Set(known.map((each) => periodOfDay(each, unit)))];
            const asked = names.flatMap((column) =>
              periods.map((period): [StatisticRequest, bigint[]] => [
                { statistic: "count", where: `${column} <= '${formatPeriod(period, unit)}'`, epsilon: 1 },
                [BigInt(known.filter((each) => periodOfDay(each, unit) <= period).length)],
              ]),
            );
            const plan = { statistics: asked.map(([request]) => request) };
            if (asked.length > 0)
              expect(await measure(under().engine, plan, await table(storage, rows, columns)), unit).toEqual(
                asked.map(([, want]) => want),
              );
          }
        }),
        { numRuns: Math.max(2, Math.ceil(pairs / 4)) },
      );
    });

    test("years with two digits lie in the hundred years from the pivot on", async () => {
      const texts = ["1.2.29", "1.2.30", "31.12.99", "29.2.00", "29.2.01"];
      const at = (pivot: number) =>
        table(
          { d: "VARCHAR" },
          texts.slice(0, 4).map((d) => ({ d })),
          {
            d: { type: "date", lower: "1800-01-01", upper: "2199-12-31", pattern: "D.M.YY", pivot },
          },
        );
      const years = (first: number): Plan => ({
        statistics: [29, 30, 99, 0].map((year) => {
          const whole = first + ((((year - first) % 100) + 100) % 100);
          return { statistic: "count", where: `d between '${whole}-01-01' and '${whole}-12-31'`, epsilon: 1 };
        }),
      });
      for (const pivot of [1930, 2000, 1929])
        expect(await measure(under().engine, years(pivot), await at(pivot)), String(pivot)).toEqual([
          [1n],
          [1n],
          [1n],
          [1n],
        ]);
    });

    test("texts that are no date are missing, and never make a measurement fail", async () => {
      for (const [pattern, texts] of [
        ["YYYY-MM-DD", unparsable],
        ["DD.MM.YYYY", ["30.02.2024", "1.1.2024", "01.01.24", "01-01-2024", "01.01.0000", "a1.01.2024", "31.04.2024"]],
        ["YYYY-MM-DD*", ["2024-02-30 10:00", "2024-01-01x", "2024-01-01 ", "2024-01-011", "2024-01-01T10:00\nx"]],
        ["D.M.YY", ["30.2.24", "0.1.24", "1.0.24", "1.13.24", "111.1.24", "1.1.2024", "29.2.23"]],
      ] as const) {
        const date = { type: "date", lower: "1800-01-01", upper: "2199-12-31", pattern };
        const d = pattern.includes("YYYY") ? date : { ...date, pivot: 1930 };
        const rows = texts.map((each) => ({ d: each }));
        const asText = await table({ d: "VARCHAR" }, rows, { d: { type: "text" } });
        const asDate = checkDeclaration({ ...asText, columns: { d } });
        const version = await under().engine.check(asText, { salt: SALT });
        const statistics: readonly StatisticRequest[] = [
          { statistic: "count", where: "d is null", epsilon: 1 },
          { statistic: "mean", column: "d", epsilon: 1 },
          { statistic: "histogram", column: "d", bins: "year", epsilon: 1 },
          { statistic: "count", where: "y > 0 or m > 0", epsilon: 1 },
        ];
        const plan = boundPlan({ let: { y: "year(d)", m: "month(d)" }, statistics }, asDate);
        const [missing, mean, bins = [], parts] = reveal(await under().engine.run(plan, version));
        expect(missing, pattern).toEqual([BigInt(texts.length)]);
        expect([...(mean ?? []), ...bins, ...(parts ?? [])].every((each) => each === 0n)).toBe(true);
        for (const row of texts.filter((each) => each !== ""))
          await expect(
            under().engine.check(
              checkDeclaration({
                ...asDate,
                columns: { d },
                source: await under().store({ d: "VARCHAR" }, [{ d: row }]),
              }),
              { salt: SALT },
            ),
            row,
          ).rejects.toThrow('column "d" holds values that are not dates in the declared pattern');
      }
    });

    test("declared markers are missing, in texts and in dates", async () => {
      const columns = (more: object = {}) => ({
        d: { type: "date", lower: "2000-01-01", upper: "9999-12-31", missing: ["9999-12-31", "unknown"], ...more },
      });
      const plan: Plan = {
        statistics: [
          { statistic: "count", column: "d", epsilon: 1 },
          { statistic: "count", where: "d is null", epsilon: 1 },
        ],
      };
      const stored = await table({ d: "DATE" }, [{ d: "9999-12-31" }, { d: "2001-01-01" }, { d: null }], columns());
      const written = await table(
        { d: "VARCHAR" },
        [{ d: "unknown" }, { d: "9999-12-31" }, { d: "2001-01-01" }],
        columns(),
      );
      for (const declaration of [stored, written])
        expect(await measure(under().engine, plan, declaration)).toEqual([[1n], [2n]]);
      const required = await table({ d: "VARCHAR" }, [{ d: "unknown" }], columns({ required: true }));
      expect(await measure(under().engine, plan, required)).toEqual([[0n], [0n]]);
    });

    test("dates beyond the calendar and beyond the bounds count as the nearer bound, and in no group; infinite ones are missing", async () => {
      const rows = ["infinity", "-infinity", "12000-01-01", "9999-12-31", "0001-01-01", "2024-02-10"].map((d) => ({
        d,
      }));
      const source = await under().store({ d: "DATE" }, rows);
      // As texts such values are no dates.
      if ((await under().engine.describe(source))[0]?.type === "VARCHAR") return;
      for (const granularity of ["day", "week", "month", "year"] as const) {
        const declaration = checkDeclaration({
          name: "t",
          source,
          privacyUnit: "row",
          columns: { d: { type: "date", lower: "2020-01-01", upper: "2024-12-31", granularity } },
        });
        const statistics: readonly StatisticRequest[] = [
          { statistic: "clippedValues", column: "d", epsilon: 1 },
          { statistic: "histogram", column: "d", bins: 2, epsilon: 1 },
          { statistic: "count", groupBy: ["d"], epsilon: 1 },
          { statistic: "count", where: "d is null", epsilon: 1 },
        ];
        const [clipped, halves, groups = [], missing] = await measure(under().engine, { statistics }, declaration);
        expect(clipped).toEqual([1n, 1n, 2n]);
        expect(halves).toEqual([1n, 3n]);
        expect(missing).toEqual([2n]);
        expect(groups.reduce((a, b) => a + b, 0n)).toBe(1n);
      }
    });

    test("calendar bins and groups by month agree with the calendar, empty months too", async () => {
      const days = [
        "2023-12-31",
        "2024-01-01",
        "2024-02-29",
        "2024-03-01",
        "2024-03-31",
        "2024-12-31",
        "2025-02-01",
        null,
      ];
      const declaration = await table(
        { d: "DATE" },
        days.map((d) => ({ d })),
        {
          d: { type: "date", lower: "2023-12-15", upper: "2025-01-10" },
        },
      );
      const statistics: readonly StatisticRequest[] = [
        { statistic: "histogram", column: "d", bins: "month", epsilon: 1 },
        { statistic: "histogram", column: "d", bins: "quarter", epsilon: 1 },
        { statistic: "histogram", column: "d", bins: "year", epsilon: 1 },
        {
          statistic: "histogram",
          column: "d",
          bins: ["2023-12-15", "2024-02-29", "2024-03-01", "2025-01-10"],
          epsilon: 1,
        },
        { statistic: "count", groupBy: ["m"], epsilon: 1 },
        { statistic: "count", groupBy: ["w"], where: "m = '2024-03'", epsilon: 1 },
      ];
      const plan: Plan = { let: { m: "cut(d, 'month')", w: "weekday(d)" }, statistics };
      const measured = await measure(under().engine, plan, declaration);
      const months = [1n, 1n, 1n, 2n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 1n, 1n];
      expect(measured.slice(0, 5)).toEqual([
        months,
        [1n, 4n, 0n, 0n, 1n, 1n],
        [1n, 5n, 1n],
        [2n, 1n, 4n],
        // A formula clamps first: the last one is 2025-01-10.
        months,
      ]);
      // 1 March 2024 was a Friday, 31 March a Sunday.
      expect(measured[5]).toEqual([0n, 0n, 0n, 0n, 1n, 0n, 1n]);
      const bounded = boundPlan(plan, declaration);
      expect(bounded.statistics[4]?.groups[0]).toEqual({ m: "2023-12" });
      expect(bounded.statistics[0]?.task).toMatchObject({
        bins: expect.arrayContaining([expect.objectContaining({ label: "2024-02" })]),
      });
    });

    test("means, medians and ends are those of the day numbers", async () => {
      const days = ["2024-01-01", "2024-01-02", "2024-03-01", "1990-01-01", null];
      const declaration = await table(
        { d: "DATE" },
        days.map((d) => ({ d })),
        {
          d: { type: "date", lower: "2023-12-31", upper: "2024-12-31" },
        },
      );
      const at = (text: string): bigint =>
        BigInt((parsePeriod(text, "day") ?? 0) - (parsePeriod("2023-12-31", "day") ?? 0));
      const [mean, median = []] = await measure(
        under().engine,
        {
          statistics: [
            { statistic: "mean", column: "d", epsilon: 1 },
            { statistic: "median", column: "d", epsilon: 1 },
          ],
        },
        declaration,
      );
      const sum = at("2024-01-01") + at("2024-01-02") + at("2024-03-01");
      // 366 steps are refined to at least 1024.
      expect(mean).toEqual([3n * sum, 3n * (4n * 366n - sum)]);
      expect(median.flatMap((count, leaf) => Array.from({ length: Number(count) }, () => leaf))).toEqual(
        [0n, at("2024-01-01"), at("2024-01-02"), at("2024-03-01")].map(Number),
      );
      expect(firstDayOf(0, "day")).toBe(0);
    });
  });
}
