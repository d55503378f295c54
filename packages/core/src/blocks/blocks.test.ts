import { describe, expect, test } from "vitest";
import { periodOfDay } from "../calendar.ts";
import { readInstant } from "../clock.ts";
import {
  blockAt,
  blockEnds,
  blockName,
  blockNamed,
  blockOfDay,
  type CalendarBlocks,
  calendarBlocks,
  closedThrough,
  cohortBlocks,
  MAX_BLOCKS,
} from "./blocks.ts";

const months = calendarBlocks({ unit: "month", zone: "Europe/Berlin", first: "2024-01", last: "2025-12" });
const at = (text: string): number => readInstant(text, "UTC") ?? Number.NaN;
/** The block of a row at this instant; null outside of the calendar. */
const blockOfInstant = (calendar: CalendarBlocks, second: number): number | null => {
  const block = blockAt({ every: calendar.unit, zone: calendar.zone }, second);
  return block >= calendar.first && block <= calendar.last ? block : null;
};
const nameAt = (text: string): string | null => {
  const block = blockOfInstant(months, at(text));
  return block === null ? null : blockName(months, block);
};

test("a row's block is the period of its own local day", () => {
  expect(nameAt("2024-01-31T22:59:59Z")).toBe("2024-01");
  expect(nameAt("2024-01-31T23:00:00Z")).toBe("2024-02");
  expect(nameAt("2024-03-31T21:59:59Z")).toBe("2024-03"); // the clocks were set forward on that morning
  expect(nameAt("2024-03-31T22:00:00Z")).toBe("2024-04");
  expect(nameAt("2024-10-31T22:59:59Z")).toBe("2024-10");
  expect(nameAt("2024-10-31T23:00:00Z")).toBe("2024-11");
});

test("the block that lasts now is one of the calendar, or lies beyond it", () => {
  const now = (text: string): string => blockName(months, blockAt({ every: "month", zone: "Europe/Berlin" }, at(text)));
  expect(now("2024-01-31T23:00:00Z")).toBe(nameAt("2024-01-31T23:00:00Z"));
  expect(now("2023-12-31T22:59:59Z")).toBe("2023-12");
  expect(now("2025-12-31T23:00:00Z")).toBe("2026-01");
});

test("a row outside of the calendar is in no block", () => {
  expect(nameAt("2023-12-31T22:59:59Z")).toBeNull();
  expect(nameAt("2025-12-31T23:00:00Z")).toBeNull();
  expect(nameAt("9999-12-30T00:00:00Z")).toBeNull();
  expect(blockOfDay(months, at("2024-05-06T00:00:00Z") / 86_400)).toBe(
    periodOfDay(at("2024-05-06T00:00:00Z") / 86_400, "month"),
  );
});

test.each([
  ["day", "2024-02-28", "2024-03-01", 3],
  ["week", "2024-W52", "2025-W01", 2],
  ["month", "2023-12", "2024-02", 3],
  ["quarter", "2023-Q4", "2024-Q1", 2],
  ["year", "1999", "2001", 3],
])("blocks of the calendar %s are read and written by name", (unit, first, last, count) => {
  const blocks = calendarBlocks({ unit, zone: "UTC", first, last });
  const [from, to] = blockEnds(blocks);
  expect(to - from + 1).toBe(count);
  for (let block = from; block <= to; block++)
    expect(blockNamed(blocks, blockName(blocks, block), "block")).toBe(block);
  expect([blockName(blocks, from), blockName(blocks, to)]).toEqual([first, last]);
});

describe("a declaration of blocks is refused for", () => {
  const good = { unit: "day", zone: "UTC", first: "2024-01-01", last: "2024-12-31" };
  test.each([
    [{ unit: "hour" }, 'blocks.unit is "hour"'],
    [{ zone: "Mars/Olympus" }, 'blocks.zone is "Mars/Olympus"'],
    [{ zone: "" }, 'blocks.zone is ""'],
    [{ first: "2024-01" }, 'blocks.first is "2024-01", must be a day such as 2024-03-15'],
    [{ first: "2023-02-29" }, 'blocks.first is "2023-02-29"'],
    [{ last: "soon" }, 'blocks.last is "soon"'],
    [{ first: "2025-01-01" }, "must be at most blocks.last (2024-12-31)"],
    [{ first: "0001-01-01", last: "2738-11-28" }, "blocks is 1000000, must be at most 10000 blocks"],
  ])("%o", (change, message) => {
    expect(() => calendarBlocks({ ...good, ...change })).toThrow(message);
  });

  test("cohorts that are empty, come twice or are too many", () => {
    expect(() => cohortBlocks([])).toThrow("at least one value");
    expect(() => cohortBlocks(["a", ""])).toThrow('blocks.values[1] is ""');
    expect(() => cohortBlocks(["é", "e\u0301"])).toThrow("different from the values before it");
    expect(() => cohortBlocks(Array.from({ length: MAX_BLOCKS + 1 }, String))).toThrow("at most 10000 blocks");
  });
});

