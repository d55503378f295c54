import { readFileSync } from "node:fs";
import { PrivacyError } from "@dosimeter/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { formulaText } from "../declaration/formula.ts";
import { withDerived } from "./derive.ts";
import { evaluate, type Stored } from "./evaluate.ts";
import { formula } from "./expression.kit.ts";
import { parseFormula } from "./formula-text.ts";

const declaration = checkDeclaration({
  name: "t",
  source: { csv: "t.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: {
    person: { type: "text" },
    age: { type: "integer", lower: 0, upper: 100, required: true },
    pay: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
    region: { type: "category", categories: ["a", "b", "c"], provenance: "public" },
    code: { type: "category", categories: [7, 1, 30] },
    member: { type: "boolean" },
    note: { type: "text" },
    open: { type: "integer" },
    seen: { type: "date", lower: "1990-01-01", upper: "2024-12-31" },
    came: { type: "timestamp", zone: "Europe/Berlin", lower: "2024-01-01", upper: "2024-12-31" },
  },
});

const derived = (text: string) => {
  const column = withDerived(declaration, { d: text }).columns.d;
  if (column?.derived === undefined) throw new Error("derived");
  return { column, derived: column.derived };
};
/** The value in the column's own unit. */
const valueFor = (text: string, row: Readonly<Record<string, Stored>>): unknown => {
  const { code, step } = derived(text).derived;
  const value = evaluate(code, (name) => row[name]);
  return typeof value === "bigint" ? (Number(value) * Number(step?.numerator)) / Number(step?.denominator) : value;
};

test("a formula that is written and read again is the same formula", () => {
  fc.assert(
    fc.property(formula, (each) => {
      expect(parseFormula(formulaText(each))).toEqual(each);
    }),
  );
});

test.each([
  ["age + 1 * 2", "age + 1 * 2"],
  ["(age + 1) * 2", "(age + 1) * 2"],
  ["age - (1 - 2)", "age - (1 - 2)"],
  ["NOT age>5 AND member", "not age > 5 and member"],
  [
    "case when age < 18 then 'minor' when age < 65 then 'adult' else 'old' end",
    "if(age < 18, 'minor', if(age < 65, 'adult', 'old'))",
  ],
  ["age between 18 and 30 or region in ('a', 'b')", "age >= 18 and age <= 30 or region in ('a', 'b')"],
  ["pay is not null", "not pay is null"],
  ["-age", "-age"],
  ["- 3", "-3"],
  ['"Odd ""name""" <> \'it\'\'s\'', '"Odd ""name""" != \'it\'\'s\''],
])("%s is read as %s", (source, text) => {
  expect(formulaText(parseFormula(source))).toBe(text);
});

