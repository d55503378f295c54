import { expect, test } from "vitest";
import { betweenSlices, inSlices } from "./slices.ts";

test("long work lets timers through and gives its result", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  function* work(): Generator<void, string> {
    const deadline = performance.now() + 10_000;
    while (turns <= 3 && performance.now() < deadline) yield;
    return "done";
  }
  expect(await inSlices(work())).toBe("done");
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

test("an error of the work is the error of the promise", async () => {
  function* work(): Generator<void, never> {
    yield;
    throw new RangeError("no");
  }
  await expect(inSlices(work())).rejects.toThrow("no");
});

test("steps that wait between slices let through what became due during a slice", async () => {
  const othersFirst = betweenSlices();
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  for (const until = performance.now() + 11; performance.now() < until; );
  await othersFirst();
  expect(isServed).toBe(true);
});
