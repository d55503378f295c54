import { expect, test } from "vitest";
import { within } from "./within.kit.ts";

test("a step that never ends is an error with its name; one that ends gives its result", async () => {
  await expect(within("the answer", new Promise(() => {}), 20)).rejects.toThrow("the answer took longer than 20 ms");
  expect(await within("the answer", Promise.resolve(42), 20)).toBe(42);
  await expect(within("the answer", Promise.reject(new Error("no")), 20)).rejects.toThrow("no");
});
