import { expect, test } from "vitest";
import { applySchema } from "./apply-schema.ts";
import { declare, type Problem } from "./declare.ts";
import { type ColumnDraft, type Draft, draftOf, plural, unitOfSeveral, withColumns } from "./draft.ts";
import { pasted } from "./paste.ts";

const file = {
  name: "visits.csv",
  columns: [
    { name: "person", type: "VARCHAR" },
    { name: "age", type: "VARCHAR" },
    { name: "ward", type: "VARCHAR" },
  ],
  sameAs: [],
};
const reading = { format: "csv", file: "visits.csv", delimiter: "auto", comment: "" } as const;

const declared: Draft = {
  ...draftOf(file),
  unitColumn: "person",
  rows: "4",
  size: "2000",
  columns: draftOf(file).columns.map((column) =>
    column.name === "age"
      ? { ...column, type: "integer" as const, lower: "0", upper: "100", provenance: "public" as const }
      : column.name === "ward"
        ? { ...column, type: "category" as const, values: "A\n B \n\n" }
        : column,
  ),
};

test("what is typed becomes the declaration", () => {
  const result = declare(declared, reading);
  expect(result).toMatchObject({
    declaration: {
      name: "visits",
      source: { csv: "visits.csv" },
      privacyUnit: { column: "person" },
      contribution: { rows: 4 },
      size: { assumed: 2000 },
      columns: {
        person: { type: "text", provenance: "asserted" },
        age: { type: "integer", lower: 0, upper: 100, provenance: "public" },
        ward: { type: "category", categories: ["A", "B"] },
      },
    },
  });
});

/** The draft with other texts in some columns. */
const changed = (changes: Readonly<Record<string, Partial<ColumnDraft>>>): Draft => ({
  ...declared,
  columns: declared.columns.map((column) => ({ ...column, ...changes[column.name] })),
});
const faults = (draft: Draft): readonly [Problem["field"], string][] =>
  declare(draft, reading).problems.map(({ field, fault }) => [field, fault]);

test.each([
  ["a bound that is no number", { lower: "ten" }, [["lower", "“At least” of age is “ten”, must be a whole number."]]],
  [
    "bounds in the wrong order",
    { lower: "200" },
    [["lower", "“At least” of age is 200, must be < “At most” of age (100)"]],
  ],
  [
    "no bounds at all, and a label of no value",
    { lower: "", upper: " ", values: "0=none; many" },
    [
      ["lower", "“At least” of age is empty, must be a whole number."],
      ["upper", "“At most” of age is empty, must be a whole number."],
      ["values", "“Values” of age is “many”, must be a value and its label: 0=none."],
    ],
  ],
  [
    "a unit that is too long",
    { unit: "x".repeat(21) },
    [["unit", "“Unit” of age is 21, must be at most 20 characters"]],
  ],
] as const)("%s is refused with the column's name, as the form calls it", (_, change, expected) => {
  expect(faults(changed({ age: change }))).toEqual(expected);
});

test("a decimal is counted in the last digit of its step, which a stored one brings along", () => {
  const decimal = (granularity: string) =>
    changed({ age: { type: "decimal", lower: "-0.5", upper: "99.95", granularity } });
  expect(declare(decimal("0.05"), reading).declaration?.columns.age).toMatchObject({ scale: 2, granularity: 0.05 });
  const last = ", must be the last digit that counts, such as 0.01.";
  expect(faults(decimal(""))).toEqual([["granularity", `“In steps of” of age is empty${last}`]]);
  expect(faults(decimal("0"))).toContainEqual(["granularity", `“In steps of” of age is “0”${last}`]);
  const stored = draftOf({ name: "t", columns: [{ name: "fee", type: "DECIMAL(18,2)" }], sameAs: [] });
  expect(stored.columns[0]).toMatchObject({ type: "decimal", granularity: "0.01" });
});

