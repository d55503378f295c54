import { expect, test } from "vitest";
import { visible } from "./text.ts";

test("what is not seen is written as an escape; letters of any language stay", () => {
  expect(visible("a\u202eb\u200b\u{e0041} ä 年 😀")).toBe("a\\u202eb\\u200b\\udb40\\udc41 ä 年 😀");
});
