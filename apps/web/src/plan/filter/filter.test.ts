import {
  checkDeclaration,
  checkPredicate,
  type Predicate,
  parsePredicate,
  predicateText,
} from "@dosimeter/query/declaration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../../../test/text.kit.ts";
import { changedAt, compared, conditionOn, faultsOf, filterText, type Group, keyOf, readFilter } from "./filter.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: {
    person: { type: "text" },
    age: { type: "integer", lower: 0, upper: 100 },
    "net pay": { type: "number" },
    or: { type: "category", categories: ["a", "b, c", "o' c"] },
    region: { type: "category", categories: [1, 2, 30], valueLabels: { 1: "north" } },
    married: { type: "boolean" },
    note: { type: "text" },
  },
});

const key: Readonly<Record<string, fc.Arbitrary<string | number | boolean>>> = {
  age: fc.integer({ min: -5, max: 200 }),
  "net pay": fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
  or: fc.constantFrom("a", "b, c", "o' c"),
  region: fc.constantFrom(1, 2, 30),
  married: fc.boolean(),
  note: anyText().map((text) => text.normalize("NFC")),
};
const leaf: fc.Arbitrary<Predicate> = fc.constantFrom(...Object.keys(key)).chain((column) => {
  const value = key[column] ?? fc.constant("");
  const ops =
    column === "age" || column === "net pay" ? (["=", "!=", "<", "<=", ">", ">="] as const) : (["=", "!="] as const);
  return fc.oneof(
    fc.record({ op: fc.constantFrom(...ops), column: fc.constant(column), value }) as fc.Arbitrary<Predicate>,
    fc.record({
      op: fc.constant("in" as const),
      column: fc.constant(column),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    }),
    fc.constant({ op: "isNull" as const, column }),
  );
});
const predicates = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.record({
      op: fc.constantFrom("and" as const, "or" as const),
      of: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ op: fc.constant("not" as const), of: tie("predicate") }),
  ),
})).predicate;

const shown = (text: string): Group => {
  const reading = readFilter(text, declaration);
  if (!("filter" in reading)) throw new Error(`${text} is ${reading.reason}`);
  return reading.filter;
};
const meaning = (text: string): Predicate => checkPredicate(parsePredicate(text), declaration);

test("predicate, rows, predicate: the meaning stays, and the rows read back as they were", () => {
  let shownOnes = 0;
  fc.assert(
    fc.property(predicates, (predicate) => {
      const text = predicateText(predicate);
      const reading = readFilter(text, declaration);
      if (!("filter" in reading)) {
        expect(reading.reason).toBe("unshown");
        return;
      }
      shownOnes += 1;
      const again = filterText(reading.filter);
      expect(meaning(again)).toEqual(meaning(text));
      expect(shown(again)).toEqual(reading.filter);
    }),
  );
  expect(shownOnes).toBeGreaterThan(30);
});

test.each([
  "age >= 18",
  "age between 18 and 65 and married = true",
  "(age < 18 or age > 65) and region in (1, 2)",
  "not (age < 18 or married = false)",
  "not \"or\" in ('a', 'b, c')",
  "note is null",
  "not (note is null)",
])("%s is shown as rows and printed as it was", (text) => {
  expect(meaning(filterText(shown(text)))).toEqual(meaning(text));
});

test.each([
  ["age >=", "unread"],
  ["note in ('a, b', 'c')", "unshown"],
  ["note = ' a'", "unshown"],
  ["age >= '5'", "unshown"],
  ["age = 1 or (age = 2 and (age = 3 or (age = 4 and age = 5)))", "unshown"],
  [Array.from({ length: 31 }, (_, age) => `age = ${age}`).join(" or "), "unshown"],
])("%s stays text", (text, reason) => {
  expect(readFilter(text, declaration)).toEqual({ reason });
});

test("a refused value keeps its text, says why, and is refused by the plan as well", () => {
  const typed = changedAt(shown("age >= 18"), [0], () => ({
    column: "age",
    comparison: ">=",
    values: [keyOf(declaration.columns.age, "twenty or age < 1")],
  }));
  const text = filterText(typed);
  expect(text).toBe("age >= 'twenty or age < 1'");
  expect(shown(text)).toEqual(typed);
  expect(() => meaning(text)).toThrow("must be a finite number");
  const [condition] = typed.parts;
  if (condition === undefined || "join" in condition) throw new Error("a condition");
  expect([...faultsOf(condition, declaration)]).toEqual([[0, "This is “twenty or age < 1”, must be a finite number."]]);
});

test("a new condition and every change of its comparison can be shown again", () => {
  for (const column of Object.keys(key))
    for (const comparison of ["=", "!=", "in", "notIn", "isNull", "hasValue"] as const) {
      const condition = compared(conditionOn(column, declaration), comparison);
      const filter: Group = { join: "and", parts: [condition] };
      expect(shown(filterText(filter))).toEqual(filter);
    }
});

test("numbers are read as people type them; 1,500 in a list is one number or two", () => {
  expect(keyOf(declaration.columns.age, "20,000")).toBe(20_000);
  expect(keyOf(declaration.columns.region, "2")).toBe(2);
  expect(shown("age in ('1,500')").parts).toEqual([{ column: "age", comparison: "in", values: ["1,500"] }]);
});