describe("what a derived column can be", () => {
  test.each([
    ["cut(age, 10)", { type: "category", categories: [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], required: true }],
    ["floor(age, 10)", { type: "integer", lower: 0, upper: 100, granularity: 10, required: true }],
    ["age * 12 + 3", { type: "integer", lower: 3, upper: 1203, required: true }],
    ["pay / 4", { type: "number", lower: -1, upper: 1.5, granularity: 0.125 }],
    ["age / 3", { type: "number", lower: 0, upper: 33.33333, granularity: 0.00001, required: true }],
    ["pay * pay", { type: "number", lower: -24, upper: 36, granularity: 0.25 }],
    ["clamp(pay, 0, 2.5)", { type: "number", lower: 0, upper: 2.5, granularity: 0.5 }],
    ["abs(pay)", { type: "number", lower: 0, upper: 6, granularity: 0.5 }],
    ["ratio(pay, age, 0.01)", { type: "number", lower: -6.01, upper: 6.01, granularity: 0.01 }],
    ["if(age >= 65, 'old', 'young')", { type: "category", categories: ["old", "young"], required: true }],
    ["bucket(age, 18, 65)", { type: "category", categories: ["under 18", "18–64", "65+"], required: true }],
    ["bucket(pay, 0, 1.5)", { type: "category", categories: ["under 0", "[0, 1.5)", "1.5+"] }],
    [
      "map(region, 'a', 'north', 'b', 'north', 'south')",
      { type: "category", categories: ["north", "south"], required: true },
    ],
    ["map(region, 'a', 1)", { type: "integer", lower: 1, upper: 2 }],
    ["coalesce(pay, 0)", { type: "number", lower: -4, upper: 6, granularity: 0.5, required: true }],
    ["code + 1", { type: "integer", lower: 2, upper: 31 }],
    ["year(seen)", { type: "integer", lower: 1990, upper: 2024, unit: "year" }],
    ["hour(came)", { type: "integer", lower: 0, upper: 23 }],
    ["year(came)", { type: "integer", lower: 2024, upper: 2025, unit: "year" }],
    ["cut(came, 'day')", { type: "date", lower: 19_723, upper: 20_088, calendar: "day" }],
    ["2024 - year(seen)", { type: "integer", lower: 0, upper: 34 }],
    ["member and age > 3", { type: "boolean", required: true }],
    ["note", { type: "text" }],
    ["join(note, region)", { type: "text" }],
    [
      "join(region, member)",
      { type: "category", categories: ["a", "b", "c"].flatMap((each) => [`${each} | false`, `${each} | true`]) },
    ],
    ["join(cut(age, 50), 'x')", { type: "category", categories: ["0 | x", "50 | x", "100 | x"], required: true }],
    ["join(region, age, code)", { type: "text" }],
  ])("%s", (text, want) => {
    const { provenance, derived: _, ...column } = derived(text).column;
    expect(column).toEqual(want);
    expect(provenance).toBe(text.startsWith("map") ? "public" : "asserted");
  });

  test("a column is as public as what it is made of", () => {
    expect(derived("map(region, 'a', 'x', 'y')").column.provenance).toBe("public");
    expect(derived("if(region = 'a', age, 0)").column.provenance).toBe("asserted");
  });

  test("columns may build on each other in any order, never on themselves", () => {
    const given = { twice: "once * 2", once: "age + 1" };
    expect(withDerived(declaration, given).columns.twice).toMatchObject({ lower: 2, upper: 202 });
    expect(() => withDerived(declaration, { x: "y + 1", y: "x + 1" })).toThrow("derived from itself");
  });
});

