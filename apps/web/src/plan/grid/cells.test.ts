import { expect, test } from "vitest";
import { nextHold, plain } from "./cells.ts";

test.each([
  [0.29955, "0.3"],
  [0.29812, "0.299"],
  [0.5, "0.5"],
  [0.49999999, "0.5"],
  [2995.7322, "3000"],
  [1234567, "1240000"],
  [0, "0"],
])("an error of %d is shown as %s, never less", (value, text) => {
  expect(plain(value)).toBe(text);
  expect(Number(plain(value))).toBeGreaterThanOrEqual(value);
});

test("space cycles free, share held, error held; a soft pin becomes a hold", () => {
  expect(nextHold("free")).toBe("share");
  expect(nextHold("share")).toBe("error");
  expect(nextHold("error")).toBe("free");
  expect(nextHold("soft")).toBe("share");
});
