import { expect, test } from "vitest";
import { mayFollow } from "./rules.ts";

test.each([
  ["addition", "addition", "addition", true],
  ["addition", "addition", "tight", false],
  ["addition", "addition", null, false],
  ["tight", "tight", null, false],
  ["tight", "tight", "addition", false],
  ["additionThenTight", "addition", "tight", true],
  ["additionThenTight", "tight", "addition", false],
  ["additionThenTight", "addition", null, false],
  ["unknown", "addition", null, false],
  ["unknown", "addition", "tight", false],
] as const)("a ledger under %s: after %s may come %s: %s", (rule, before, after, may) => {
  expect(mayFollow(rule, before, after)).toBe(may);
});
