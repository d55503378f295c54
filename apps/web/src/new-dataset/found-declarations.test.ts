import { expect, test } from "vitest";
import { declare } from "./declare.ts";
import { type ColumnDraft, draftOf } from "./draft.ts";
import { remarksOn } from "./remarks.ts";

const reading = { format: "csv", file: "t.csv", delimiter: "auto", comment: "" } as const;
const file = { name: "t.csv", columns: [{ name: "c", type: "VARCHAR" }], sameAs: [] };

/** What the page declares of a column of texts, or what it says is wrong with it. */
function declared(column: Partial<ColumnDraft>) {
  const draft = draftOf(file);
  const { declaration, problems } = declare(
    {
      ...draft,
      unitColumn: "",
      columns: draft.columns.map((one) => ({ ...one, type: "category" as const, ...column })),
    },
    reading,
  );
  return declaration?.columns.c ?? problems.map(({ fault }) => fault);
}
const categories = (values: string) => declared({ values });
const remarks = (values: string) => remarksOn({ type: "category", values }).map(({ text }) => text);

test("a range of whole numbers is those numbers, and the page says so", () => {
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => String(at + 1));
  expect(categories("1-16")).toMatchObject({ categories: upTo(16) });
  expect(categories("1–3; 98")).toMatchObject({ categories: ["1", "2", "3", "98"] });
  expect(remarks("1-16")).toEqual([
    '“1-16” is read as 16 values, 1 to 16. Where it is itself a value, write "1-16" in double quotes.',
  ]);
});

test("a text that looks like a range is one where it says so: in double quotes, with a label, or as a band among others", () => {
  expect(categories('"1-16"')).toMatchObject({ categories: ["1-16"], valueLabels: { "1-16": "1-16" } });
  expect(categories("1-16=all of them")).toMatchObject({ categories: ["1-16"] });
  expect(categories("0-17; 18-64; 65+")).toMatchObject({ categories: ["0-17", "18-64", "65+"] });
  expect(categories("0-1000000")).toEqual([expect.stringContaining("must be each number from 0 to 1000000 by itself")]);
});

test("values between commas are one value, and the page offers them as many", () => {
  expect(remarksOn({ type: "category", values: "1, 2,3" })).toEqual([
    {
      text: expect.stringContaining("is one value with commas"),
      instead: { label: "Make it 3 values", values: "1; 2; 3" },
    },
  ]);
  expect(remarks("Smith, John; Doe, Jane")).toEqual([]);
});

test("quotes around a value are no part of it, unless in double quotes", () => {
  expect(categories("'m'; 'f'=female")).toMatchObject({ categories: ["m", "f"], valueLabels: { f: "female" } });
  expect(categories("‘m’; “f”")).toMatchObject({ categories: ["m", "f"] });
  expect(categories(`"'m'"; f`)).toMatchObject({ categories: ["'m'", "f"] });
  expect(remarks("'m'; f")).toHaveLength(1);
});

test("values that differ in spaces or in case alone are offered as one", () => {
  expect(categories("M ; f")).toMatchObject({ categories: ["M", "f"] });
  expect(categories('" m"; f')).toEqual([expect.stringContaining('must be "m": spaces around a value')]);
  expect(categories("'m'; m")).toEqual([expect.stringContaining("different from the categories before it")]);
  expect(remarksOn({ type: "category", values: "M; m=male; f" })).toEqual([
    {
      text: "“M” and “m” are 2 values here: each counts only rows that are written like it.",
      instead: { label: "Keep “M” only", values: "M; f" },
    },
  ]);
});

test("a decimal comma is no bound, and the page says how to write one", () => {
  expect(declared({ type: "number", lower: "0,1", upper: "0,8" })).toEqual([
    expect.stringMatching(/“At least” of c is “0,1”, must be a number.*0\.1/),
    expect.stringMatching(/“At most” of c is “0,8”, must be a number.*0\.8/),
  ]);
});
