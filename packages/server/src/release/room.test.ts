import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { fits, hasPlace, type Room, roomOf } from "./room.ts";
import { openTimetable } from "./timetable.ts";

const deps = {
  timetable: openTimetable({ info: () => undefined, error: () => undefined }),
  mostFoundBytes: () => 400_000_000,
};
const count = { statistic: "count", epsilon: "1" } as const;
const room = (mostRows: number, statistic: object = count, more: object = {}): Room => {
  const columns = { ...declaration.columns, word: { type: "text" } };
  const table = checkDeclaration({ ...declaration, columns, mostRows, ...more });
  return roomOf(boundPlan({ statistics: [statistic as typeof count] }, table), deps);
};
const running = (...rooms: readonly Room[]) => rooms.map((one) => ({ room: one }));
const [tiny, some, long] = [room(6), room(2_000_000), room(2 ** 40)];

test("[M363] tiny releases run together as far as their public costs fit, ten at least, and leave half of the time", () => {
  const all: Room[] = [];
  while (fits(tiny, running(...all))) all.push(tiny);
  expect(all.length).toBeGreaterThanOrEqual(10);
  expect(all.length * tiny.share).toBeLessThanOrEqual(0.5);
});

test("two that take longer run at once, one of them very long at most, and a brief one next to them", () => {
  expect([tiny, some, long].map(({ isBrief, isLong }) => [isBrief, isLong])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(hasPlace(some, running(some)) && fits(some, running(some))).toBe(true);
  expect(hasPlace(some, running(some, some))).toBe(false);
  expect(hasPlace(some, running(long)) && fits(some, running(long))).toBe(true);
  expect(hasPlace(long, running(long))).toBe(false);
  expect(hasPlace(tiny, running(long, some)) && fits(tiny, running(long, some))).toBe(true);
});

test("what draws nothing takes no room, and a connection none of the files'", () => {
  expect(roomOf(null, deps).share).toBe(0);
  const live = { source: { postgres: { connection: "c", table: "t" } } };
  const connected = room(6, count, live);
  expect([connected.process, hasPlace(connected, running(some, some))]).toEqual(["connected", true]);
  expect([1, 2, 3].map((times) => fits(connected, running(...Array(times).fill(connected))))).toEqual([
    true,
    true,
    false,
  ]);
});

test("[M210] those that look for values fit into the memory for them, half as much again together", () => {
  const found = room(400_000, { statistic: "keyCounts", column: "word", epsilon: "1", delta: "1e-6" });
  expect(found.share).toBeGreaterThan(0.5);
  expect(hasPlace(found, running(found))).toBe(false);
});

test("whatever runs, those that fit take no more than all of a process, and what has nothing next to it can begin", () => {
  const rooms = [tiny, some, long, room(1_000_000), room(3_000_000), room(400_000, { ...count, groupBy: ["sex"] })];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...rooms), { maxLength: 40 }), (asked) => {
      const begun: Room[] = [];
      for (const one of asked) if (hasPlace(one, running(...begun)) && fits(one, running(...begun))) begun.push(one);
      expect(begun.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-6);
      expect(begun.filter(({ isLong }) => isLong).length).toBeLessThanOrEqual(1);
      for (const one of rooms) expect(hasPlace(one, []) && fits(one, [])).toBe(true);
    }),
  );
});
