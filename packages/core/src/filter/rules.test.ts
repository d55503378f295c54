import { expect, test } from "vitest";
import { type ActiveRule, activeRuleNames, activeRuleRow, nextRule, type Rule, ruleNames, ruleRow } from "./rules.ts";

test("a name that is no rule is an error that says so, as an edited database may hold one", () => {
  for (const name of ["", "both", "toString", "__proto__"]) {
    expect(() => ruleRow(name as Rule)).toThrow(expect.objectContaining({ code: "INVALID_PARAMETER" }));
    expect(() => activeRuleRow(name as ActiveRule)).toThrow(expect.objectContaining({ code: "INVALID_PARAMETER" }));
  }
});

test("every rule opens under a rule in force and switches at most once", () => {
  for (const rule of ruleNames) {
    const { opens, switchesTo } = ruleRow(rule);
    expect(activeRuleNames).toContain(opens);
    expect(nextRule(rule, opens)).toBe(switchesTo);
    if (switchesTo !== null) expect(nextRule(rule, switchesTo)).toBeNull();
  }
});
