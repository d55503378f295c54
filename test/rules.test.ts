import { readFileSync } from "node:fs";
import { activeRuleRow, ruleNames, ruleRow } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { counts, rules } from "../packages/verify/src/rules.ts";

const guide = readFileSync(new URL("../docs/guide.md", import.meta.url), "utf8");

/** What cannot be computed from the row of a rule: `verify` has a reading of its own, and the guide is prose. */
describe.each(ruleNames)("%s", (rule) => {
  const { opens, switchesTo } = ruleRow(rule);

  test("is read by verify as it is charged", () => {
    expect(rules[rule]).toMatchObject({ opens, switchesTo });
    expect(counts(opens)).toBe(activeRuleRow(opens).counts);
  });

  test("has a row in the guide", () => expect(guide).toMatch(new RegExp(`^\\| \`${rule}\`.* \\| .+ \\| .+ \\|$`, "m")));
});
