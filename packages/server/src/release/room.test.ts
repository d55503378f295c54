import type { Charge } from "@dosimeter/ledger";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { nextOf, type Room, roomOf } from "./room.ts";
import { openTimetable } from "./timetable.ts";
import { openTurns } from "./turns.ts";

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
/** Whether it begins now, if it is the only one that waits. */
const begins = (one: Room, ...all: readonly Room[]): boolean =>
  nextOf((may) => [{ room: one }].find(may), running(...all)) !== undefined;
const brief = (share: number, process: Room["process"] = "files"): Room => ({
  ...{ process, share, isBrief: true, isLong: false },
});
const longer = (share: number, process: Room["process"] = "files"): Room => ({
  ...brief(share, process),
  isBrief: false,
});
const [tiny, some, long] = [room(6), room(2_000_000), room(2 ** 40)];

test("[M363] tiny releases run together as far as their public costs fit, ten at least, and leave half of the time", () => {
  const all: Room[] = [];
  while (begins(tiny, ...all)) all.push(tiny);
  expect(all.length).toBeGreaterThanOrEqual(10);
  expect(all.length * tiny.share).toBeLessThanOrEqual(0.5);
});

test("two that take longer run at once, one of them very long at most, and a brief one next to them", () => {
  expect([tiny, some, long].map(({ isBrief, isLong }) => [isBrief, isLong])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(begins(some, some)).toBe(true);
  expect(begins(some, some, some)).toBe(false);
  expect(begins(some, long)).toBe(true);
  expect(begins(long, long)).toBe(false);
  expect(begins(tiny, long, some)).toBe(true);
});

test("what draws nothing takes no room, and a connection none of the files'", () => {
  expect(roomOf(null, deps).share).toBe(0);
  const live = { source: { postgres: { connection: "c", table: "t" } } };
  const connected = room(6, count, live);
  expect([connected.process, begins(connected, some, some)]).toEqual(["connected", true]);
  expect([1, 2, 3].map((times) => begins(connected, ...Array(times).fill(connected)))).toEqual([true, true, false]);
});

test("[M210] those that look for values fit into the memory for them, half as much again together", () => {
  const found = room(400_000, { statistic: "keyCounts", column: "word", epsilon: "1", delta: "1e-6" });
  expect(found.share).toBeGreaterThan(0.5);
  expect(begins(found, found)).toBe(false);
});

test("what is bounded at once fits into the memory for it, and what fills it still has a place", () => {
  const timetable = openTimetable({ info: () => undefined, error: () => undefined }, null, 2_700_000);
  const held = (mostRows: number): Room => {
    const table = checkDeclaration({ ...declaration, mostRows });
    return roomOf(boundPlan({ statistics: [count] }, table), { ...deps, timetable });
  };
  const [all, half, most] = [held(2_700_000), held(1_300_000), held(100_000_000)];
  expect([begins(all), begins(most)]).toEqual([true, true]);
  expect([begins(all, all), begins(half, all), begins(most, half)]).toEqual([false, false, false]);
  expect([begins(half, half), begins(half, half, half), begins(tiny, all)]).toEqual([true, false, true]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 6, max: 4_000_000 }), { maxLength: 40 }), (sizes) => {
      const inside: Room[] = [];
      let rows = 0;
      for (const size of sizes) {
        const one = held(size);
        if (!begins(one, ...inside)) continue;
        inside.push(one);
        rows += size > 2_700_000 ? size / 2 : size;
      }
      expect(rows).toBeLessThanOrEqual(1.25 * 2_700_000 + 1);
    }),
  );
});

