import { readFileSync } from "node:fs";
import type { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { refusalOf } from "../../../../test/refusal.kit.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { declarationJson } from "./dates.ts";
import { inNoun, unitNounOf } from "./words.ts";

const good = {
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    race: { type: "category", categories: [1, 2, 3] },
    person: { type: "text" },
    score: { type: "number" },
  },
};

const refusal = (json: unknown): Partial<PrivacyError> => refusalOf(() => checkDeclaration(json)) ?? {};

test("words that are not shown as written are refused", () => {
  const column = { type: "integer", lower: 0, upper: 1 };
  const places = {
    "columns.flag.label": { label: "a\u202eb" },
    "columns.flag.unit": { unit: "\u0007" },
    "columns.flag.description": { description: "two\nlines" },
    "columns.flag.valueLabels.0": { valueLabels: { 0: "\u2066no" } },
  };
  for (const [path, words] of Object.entries(places)) {
    const columns = { ...good.columns, flag: { ...column, ...words } };
    expect(() => checkDeclaration({ ...good, columns }), path).toThrow(path);
  }
  const unitNoun = { one: "pl\u0000ane", many: "planes" };
  expect(() => checkDeclaration({ ...good, unitNoun })).toThrow("unitNoun.one");
  const words = { label: "Größe 👩‍🔬 – ‏שלום", description: "as is" };
  checkDeclaration({ ...good, columns: { ...good.columns, flag: { ...column, ...words } } });
});

const withColumn = (column: unknown) => ({ ...good, columns: { ...good.columns, income: column } });

test("numbers that name people are distinguished: none beyond 2^53, no fractions", () => {
  const named = (categories: readonly number[]) => ({
    ...good,
    privacyUnit: { column: "who" },
    contribution: { rows: 1 },
    columns: { ...good.columns, who: { type: "category", categories } },
  });
  expect(refusal(named([1, 2 ** 53])).message).toContain("columns.who.categories is 9007199254740992");
  expect(refusal(named([1, 0.5])).message).toContain("columns.who.categories is 0.5");
  expect(checkDeclaration(named([1, 2 ** 53 - 1])).privacyUnit).toEqual({ column: "who" });
});

test("dates are periods from 1970 on, and texts again as JSON", () => {
  const born = { type: "date", lower: "1900-01-01", upper: "2024-12-31", missing: ["unknown"], required: true };
  const month = { type: "date", lower: "2020-01-15", upper: "2024-12", granularity: "month" };
  const declaration = checkDeclaration(withColumn({ ...born }));
  expect(declaration.columns.income).toMatchObject({ lower: -25_567, upper: 20_088, calendar: "day" });
  const json = JSON.parse(JSON.stringify(declarationJson(declaration)));
  expect(json.columns.income).toEqual({ ...born, provenance: "asserted" });
  expect(checkDeclaration(json)).toEqual(declaration);
  const coarse = checkDeclaration(withColumn(month));
  expect(coarse.columns.income).toMatchObject({ lower: 600, upper: 659, calendar: "month" });
  expect(checkDeclaration(JSON.parse(JSON.stringify(declarationJson(coarse))))).toEqual(coarse);
  expect(declarationJson(coarse).columns).toMatchObject({
    income: { lower: "2020-01", upper: "2024-12", granularity: "month" },
  });
});

test("defaults are filled in", () => {
  const declaration = checkDeclaration(good);
  expect(declaration).toMatchObject({ adjacency: "addRemove", contribution: { rows: 1 } });
  expect(declaration.columns.age).toEqual({ type: "integer", lower: 0, upper: 100, provenance: "asserted" });
});

