import { expect, test } from "vitest";
import { type Draft, declarationOf, draftOf, withColumns } from "./draft.ts";

const file = {
  name: "visits.csv",
  columns: [
    { name: "person", type: "VARCHAR" },
    { name: "age", type: "VARCHAR" },
    { name: "ward", type: "VARCHAR" },
  ],
  sameAs: [],
};
const reading = { format: "csv", file: "visits.csv", delimiter: "auto" } as const;

const declared: Draft = {
  ...draftOf(file),
  unitColumn: "person",
  rows: "4",
  size: "2000",
  columns: draftOf(file).columns.map((column) =>
    column.name === "age"
      ? { ...column, type: "integer" as const, lower: "0", upper: "100", provenance: "public" as const }
      : column.name === "ward"
        ? { ...column, type: "category" as const, categories: "A\n B \n\n" }
        : column,
  ),
};

test("what is typed becomes the declaration", () => {
  const result = declarationOf(declared, reading);
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

test.each([
  ["a bound that is no number", { lower: "ten" }, "columns.age.lower", '“At least” of age is "ten"'],
  ["bounds in the wrong order", { lower: "200" }, "columns.age.lower", "must be < “At most” of age"],
  ["only one bound", { upper: "" }, "columns.age.upper", "“At most” of age"],
] as const)("%s is refused with the column's name, as the form calls it", (_, change, name, fault) => {
  const columns = declared.columns.map((column) => (column.name === "age" ? { ...column, ...change } : column));
  const refused = declarationOf({ ...declared, columns }, reading);
  expect(refused).toMatchObject({ name, fault: expect.stringContaining(fault) });
});

test("a table of a database is reached by its connection", () => {
  const at = { format: "postgres", connection: "clinic", schema: "public", table: "visits" } as const;
  expect(declarationOf(declared, at)).toMatchObject({
    declaration: { source: { postgres: { connection: "clinic", schema: "public", table: "visits" } } },
  });
});

test("a column that is left out is not declared, and another delimiter keeps what was typed", () => {
  const columns = declared.columns.map((column) =>
    column.name === "ward" ? { ...column, type: "leaveOut" as const } : column,
  );
  const result = declarationOf({ ...declared, columns }, { ...reading, delimiter: "semicolon" });
  expect(result).toMatchObject({ declaration: { source: { csv: "visits.csv", delimiter: ";" } } });
  expect("declaration" in result && Object.keys(result.declaration.columns)).toEqual(["person", "age"]);
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
  expect(declarationOf({ ...declared, isSizePublic: true }, reading)).toMatchObject({ name: "size.public" });
  expect(declarationOf({ ...declared, isSizePublic: true, adjacency: "replace" }, reading)).toHaveProperty(
    "declaration",
  );
});