/** People who ask one after the other, and when each began: until no one waits, in ms. All that are brief take 800, others 10 s. */
function simulate(asked: readonly (readonly [by: string, room: Room])[]): ReadonlyMap<string, number> {
  const turns = openTurns<{ charge: Pick<Charge, "principal" | "ledger">; room: Room }>();
  const began = new Map<string, number>();
  let current: { readonly room: Room; readonly end: number }[] = [];
  let now = 0;
  const begin = (): void => {
    for (let job = nextOf(turns.peek, current); job !== undefined; job = nextOf(turns.peek, current)) {
      turns.take(job);
      began.set(job.charge.principal, began.get(job.charge.principal) ?? now);
      current.push({ room: job.room, end: now + (job.room.isBrief ? 800 : 10_000) });
    }
  };
  for (const [by, room] of asked) {
    turns.add({ charge: { principal: by as Charge["principal"], ledger: by as Charge["ledger"] }, room });
    begin();
  }
  while (turns.size() > 0) {
    now = Math.min(...current.map(({ end }) => end));
    current = current.filter(({ end }) => end > now);
    begin();
  }
  return began;
}

test("[M363] while two longer ones run, one who asks much that is brief holds up no one who asks little", () => {
  const eve = Array.from({ length: 20 }, () => ["eve", brief(0.32)] as const);
  const small = ["v1", "v2", "v3"].map((name) => [name, brief(0.1)] as const);
  const began = simulate([["a", longer(0.4)], ["b", longer(0.4)], ...eve, ...small]);
  for (const [name] of small) expect(began.get(name), name).toBeLessThanOrEqual(1000);
});

test("[M363] who asks for all of the memory is not passed by ever new ones that take less", () => {
  const first = [
    ["x", longer(0.4)],
    ["y", brief(0.5)],
    // It begins when the brief one departs, so that the two never depart together.
    ["z", longer(0.4)],
  ] as const;
  const others = (one: Room) => Array.from({ length: 10 }, (_, at) => [`o${at}`, one] as const);
  for (const [big, latest] of [
    [longer(0.8), 10_800],
    [brief(0.7), 10_800],
  ] as const)
    expect(simulate([...first, ["big", big], ...others(longer(0.4))]).get("big")).toBeLessThanOrEqual(latest);
  // It does not make those wait for hours that can run next to a very long one: another very long one alone waits for it.
  const veryLong = { ...longer(0.4), isLong: true };
  const waiting = [longer(0.8), veryLong, longer(0.4)].map((room) => ({ room }));
  expect(nextOf((may) => waiting.find(may), running(veryLong))).toBe(waiting[2]);
  expect(nextOf((may) => waiting.find(may), running(longer(0.4)))).toBeUndefined();
});

test("what was charged with more memory than there is now begins when nothing runs", () => {
  const words = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "1e-6" };
  expect(begins(room(4_000_000, words))).toBe(true);
});

test("[M363] what waits for a connection holds up no one who reads files, nor the other way round", () => {
  for (const [one, other] of [
    ["files", "connected"],
    ["connected", "files"],
  ] as const) {
    const held = Array.from({ length: 6 }, (_, at) => [`h${at}`, brief(1 / 3, one)] as const);
    expect(simulate([...held, ["v", brief(0.1, other)]]).get("v")).toBe(0);
  }
});

test("whatever runs, those that begin take no more than all of a process, and who waits next to brief ones waits for no other", () => {
  const made = [tiny, some, long, room(1_000_000), room(3_000_000), room(400_000, { ...count, groupBy: ["sex"] })];
  const briefs = [0.2, 0.25, 0.32, 0.4, 0.6].map((share) => brief(share));
  const rooms = [...made, ...briefs, brief(1 / 3, "connected"), longer(1 / 3, "connected"), longer(0.6)];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...rooms), { maxLength: 40 }), (asked) => {
      const begun: Room[] = [];
      for (const one of asked) {
        const next = nextOf((may) => [{ room: one }, { room: tiny }].find(may), running(...begun));
        const isHolding = next === undefined && begins(tiny, ...begun);
        if (isHolding) expect(begins(one, ...begun.filter(({ isBrief }) => !isBrief))).toBe(true);
        if (next?.room === one) begun.push(one);
      }
      for (const process of ["files", "connected"])
        expect(begun.reduce((sum, one) => sum + (one.process === process ? one.share : 0), 0)).toBeLessThanOrEqual(
          1 + 1e-6,
        );
      expect(begun.filter(({ isLong }) => isLong).length).toBeLessThanOrEqual(1);
      for (const one of rooms) expect(begins(one)).toBe(true);
    }),
  );
});