test.each([
  [{ type: "number", lower: 5, upper: 1 }, "columns.income.lower is 5, must be < columns.income.upper (1)"],
  [{ type: "number", lower: 5, upper: 5 }, "columns.income.lower is 5, must be < columns.income.upper (5)"],
  [
    { type: "number", lower: Number.NaN, upper: 5 },
    "columns.income.lower is NaN, must be a finite number within ±1e300",
  ],
  [
    { type: "number", lower: 0, upper: Number.POSITIVE_INFINITY },
    "columns.income.upper is Infinity, must be a finite number within ±1e300",
  ],
  [{ type: "number", lower: 0 }, "columns.income.upper is missing, must be a finite number within ±1e300"],
  [{ type: "integer", lower: 0.5, upper: 3 }, "columns.income.lower is 0.5, must be a whole number within ±2^53"],
  [
    { type: "number", lower: 0, upper: 3, granularity: 0 },
    "columns.income.granularity is 0, must be a finite number > 0",
  ],
  [
    { type: "number", low: 3 },
    "columns.income.low is 3, must be absent; known are type, lower, upper, granularity, scale, zone, pattern, pivot, missing, categories, spellings, mostValues, required, within, label, unit, description, valueLabels, provenance, release (did you mean lower?)",
  ],
  [
    { type: "time" },
    'columns.income.type is "time", must be one of integer, number, decimal, date, timestamp, boolean, category, text (did you mean timestamp?)',
  ],
  [{ type: "date", lower: 0, upper: 9 }, "columns.income.lower is 0, must be a date such as '2024-03-15'"],
  [
    { type: "date", lower: "2023-02-29", upper: "2024-01-01" },
    "columns.income.lower is \"2023-02-29\", must be a date such as '2024-03-15'",
  ],
  [
    { type: "date", lower: "2024-03", upper: "2024-05", granularity: "quarter" },
    "columns.income.lower is \"2024-03\", must be a quarter such as '2024-Q1'",
  ],
  [
    { type: "date", lower: "2024-05-01", upper: "2024-01-01" },
    'columns.income.lower is "2024-05-01", must be before columns.income.upper (2024-01-01)',
  ],
  [
    { type: "date", granularity: "decade" },
    'columns.income.granularity is "decade", must be one of day, week, month, quarter, year',
  ],
  [
    { type: "date", pattern: "D.M.YY" },
    "columns.income.pivot is missing, must be given: the first of the hundred years that YY may mean, such as 1930",
  ],
  [
    { type: "date", pattern: "DD.MM.YYYY", pivot: 1930 },
    "columns.income.pivot is 1930, must be absent: the years have four digits",
  ],
  [{ type: "date", pattern: "DMYYYY" }, 'columns.income.pattern is "DMYYYY", must be a separator after D'],
  [{ type: "date", pattern: "YYYYD" }, 'columns.income.pattern is "YYYYD", must be a separator before D'],
  [{ type: "date", pattern: "DD.MM.DD" }, 'columns.income.pattern is "DD.MM.DD", must be one day'],
  [{ type: "date", pattern: "DD.YYYY" }, 'columns.income.pattern is "DD.YYYY", must be a month, as it has a day'],
  [
    { type: "date", pattern: "YYYY(MM)DD" },
    'columns.income.pattern is "YYYY(MM)DD", must be YYYY, YY, MMM, MM, M, DD, D, Q, WW and separators such as . / -',
  ],
  [
    { type: "integer", pattern: "YYYY" },
    'columns.income.pattern is "YYYY", must be 1234.5 as the file writes it, such as 1234,5 or 1.234,5 or 1 234,5 € or $1,234.5',
  ],
  [{ type: "text", pattern: "YYYY" }, 'columns.income.pattern is "YYYY", must be absent: the column is text'],
  [{ type: "category" }, "columns.income.categories is missing, must be a list"],
  [{ type: "category", categories: [] }, "columns.income.categories is [], must be at least one category"],
  [
    { type: "category", categories: ["a", "a"] },
    'columns.income.categories[1] is "a", must be different from the categories before it',
  ],
  [
    { type: "category", categories: ["é", "e\u0301"] },
    'columns.income.categories[1] is "e\u0301", must be different from the categories before it',
  ],
  [{ type: "category", categories: ["a", 1] }, "columns.income.categories[1] is 1, must be all texts or all numbers"],
  [
    { type: "decimal", lower: 0, upper: 9 },
    "columns.income.scale is missing, must be the number of digits behind the point, 0 to 9",
  ],
  [
    { type: "decimal", scale: 10, lower: 0, upper: 9 },
    "columns.income.scale is 10, must be the number of digits behind the point, 0 to 9",
  ],
  [
    { type: "decimal", scale: 2, lower: 0, upper: 9.999 },
    "columns.income.upper is 9.999, must be a number with at most 2 digits behind the point",
  ],
  [
    { type: "decimal", scale: 2, lower: 0, upper: 1e15 },
    "columns.income.upper is 1000000000000000, must be a number of at most 15 digits",
  ],
  [
    { type: "decimal", scale: 2, lower: 0, upper: 9, granularity: 0.125 },
    "columns.income.granularity is 0.125, must be a number with at most 2 digits behind the point",
  ],
  [{ type: "number", scale: 2 }, "columns.income.scale is 2, must be absent: the column is number"],
  [{ type: "text", lower: 1 }, "columns.income.lower is 1, must be absent: the column is text"],
  [{ type: "text", missing: "NA" }, 'columns.income.missing is "NA", must be a list'],
  [{ type: "text", missing: [""] }, 'columns.income.missing[0] is "", must be a text that is not empty'],
  [{ type: "text", missing: [true] }, "columns.income.missing[0] is true, must be a text that is not empty"],
  [{ type: "text", missing: ["x".repeat(41)] }, "columns.income.missing[0] is 41, must be at most 40 characters"],
  [
    { type: "text", missing: Array.from({ length: 21 }, (_, at) => `${at}`) },
    "columns.income.missing is 21, must be at most 20 markers",
  ],
  [
    { type: "text", missing: ["é", "e\u0301"] },
    'columns.income.missing[1] is "é", must be different from the markers before it',
  ],
  [
    { type: "integer", missing: ["-9", "-9.0"] },
    'columns.income.missing[1] is "-9.0", must be different from the markers before it',
  ],
  [{ type: "integer", missing: ["NA", 9.5] }, "columns.income.missing[1] is 9.5, must be a whole number within ±2^53"],
  [
    { type: "number", missing: ["1e305"] },
    "columns.income.missing[0] is 1e+305, must be a finite number within ±1e300",
  ],
  [
    { type: "decimal", scale: 2, lower: 0, upper: 9, missing: ["-9.999"] },
    "columns.income.missing[0] is -9.999, must be a number with at most 2 digits behind the point",
  ],
  [
    { type: "category", categories: ["a", "NA"], missing: ["NA"] },
    'columns.income.missing[0] is "NA", must be none of the categories',
  ],
  [
    { type: "category", categories: [1, 9], missing: ["9.0"] },
    "columns.income.missing[0] is 9, must be none of the categories",
  ],
  [{ type: "number", mostValues: 5 }, "columns.income.mostValues is 5, must be absent: the column is number"],
  [{ type: "integer", mostValues: 1.5 }, "columns.income.mostValues is 1.5, must be a whole number from 1 to 2^40"],
  [{ type: "boolean", missing: ["F"] }, 'columns.income.missing is ["F"], must be absent: the column is boolean'],
])("a bad column is refused with its path: %j", (column, message) => {
  expect(refusal(withColumn(column))).toMatchObject({ code: "INVALID_PARAMETER", message });
});

