import {
  type Calendar,
  calendarUnits,
  clockUnits,
  datePart,
  dayOfPeriod,
  formatPeriod,
  instantOf,
  isCalendarUnit,
  offsetAt,
  parsePeriod,
  periodOfDay,
  readInstant,
  zoneOffsets,
} from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { present } from "@dosimeter/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import type { Bench } from "./people.kit.ts";
import { measure, type Row, SALT, type Stored } from "./under-test.kit.ts";

const RANGE = { lower: "1965-01-01", upper: "2030-12-31" };
/** Whole and half hours, changes of half an hour, at midnight, of a whole day, and offsets of minutes and seconds. */
const ZONES = [
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Monrovia",
  "UTC",
] as const;

/** How one instant is stored in four columns, given what the clocks show and the offset, and how each is declared. */
const STORED = {
  instant: ["TIMESTAMPTZ", {}, (second: number) => formatPeriod(second, "second UTC").replace("T", " ")],
  written: ["VARCHAR", {}, (second: number, zone: string) => spelled(second, zone)],
  german: [
    "VARCHAR",
    { pattern: "DD.MM.YYYY HH:mm:ssZ" },
    (second: number) => {
      const [date = "", time = ""] = formatPeriod(second, "second UTC").split("T");
      return `${date.split("-").reverse().join(".")} ${time}`;
    },
  ],
  wall: ["TIMESTAMP", {}, (second: number, zone: string) => shown(second, zone).replace("T", " ")],
  local: ["VARCHAR", { pattern: "YYYY-MM-DDTHH:mm:ss" }, (second: number, zone: string) => shown(second, zone)],
} as const satisfies Record<string, readonly [Stored, object, (second: number, zone: string) => string]>;
const names = Object.keys(STORED) as readonly (keyof typeof STORED)[];
const storage = Object.fromEntries(names.map((name) => [name, STORED[name][0]]));
/** What only says the time on the clock names the first of two hours. */
const isOfClock = (name: string): boolean => name === "wall" || name === "local";

/** Offsets with seconds are written as UTC: texts of rows have offsets of whole minutes. */
const spelled = (second: number, zone: string): string =>
  formatPeriod(second, offsetAt(zone, second) % 60 === 0 ? `second ${zone}` : "second UTC");
/** What the clocks of a zone show. */
const shown = (second: number, zone: string): string =>
  formatPeriod(second + offsetAt(zone, second), "second UTC").slice(0, 19);

const secondOf = (date: string): number => readInstant(date, "UTC") ?? 0;
const [FROM, TO] = [secondOf("1965-01-01") + 86_400, secondOf("2030-12-31")];
/** Within three hours of the changes of some years, around midnight and new year, and anywhere. */
const hard = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ..."1972-01-07 1980-04-06 2006-04-02T03:31 2011-12-30T10:00 2016-02-29 2024-03-31T01:00 2024-10-27T01:00 2024-04-06T15:00 2024-10-05T15:30 2024-11-03T04:00 1969-12-31T23:59:59 2019-12-30 2020-12-31".split(
          " ",
        ),
      ),
      fc.oneof(fc.integer({ min: -10_800, max: 10_800 }), fc.constantFrom(-1, 0, 1, 1800, 3599, 3600)),
    )
    .map(([text, by]) => secondOf(text) + by),
  fc.integer({ min: FROM, max: TO }),
);

const unparsable = [
  "2024-02-30T10:00:00",
  "2023-02-29 10:00:00",
  "2024-01-01T24:00:00",
  "2024-01-01T23:60:00",
  "2024-01-01T23:59:60",
  "2024-01-01T1:00:00",
  "2024-01-01T10",
  "2024-01-01T10:00:00+25:00",
  "2024-01-01T10:00:00+01:60",
  "2024-01-01T10:00:00 CET",
  "2024-01-01T10:00:00.",
  "2024-01-01T10:00:00.1234567890",
  " 2024-01-01T10:00:00",
  "2024-01-01T10:00:00\n",
  "0000-01-01T00:00:00",
  "10000-01-01T00:00:00",
  "1704067200",
  "infinity",
  "now",
  "２024-01-01T10:00:00",
  "",
] as const;

