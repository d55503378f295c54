import { expect, test } from "vitest";
import { guessOf, mayNameUnit } from "./guess.ts";

test.each([
  ["Culmen Depth (mm)", "number", "mm"],
  ["Body Mass [g]", "number", "g"],
  ["Delta 15 N (o/oo)", "number", "o/oo"],
  ["age (years)", "integer", "years"],
  ["follow up (days)", "integer", "days"],
  ["weight_kg", "number", "kg"],
  ["Sample Number", "text", ""],
  ["Individual ID", "text", ""],
  ["Date Egg", "date", ""],
  ["Größe", "number", ""],
  ["Alter", "integer", ""],
  ["année", "integer", ""],
  ["Familienstand", "category", ""],
  ["sexo", "category", ""],
  ["fecha_nacimiento", "date", ""],
  ["Score (log)", "number", ""],
  ["logged_in", "text", ""],
  ["studyName", "text", ""],
])("the name %s says what it may hold", (name, type, unit) => {
  expect(guessOf(name, "VARCHAR")).toMatchObject({ type, unit });
});

test("what the file states wins, and is said to be from the file", () => {
  expect(guessOf("sex", "BIGINT")).toEqual({ type: "integer", unit: "", from: "file" });
  expect(guessOf("Flipper Length (mm)", "DOUBLE")).toEqual({ type: "number", unit: "mm", from: "file" });
  expect(guessOf("seen (mm)", "DATE")).toEqual({ type: "date", unit: "", from: "file" });
  expect(guessOf("xyz", "VARCHAR")).toEqual({ type: "text", unit: "", from: null });
});

test("names of people are offered as privacy unit, names of rows and of facts about people are not", () => {
  const names = [
    "Individual ID",
    "patient_id",
    "PassengerId",
    "customerNo",
    "id",
    "person",
    "Teilnehmer-Kennung",
    "usubjid",
  ];
  expect(names.filter((name) => !mayNameUnit(name))).toEqual([]);
  const others = ["Sample Number", "visit id", "patient age", "row_id", "studyName", "orderNo", "code", "age"];
  expect(others.filter(mayNameUnit)).toEqual([]);
});