test.each([
  [{ ...good, columns: {} }, "columns is {}, must be at least one column"],
  [
    {
      ...good,
      columns: [
        { name: "a", type: "text" },
        { name: "A", type: "text" },
      ],
    },
    'columns[1] is "A", must be a name that no other column has, whatever the case',
  ],
  [
    { ...good, privacyUnit: { column: "score" } },
    'columns.score.type is "number", must be integer, text or category, as it names the privacy unit',
  ],
  [{ ...good, privacyUnit: undefined }, 'privacyUnit is missing, must be "row" or {column: name}'],
  [{ ...good, contribution: { rows: 2 } }, "contribution.rows is 2, must be 1: the privacy unit is the row"],
  [
    { ...good, privacyUnit: { column: "person" }, contribution: { groups: 2 } },
    'contribution is {"groups":2}, must be rows, or groups and rowsPerGroup: without them one unit could contribute anything',
  ],
  [
    { ...good, privacyUnit: { column: "person" }, contribution: { rows: 0 } },
    "contribution.rows is 0, must be a whole number from 1 to 1048576",
  ],
  [
    { ...good, size: { public: 10 } },
    'size.public is 10, must be absent unless adjacency is "replace"; use size.assumed',
  ],
  [{ ...good, mostRows: 0 }, "mostRows is 0, must be a whole number from 1 to 2^40"],
  [{ ...good, size: { assumed: 10 }, mostRows: 9 }, "mostRows is 9, must be >= size (10)"],
  [{ ...good, size: { assumed: 1.5 } }, "size.assumed is 1.5, must be a whole number of rows from 1 to 2^40"],
  [
    { ...good, source: { csv: "a", parquet: "b" } },
    'source is {"csv":"a","parquet":"b"}, must be one of {csv: path}, {parquet: path}, {duckdb: path, table}, {postgres: {connection, schema, table}}, {trino: {connection, schema, table, snapshot?}}',
  ],
  [{ ...good, name: "" }, 'name is "", must be a text that is not empty'],
  [[], "declaration is [], must be an object"],
  [{ ...good, adjacency: "swap" }, 'adjacency is "swap", must be one of addRemove, replace'],
])("a bad declaration is refused with its path", (json, message) => {
  expect(refusal(json)).toMatchObject({ code: "INVALID_PARAMETER", message });
});

