import { expect, test } from "vitest";
import { covered } from "./words.ts";

test("a report is about the latest periods or, of cohorts, the latest cohorts; a running total about all periods so far", () => {
  expect(covered({ latest: 12, horizon: null, every: "month" })).toBe("the latest 12 months");
  expect(covered({ latest: 1, horizon: null, every: "year", protects: "person" })).toBe("the latest 1 cohort");
  expect(covered({ latest: 1, horizon: 24, every: "month" })).toBe("all months so far, of 24 in all");
});
