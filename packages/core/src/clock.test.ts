import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Clock,
  clockOf,
  dayOfPeriod,
  dayPeriod,
  FIRST_SECOND,
  formatPeriod,
  LAST_SECOND,
  parsePeriod,
  periodText,
  readInstant,
  wholePeriod,
} from "./clock.ts";
import { byLocalTime, instantOf, isZone, offsetAt, offsetFrom, zoneOffsets } from "./zones.ts";

/** Whole and half hours, changes of half an hour, of a day, at midnight, and of time before there were zones. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "America/Havana",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
  "Africa/Monrovia",
] as const;
const seconds = fc.integer({ min: FIRST_SECOND, max: LAST_SECOND });
const recent = fc.integer({ min: -4e9, max: 4e9 });

const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat("en-CA", {
      ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    }),
  ]),
);

/** What the clocks of a zone show, from Intl itself. */
function shown(zone: (typeof ZONES)[number], second: number): string {
  const parts = Object.fromEntries(
    (formats.get(zone)?.formatToParts(second * 1000) ?? []).map(({ type, value }) => [type, value]),
  );
  const { year = "", month, day, hour, minute, second: part } = parts;
  return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${part}`;
}

test("a text is what the clocks of its zone show, and names its second again", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.oneof(recent, seconds), (zone, second) => {
      const calendar: Clock = `second ${zone}`;
      const text = formatPeriod(second, calendar);
      // Intl has the rules of all years; ours repeat after 2500, when no one knows Morocco's months of fasting.
      if (second > -5e9 && second < 16e9) expect(text.slice(0, 19)).toBe(shown(zone, second));
      expect(parsePeriod(text, calendar)).toBe(second);
      expect(wholePeriod(text, calendar)).toBe(second);
    }),
    { numRuns: 2000 },
  );
});

test("a table of offsets gives what Intl gives, on either side of every change", () => {
  for (const zone of ZONES) {
    const table = zoneOffsets(zone, { from: -4e9, to: 8e9, most: 1000 });
    expect(table, zone).not.toBeNull();
    for (const { at, offset } of table?.changes ?? []) {
      expect(offsetAt(zone, at)).toBe(offset);
      expect(offsetAt(zone, at - 1)).not.toBe(offset);
    }
    fc.assert(
      fc.property(fc.integer({ min: -4e9, max: 8e9 }), (second) => {
        expect(offsetFrom(table ?? { first: 0, changes: [] }, second)).toBe(offsetAt(zone, second));
      }),
    );
  }
});

test("a time on the clock names one second, by table and by zone alike; skipped and repeated hours too", () => {
  for (const zone of ZONES) {
    const table = zoneOffsets(zone, { from: -4e9, to: 8e9, most: 1000 }) ?? { first: 0, changes: [] };
    const local = byLocalTime(table);
    const near = table.changes.flatMap(({ at, offset }) =>
      [-7200, -3600, -1800, -1, 0, 1, 1800, 3599, 3600].map((by) => at + offset + by),
    );
    for (const time of near) expect(time - offsetFrom(local, time), `${zone} ${time}`).toBe(instantOf(zone, time));
  }
});

describe("Berlin", () => {
  const berlin = (text: string) => readInstant(text, "Europe/Berlin");
  test("the hour that the clock repeats is the first, unless its offset is written", () => {
    expect(berlin("2024-10-27T02:30:00")).toBe(Date.UTC(2024, 9, 27, 0, 30) / 1000);
    expect(berlin("2024-10-27 02:30+02:00")).toBe(Date.UTC(2024, 9, 27, 0, 30) / 1000);
    expect(berlin("2024-10-27T02:30+0100")).toBe(Date.UTC(2024, 9, 27, 1, 30) / 1000);
    expect(berlin("2024-10-27T01:30:59.999Z")).toBe(Date.UTC(2024, 9, 27, 1, 30, 59) / 1000);
  });
  test("an hour that it skips is an hour later", () => {
    expect(berlin("2024-03-31T02:30:00")).toBe(Date.UTC(2024, 2, 31, 1, 30) / 1000);
    expect(formatPeriod(berlin("2024-03-31T02:30:00") ?? 0, "second Europe/Berlin")).toBe("2024-03-31T03:30:00+02:00");
  });
  test("a day begins with its first second, and has 23 to 25 hours", () => {
    const day = (date: string) => Math.floor(Date.parse(`${date}T00:00Z`) / 86_400_000);
    const hours = (date: string) =>
      dayPeriod(day(date) + 1, "hour Europe/Berlin") - dayPeriod(day(date), "hour Europe/Berlin");
    expect(["2024-03-30", "2024-03-31", "2024-10-27"].map(hours)).toEqual([24, 23, 25]);
    expect(dayOfPeriod(dayPeriod(day("2024-03-31"), "hour Europe/Berlin"), "hour Europe/Berlin")).toBe(
      day("2024-03-31"),
    );
  });
});

test("a day that a zone skips begins and ends with the next", () => {
  const [skipped, next] = [dayPeriod(15_338, "second Pacific/Apia"), dayPeriod(15_339, "second Pacific/Apia")];
  expect(formatPeriod(skipped, "second Pacific/Apia")).toBe("2011-12-31T00:00:00+14:00");
  expect(next).toBe(skipped);
});

test("a minute holds its seconds; what is no whole minute names none", () => {
  expect(parsePeriod("1970-01-01T00:01:59Z", "minute UTC")).toBe(1);
  expect(wholePeriod("1970-01-01T00:01:59Z", "minute UTC")).toBeNull();
  expect(formatPeriod(90, "minute Asia/Kolkata")).toBe("1970-01-01T07:00+05:30");
  expect(periodText(89.5, "minute UTC", "down")).toBe("1970-01-01T01:29+00:00");
  expect(periodText(1e300, "second Europe/Berlin")).toBe("9999-12-31T00:59:59+01:00");
  expect(clockOf("hour Europe/Berlin")).toEqual({ unit: "hour", zone: "Europe/Berlin", seconds: 3600 });
  expect(clockOf("month")).toBeNull();
});

test.each([
  "2024-02-30T00:00",
  "2023-02-29T00:00",
  "2024-01-01T24:00",
  "2024-01-01T23:60",
  "2024-01-01T23:59:60",
  "2024-1-1T00:00",
  "0000-01-01T00:00",
  "9999-12-31T23:00",
  "0001-01-01T23:00",
  "10000-01-01T00:00",
  "2024-01-01T00:00+25:00",
  "2024-01-01T00:00 CET",
  "",
])("%j names no second", (text) => expect(readInstant(text, "Europe/Berlin")).toBeNull());

test.each(["Europe/Nowhere", "+01:00", "", "Europe/Berlin ", "../etc"])("%j is no zone", (name) =>
  expect(isZone(name)).toBe(false),
);

test("a range with too many changes has no table, and one to year 9999 does not take long", () => {
  expect(zoneOffsets("Europe/Berlin", { from: FIRST_SECOND, to: LAST_SECOND, most: 1000 })).toBeNull();
  expect(zoneOffsets("Asia/Kolkata", { from: FIRST_SECOND, to: LAST_SECOND, most: 1000 })?.changes.length).toBeLessThan(
    10,
  );
});

test.each([
  ["America/Recife", "2000-10-10T12:00:00Z"],
  ["Asia/Gaza", "2040-10-20T12:00:00Z"],
])("a week of summer time is in the table of %s", (zone, text) => {
  const second = Date.parse(text) / 1000;
  for (let at = second - 30 * 86_400; at < second + 30 * 86_400; at += 7_200) {
    const { first, changes } = zoneOffsets(zone, { from: at, to: at, most: 10 }) ?? { first: 0, changes: [] };
    expect(changes.filter((change) => change.at <= at).at(-1)?.offset ?? first).toBe(offsetAt(zone, at));
  }
});