test("everything that is wrong is said at once", () => {
  const draft = {
    ...changed({ age: { lower: "1e" }, ward: { values: "" } }),
    name: "",
    units: "",
    rows: "0",
    size: "many",
  };
  expect(faults(draft).map(([field]) => field)).toEqual(["name", "units", "rows", "size", "lower", "values"]);
  expect(declare(draft, reading).problems.at(-1)).toEqual({
    field: "values",
    column: 2,
    fault: "Add at least one category for “ward”.",
  });
});

test("who is protected is chosen, and nothing is by default", () => {
  const fresh = draftOf({ ...file, columns: [{ name: "Individual ID", type: "VARCHAR" }] });
  expect(faults({ ...fresh, columns: fresh.columns })).toEqual([
    [
      "unitColumn",
      "“Privacy unit” is not chosen, must be what the guarantee protects: each row, or all rows of one value.",
    ],
  ]);
  expect(declare({ ...fresh, unitColumn: "" }, reading).declaration?.privacyUnit).toBe("row");
});

test("a type is a guess until someone gives one", () => {
  const { columns } = draftOf({ ...file, columns: [{ name: "Culmen Depth (mm)", type: "VARCHAR" }] });
  expect(columns).toMatchObject([{ type: "number", unit: "mm", guessed: "name" }]);
  const { columns: read } = applySchema(
    { ...declared, columns },
    { about: {}, columns: [{ names: ["culmen depth (mm)"], type: "integer" }] },
  ).draft;
  expect(read).toMatchObject([{ type: "integer", guessed: null }]);
});

test("a name that no column may have is said once, however many checks meet it", () => {
  const draft = {
    ...declared,
    columns: declared.columns.map((column) => (column.name === "age" ? { ...column, name: "x".repeat(300) } : column)),
  };
  expect(declare(draft, reading).problems).toHaveLength(1);
});

test("the column that names the unit needs no bounds, and is no number", () => {
  expect(faults(changed({ person: { type: "integer" } }))).toEqual([]);
  expect(faults(changed({ person: { type: "number" } }))).toEqual([
    ["unitColumn", '“Type” of person is "number", must be integer, text or category, as it names the privacy unit'],
  ]);
  expect(faults(changed({ person: { type: "leaveOut" } })).map(([field]) => field)).toEqual(["unitColumn"]);
});

test("labels, units and the noun become part of the declaration", () => {
  const draft = changed({
    age: { label: "Age", unit: "years", description: " At last birthday ", values: "100=100 or older" },
    ward: { values: "0=North; 1=South", storage: "INTEGER" },
  });
  expect(declare({ ...draft, unit: "patient", units: "patients" }, reading).declaration).toMatchObject({
    unitNoun: { one: "patient", many: "patients" },
    columns: {
      age: { label: "Age", unit: "years", description: "At last birthday", valueLabels: { 100: "100 or older" } },
      ward: { categories: [0, 1], valueLabels: { 0: "North", 1: "South" } },
    },
  });
});

test("markers of missing values become part of the declaration, and a wrong one is named at its field", () => {
  const draft = changed({ age: { missing: "-9; NA" }, ward: { missing: '-8=refused\n"no; none"' } });
  expect(declare(draft, reading).declaration?.columns).toMatchObject({
    age: { missing: ["-9", "NA"] },
    ward: { missing: ["-8", "no; none"] },
  });
  expect(faults(changed({ age: { missing: "NA; 9.5" } }))).toEqual([
    ["missing", "“Missing if” of age is 9.5, must be a whole number within ±2^53"],
  ]);
});

