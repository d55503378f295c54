import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

test("a caller who asks while it runs shares its answer; later it runs again, and after a failure too", async () => {
  let runs = 0;
  const work = oneAtATime(async () => {
    runs += 1;
    await Promise.resolve();
    if (runs === 2) throw new Error("no");
    return runs;
  });
  expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1]);
  await expect(Promise.all([work(), work()])).rejects.toThrow("no");
  expect(await work()).toBe(3);
});
