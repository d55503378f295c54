import { checkDeclaration } from "@dosimeter/query/declaration";
import { withJoin } from "@dosimeter/query/join";
import { expect, test } from "vitest";
import { columnLabel, columnsFor } from "./columns.ts";
import { emptyTaken, hasField, type TakenTexts, takenOfTexts } from "./joined.ts";

const typed = (texts: Partial<TakenTexts>) => takenOfTexts({ ...emptyTaken, name: "x", ...texts });

test("a joined column is there once what it needs is typed; fields of another choice are left out", () => {
  expect(takenOfTexts(emptyTaken)).toBeNull();
  expect(typed({})).toEqual({ take: "count" });
  expect(typed({ lower: "0", upper: "1,000", where: " year = 2024 ", by: "day" })).toEqual({
    ...{ take: "count", lower: 0, upper: 1000, where: "year = 2024" },
  });
  expect(typed({ take: "sum", column: "cost", lower: "0" })).toBeNull();
  expect(typed({ take: "sum", column: "cost", lower: "0", upper: "5 000" })).toMatchObject({ upper: 5000 });
  expect(typed({ take: "any" })).toBeNull();
  expect(typed({ take: "last", column: "kind", by: "day", upper: "9" })).toEqual({
    take: "last",
    column: "kind",
    by: "day",
  });
  expect(hasField("one", "where")).toBe(false);
});

test("pickers name a column by its label and name, a joined one with its table", () => {
  const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
  const table = (name: string, words = {}) =>
    checkDeclaration({
      ...{ name, source: { csv: `${name}.csv` }, ...unit },
      columns: { person: { type: "text" }, age: { type: "integer", lower: 0, upper: 9, ...words } },
    });
  const declaration = { ...table("adults"), joinable: { d2: { version: 1, declaration: table("visits") } } };
  const whole = withJoin(declaration, { dataset: "d2", columns: { visits: { take: "count" } } });
  expect(columnsFor("numeric", whole).map((name) => columnLabel(name, whole))).toEqual(["age", "visits (visits)"]);
  expect(columnLabel("age", table("adults", { label: "Age" }))).toBe("age");
  expect(columnLabel("age", table("adults", { label: "Age in years" }))).toBe("Age in years (age)");
});
