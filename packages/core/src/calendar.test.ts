import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calendarUnits, datePart, FIRST_DAY, firstDayOf, LAST_DAY, periodOfDay, readPeriod } from "./calendar.ts";
import { formatPeriod, parsePeriod, periodText } from "./clock.ts";

const day = fc.integer({ min: FIRST_DAY, max: LAST_DAY });

test("days agree with the calendar of JavaScript, from year 1 to year 9999", () => {
  fc.assert(
    fc.property(day, (number) => {
      const date = new Date(number * 86_400_000);
      expect(formatPeriod(number, "day")).toBe(date.toISOString().slice(0, 10));
      expect(datePart("year", number)).toBe(date.getUTCFullYear());
      expect(datePart("month", number)).toBe(date.getUTCMonth() + 1);
      expect(datePart("day", number)).toBe(date.getUTCDate());
      expect(datePart("weekday", number) % 7).toBe(date.getUTCDay());
      expect(datePart("quarter", number)).toBe(Math.floor(date.getUTCMonth() / 3) + 1);
    }),
    { numRuns: 2000 },
  );
  expect(formatPeriod(FIRST_DAY, "day")).toBe("0001-01-01");
  expect(formatPeriod(LAST_DAY, "day")).toBe("9999-12-31");
});

test.each(calendarUnits)("a %s holds its days, and its text is read back and sorts with it", (unit) => {
  fc.assert(
    fc.property(day, (number) => {
      const period = periodOfDay(number, unit);
      expect(firstDayOf(period, unit)).toBeLessThanOrEqual(number);
      expect(firstDayOf(period + 1, unit)).toBeGreaterThan(number);
      const text = formatPeriod(period, unit);
      expect(readPeriod(text)).toEqual({ unit, period });
      expect(parsePeriod(text, unit)).toBe(period);
      expect(parsePeriod(formatPeriod(number, "day"), unit)).toBe(period);
      if (number < LAST_DAY - 366) expect(text < formatPeriod(period + 1, unit)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

describe("ISO weeks", () => {
  test.each([
    ["2020-12-31", "2020-W53"],
    ["2021-01-03", "2020-W53"],
    ["2021-01-04", "2021-W01"],
    ["2024-12-30", "2025-W01"],
    ["2016-01-03", "2015-W53"],
    ["1970-01-01", "1970-W01"],
    ["0001-01-01", "0001-W01"],
    ["9999-12-31", "9999-W52"],
  ])("%s lies in %s", (date, week) => {
    const number = parsePeriod(date, "day") ?? Number.NaN;
    expect(formatPeriod(periodOfDay(number, "week"), "week")).toBe(week);
    expect(datePart("week", number)).toBe(Number(week.slice(-2)));
  });
});

test.each([
  "2023-02-29",
  "1900-02-29",
  "2024-02-30",
  "2024-13-01",
  "2024-00-01",
  "2024-01-00",
  "0000-01-01",
  "0000",
  "2024-1-1",
  "24-01-01",
  "2024-Q5",
  "2024-W00",
  "2023-W53",
  "2024-W54",
  "2024-01-01 ",
  "tomorrow",
  "",
])("%s is no date", (text) => {
  expect(readPeriod(text)).toBeNull();
});

test("29 February exists in leap years", () => {
  for (const year of ["2024", "2000", "0004"]) expect(parsePeriod(`${year}-02-29`, "day")).not.toBeNull();
});

test("a month does not name a day", () => {
  expect(parsePeriod("2024-03", "day")).toBeNull();
  expect(parsePeriod("2024", "month")).toBeNull();
});

test("numbers between days are shown as the nearest one, ends outwards, and never outside the calendar", () => {
  expect(periodText(0.4, "day")).toBe("1970-01-01");
  expect(periodText(0.4, "day", "up")).toBe("1970-01-02");
  expect(periodText(-0.4, "month", "down")).toBe("1969-12");
  expect(periodText(1e9, "day")).toBe("9999-12-31");
  expect(periodText(-1e9, "year", "down")).toBe("0001");
  expect(periodText(Number.POSITIVE_INFINITY, "day")).toBe("Infinity");
});
