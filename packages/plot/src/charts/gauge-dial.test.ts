import { expect, test } from "vitest";
import { gaugeDial, moreText } from "./gauge-dial.ts";

test("what programs outside declared has a texture of its own, and is said apart from what was measured", () => {
  const spec = { title: "All", unit: "ε", total: "4", spent: "3", declared: "1", promised: "0", free: "1" };
  const { summary, table } = gaugeDial(spec, { width: 176 });
  expect(summary).toBe("Of ε 4: spent ε 3, ε 1 of it declared outside, free ε 1.");
  expect(table.rows).toContainEqual(["Declared outside", "1"]);
  expect(gaugeDial({ ...spec, declared: "0" }, { width: 176 }).summary).toBe("Of ε 4: spent ε 3, free ε 1.");
});

test("how many more fit, and that δ is what limits where it alone does", () => {
  expect(moreText({ count: 3, isAtLeast: false })).toBe("About 3 more like your last");
  expect(moreText({ count: 1, isAtLeast: false, isDelta: true })).toBe("About 1 more like your last: δ is the limit");
  expect(moreText({ count: 0, isAtLeast: false, isDelta: true })).toBe(
    "Too little for another like your last: δ is the limit",
  );
});
