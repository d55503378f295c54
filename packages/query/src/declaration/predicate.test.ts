import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../../test/text.kit.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { treesOf } from "./predicate.kit.ts";
import { checkPredicate, type Predicate, predicateText } from "./predicate.ts";
import { parsePredicate } from "./predicate-text.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: {
    person: { type: "text" },
    age: { type: "integer", lower: 0, upper: 100 },
    "net pay": { type: "number" },
    race: { type: "category", categories: ["a", "b", "o'c"] },
    married: { type: "boolean" },
    note: { type: "text" },
  },
});
const read = (text: string): Predicate => checkPredicate(parsePredicate(text), declaration);

test("text and JSON mean the same", () => {
  expect(read("age >= 18 and (race in ('a', 'o''c') or not married = true)")).toEqual(
    checkPredicate(
      {
        op: "and",
        of: [
          {
            op: "or",
            of: [
              { op: "not", of: { op: "=", column: "married", value: true } },
              { op: "in", column: "race", values: ["o'c", "a"] },
            ],
          },
          { op: "≥", column: "age", value: 18 },
        ],
      },
      declaration,
    ),
  );
  expect(read('"net pay" between -1e3 and 2.5 and note is not null')).toMatchObject({ op: "and" });
});

test("the canonical form forgets order, repetition, nesting and double negation", () => {
  const one = read("age > 1 and (married = true and (age > 1 and not not note = 'x'))");
  expect(read("note = 'x' and married = true and age > 1")).toEqual(one);
  expect(read("race in ('a', 'a')")).toEqual(read("race = 'a'"));
});

test.each([
  ["age >= 'old'", 'where.value is "old", must be a finite number'],
  ["race = 'z'", 'where.value is "z", must be one of the declared categories'],
  ["race < 'b'", 'where.op is "<", must be =, !=, in or isNull: the column is category'],
  ["married = 1", "where.value is 1, must be true or false"],
  ["age between 5 and 1", "where.lower is 5, must be <= where.upper (1)"],
  ["person = 'p1'", 'where.column is "person", must be another column: this one names the privacy unit'],
  ["height > 1", 'where.column is "height", must be one of person, age, net pay, race, married, note'],
  ["age >", "where is \"age > (end)\", must be a number, 'text', true or false here"],
  ["age > 1 or", 'where is "age > 1 or (end)", must be a column here'],
  ["age ~ 1", 'where is " ~ 1", must be a column, value, operator or bracket'],
  ["age = 1; drop table t", 'where is "; drop table t", must be a column, value, operator or bracket'],
])("%s is refused with its path", (text, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ message }));
});

test("predicates nest at most 32 deep", () => {
  expect(() => read(`${"not ".repeat(40)}age = 1`)).toThrow("at most 32 levels deep");
  expect(() => read(`${"(".repeat(1000)}age = 1`)).toThrow("at most 64 levels deep");
});

const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    op: fc.constantFrom("=", "!=", "<", "<=", ">", ">=") as fc.Arbitrary<"=">,
    column: fc.constant("net pay"),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
  }),
  fc.record({ op: fc.constant("isNull" as const), column: fc.constantFrom("age", "note") }),
  fc.record({
    op: fc.constant("in" as const),
    column: fc.constant("note"),
    values: fc.array(
      anyText().map((s) => s.normalize("NFC")),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
const predicate = treesOf(leaf);

test("what is printed reads back to the same predicate, whatever text is in it", () => {
  fc.assert(
    fc.property(predicate, (given) => {
      const canonical = checkPredicate(given, declaration);
      expect(checkPredicate(canonical, declaration)).toEqual(canonical);
      expect(read(predicateText(canonical))).toEqual(canonical);
    }),
  );
});

test("a filter on dates names whole periods of its column: a day would divide a month", () => {
  const seen = { type: "date", lower: "2020-01-15", upper: "2024-12-31", granularity: "month" };
  const months = checkDeclaration({ ...declaration, columns: { person: { type: "text" }, seen } });
  const over = (text: string): string => predicateText(checkPredicate(parsePredicate(text), months));
  expect(over("seen < '2024-03'")).toBe("seen < '2024-03'");
  for (const text of ["seen < '2024-03-15'", "seen in ('2024-03-01')", "seen between '2024-01' and '2024-03-15'"])
    expect(() => over(text)).toThrow("must be a month such as '2024-03'");
});