describe("no row can fail or surprise", () => {
  const hostile: readonly Stored[] = [
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -0,
    5e-324,
    0.25,
    1e300,
    2 ** 53 + 2,
    -(2n ** 63n),
    2n ** 63n - 1n,
    2n ** 53n + 1n,
    "",
    "zz",
    "é",
    true,
  ];
  test("every formula has a value within its static bounds on hostile rows", () => {
    const cell = fc.constantFrom(...hostile);
    fc.assert(
      fc.property(
        formula,
        fc.record({ age: cell, pay: cell, region: cell, code: cell, member: cell, note: cell }),
        (each, row) => {
          let bound: ReturnType<typeof withDerived>;
          try {
            bound = withDerived(declaration, { d: each });
          } catch (error) {
            expect(error).toBeInstanceOf(PrivacyError);
            return;
          }
          const column = bound.columns.d;
          const code = column?.derived?.code;
          if (column === undefined || code === undefined) throw new Error("derived");
          const typed = (name: string): Stored => {
            const x = row[name as "age"];
            if (name === "age") return typeof x === "bigint" ? x : null;
            if (name === "pay" || name === "code") return typeof x === "number" ? x : null;
            if (name === "member") return typeof x === "boolean" ? x : null;
            return typeof x === "string" ? x : null;
          };
          const value = evaluate(code, typed);
          if (typeof value !== "bigint") return;
          const step = column.derived?.step ?? { numerator: 1n, denominator: 1n };
          const real = (Number(value) * Number(step.numerator)) / Number(step.denominator);
          if (column.type === "category") expect(column.categories).toContain(real);
          else {
            expect(real).toBeGreaterThanOrEqual(column.lower ?? Number.NaN);
            expect(real).toBeLessThanOrEqual(column.upper ?? Number.NaN);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ["ratio(age, age - 5, 0.1)", { age: 5n }, null],
    ["ratio(age, age - 5, 0.1)", { age: 4n }, -4],
    ["ratio(-age, 8, 1)", { age: 4n }, -1],
    ["pay + 1", { pay: null }, null],
    ["pay > 1", { pay: Number.NaN }, false],
    ["not pay > 1", { pay: Number.NaN }, true],
    ["pay = 0", { pay: -0 }, true],
    ["age", { age: -(2n ** 63n) }, 0],
    ["age", { age: 2n ** 63n - 1n }, 100],
    ["floor(pay)", { pay: -0.5 }, -1],
    ["round(pay)", { pay: 0.5 }, 1],
    ["round(pay)", { pay: -0.5 }, 0],
    ["least(age, pay)", { age: 3n, pay: null }, null],
    ["greatest(age, coalesce(age, -0.5))", { age: null }, null],
    ["coalesce(pay, -1)", { pay: null }, -1],
    ["if(member, 1, 0)", { member: null }, 0],
    ["note = ''", { note: "" }, true],
    ["note = 'é'", { note: "e\u0301" }, true],
    ["code", { code: 8 }, null],
  ])("%s, case %#", (text, row, want) => {
    const value = valueFor(text, row as Readonly<Record<string, Stored>>);
    expect(value === 0 ? 0 : value).toBe(want);
  });
});

test.each([
  ["age +", 'let.d is "age + (end)", must be a column, a value, a function or a bracket here'],
  ["person = 'x'", 'let.d.of[0] is "person", must be another column: this one names the privacy unit'],
  ["nobody + 1", 'let.d.of[0] is "nobody", must be one of'],
  ["age / 0", "let.d.of[1] is 0, must be a number other than 0"],
  ["age / pay", 'let.d.of[1] is "a column", must be a constant'],
  ["age + region", 'let.d.of[1] is "text", must be a number'],
  ["region < 'b'", 'let.d is "<", must be = or !=: only numbers and dates have an order'],
  ["if(age, 1, 2)", 'let.d.of[0] is "number", must be true or false'],
  ["if(member, 1, 'x')", "must be parts of one type"],
  ["cut(age, 0)", "let.d.of[1] is 0, must be a number > 0"],
  ["bucket(age, 5, 5)", "must be edges in rising order"],
  ["sqrt(age)", 'let.d is "sqrt", must be one of the functions'],
  ["open + 1", "must be a column with declared bounds"],
  ["clamp(age, 5, 1)", "must be a lower bound at most the upper one"],
  ["age * 1000000000000 * 1000000000000", "use clamp, floor or round"],
  ["age ^ 2", "must be a column, value, operator or bracket"],
])("%s is refused", (text, message) => {
  expect(() => withDerived(declaration, { d: text })).toThrow(message);
});

test.each([
  "if(note = 'x', age, 0) / 0.000000000000001",
  "age / 0.00000000000001",
  "(age * 1000000) * 1000000000000000",
])("%s could overflow for some row, so that a failure would tell of it: it is refused", (text) => {
  expect(() => withDerived(declaration, { d: text })).toThrow(PrivacyError);
});

test("no formula that is accepted makes a whole number beyond 2^53 before its step divides it", () => {
  fc.assert(
    fc.property(formula, fc.integer({ min: -18, max: 18 }), (each, power) => {
      const text = `(${formulaText(each)}) / 1e${power}`;
      let column: ReturnType<typeof derived>;
      try {
        column = derived(text);
      } catch (error) {
        expect(error).toBeInstanceOf(PrivacyError);
        return;
      }
      const { step } = column.derived;
      const { lower = 0, upper = 0 } = column.column;
      if (step === null) return;
      expect(Math.max(-lower, upper) * Number(step.denominator)).toBeLessThanOrEqual(2 ** 53);
    }),
  );
});

describe("values joined as one text", () => {
  test.each([
    ["join(note, region)", { note: "x", region: "y | z" }, "x | y || z"],
    ["join(note, region)", { note: "x | y", region: "z" }, "x || y | z"],
    ["join(join(note, 'b'), 'c')", { note: "a" }, "a || b | c"],
    ["join(note, join('b', 'c'))", { note: "a" }, "a | b || c"],
    ["join(note, age, member)", { note: "|", age: 4n, member: true }, "|| | 4 | true"],
    ["join(note, region)", { note: "x", region: null }, null],
    ["join(note, 'x')", { note: `${"\u{1f600}".repeat(1000)}z` }, `${"\u{1f600}".repeat(1000)} | x`],
    ["join(note, 'x')", { note: "e\u0301".repeat(1001) }, `${"é".repeat(500)} | x`],
    ["join(note, 'x')", { note: "\u0958".repeat(1001) }, `${"\u0915\u093c".repeat(500)} | x`],
    ["coalesce(note, 'x')", { note: "z".repeat(1001) }, "z".repeat(1000)],
  ])("%s, case %#", (text, row, want) => {
    expect(valueFor(text, row as Readonly<Record<string, Stored>>)).toBe(want);
  });

  test("different values never make the same text, whatever bars and spaces they hold", () => {
    const tokens = fc.array(fc.constantFrom("", "a", "|", "||", " ", " |", "| ", " | "), {
      minLength: 5,
      maxLength: 5,
    });
    const cuts = fc.constantFrom([1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]);
    fc.assert(
      fc.property(tokens, cuts, cuts, (all, first, second) => {
        // The same text cut into three parts at different places: joined without care, it would be the same again.
        const [here, there] = [first, second].map(([i, j]) =>
          [all.slice(0, i), all.slice(i, j), all.slice(j)].map((part) => part.join(" | ")),
        ) as [string[], string[]];
        const of = ([a, b, c]: readonly string[]) =>
          ["join(note, region, t)", "join(join(note, region), t)"].map((text) => {
            const code = withDerived(several, { d: text }).columns.d?.derived?.code;
            return code === undefined ? null : evaluate(code, (name) => ({ note: a, region: b, t: c })[name]);
          });
        const same = here.every((each, at) => each === there[at]);
        expect(of(here).map((text, at) => text === of(there)[at])).toEqual([same, same]);
      }),
      { numRuns: 2000 },
    );
  });

  test("a row's letters are multiplied by no more than eight, and cut: one long text makes nothing long", () => {
    const eight = (text: string): string => `join(${Array(8).fill(text).join(", ")})`;
    const eightfold = withDerived(declaration, { d: `join(${eight("note")}, 'x')` }).columns.d?.derived?.code;
    if (eightfold === undefined) throw new Error("derived");
    const value = evaluate(eightfold, () => "|".repeat(2_000_000));
    expect(String(value).length).toBeLessThanOrEqual(2 * 1000 + 4);
    for (const [given, name] of [
      [{ j1: eight("note"), j2: eight("j1"), j3: eight("j2") }, "j2"],
      [{ j1: "join(note, region)", j2: "if(member, j1, 'x')", j3: `${eight("j2")}` }, "j3"],
      [{ j1: eight("note"), j3: "join(coalesce(j1, 'x'), region)" }, "j3"],
    ] as const)
      expect(() => withDerived(declaration, given)).toThrow(new RegExp(`let.${name}.* at most 8 stored texts joined`));
    // Texts of the plan itself are counted by what they cost.
    expect(() => withDerived(declaration, { a: eight("age"), b: eight("a"), c: eight("b") })).not.toThrow();
    const asked = Array.from({ length: 300 }, (_, at) => `'${at}'`).join(", ");
    expect(() => withDerived(declaration, { d: `join(note, region) in (${asked})` })).toThrow("computed too often");
  });
});

const several = checkDeclaration({
  name: "t",
  source: { csv: "t.csv" },
  privacyUnit: "row",
  columns: { note: { type: "text" }, region: { type: "text" }, t: { type: "text" } },
});

test("a name that is taken, a deep formula and a heavy one are refused", () => {
  expect(() => withDerived(declaration, { AGE: "1 + 1" })).toThrow("a name that no other column has");
  expect(() => withDerived(declaration, { d: `${"(".repeat(100)}age${")".repeat(100)}` })).toThrow("levels deep");
  const heavy = Array.from({ length: 14 }).reduce<string>((text) => `abs(${text} - 1)`, "pay");
  expect(() => withDerived(declaration, { d: heavy })).toThrow("computed too often");
});

test("every formula of the page is one", () => {
  const page = readFileSync(new URL("../../../../docs/derived-columns.md", import.meta.url), "utf8");
  const [operations = ""] = page.split("## Grammar")[0]?.split("## Operations").slice(1) ?? [];
  const formulas = [...operations.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text),
  );
  const whole = formulas.filter((text) => /[(+*\s/-]/.test(text) && !/^(?:and|or|not)$/.test(text));
  expect(whole.length).toBeGreaterThan(18);
  for (const text of whole) expect(() => parseFormula(text.replace(", …", "")), text).not.toThrow();
  const plan = JSON.parse(page.split("```json")[1]?.split("```")[0] ?? "");
  const table = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: {
      age: { type: "integer", lower: 0, upper: 100 },
      income: { type: "number", lower: 0, upper: 100_000, granularity: 1 },
      hours: { type: "integer", lower: 0, upper: 4000 },
    },
  });
  expect(boundPlan(plan, table).statistics[0]?.derived).toEqual({
    perHour: "ratio(income, hours, 0.01)",
    age10: "cut(age, 10)",
    adult: "age >= 18",
  });
});
