import type { Balance } from "@dosimeter/client";
import { type BudgetBarSpec, budgetBar } from "@dosimeter/plot";
import { expect, test } from "vitest";
import { balanceBar, planBar } from "./charts.ts";
import { lessOf, sumOf } from "./sums.ts";

const gauge = (cap: string, spent: string | null) => ({ cap, spent, left: spent === null ? null : lessOf(cap, spent) });
const balance: Balance = {
  activeRule: "addition",
  epsilon: gauge("2", "0.3"),
  delta: gauge("0.0000001", "0"),
  mu2: gauge("0.151", "0.01"),
  used: 0.15,
  usedDelta: 0,
};

const drawn = (spec: BudgetBarSpec) => budgetBar(spec, { width: 400 });

test("amounts add and subtract exactly where doubles do not", () => {
  expect(sumOf(["0.1", "0.2"])).toBe("0.3");
  expect(lessOf("1", "0.333333333333")).toBe("0.666666666667");
  expect(lessOf("0.1", "0.3")).toBe("0");
  expect(sumOf([])).toBe("0");
});

test("spent, promised and free add up to the quota to the last digit", () => {
  const { table, summary } = drawn(balanceBar("Budget", balance, "0.7"));
  expect(table.rows).toEqual([
    ["Spent", "0.3"],
    ["Promised", "1"],
    ["Free", "0.7"],
    ["Total", "2"],
  ]);
  expect(summary).toBe("Of ε 2: spent ε 0.3, promised ε 1, free ε 0.7.");
});

test("under the tight rule the gauge is the remaining μ²; what has no price counts as used up", () => {
  const tight = drawn(balanceBar("Budget", { ...balance, activeRule: "tight" }, "0.7"));
  expect(tight.table.rows).toEqual([
    ["Spent", "0.01"],
    ["Free", "0.141"],
    ["Total", "0.151"],
  ]);
  const unpriced = drawn(balanceBar("Budget", { ...balance, epsilon: gauge("2", null) }, "0"));
  expect(unpriced.table.rows[0]).toEqual(["Spent", "2"]);
});

test("a plan beyond the budget says by how much", () => {
  expect(drawn(planBar(balance, "2")).summary).toMatch(/This is ε 0.3 more than there is\.$/);
  expect(drawn(planBar(balance, "1.7")).summary).not.toMatch(/more than/);
});
