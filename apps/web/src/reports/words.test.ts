import { expect, test } from "vitest";
import { latestText } from "./words.ts";

test("a report is about the latest periods or, of cohorts, the latest cohorts", () => {
  expect(latestText(12, { every: "month" })).toBe("the latest 12 months");
  expect(latestText(1, { every: "year", protects: "person" })).toBe("the latest 1 cohort");
});