/** An engine reads, compares and counts instants as `core` does, whatever is stored and whatever the clocks did [M205]. */
export function timestampsKit({ under }: Bench, pairs: number): void {
  const declared = async (types: Readonly<Record<string, Stored>>, rows: readonly Row[], columns: object) =>
    checkDeclaration({ name: "t", source: await under().store(types, rows), privacyUnit: "row", columns });

  describe("timestamps", () => {
    test("one instant stored in different ways is one period, in every unit and zone", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...ZONES),
          fc.subarray([...clockUnits, ...calendarUnits], { minLength: 2, maxLength: 3 }),
          fc.array(fc.option(hard), { minLength: 1, maxLength: 12 }),
          async (zone, units, seconds) => {
            const rows = seconds.map((each) =>
              Object.fromEntries(names.map((name) => [name, each === null ? null : STORED[name][2](each, zone)])),
            );
            const source = await under().store(storage, rows);
            for (const unit of units) {
              if (unit === "hour" && zone !== "UTC" && zone !== "Europe/Berlin") continue;
              if (unit === "minute" && zone === "Africa/Monrovia") continue;
              const calendar: Calendar = isCalendarUnit(unit) ? unit : `${unit} ${zone}`;
              const declaration = checkDeclaration({
                ...{ name: "t", source, privacyUnit: "row" },
                columns: Object.fromEntries(
                  names.map((name) => [
                    name,
                    { type: "timestamp", zone, ...RANGE, granularity: unit, ...STORED[name][1] },
                  ]),
                ),
              });
              const asked = names.flatMap((column) => {
                const known = seconds
                  .filter((each) => each !== null)
                  .map((each) => periodOf(each, column, zone, calendar));
                return [...new Set(known)]
                  .slice(0, 3)
                  .map((period): [StatisticRequest, bigint[]] => [
                    { statistic: "count", where: `${column} <= '${formatPeriod(period, calendar)}'`, epsilon: 1 },
                    [BigInt(known.filter((each) => each <= period).length)],
                  ]);
              });
              const plan = { statistics: asked.map(([request]) => request) };
              if (asked.length > 0)
                expect(await measure(under().engine, plan, declaration), `${unit} ${zone}`).toEqual(
                  asked.map(([, want]) => want),
                );
            }
          },
        ),
        { numRuns: Math.max(3, Math.ceil(pairs / 4)) },
      );
    });

    test("every row on either side of every change of the clocks has its second and its day", async () => {
      for (const zone of ZONES) {
        const changes = zoneOffsets(zone, { from: FROM, to: TO - 86_400, most: 1000 })?.changes ?? [];
        const seconds = [FROM, ...changes.flatMap(({ at }) => [-1, 0, 1799, 3599, 7200].map((by) => at + by))];
        const rows = seconds.map((each, row) => ({
          row,
          ...Object.fromEntries(names.map((name) => [name, STORED[name][2](each, zone)])),
        }));
        const source = await under().store({ row: "BIGINT", ...storage }, rows);
        for (const unit of ["second", "day"] as const) {
          const column = (name: keyof typeof STORED): object => ({
            ...{ type: "timestamp", zone, ...RANGE, granularity: unit },
            ...STORED[name][1],
          });
          const declaration = checkDeclaration({
            ...{ name: "t", source, privacyUnit: "row" },
            columns: {
              row: { type: "integer", lower: 0, upper: rows.length },
              ...Object.fromEntries(names.map((name) => [name, column(name)])),
            },
          });
          const zero = unit === "second" ? "'1970-01-01T00:00:00Z'" : "date '1970-01-01'";
          const calendar: Calendar = unit === "day" ? unit : `${unit} ${zone}`;
          const plan = {
            let: Object.fromEntries(names.map((name) => [`${name} from 1970`, `${name} - ${zero}`])),
            statistics: names.map((name) => ({
              ...{ statistic: "sum", column: `${name} from 1970`, groupBy: ["row"], epsilon: 1 },
            })) as StatisticRequest[],
          };
          const found = await measure(under().engine, plan, declaration);
          const want = names.map((name) => [
            ...seconds.map((each) => BigInt(periodOf(each, name, zone, calendar))),
            0n,
          ]);
          expect(found, `${unit} ${zone}`).toEqual(want);
        }
      }
    });

    test("parts, days and bins are those that the clocks of the zone show", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...ZONES),
          fc.array(hard, { minLength: 1, maxLength: 15 }),
          async (zone, seconds) => {
            const declaration = await declared(
              { t: "TIMESTAMPTZ" },
              seconds.map((each) => ({ t: STORED.instant[2](each) })),
              { t: { type: "timestamp", zone, ...RANGE } },
            );
            const parts = seconds.map((each) => clockParts(each, zone));
            const sums = Object.keys(parts[0] ?? {}) as readonly (keyof (typeof parts)[number])[];
            const days = seconds.map((each) => dayOfPeriod(each, `second ${zone}`));
            const months = Array.from({ length: 66 * 12 }, (_, index) =>
              BigInt(days.filter((day) => periodOfDay(day, "month") === index - 60).length),
            );
            const plan = {
              let: {
                ...Object.fromEntries(sums.map((part) => [`d${part}`, `${part}(t)`])),
                days: "cut(t, 'day') - date '1970-01-01'",
                age: "age(date '1960-02-29', t)",
                late: "t + 3600 > '2024-10-27T02:30:00'",
              },
              statistics: [
                ...sums.map((part) => ({ statistic: "sum", column: `d${part}`, epsilon: 1 })),
                { statistic: "sum", column: "days", epsilon: 1 },
                { statistic: "count", where: "late = true", epsilon: 1 },
                ...(zone === "America/St_Johns"
                  ? []
                  : [{ statistic: "histogram", column: "t", bins: "month", epsilon: 1 }]),
              ] as StatisticRequest[],
            };
            const limit = instantOf(zone, secondOf("2024-10-27T02:30:00")) - 3600;
            const total = (numbers: readonly number[]) => [BigInt(numbers.reduce((a, b) => a + b, 0))];
            expect(await measure(under().engine, plan, declaration), zone).toEqual([
              ...sums.map((part) => total(parts.map((each) => each[part]))),
              total(days),
              [BigInt(seconds.filter((each) => each > limit).length)],
              ...(zone === "America/St_Johns" ? [] : [months]),
            ]);
          },
        ),
        { numRuns: Math.max(4, Math.ceil(pairs / 4)) },
      );
    });

    test("texts that are no time are missing, and never make a measurement fail", async () => {
      for (const [pattern, texts] of [
        [undefined, unparsable],
        [
          "D.M.YYYY H:mm",
          ["30.2.2024 1:00", "1.1.2024 24:00", "1.1.2024 1:60", "1.1.2024", "1.1.24 1:00", "1.1.2024 1:00Z"],
        ],
        ["YYYYMMDDHHmmssZ", ["20240101000000", "20240230000000Z", "20240101240000Z", "20240101000000+9"]],
      ] as const) {
        const t = { type: "timestamp", zone: "Europe/Berlin", ...RANGE, ...present({ pattern }) };
        const rows = texts.map((each) => ({ t: each }));
        const asText = await declared({ t: "VARCHAR" }, rows, { t: { type: "text" } });
        const version = await under().engine.check(asText, { salt: SALT });
        const plan = {
          let: { h: "hour(t)", y: "year(t)" },
          statistics: [
            { statistic: "count", where: "t is null", epsilon: 1 },
            { statistic: "mean", column: "t", epsilon: 1 },
            { statistic: "count", where: "h >= 0 or y > 0", epsilon: 1 },
          ] as StatisticRequest[],
        };
        const bound = boundPlan(plan, checkDeclaration({ ...asText, columns: { t } }));
        expect(reveal(await under().engine.run(bound, version)), pattern).toEqual([
          [BigInt(texts.length)],
          [0n, 0n],
          [0n],
        ]);
        for (const text of texts.filter((each) => each !== ""))
          await expect(
            under().engine.check(await declared({ t: "VARCHAR" }, [{ t: text }], { t }), { salt: SALT }),
            text,
          ).rejects.toThrow('column "t" holds values that are not times in the declared pattern');
      }
    });

    test("infinite times and declared markers are missing; times beyond the bounds and the calendar count as the nearer bound", async () => {
      const texts = [
        "infinity",
        "-infinity",
        "9999-12-31 23:59:59",
        "9998-12-31 23:59:59",
        "0001-01-01 00:00:00",
        "1000-01-01 00:00:00",
        "2024-02-10 10:00:00",
        "2024-02-10 10:00:01",
      ];
      for (const type of ["TIMESTAMPTZ", "TIMESTAMP", "VARCHAR"] as const) {
        const zone = type === "TIMESTAMPTZ" ? "Z" : "";
        const types = { t: type };
        const source = await under().store(types, [{ t: null }]);
        const isText = /^(varchar|text)$/i.test((await under().engine.describe(source))[0]?.type ?? "");
        // As a text infinity is no time.
        const rows = texts.map((each) => ({
          t: each.includes("infinity") ? (isText ? null : each) : `${each}${zone}`,
        }));
        for (const granularity of ["second", "hour", "day", "year"]) {
          const declaration = await declared(types, rows, {
            t: {
              ...{ type: "timestamp", zone: "Europe/Berlin", lower: "2020-01-01", upper: "2024-12-31", granularity },
              missing: ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "2024-02-10 10:00:01"].map(
                (each) => `${each}${zone}`,
              ),
            },
          });
          const plan = {
            statistics: [
              { statistic: "count", where: "t is null", epsilon: 1 },
              { statistic: "clippedValues", column: "t", epsilon: 1 },
              { statistic: "histogram", column: "t", bins: 2, epsilon: 1 },
            ] as StatisticRequest[],
          };
          expect(await measure(under().engine, plan, declaration), `${type} ${granularity}`).toEqual([
            [5n],
            [1n, 1n, 1n],
            [1n, 2n],
          ]);
        }
      }
    });
  });
}

/** The period of an instant; where only the clock is stored, of the first instant at which it shows the same. */
function periodOf(second: number, column: string, zone: string, calendar: Calendar): number {
  const named = isOfClock(column) ? instantOf(zone, second + offsetAt(zone, second)) : second;
  if (isCalendarUnit(calendar)) return periodOfDay(dayOfPeriod(named, `second ${zone}`), calendar);
  return parsePeriod(formatPeriod(named, `second ${zone}`), calendar) ?? 0;
}

function clockParts(second: number, zone: string) {
  const day = dayOfPeriod(second, `second ${zone}`);
  const [, hour = 0, minute = 0] = (/T(\d\d):(\d\d)/.exec(shown(second, zone)) ?? []).map(Number);
  return {
    ...{ year: datePart("year", day), quarter: datePart("quarter", day), month: datePart("month", day) },
    ...{ week: datePart("week", day), day: datePart("day", day), weekday: datePart("weekday", day), hour, minute },
  };
}