test("bounds that a release paid for name it, and others name none", () => {
  const declare = (more: object) =>
    checkDeclaration({
      name: "t",
      source: { csv: "t.csv" },
      privacyUnit: "row",
      columns: { x: { type: "number", lower: -8, upper: 16, ...more } },
    });
  expect(declare({ provenance: "dp-estimated", release: "rel_7" }).columns.x).toMatchObject({ release: "rel_7" });
  expect(() => declare({ provenance: "dp-estimated" })).toThrow("columns.x.release is");
  expect(() => declare({ provenance: "public", release: "rel_7" })).toThrow(
    'absent unless provenance is "dp-estimated"',
  );
});

test("an unknown unit column is UNKNOWN_COLUMN", () => {
  expect(refusal({ ...good, privacyUnit: { column: "nobody" }, contribution: { rows: 1 } }).code).toBe(
    "UNKNOWN_COLUMN",
  );
});

test("columns may have any name, also those of Object.prototype", () => {
  const columns = JSON.parse('{"__proto__": {"type": "text"}, "constructor": {"type": "boolean"}}');
  const declaration = checkDeclaration({ ...good, columns });
  expect(Object.keys(declaration.columns)).toEqual(["__proto__", "constructor"]);
});

test("the example of the documentation is accepted as it stands", () => {
  const page = readFileSync(new URL("../../../../docs/declaration.md", import.meta.url), "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const declaration = checkDeclaration(JSON.parse(example));
  expect(Object.keys(declaration.columns)).toEqual(["person", "age", "cost", "seen", "arrived", "ward", "emergency"]);
});

const wordy = { label: "Age", unit: "years", description: "At the last birthday" };

test("columns say what they and their values are called", () => {
  const columns = {
    age: { type: "integer", ...wordy, valueLabels: { "-1": "unknown", "90": "90 or older" } },
    sex: { type: "category", categories: [0, 1], valueLabels: { "0": "female", "1": "male" } },
    state: { type: "category", categories: ["GA", "__proto__"], valueLabels: JSON.parse('{"__proto__": "Other"}') },
    married: { type: "boolean", valueLabels: { true: "married" } },
  };
  const checked = checkDeclaration({ ...good, columns, unitNoun: { one: "patient", many: "patients" } });
  expect(JSON.parse(JSON.stringify(checked.columns))).toMatchObject(columns);
  expect(Object.keys(checked.columns.state?.valueLabels ?? {})).toEqual(["__proto__"]);
  expect(unitNounOf(checked)).toEqual({ one: "patient", many: "patients" });
  expect(checkDeclaration(JSON.parse(JSON.stringify(checked)))).toEqual(checked);
  expect(unitNounOf(checkDeclaration(good))).toEqual({ one: "person", many: "people" });
});

test.each([
  [{ type: "integer", unit: "x".repeat(21) }, "columns.income.unit is 21, must be at most 20 characters"],
  [{ type: "text", description: "" }, 'columns.income.description is "", must be a text that is not empty'],
  [
    { type: "category", categories: [0, 1], valueLabels: { 2: "other" } },
    'columns.income.valueLabels is "2", must be labels of values that the column may have',
  ],
  [
    { type: "integer", valueLabels: { "1.0": "one" } },
    'columns.income.valueLabels is "1.0", must be labels of whole numbers',
  ],
  [{ type: "integer", valueLabels: { 1: 7 } }, "columns.income.valueLabels.1 is 7, must be a text that is not empty"],
  [
    { type: "number", valueLabels: { 1: "one" } },
    'columns.income.valueLabels is {"1":"one"}, must be absent: the column is number',
  ],
])("words that fit no column are refused: %j", (column, message) => {
  expect(refusal(withColumn(column))).toMatchObject({ code: "INVALID_PARAMETER", message });
});

test("a noun has both its forms", () => {
  expect(refusal({ ...good, unitNoun: { one: "plane" } }).message).toBe(
    "unitNoun.many is missing, must be a text that is not empty",
  );
});

test("a sentence about protected units is said of planes where the owner protects planes, and of people as it was", () => {
  const plane = { one: "aircraft", many: "aircraft" };
  const patient = { one: "patient", many: "patients" };
  const sentence =
    "A person who has people’s rows: more than one person in twenty, for each person's total. People count.";
  expect(inNoun(sentence, undefined)).toBe(sentence);
  expect(inNoun(sentence, patient)).toBe(
    "A patient who has patients’s rows: more than one patient in twenty, for each patient's total. Patients count.",
  );
  expect(inNoun("a person", plane)).toBe("an aircraft");
});

test("a decimal is counted in its last digit, or in coarser steps, and is written as it is read", () => {
  const columns = {
    price: { type: "decimal", scale: 2, lower: -0.5, upper: 99.99 },
    fare: { type: "decimal", scale: 3, lower: 0, upper: 10, granularity: 0.05 },
  };
  const declaration = checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns });
  expect(declaration.columns).toMatchObject({
    price: { type: "number", scale: 2, granularity: 0.01 },
    fare: { type: "number", scale: 3, granularity: 0.05 },
  });
  expect(checkDeclaration(declarationJson(declaration))).toEqual(declaration);
  const asked = (row: object) => () =>
    boundPlan({ statistics: [{ statistic: "sum", column: "price", epsilon: 1, ...row }] as never }, declaration);
  expect(asked({ upper: 9.5 })).not.toThrow();
  expect(asked({ upper: 9.555 })).toThrow("upper is 9.555, must be a number with at most 2 digits behind the point");
  expect(asked({ granularity: 0.001 })).toThrow("must be a number with at most 2 digits behind the point");
  expect(asked({ where: "price < 1.005" })).toThrow("must be a number with at most 2 digits behind the point");
  expect(asked({ where: "price < 90071992547409.93" })).toThrow("must be a number of at most 15 digits");
});