test.each([
  ["age", "VARCHAR", "integer"],
  ["householdIncome", "VARCHAR", "number"],
  ["is_citizen", "VARCHAR", "boolean"],
  ["sex", "VARCHAR", "category"],
  ["person_id", "VARCHAR", "text"],
  ["note", "VARCHAR", "text"],
  ["tail_number", "VARCHAR", "text"],
  ["flightNo", "VARCHAR", "text"],
  ["number_of_rooms", "VARCHAR", "integer"],
  ["number", "VARCHAR", "integer"],
  ["sex", "BIGINT", "integer"],
  ["flag", "DOUBLE", "number"],
  ["fee", "DECIMAL(18,2)", "decimal"],
  ["fee", "DECIMAL(18,0)", "number"],
  ["fee", "numeric", "number"],
])("%s stored as %s is first taken for %s", (name, type, expected) => {
  expect(draftOf({ name: "t", columns: [{ name, type }], sameAs: [] }).columns[0]?.type).toBe(expected);
});

test("a block of a spreadsheet is laid over the cells; words that are no type change nothing", () => {
  const fields = ["type", "lower", "upper", "values", "isRequired"] as const;
  const types = {
    integer: "Whole number",
    number: "Number",
    decimal: "Decimal",
    date: "Date",
    timestamp: "Date and time",
    text: "Text",
    category: "Category",
    boolean: "Yes or no",
    leaveOut: "Leave out",
  };
  const grid = { columns: declared.columns, fields, types };
  const next = pasted("whole number\t1\t9\ntext\nodd\t\t\tX;Y\tyes\n", { row: 0, field: "type" }, grid);
  expect(next?.map(({ type, lower, upper, values, isRequired }) => [type, lower, upper, values, isRequired])).toEqual([
    ["integer", "1", "9", "", false],
    ["text", "0", "100", "", false],
    ["category", "", "", "X;Y", true],
  ]);
  expect(pasted('text\t"1"\r\n', { row: 0, field: "type" }, grid)?.[0]).toMatchObject({ type: "text", lower: "1" });
  expect(pasted("A\nB", { row: 0, field: "values" }, grid)).toBeNull();
  expect(pasted('text\t"1" 2\n', { row: 0, field: "type" }, grid)).toBeNull();
  expect(pasted("one cell", { row: 0, field: "lower" }, grid)).toBeNull();
});

test("the usual plural", () => {
  expect(["person", "patient", "city", "day", "class", "box"].map(plural)).toEqual([
    "people",
    "patients",
    "cities",
    "days",
    "classes",
    "boxes",
  ]);
});

test("several columns that name one unit are a key with a name of its own", () => {
  const keyed = { ...declared, ...unitOfSeveral(["ward", "age"], declared) };
  expect(declare(keyed, { ...reading, delimiter: "tab" })).toMatchObject({
    problems: [],
    declaration: {
      source: { csv: "visits.csv", delimiter: "\t", keys: { ward_age: ["ward", "age"] } },
      privacyUnit: { column: "ward_age" },
      columns: { person: { type: "text" }, ward_age: { type: "text" } },
    },
  });
  expect(declare(keyed, { format: "parquet", file: "visits.parquet" }).declaration?.source).toEqual({
    parquet: "visits.parquet",
    keys: { ward_age: ["ward", "age"] },
  });
  const taken = {
    ...declared,
    columns: [...declared.columns, { ...declared.columns[0], name: "Ward_Age" } as ColumnDraft],
  };
  expect(unitOfSeveral(["ward", "age"], taken).unitColumn).toBe("ward_age_");
  for (const of of [[], ["ward"], ["ward", "gone"]])
    expect(faults({ ...declared, ...unitOfSeveral(of, declared) })).toEqual([
      ["unitKey", expect.stringMatching(of.length === 2 ? "no column “gone”" : "must be two to eight columns")],
    ]);
});

test("a table of a database is reached by its connection", () => {
  const at = { format: "postgres", connection: "clinic", schema: "public", table: "visits" } as const;
  expect(declare(declared, at)).toMatchObject({
    declaration: { source: { postgres: { connection: "clinic", schema: "public", table: "visits" } } },
  });
});

