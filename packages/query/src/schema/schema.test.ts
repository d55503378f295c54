import { expect, test } from "vitest";
import { readSchema, readSchemaText } from "./schema.ts";
import { parseValues, valuesText } from "./values.ts";

const noYaml = (): never => {
  throw new Error("no YAML here");
};
const read = (text: string) => readSchemaText(text, noYaml).columns;

test.each([
  ["0=female; 1=male", ["0", "1"], { 0: "female", 1: "male" }],
  ["A\n B \n\n", ["A", "B"], {}],
  ["<=50K; >50K", ["<=50K", ">50K"], {}],
  ['"a;b"=both; "c=d"; e', ["a;b", "c=d", "e"], { "a;b": "both" }],
  ["one; two words = label", ["one", "two words = label"], {}],
  ['"1-16"', ["1-16"], {}],
  ["1-16=all; 98", ["1-16", "98"], { "1-16": "all" }],
  ["18-24; 25-34", ["18-24", "25-34"], {}],
])("values as people write them: %s", (text, values, labels) => {
  const read = parseValues(text);
  expect(read.values).toEqual(values);
  expect({ ...read.labels }).toEqual(labels);
  expect(parseValues(valuesText(read))).toEqual(read);
});

test("a range among numbers is each of them, and single quotes are no part of a value", () => {
  expect(parseValues("1-4; 98")).toMatchObject({ values: ["1", "2", "3", "4", "98"], ranges: ["1-4"] });
  expect(parseValues("'m'=male; ‘f’")).toMatchObject({
    values: ["m", "f"],
    labels: { m: "male" },
    bared: ["'m'", "‘f’"],
  });
});

test("a table copied from a spreadsheet, headings in any order", () => {
  const text =
    "Variable\tLabel\tType\tMin\tMax\tUnit\tCodes\nage\tAge\tinteger\t0\t120\tyears\t\nsex\tSex\t\t\t\t\t0=female, 1=male\n";
  expect(read(text)).toEqual([
    { names: ["age"], label: "Age", type: "integer", lower: "0", upper: "120", unit: "years" },
    { names: ["sex"], label: "Sex", type: "category", values: ["0", "1"], labels: { 0: "female", 1: "male" } },
  ]);
});

test("the same in a CSV file, whose cells may hold the separator", () => {
  expect(read('name,description,values\nsex,"Sex, as answered","0=female; 1=male"\n')).toEqual([
    {
      names: ["sex"],
      description: "Sex, as answered",
      type: "category",
      values: ["0", "1"],
      labels: { 0: "female", 1: "male" },
    },
  ]);
});

