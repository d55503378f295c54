import { expect, test } from "vitest";
import { checkDeclaration } from "./check-declaration.ts";

const categoriesOf = (column: object) =>
  checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: { c: { type: "category", ...column } },
  }).columns.c?.categories;
const label = "where it is itself a value, give it a label in valueLabels";

test.each([
  [["1-16"], `columns.c.categories[0] is "1-16", must be each number from 1 to 16 by itself; ${label}`],
  [["1", "2 … 16"], `columns.c.categories[1] is "2 … 16", must be each number from 2 to 16 by itself; ${label}`],
  [["'m'", "f"], `columns.c.categories[0] is "'m'", must be m without quotes; ${label}`],
  [["f", "“m”"], `columns.c.categories[1] is "“m”", must be m without quotes; ${label}`],
  [["f; m"], `columns.c.categories[0] is "f; m", must be an item of the list for each value; ${label}`],
  [["M ", "f"], `columns.c.categories[0] is "M ", must be "M": spaces around a value of the table do not count`],
  [["m", "m"], `columns.c.categories[1] is "m", must be different from the categories before it`],
  [[" "], `columns.c.categories[0] is " ", must be a text that is not empty: an empty field is a missing value`],
])("categories that no one means are refused, with the way out: %j", (categories, message) => {
  expect(() => categoriesOf({ categories })).toThrow(message);
});

test("they are values where a label says so, and bands are values", () => {
  for (const value of ["1-16", "'m'", "f; m"])
    expect(categoriesOf({ categories: [value], valueLabels: { [value]: "as it is" } })).toEqual([value]);
  const bands = ["0-17", "18-64", "65+"];
  expect(categoriesOf({ categories: bands })).toEqual(bands);
  expect(categoriesOf({ categories: ["0-64", "65 and more"] })).toEqual(["0-64", "65 and more"]);
  expect(categoriesOf({ categories: ["M", "m", "'", "a-b", "16-1"] })).toEqual(["M", "m", "'", "a-b", "16-1"]);
});

test("bounds with a decimal comma and units in quotes are refused", () => {
  const number = { type: "number", categories: undefined, lower: 0, upper: 1 };
  expect(() => categoriesOf({ ...number, lower: "0,1" })).toThrow('columns.c.lower is "0,1", must be a finite number');
  expect(() => categoriesOf({ ...number, unit: "'mm'" })).toThrow(
    "columns.c.unit is \"'mm'\", must be mm without quotes",
  );
});

test.each<[object, string]>([
  [{ d: ["x"] }, 'columns.c.spellings is "d", must be a declared category'],
  [{ m: ["f"] }, 'columns.c.spellings.m[0] is "f", must be no category, no mark of a missing value, and written once'],
  [{ m: ["NA"] }, 'columns.c.spellings.m[0] is "NA", must be no category'],
  [{ m: ["x"], f: ["x"] }, 'columns.c.spellings.f[0] is "x", must be no category'],
  [{ m: [" M"] }, 'columns.c.spellings.m[0] is " M", must be "M"'],
  [{ m: Array.from({ length: 201 }, (_, at) => `m${at}`) }, "must be at most 200 values"],
])("what counts as a category is one other value of the table: %j", (spellings, message) => {
  const column = { categories: ["m", "f"], missing: ["NA"] };
  expect(() => categoriesOf({ ...column, spellings })).toThrow(message);
  expect(categoriesOf({ ...column, spellings: { m: ["M", "male"], f: [] } })).toEqual(["m", "f"]);
});

test("who is protected is spelled in one way, and numbers are what they are", () => {
  expect(() => categoriesOf({ categories: [0, 1], spellings: { 0: ["no"] } })).toThrow("a declared category, of texts");
  const columns = { c: { type: "category", categories: ["m"], spellings: { m: ["M"] } } };
  const of = { name: "t", source: { csv: "t.csv" }, privacyUnit: { column: "c" }, contribution: { rows: 1 }, columns };
  expect(() => checkDeclaration(of)).toThrow("absent, as it names the privacy unit");
});
