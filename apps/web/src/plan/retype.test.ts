import { expect, test } from "vitest";
import { census, fiveStatistics } from "../explore/plan/Plan.tsx";
import { announcement } from "./announcement.ts";
import { choicesOf } from "./grid/cells.ts";
import { readValues, withType } from "./retype.ts";
import {
  costOf,
  edited,
  faultOf,
  openWorkbench,
  rowsOf,
  type Workbench,
  withNewRow,
  withSettings,
} from "./workbench.ts";

const five = (): Workbench =>
  fiveStatistics.reduce((bench, settings) => withNewRow(bench, settings), openWorkbench(census, "1"));
const column = ({ declaration }: Workbench, name: string) => declaration.columns[name];
const refusal = (change: () => Workbench): string => {
  try {
    change();
  } catch (error) {
    return faultOf(error).message;
  }
  return "taken";
};

test("an integer becomes a category of its values; rows that read numbers wait with all that was typed", () => {
  const before = withSettings(five(), "s1", { lower: "18", upper: "90" });
  const after = withType(before, "age", "category");
  expect(column(after, "age")).toMatchObject({ type: "category", required: true, provenance: "public" });
  expect(column(after, "age")?.categories).toHaveLength(101);
  const [mean, income, quantiles] = rowsOf(after);
  expect(mean).toMatchObject({ quote: null, settings: { lower: "18", upper: "90" }, fault: { field: "statistic" } });
  expect(mean?.fault?.message).toBe("The statistic needs numbers, and age is one of 0, 1, 2, 3, 4, 5 …");
  expect(quantiles?.quote).toBeNull();
  expect(income?.quote).not.toBeNull();
  expect(Number(costOf(rowsOf(after)))).toBeLessThanOrEqual(1);
  const said = announcement("type of age: category", rowsOf(before), rowsOf(after), after.draft, []);
  expect(said).toContain(
    "Type of age: category. Mean of age capped between 18 and 90 waits: The statistic needs numbers",
  );
});

test("the type that was declared brings back its bounds and every row as it was", () => {
  const before = withSettings(five(), "s1", { lower: "18", upper: "90" });
  const after = withType(withType(before, "age", "boolean"), "age", "integer");
  expect(after.declaration).toEqual(before.declaration);
  expect(rowsOf(after).map(({ epsilon, quote }) => [epsilon, quote?.sentence])).toEqual(
    rowsOf(before).map(({ epsilon, quote }) => [epsilon, quote?.sentence]),
  );
});

test.each([
  ["educ", "number", { type: "number", lower: 1, upper: 16 }],
  ["race", "integer", { type: "integer", lower: 1, upper: 6 }],
  ["sex", "integer", { type: "integer", lower: 0, upper: 1 }],
  ["sex", "category", { type: "category", categories: ["false", "true"] }],
  ["age", "text", { type: "text" }],
] as const)("%s as %s", (name, type, expected) => {
  const { label: _, required: __, provenance: ___, ...is } = column(withType(five(), name, type), name) ?? { type };
  expect(is).toEqual(expected);
});

test("the statistics offered follow the type", () => {
  const offered = (bench: Workbench): string[] => {
    const [row] = rowsOf(bench);
    if (row === undefined) throw new Error("no row");
    return choicesOf("statistic", row, bench.declaration).flatMap(({ value, reason }) =>
      reason === undefined ? [value] : [],
    );
  };
  expect(offered(five())).toContain("mean");
  expect(offered(withType(five(), "age", "category"))).not.toContain("mean");
  expect(offered(withType(five(), "age", "category"))).toContain("histogram");
  expect(offered(withType(five(), "age", "text"))).not.toContain("histogram");
});

test("values of a category are typed, and a type without known values is refused with the way", () => {
  expect(readValues("1, 2,3")).toEqual([1, 2, 3]);
  expect(readValues("low, high")).toEqual(["low", "high"]);
  const listed = withType(five(), "income", "category", ["low", "high"]);
  expect(column(listed, "income")).toMatchObject({ type: "category", categories: ["low", "high"] });
  expect(refusal(() => withType(five(), "income", "category"))).toBe(
    "The variable is a whole number from 0 to 200,000, must be a list of at most 200 values to become a category: list them under “Another table”.",
  );
  expect(refusal(() => withType(five(), "race", "category", ["a", "a"]))).toMatch(/different from the categories/);
});

test("a derived column that would break refuses the type, and has none to change", () => {
  const derived = edited(five(), { kind: "let", let: { decade: "cut(age, 10)" } });
  expect(refusal(() => withType(derived, "age", "text"))).toMatch(/decade/);
  expect(refusal(() => withType(derived, "decade", "text"))).toMatch(/must be a declared one/);
});
