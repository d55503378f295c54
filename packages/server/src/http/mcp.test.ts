import { expect, test } from "vitest";
import { once } from "./mcp.ts";

test("what is done once is kept when it worked, and done again when it failed", async () => {
  let tries = 0;
  const opened = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error("the disk is full");
    return tries;
  });
  await expect(opened()).rejects.toThrow("full");
  expect(await Promise.all([opened(), opened()])).toEqual([2, 2]);
  expect(await opened()).toBe(2);
});
