import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStrangers } from "./strangers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function open() {
  const strangers = openStrangers();
  return (bytesRead: number): Socket => {
    const socket = Object.defineProperty(new Socket(), "bytesRead", { value: bytesRead });
    strangers.enter("192.0.2.1", socket);
    return socket;
  };
}
const several = (count: number, enter: () => Socket) => Array.from({ length: count }, enter);
const ended = (sockets: readonly Socket[]) => sockets.map(({ destroyed }) => destroyed);

test("those that had their time go, and no newcomer in their place", () => {
  const enter = open();
  const late = several(5, () => enter(8));
  vi.advanceTimersByTime(3000);
  const newcomers = several(3, () => enter(0));
  expect(ended(newcomers)).toEqual([false, false, false]);
  expect(ended(late)).toEqual([true, true, false, false, false]);
});

test("many that said something end no newcomer that had no time to; once it had, it goes first", () => {
  const enter = open();
  const many = several(20, () => enter(8));
  const newcomer = enter(0);
  several(5, () => enter(8));
  expect([newcomer.destroyed, ...ended(many).slice(0, 7)]).toEqual([false, true, true, true, true, true, true, false]);
  vi.advanceTimersByTime(201);
  enter(8);
  expect([newcomer.destroyed, many[6]?.destroyed]).toEqual([true, false]);
});

test("many that say nothing end none that did, however fast they come", () => {
  const enter = open();
  const early = enter(8);
  several(100, () => enter(0));
  expect(early.destroyed).toBe(false);
});
