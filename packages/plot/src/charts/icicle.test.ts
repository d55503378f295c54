import { expect, test } from "vitest";
import { toCsv, toSvg, toTable } from "../index.ts";
import { budgetBar } from "./budget-bar.ts";
import { type IcicleNode, icicleCells, icicleChart } from "./icicle.ts";

const leaf = (id: string, total: string, spent = "0"): IcicleNode => ({
  id,
  label: id,
  total,
  spent,
  allocated: "0",
  free: "0",
  children: [],
});
const root: IcicleNode = {
  id: "ledger",
  label: "Lifetime",
  total: "5",
  spent: "0.6",
  allocated: "4",
  free: "0.4",
  children: [
    { ...leaf("A", "2", "0.6"), allocated: "1.5", children: [leaf("Ana", "1", "0.6"), leaf("Ben <b>", "0.5")] },
    { ...leaf("B", "2"), mark: "frozen" },
  ],
};
const spec = { title: "Accounts", unit: "ε", root };
const size = { width: 800 };

test("a cell is as wide as its share of what funds it, inside it and next to its siblings", () => {
  const cells = new Map(icicleCells(spec, size).map((cell) => [cell.id, cell]));
  const of = (id: string) => cells.get(id) ?? { x: Number.NaN, width: Number.NaN, y: Number.NaN };
  expect(of("A").width / of("ledger").width).toBeCloseTo(0.4, 9);
  expect(of("Ana").width / of("A").width).toBeCloseTo(0.5, 9);
  expect(of("B").x).toBeCloseTo(of("A").x + of("A").width, 9);
  expect(of("Ana").y).toBeGreaterThan(of("A").y);
});

test("more promised than there is still fits inside its parent", () => {
  const cells = icicleCells({ ...spec, root: { ...root, children: [leaf("A", "4"), leaf("B", "6")] } }, size);
  const [top, a, b] = cells;
  expect((a?.width ?? 0) + (b?.width ?? 0)).toBeCloseTo(top?.width ?? 0, 9);
  expect((b?.width ?? 0) / (a?.width ?? 1)).toBeCloseTo(1.5, 9);
});

test("the picture has its table and its sentence, and words are text", () => {
  const chart = icicleChart(spec, size);
  expect(chart.summary).toBe("Lifetime: ε 5, of which 0.6 is spent, 4 is promised to 4 budgets and 0.4 is free.");
  expect(toTable(chart)).toContain("B (frozen)");
  expect(toSvg(chart.scene)).not.toMatch(/NaN|Infinity|<b>/);
  const tiny = { ...spec, root: { ...leaf("zero", "0"), children: [leaf("none", "0")] } };
  expect(toSvg(icicleChart(tiny, { width: 240, heading: true }).scene)).not.toMatch(/NaN|Infinity/);
});

test("amounts in tables have three digits, none shown as less spent or more free; files have all", () => {
  const exact = { ...root, total: "5.123456789012", spent: "0.611111111112", free: "0.399999999999", children: [] };
  const tree = icicleChart({ ...spec, root: exact }, size);
  expect(toTable(tree)).toMatch(/Lifetime +5\.12 +0\.612 +4 +0\.399$/m);
  expect(toCsv(tree)).toContain("Lifetime,5.123456789012,0.611111111112,4,0.399999999999");
  const segments = [
    { label: "Spent", amount: "0.123456789012", kind: "spent" },
    { label: "Free", amount: "0.876543210988", kind: "free" },
  ] as const;
  const bar = budgetBar({ title: "Budget", unit: "ε", total: "1", segments }, size);
  expect(toTable(bar)).toMatch(/Spent +0\.124\nFree +0\.876\nTotal +1$/);
  expect(toCsv(bar)).toContain("Spent,0.123456789012");
});