test.each([
  ["name,values\nsex,0=f, 1=m\n", "the number of cells in the code book, line 2 is 3, must be 2, as in line 1"],
  ['name;label\nage;"Age\n', 'the code book, line 2 is "an open quote"'],
  ["name\tlabel\tLabel\nage\tAge\tYears\n", 'the heading of the code book is "label"'],
])("a code book that could be read in two ways is refused: %j", (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("a cell of a code book may hold a line end, and a row may lack its last cells", () => {
  expect(read('name;type;values\nsex;;"0=f\n1=m"\nage;integer\n')).toEqual([
    { names: ["sex"], type: "category", values: ["0", "1"], labels: { 0: "f", 1: "m" } },
    { names: ["age"], type: "integer" },
  ]);
});

test("a line for each column, codes on its line or on lines of their own", () => {
  const text = `age  Age at last birthday  0-120 years
sex  Sex  0=female; 1=male
educ\tSchooling
  1 = none
  2 = primary
income: Income a year
region  A | B | C
ratio  0.5 to 1.5`;
  expect(read(text)).toEqual([
    { names: ["age"], label: "Age at last birthday", type: "integer", lower: "0", upper: "120", unit: "years" },
    { names: ["sex"], label: "Sex", type: "category", values: ["0", "1"], labels: { 0: "female", 1: "male" } },
    {
      names: ["educ"],
      label: "Schooling",
      type: "category",
      values: ["1", "2"],
      labels: { 1: "none", 2: "primary" },
    },
    { names: ["income"], label: "Income a year" },
    { names: ["region"], type: "category", values: ["A", "B", "C"] },
    { names: ["ratio"], type: "number", lower: "0.5", upper: "1.5" },
  ]);
});

test("a line whose parts stand apart by one blank, as the page shows it; a name alone may have blanks", () => {
  const text = `age Age 0-120 years
sex Sex 0=female; 1=male
educ Highest schooling 8=grade 12, no diploma; 9=high school
puma 1101; 1102
fips County of residence`;
  expect(read(text)).toEqual([
    { names: ["age"], label: "Age", type: "integer", lower: "0", upper: "120", unit: "years" },
    { names: ["sex"], label: "Sex", type: "category", values: ["0", "1"], labels: { 0: "female", 1: "male" } },
    {
      names: ["educ"],
      label: "Highest schooling",
      type: "category",
      values: ["8", "9"],
      labels: { 8: "grade 12, no diploma", 9: "high school" },
    },
    { names: ["puma"], type: "category", values: ["1101", "1102"] },
    { names: ["fips County of residence"] },
  ]);
});

test("a Table Schema", () => {
  const schema = {
    fields: [
      { name: "age", type: "integer", title: "Age", constraints: { minimum: 0, maximum: 120, required: true } },
      {
        name: "sex",
        type: "integer",
        categories: [
          { value: 0, label: "female" },
          { value: 1, label: "male" },
        ],
      },
      { name: "ward", type: "string", constraints: { enum: ["A", "B"] } },
      { name: "when", type: "date", missingValues: ["", "1900-01-01", { value: "n/a", label: "none" }] },
    ],
  };
  const columns = [
    { names: ["age", "Age"], type: "integer", lower: "0", upper: "120", required: true, label: "Age" },
    { names: ["sex"], type: "category", values: ["0", "1"], labels: { 0: "female", 1: "male" } },
    { names: ["ward"], type: "category", values: ["A", "B"] },
    { names: ["when"], type: "date", missing: "1900-01-01; n/a" },
  ];
  expect(read(JSON.stringify(schema))).toEqual(columns);
  expect(readSchema({ resources: [{ schema }] })?.columns).toEqual(columns);
});

test("markers of a Table Schema are those of each field that has none of its own", () => {
  const fields = [
    { name: "age", type: "integer" },
    { name: "ward", missingValues: ["-"] },
    { name: "note", missingValues: [] },
  ];
  const markersOf = (missingValues: unknown) =>
    readSchema({ schema: { missingValues, fields } })?.columns.map(({ missing }) => missing);
  expect(markersOf(["", "NA", "-9"])).toEqual(["NA; -9", "-", undefined]);
  expect(markersOf([{ value: "-99", label: "refused" }, { value: "a; b" }])).toEqual(['-99; "a; b"', "-", undefined]);
  for (const none of [undefined, [""], null, true, [{}], {}])
    expect(markersOf(none)).toEqual([undefined, "-", undefined]);
});

test("CSVW, matched by titles or names", () => {
  const tableSchema = {
    columns: [
      { name: "age", titles: { en: ["Age", "age_years"] }, datatype: { base: "integer", minimum: 0, maximum: "120" } },
      {
        name: "cost",
        titles: "Cost",
        datatype: "decimal",
        null: "-9",
        required: true,
        "dc:description": { "@value": "In all" },
      },
      { name: "link", virtual: true },
    ],
  };
  expect(read(JSON.stringify({ "@context": "http://www.w3.org/ns/csvw", tableSchema }))).toEqual([
    { names: ["Age", "age_years", "age"], type: "integer", lower: "0", upper: "120", label: "Age" },
    { names: ["Cost", "cost"], type: "number", required: true, missing: "-9", label: "Cost", description: "In all" },
  ]);
});

test("a decimal of our own declaration is said by its step", () => {
  const columns = {
    fee: { type: "decimal", scale: 2, lower: 0, upper: 9.95 },
    fare: { type: "decimal", scale: 2, granularity: 0.05 },
  };
  expect(readSchema({ columns })?.columns).toEqual([
    { names: ["fee"], type: "decimal", lower: "0", upper: "9.95", granularity: "0.01" },
    { names: ["fare"], type: "decimal", granularity: "0.05" },
  ]);
});

test("our own declaration, with what it says of more than the columns", () => {
  const words = readSchema({
    unitNoun: { one: "patient", many: "patients" },
    columns: { sex: { type: "category", categories: [0, 1], valueLabels: { 0: "female" }, provenance: "public" } },
  });
  expect(words).toEqual({
    kind: "declaration",
    about: { unitNoun: { one: "patient", many: "patients" } },
    columns: [{ names: ["sex"], type: "category", values: ["0", "1"], labels: { 0: "female" }, provenance: "public" }],
  });
});

test("a JSON Schema of a row, or of a list of rows", () => {
  const row = {
    type: "object",
    required: ["age", "sex", "note"],
    properties: {
      age: { type: "integer", minimum: 0, maximum: 120, title: "Age", description: "In whole years" },
      sex: { enum: ["f", "m"] },
      born: { type: ["string", "null"], format: "date" },
      note: { type: ["string", "null"] },
    },
  };
  const columns = [
    {
      names: ["age", "Age"],
      type: "integer",
      lower: "0",
      upper: "120",
      required: true,
      label: "Age",
      description: "In whole years",
    },
    { names: ["sex"], type: "category", values: ["f", "m"], required: true },
    { names: ["born"], type: "date" },
    { names: ["note"], type: "text" },
  ];
  expect(readSchema(row)).toEqual({ kind: "JSON Schema", columns, about: {} });
  expect(readSchema({ type: "array", items: row })?.columns).toEqual(columns);
});

test("what says nothing of a column is refused", () => {
  expect(() => read('{"a": 1')).toThrow("is not JSON");
  expect(() => read('{"a": 1}')).toThrow("says nothing of a column");
  expect(() => read("   ")).toThrow("says nothing of a column");
  expect(() => readSchemaText("columns:\n  a: {type: text}\n", () => ({ columns: {} }))).toThrow("nothing of a column");
});