test("a column that is left out is not declared, and another delimiter keeps what was typed", () => {
  const columns = declared.columns.map((column) =>
    column.name === "ward" ? { ...column, type: "leaveOut" as const } : column,
  );
  const result = declare({ ...declared, columns }, { ...reading, delimiter: "semicolon", comment: "#" });
  expect(result).toMatchObject({ declaration: { source: { csv: "visits.csv", delimiter: ";", comment: "#" } } });
  expect(Object.keys(result.declaration?.columns ?? {})).toEqual(["person", "age"]);
  const again = withColumns(declared, [
    { name: "age", type: "VARCHAR" },
    { name: "new", type: "VARCHAR" },
  ]);
  expect(again.columns.map(({ name, upper }) => [name, upper])).toEqual([
    ["age", "100"],
    ["new", ""],
  ]);
});

test("a public size needs the other neighbour relation, and says so", () => {
  expect(declare({ ...declared, isSizePublic: true }, reading)).toMatchObject({
    problems: [{ field: "size", fault: expect.stringContaining("The number of rows is 2000, must be absent") }],
  });
  expect(declare({ ...declared, isSizePublic: true, adjacency: "replace" }, reading).problems).toEqual([]);
});

test("what a category lies in becomes part of the declaration, facts too, and a wrong one is named at its field", () => {
  const nested = {
    place: { type: "category", values: "north; south; east" },
    ward: { type: "category", values: "a; b; c; d", within: "place: a=north; b=south; c=east; d=east" },
  } as const;
  const names = Object.keys(nested).map((name) => ({ name, type: "VARCHAR" }));
  const start = draftOf({ name: "t.csv", columns: names, sameAs: [] });
  const draftWith = (change: Partial<ColumnDraft>, impossible = ""): Draft => ({
    ...{ ...start, unitColumn: "", impossible },
    columns: start.columns.map((column) => ({
      ...{ ...column, ...nested[column.name as keyof typeof nested] },
      ...(column.name === "ward" ? change : {}),
    })),
  });
  const { declaration } = declare(draftWith({}, "place = 'north' and ward = 'd'"), reading);
  expect(declaration?.impossible).toBe("place = 'north' and ward = 'd'");
  expect(declaration?.columns.ward?.within).toEqual({
    column: "place",
    of: { north: ["a"], south: ["b"], east: ["c", "d"] },
  });
  expect(faults(draftWith({ within: "town: a=north" }))).toEqual([
    ["within", '“Lies in” of ward is "town", must be a declared category column'],
  ]);
  expect(faults(draftWith({ within: "place: a=north; b=south; c=east" }))).toEqual([
    ["within", '“Lies in” of ward is "without d", must be a place for each category of ward'],
  ]);
  for (const wrong of ["ward = 'd'", "none = 1 and ward = 'd'", "ward = 'z' and place = 'east'"])
    expect(faults(draftWith({}, wrong))).toEqual([
      ["impossible", expect.stringMatching(/^“Impossible combinations” is/)],
    ]);
});

test("what else counts as a category is declared, and a fault of it stands at its field", () => {
  const start = draftOf({ name: "t.csv", columns: [{ name: "sex", type: "VARCHAR" }], sameAs: [] });
  const draftWith = (spellings: string): Draft => ({
    ...{ ...start, unitColumn: "" },
    columns: start.columns.map((column) => ({ ...column, type: "category", values: "M; f", spellings })),
  });
  const { declaration } = declare(draftWith('m=M; "male person"=M'), reading);
  expect(declaration?.columns.sex?.spellings).toEqual({ M: ["m", "male person"] });
  expect(faults(draftWith("m=X"))).toEqual([["spellings", expect.stringMatching(/^“Also written” of sex is "?X/)]]);
  expect(faults(draftWith("f=M"))).toEqual([
    ["spellings", expect.stringMatching(/^“Also written” of sex is "?f"?, must be no category/)],
  ]);
  expect(faults(draftWith("m"))).toEqual([["spellings", expect.stringMatching(/^“Also written” of sex/)]]);
});
