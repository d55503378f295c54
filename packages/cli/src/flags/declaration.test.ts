import { expect, test } from "vitest";
import { applyFlags, parseColumn } from "./declaration.ts";

test.each([
  ["age=integer 0..120", { name: "age", type: "integer", lower: 0, upper: 120 }],
  [
    "income=number -1e4..250000 step 10",
    { name: "income", type: "number", lower: -10_000, upper: 250_000, granularity: 10 },
  ],
  [
    "price=decimal 0..99.95 step 0.05",
    { name: "price", type: "decimal", lower: 0, upper: 99.95, granularity: 0.05, scale: 2 },
  ],
  ["sex=category f|m", { name: "sex", type: "category", categories: ["f", "m"] }],
  ["level=category 1|2|10", { name: "level", type: "category", categories: [1, 2, 10] }],
  ["married=boolean", { name: "married", type: "boolean" }],
  ["age=integer 0..120 required", { name: "age", type: "integer", lower: 0, upper: 120, required: true }],
  ["sex=category f|m required", { name: "sex", type: "category", categories: ["f", "m"], required: true }],
  ["married=boolean required", { name: "married", type: "boolean", required: true }],
  ['state=category open|"not required"', { name: "state", type: "category", categories: ["open", "not required"] }],
  [
    'state=category "not required"|"a|b"|"say ""no""" required',
    { name: "state", type: "category", categories: ["not required", "a|b", 'say "no"'], required: true },
  ],
  ['level=category "1"|2', { name: "level", type: "category", categories: ["1", "2"] }],
  ['size=category 5"|6"', { name: "size", type: "category", categories: ['5"', '6"'] }],
  ["gap=category a||b|", { name: "gap", type: "category", categories: ["a", "", "b", ""] }],
  [
    "age=integer 0..120 missing -9|99|NA required",
    { name: "age", type: "integer", lower: 0, upper: 120, missing: ["-9", "99", "NA"], required: true },
  ],
  [
    "income=number 0..250000 step 10 missing -9.5",
    { name: "income", type: "number", lower: 0, upper: 250_000, granularity: 10, missing: ["-9.5"] },
  ],
  [
    "born=date 1900-01-01..2024-12-31 as DD.MM.YY from 1930 missing 1900-01-01 | unknown",
    {
      ...{ name: "born", type: "date", lower: "1900-01-01", upper: "2024-12-31", pattern: "DD.MM.YY", pivot: 1930 },
      missing: ["1900-01-01", "unknown"],
    },
  ],
  ["note=text missing n/a", { name: "note", type: "text", missing: ["n/a"] }],
  ["married=boolean missing ?", { name: "married", type: "boolean", missing: ["?"] }],
  [
    'state=category "open missing x"|"closed" missing "not required"|"say ""no"""|-',
    {
      name: "state",
      type: "category",
      categories: ["open missing x", "closed"],
      missing: ["not required", 'say "no"', "-"],
    },
  ],
  ['level=category 1|"2" missing 9', { name: "level", type: "category", categories: ["1", "2"], missing: ["9"] }],
  ["state=category found|missing", { name: "state", type: "category", categories: ["found", "missing"] }],
  ["state=category a | missing | b", { name: "state", type: "category", categories: ["a", "missing", "b"] }],
  ["state=category a | missing one", { name: "state", type: "category", categories: ["a", "missing one"] }],
  ["missing=text missing missing|NA", { name: "missing", type: "text", missing: ["missing", "NA"] }],
  ["required=text", { name: "required", type: "text" }],
  ["two words=text", { name: "two words", type: "text" }],
])("%s", (spec, column) => {
  expect(parseColumn(spec)).toEqual(column);
});

test.each([
  ...["age", "age=", "age=integer 18", "age=integer 18..", "=integer"],
  ...["age=integer 0..120 missing", "age=integer 0..120 missing required", "age=integer 0..120 missing |9"],
])("%s is refused", (spec) => {
  expect(() => parseColumn(spec)).toThrow(/--column is .*must be/);
});

test.each([
  ['state=category "open|closed', /each plain or wholly in double quotes/],
  ['state=category "not" required|open', /each plain or wholly in double quotes/],
  ["price=decimal 0..1000", /with the step of the last digit that counts: price=decimal 0..1000 step 0.01/],
  [
    "state=category required",
    /categories before "missing" and "required", or these in double quotes where they are one/,
  ],
  ["state=category missing NA", /categories before "missing"/],
  ["state=category found|goods missing", /double quotes around the category before "missing" where markers follow/],
  ['state=category f|"m" missing required', /markers after "missing"/],
  ['state=category f|"m" missing NA missing -', /markers after "missing"/],
  ['age=integer 0..120 missing "a" b', /categories and markers between \|, each plain or wholly in double quotes/],
])("%s is refused with the way to write it", (spec, words) => {
  expect(() => parseColumn(spec)).toThrow(words);
});

// Each was one category or several before `missing` had a meaning.
test.each([
  ...[
    "complete|data missing here|unknown",
    "given|consent missing from file|refused",
    "f|m missing NA",
    "1|2 missing 9",
  ],
  ...["0|1 missing value|2 missing values", "not missing yet|seen missing NA", '5"|6" missing -', '"f"|m missing "NA"'],
])("category %s may mean a category or a marker, and is refused with both ways to write it", (list) => {
  expect(() => parseColumn(`state=category ${list}`)).toThrow(/must be .* f\|"m" missing NA, or f\|"m missing NA"$/);
});

test.each([
  ["people by year of seen in UTC", { protects: "person", every: "year", column: "seen", zone: "UTC" }],
  ["month of seen in Europe/Berlin", { every: "month", column: "seen", zone: "Europe/Berlin" }],
  ["week of day of visit", { every: "week", column: "day of visit" }],
])("--blocks %s", (blocks, want) => {
  expect(applyFlags({}, { blocks })).toEqual({ blocks: want });
});

test("--blocks without a column is refused with the way to write it", () => {
  expect(() => applyFlags({}, { blocks: "monthly" })).toThrow('--blocks is "monthly", must be "month of seen in');
});

test("flags override a file's declaration, and columns are added to its columns", () => {
  const file = { name: "a", privacyUnit: "row", columns: { age: { type: "text" } } };
  expect(applyFlags(file, { name: "b", unit: "person", rows: "3", column: ["sex=text"], publicSize: "7" })).toEqual({
    name: "b",
    privacyUnit: { column: "person" },
    contribution: { rows: 3 },
    size: { public: 7 },
    columns: [
      { name: "age", type: "text" },
      { name: "sex", type: "text" },
    ],
  });
});

test("a number that is none is named", () => {
  expect(() => applyFlags({}, { rows: "many" })).toThrow('--rows is "many", must be a whole number');
});
