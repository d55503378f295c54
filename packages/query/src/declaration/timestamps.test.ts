import { formatPeriod, parsePeriod } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../../test/refusal.kit.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { binsOf } from "../plan/task.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { declarationJson } from "./dates.ts";

const seen = { type: "timestamp", zone: "Europe/Berlin", lower: "2024-01-01", upper: "2024-12-31" } as const;
const table = (columns: object) =>
  checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns });
const declared = table({ seen, minute: { ...seen, granularity: "minute" } });
const berlin = (text: string) => parsePeriod(text, "second Europe/Berlin");

const refusal = (run: () => unknown): string => refusalOf(run)?.message ?? "nothing was refused";
const ask = (request: object, more: object = {}) =>
  boundPlan({ ...more, statistics: [{ epsilon: 1, ...request } as StatisticRequest] }, declared);

test("a declaration with times is read back from its own JSON", () => {
  for (const granularity of ["second", "minute", "hour", "day", "month", "year"]) {
    const more = { granularity, pattern: "DD.MM.YY HH:mm", pivot: 1970, missing: ["never"], required: true };
    const declaration = table({ seen: { ...seen, upper: "2026-12-31", ...more } });
    const json = JSON.parse(JSON.stringify(declarationJson(declaration)));
    expect(json.columns.seen).toMatchObject({ type: "timestamp", zone: "Europe/Berlin" });
    expect(checkDeclaration(json)).toEqual(declaration);
  }
  expect(declared.columns.seen).toMatchObject({ type: "date", calendar: "second Europe/Berlin" });
});

test("a day as a bound is all of it in the zone", () => {
  expect(declared.columns.seen).toMatchObject({
    lower: Date.UTC(2023, 11, 31, 23) / 1000,
    upper: Date.UTC(2024, 11, 31, 23) / 1000 - 1,
  });
  expect(declared.columns.minute).toMatchObject({ upper: Date.UTC(2024, 11, 31, 23) / 60_000 - 1 });
  const { task } =
    ask({ statistic: "mean", column: "seen", lower: "2024-06-01T12:00", upper: "2024-06" }).statistics[0] ?? {};
  expect(task).toMatchObject({
    range: {
      lower: berlin("2024-06-01T12:00"),
      upper: (berlin("2024-07-01") ?? 0) - 1,
      calendar: "second Europe/Berlin",
    },
  });
});

test.each([
  [{ zone: undefined }, "columns.seen.zone is missing, must be a time zone such as 'Europe/Berlin' or 'UTC'"],
  [{ zone: "Berlin" }, 'columns.seen.zone is "Berlin", must be a time zone'],
  [{ zone: "+01:00" }, "must be a time zone"],
  [{ lower: undefined }, "columns.seen.lower is missing, must be a time such as '2024-03-15T10:30:00'"],
  [{ upper: "2024-02-30" }, 'columns.seen.upper is "2024-02-30", must be a time such as'],
  [{ upper: "2023-12-31" }, "must be before columns.seen.upper"],
  [{ upper: "9999-12-31" }, "must be a time such as"],
  [{ upper: "9999-12-30" }, "must be a zone that changes its clocks at most 1000 times between the bounds"],
  [{ granularity: "decade" }, "columns.seen.granularity"],
  [{ zone: "Asia/Kolkata", granularity: "hour" }, "finer: Asia/Kolkata is not whole hours ahead of UTC"],
  [
    { zone: "Africa/Monrovia", lower: "1970-01-01", granularity: "minute" },
    "finer: Africa/Monrovia is not whole minutes",
  ],
  [{ pattern: "HH:mm" }, "must be a year: YYYY or YY"],
  [{ pattern: "YYYY-MM-DD mm" }, "must be an hour, as it has minutes"],
  [{ pattern: "YYYY-MM-DD Hmm" }, "must be a separator after H"],
  [{ pattern: "YYYY-MM-DD*" }, "and separators such as"],
  [{ type: "date" }, 'columns.seen.zone is "Europe/Berlin", must be absent: the column is date'],
])("%j is refused", (change, message) => {
  expect(refusal(() => table({ seen: { ...seen, ...change } }))).toContain(message);
});

describe("filters", () => {
  const filter = (where: string) => ask({ statistic: "count", where }).statistics[0]?.where;
  test("a time is the instant that it names, written with its offset", () => {
    expect(filter("seen < '2024-03-15 10:30:00'")).toMatchObject({ value: "2024-03-15T10:30:00+01:00" });
    expect(filter("seen >= '2024-07-01'")).toMatchObject({ value: "2024-07-01T00:00:00+02:00" });
    expect(filter("seen = '2024-07-01T00:00:00Z'")).toMatchObject({ value: "2024-07-01T02:00:00+02:00" });
    expect(filter("minute in ('2024-07-01T00:01Z')")).toMatchObject({ value: "2024-07-01T02:01+02:00" });
  });
  test("the second pass of a repeated hour is after the first", () => {
    expect(filter("seen between '2024-10-27T02:50+02:00' and '2024-10-27T02:10+01:00'")).toMatchObject({
      op: "between",
    });
    expect(refusal(() => filter("seen between '2024-10-27T02:10+01:00' and '2024-10-27T02:50+02:00'"))).toContain("<=");
  });
  test("half a minute is no minute", () => {
    expect(refusal(() => filter("minute < '2024-03-15T10:30:30'"))).toContain(
      "a whole minute such as '2024-03-15T10:30'",
    );
    expect(refusal(() => filter("seen < 'yesterday'"))).toContain("a time such as '2024-03-15T10:30:00'");
  });
});

