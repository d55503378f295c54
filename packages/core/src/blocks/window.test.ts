import { expect, test } from "vitest";
import { blockNamed, calendarBlocks, cohortBlocks } from "./blocks.ts";
import { blocksIn } from "./run.ts";
import { resolveWindow, type WindowRequest } from "./window.ts";

const months = calendarBlocks({ unit: "month", zone: "UTC", first: "2024-01", last: "2030-12" });
const block = (name: string): number => blockNamed(months, name, "block");
const range = (from: string, to: string) => ({ from: block(from), to: block(to) });
/** March was closed late: everything up to August is open, all but March up to May closed. */
const times = {
  opened: [range("2024-01", "2024-08")],
  closed: [range("2024-01", "2024-02"), range("2024-04", "2024-05")],
};
const resolve = (request: WindowRequest) => resolveWindow(months, request, times);

test("a window is resolved to the blocks that it names", () => {
  expect(resolve({ latest: 1 })).toEqual([range("2024-05", "2024-05")]);
  expect(resolve({ latest: 3 })).toEqual([range("2024-02", "2024-02"), range("2024-04", "2024-05")]);
  expect(blocksIn(resolve({ latest: 4 }))).toBe(4);
  expect(resolve({ from: "2024-03", to: "2024-07" })).toEqual([range("2024-03", "2024-07")]);
  expect(resolve({ blocks: ["2024-06", "2024-01", "2024-02"] })).toEqual([
    range("2024-01", "2024-02"),
    range("2024-06", "2024-06"),
  ]);
  expect(resolve({ all: "closed" })).toEqual(times.closed);
});

test.each<[WindowRequest, string]>([
  [{ latest: 5 }, "window.latest is 5, must be a whole number from 1 to 4, the number of closed blocks"],
  [{ latest: 0 }, "window.latest is 0"],
  [{ latest: 1.5 }, "window.latest is 1.5"],
  [{ from: "2024-07", to: "2024-09" }, 'window is "2024-09", must be blocks that have been opened'],
  [{ from: "2024-07", to: "2024-06" }, "must be at most window.to (2024-06)"],
  [{ from: "2023-12", to: "2024-02" }, "must be from 2024-01 to 2030-12"],
  [{ blocks: [] }, "at least one block"],
  [{ blocks: ["2024-01", "2024-01"] }, 'window is "2024-01", must be every block once'],
  [{ blocks: ["2030-01"] }, 'window is "2030-01"'],
])("%j is refused", (request, message) => {
  expect(() => resolve(request)).toThrow(message);
});

test("nothing is closed yet", () => {
  const none = { opened: [], closed: [] };
  expect(() => resolveWindow(months, { all: "closed" }, none)).toThrow("none is closed yet");
  expect(() => resolveWindow(months, { latest: 1 }, none)).toThrow("none is closed yet");
});

test("cohorts have no order", () => {
  const cohorts = cohortBlocks(["north", "south"]);
  const open = { opened: [{ from: 0, to: 1 }], closed: [{ from: 0, to: 1 }] };
  expect(resolveWindow(cohorts, { blocks: ["south"] }, open)).toEqual([{ from: 1, to: 1 }]);
  expect(() => resolveWindow(cohorts, { latest: 1 }, open)).toThrow("cohorts are named one by one");
  expect(() => resolveWindow(cohorts, { from: "north", to: "south" }, open)).toThrow("cohorts are named one by one");
});
