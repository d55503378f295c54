import { expect, test } from "vitest";
import { moreText } from "./gauge-dial.ts";

test("how many more fit, and that δ is what limits where it alone does", () => {
  expect(moreText({ count: 3, isAtLeast: false })).toBe("About 3 more like your last");
  expect(moreText({ count: 1, isAtLeast: false, isDelta: true })).toBe("About 1 more like your last: δ is the limit");
  expect(moreText({ count: 0, isAtLeast: false, isDelta: true })).toBe("Not one more like your last: δ is the limit");
});