test("names that are not declared are refused", () => {
  expect(() => blockNamed(months, "2026-01", "window.to")).toThrow(
    'window.to is "2026-01", must be from 2024-01 to 2025-12',
  );
  expect(() => blockNamed(months, "2024-Q1", "window.to")).toThrow("must be a month such as 2024-03");
  const cohorts = cohortBlocks(["2020 intake", "2021 intake"]);
  expect(blockNamed(cohorts, "2021 intake", "block")).toBe(1);
  expect(blockName(cohorts, 0)).toBe("2020 intake");
  expect(() => blockNamed(cohorts, "2022 intake", "block")).toThrow("must be a declared cohort");
});

describe("closing by the calendar", () => {
  const day = 86_400;
  const closed = (now: string, lag: number, already: number | null = null): string | null => {
    const block = closedThrough(months, { now: at(now), lag, already });
    return block === null ? null : blockName(months, block);
  };

  test("a block closes when its last local day and the lag are over", () => {
    expect(closed("2024-01-31T22:59:59Z", 0)).toBeNull();
    expect(closed("2024-01-31T23:00:00Z", 0)).toBe("2024-01");
    expect(closed("2024-02-02T22:59:59Z", 2 * day)).toBeNull();
    expect(closed("2024-02-02T23:00:00Z", 2 * day)).toBe("2024-01");
    expect(closed("2024-03-31T22:00:00Z", 0)).toBe("2024-03");
    expect(closed("9000-01-01T00:00:00Z", 0)).toBe("2025-12");
  });

  test.each([
    ["America/St_Johns", "month", "2009-10", "2009-11", "2009-11-01"], // set back at 00:01
    ["America/Sao_Paulo", "day", "2018-02-17", "2018-02-19", "2018-02-18"], // set back at 00:00
    ["America/Sao_Paulo", "day", "2017-10-14", "2017-10-16", "2017-10-15"], // no midnight: set forward at 00:00
    ["Europe/Berlin", "day", "2024-10-26", "2024-10-28", "2024-10-27"], // set back at 03:00
    ["Pacific/Apia", "day", "2011-12-29", "2011-12-31", "2011-12-31"], // no 30 December
  ])("in %s no row falls into a block of the calendar %s after it is over", (zone, unit, first, last, edge) => {
    const calendar = calendarBlocks({ unit, zone, first, last });
    for (let now = at(`${edge}T00:00:00Z`) - 2 * day; now < at(`${edge}T00:00:00Z`) + 2 * day; now += 60) {
      const block = blockOfInstant(calendar, now);
      const over = closedThrough(calendar, { now, lag: 0, already: null });
      if (block !== null && over !== null) expect(over).toBeLessThan(block);
    }
    const [, end] = blockEnds(calendar);
    expect(closedThrough(calendar, { now: at(`${edge}T00:00:00Z`) + 40 * day, lag: 0, already: null })).toBe(end);
  });

  test("October was over when clocks that were set back passed midnight again", () => {
    const calendar = calendarBlocks({ unit: "month", zone: "America/St_Johns", first: "2009-10", last: "2009-11" });
    const over = (now: string) => closedThrough(calendar, { now: at(now), lag: 0, already: null });
    expect(over("2009-11-01T03:29:59Z")).toBeNull();
    expect(over("2009-11-01T03:30:00Z")).toBe(calendar.first);
  });

  test("a clock that is set back opens nothing again", () => {
    const june = blockNamed(months, "2024-06", "block");
    expect(closed("2024-02-01T12:00:00Z", 0, june)).toBe("2024-06");
    expect(closed("2024-08-01T12:00:00Z", 0, june)).toBe("2024-07");
  });

  test("a lag is a whole number of seconds", () => {
    for (const lag of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => closed("2024-02-01T12:00:00Z", lag)).toThrow("lag is");
  });
});