describe("bins", () => {
  const bins = (request: object, declaration = declared) => {
    const plan = boundPlan(
      { statistics: [{ statistic: "histogram", epsilon: 1, ...request } as StatisticRequest] },
      declaration,
    );
    const [statistic] = plan.statistics;
    return statistic === undefined ? [] : binsOf(statistic);
  };
  test("days of the zone have 23 to 25 hours; months when nothing is asked for", () => {
    const days = bins({ column: "seen", bins: "day" });
    expect(days).toHaveLength(366);
    const hours = days.map((bin) => ("lower" in bin ? (bin.upper - bin.lower + 1) / 3600 : 0));
    expect([...new Set(hours)].sort()).toEqual([23, 24, 25]);
    expect(days[90]).toMatchObject({ label: "2024-03-31" });
    expect(hours[90]).toBe(23);
    expect(bins({ column: "seen" }).map(({ label }) => label)).toContain("2024-03");
  });
  test("hours where the zone is whole hours ahead, a day that is skipped in none", () => {
    expect(bins({ column: "minute", bins: "hour" })).toHaveLength(8784);
    const samoa = table({ t: { ...seen, zone: "Pacific/Apia", lower: "2011-12-29", upper: "2011-12-31" } });
    expect(bins({ column: "t", bins: "day" }, samoa).map(({ label }) => label)).toEqual(["2011-12-29", "2011-12-31"]);
    const kolkata = table({ t: { ...seen, zone: "Asia/Kolkata" } });
    expect(refusal(() => bins({ column: "t", bins: "hour" }, kolkata))).toContain("is not whole hours ahead of UTC");
    expect(refusal(() => bins({ column: "minute", bins: "second" }))).toContain("coarser than a minute");
  });
  test("edges are times, and a number of bins divides the seconds between the bounds", () => {
    expect(
      bins({ column: "minute", bins: ["2024-01-01", "2024-07-01", "2024-12-31T10:00"] }).map(({ label }) => label),
    ).toEqual(["2024-01-01T00:00+01:00 – 2024-06-30T23:59+02:00", "2024-07-01T00:00+02:00 – 2024-12-31T10:00+01:00"]);
    expect(bins({ column: "seen", bins: 4 })).toHaveLength(4);
  });
});

describe("formulas", () => {
  const column = (formula: string) =>
    boundPlan({ let: { d: formula }, statistics: [{ statistic: "count", where: "d is null", epsilon: 1 }] }, declared)
      .statistics[0]?.derived;
  test.each([
    "hour(seen)",
    "minute(minute)",
    "year(seen)",
    "weekday(minute)",
    "cut(seen, 'hour')",
    "cut(seen, 'month')",
    "seen + 60",
    "seen - timestamp '2024-01-01 00:00'",
    "seen >= date '2024-03-15'",
    "age(date '1960-02-29', seen)",
    "greatest(seen, '2024-06-01')",
    "least(seen, seen + 1)",
  ])("%s is computed", (formula) => expect(Object.keys(column(formula) ?? {})).toEqual(["d"]));
  test.each([
    ["hour(cut(seen, 'day'))", "a timestamp, whose values have a time of day"],
    ["cut(minute, 'second')", "a unit that holds whole minutes"],
    ["cut(seen, 'decade')", "one of 'second', 'minute'"],
    ["seen - minute", "dates of one unit"],
    ["seen < 'noon'", "a time such as"],
    ["minute = '2024-03-15T10:30:30'", "a whole minute such as"],
  ])("%s is refused", (formula, message) => expect(refusal(() => column(formula))).toContain(message));
});

test("medians, extremes and curves of a year of seconds are planned", () => {
  for (const statistic of ["median", "minimum", "maximum", "cdf", "mean", "quantileInterval"])
    expect(
      refusal(() => ask({ statistic, column: "seen" })),
      statistic,
    ).toBe("nothing was refused");
  expect(refusal(() => ask({ statistic: "sum", column: "seen" }))).toContain("dates have no total");
});

test("periods outside of bounds have a text too", () => {
  expect(formatPeriod((declared.columns.seen?.upper ?? 0) + 1, "second Europe/Berlin")).toBe(
    "2025-01-01T00:00:00+01:00",
  );
});

test.each(["America/Bogota", "America/New_York", "Asia/Tokyo", "Europe/Berlin", "UTC"])(
  "the first and the last day of the calendar are bounds in %s, and are read again as they were",
  (zone) => {
    for (const [lower, upper] of [
      ["0001-01-02", "0009-12-31"],
      ["9980-01-01", "9999-12-30"],
    ]) {
      const declaration = table({ t: { type: "timestamp", zone, lower, upper } });
      expect(checkDeclaration(declarationJson(declaration))).toEqual(declaration);
    }
  },
);
