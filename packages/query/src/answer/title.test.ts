import { expect, test } from "vitest";
import type { Declaration } from "../declaration/declaration.ts";
import { predicateText } from "../declaration/predicate.ts";
import { readPredicate } from "../declaration/predicate-text.ts";
import { spokenColumn } from "../declaration/words.ts";
import { answerRange, answersToShow, errorUnit, planTitle, planWords } from "./title.ts";

const columns: Declaration["columns"] = {
  income: { type: "number", lower: 0, upper: 90_000, label: "Yearly income", unit: "$", provenance: "public" },
  education: { type: "category", categories: ["a", "b"], provenance: "public" },
  age: { type: "integer", lower: 0, upper: 100, provenance: "public" },
};

test("a plan is called after what it asks, in the labels of its columns", () => {
  const of = (...statistics: Parameters<typeof planTitle>[0]["statistics"]) =>
    planTitle({ statistics }, { columns, privacyUnit: "row" });
  expect(of({ statistic: "mean", column: "income", groupBy: ["education"] })).toBe(
    "Mean of Yearly income by education",
  );
  expect(of({ statistic: "count" }, { statistic: "median", column: "age" })).toBe("Count and median of age");
  expect(
    of(
      { statistic: "count" },
      { statistic: "count" },
      { statistic: "median", column: "age" },
      { statistic: "mean", column: "age" },
    ),
  ).toBe("Count, median of age and 1 more");
  expect(of({ statistic: "covariance", column: "income", with: "age" })).toBe("Covariance of Yearly income with age");
  expect(of({ statistic: "count", where: "age >= 18" })).toBe("Count where age >= 18");
  const [asked, said] = ["education = 'b' and age >= 18", "age >= 18 and education = 'b'"];
  expect(of({ statistic: "count", where: asked })).toBe(of({ statistic: "count", where: said }));
  expect(of({ statistic: "count", where: asked })).toContain(
    predicateText(readPredicate(asked, { columns, privacyUnit: "row" })),
  );
  expect(of({ statistic: "count", where: { column: "age", op: ">=", value: 18 } as never })).toBe("Count, some rows");
  expect(of({ statistic: "mean", column: "age", upper: 80, groupBy: ["education"] })).toBe(
    "Mean of age capped at 80 by education",
  );
  expect(of({ statistic: "sum", column: "income", lower: 10, upper: 10_800 })).toBe(
    "Sum of Yearly income capped between 10 and 10,800",
  );
  expect(of({ statistic: "mean", column: "age", lower: -5, upper: 120 })).toBe("Mean of age");
  expect(of({ statistic: "clippedValues", column: "age", upper: 80 })).toBe("Values outside the bounds of age");
  expect(of({ statistic: "unitSum", column: "age", unitUpper: 50 })).toBe("Sum by person of age capped at 50");
  expect(of({ statistic: "later" as never, column: "constructor" })).toBe("Later of constructor");
  expect(of({ statistic: "count", where: `age = ${"1".repeat(500)}` }).length).toBeLessThan(80);
  const planes = { one: "plane", many: "planes" };
  expect(
    planTitle({ statistics: [{ statistic: "distinctUnits" }] }, { columns, privacyUnit: "row", unitNoun: planes }),
  ).toBe("Number of planes");
  expect(
    planWords(
      { statistics: [{ statistic: "mean", column: "income", groupBy: ["education"] }] },
      { columns, privacyUnit: "row" },
    ),
  ).toEqual({
    noun: { one: "person", many: "people" },
    columns: { income: { label: "Yearly income", unit: "$" } },
  });
});

test("an answer is drawn against the declared range, narrowed by its row", () => {
  const of = (row: Parameters<typeof answerRange>[0], size?: { assumed: number }) =>
    answerRange(row, size === undefined ? { columns } : { columns, size });
  expect(of({ statistic: "mean", column: "income" })).toEqual([0, 90_000]);
  expect(of({ statistic: "median", column: "age", upper: 80 })).toEqual([0, 80]);
  expect(of({ statistic: "standardDeviation", column: "age", lower: 20 })).toEqual([0, 80]);
  expect(of({ statistic: "count" })).toBeNull();
  expect(of({ statistic: "count" }, { assumed: 20_000 })).toEqual([0, 20_000]);
  expect(of({ statistic: "sum", column: "income" })).toBeNull();
  expect(of({ statistic: "variance", column: "income" })).toBeNull();
  expect(of({ statistic: "mean", column: "gone" })).toBeNull();
});

test("a sentence takes the label of a column unless it is long or another column is called so", () => {
  const called = (label: string, more: Declaration["columns"] = {}) =>
    spokenColumn("home", { columns: { home: { type: "integer", label, provenance: "public" }, ...more } });
  for (const label of ["Days at home", "Apgar score", "NHS number", "Alter in Jahren"])
    expect(called(label)).toBe(label);
  expect(called("x".repeat(41))).toBe("home");
  expect(called("Age", { age: { type: "integer", provenance: "public" } }), "the name of another").toBe("home");
  expect(called("Rent", { cost: { type: "integer", label: "rent", provenance: "public" } })).toBe("home");
  expect(spokenColumn("constructor", { columns })).toBe("constructor");
});

test("an error is counted in rows, in periods or in the unit of its column", () => {
  const born: Declaration["columns"][string] = { type: "integer", unit: "year", provenance: "public" };
  const day: Declaration["columns"][string] = { type: "date", calendar: "day", provenance: "public" };
  const unit = (statistic: string, column?: string) =>
    errorUnit({ statistic, column }, { columns: { ...columns, born, day } });
  expect(unit("mean", "income")).toBe("$");
  expect(unit("median", "income")).toBe("rows");
  expect(unit("mean", "born"), "how far apart years are").toBe("years");
  expect(unit("mean", "day")).toBe("days");
  expect(unit("count")).toBeNull();
  expect(unit("variance", "income")).toBeNull();
  expect(unit("mean", "age")).toBeNull();
});

test("an answer by groups says how many rows each has where a count of the same rows came with it, and whose they are", () => {
  const cells = (value: number) => [{ group: { sex: "f" }, value, interval: [value - 1, value + 1] }];
  const answer = (id: string, statistic: string, value: number) => ({
    id,
    statistic,
    groupBy: ["sex"],
    cells: cells(value),
  });
  const words = { noun: { one: "person", many: "people" }, columns: {} };
  const row = (statistic: string, more: object = {}) => ({ statistic, groupBy: ["sex"], ...more });
  const shown = (count: object, mean: object, window?: object) =>
    answersToShow({
      answers: [answer("s1", "count", 40), answer("s2", "mean", 7)],
      words,
      datasetName: "adults",
      chargedAt: "2026-11-29T10:00:00Z",
      plan: { statistics: [count, mean], ...(window === undefined ? {} : { window }) },
    })?.[1];
  const rowsIn = (...asked: Parameters<typeof shown>) => shown(...asked)?.cells[0]?.rows?.value;
  expect(rowsIn(row("count"), row("mean", { column: "pay" }))).toBe(40);
  const old = { where: "age > 30" };
  expect(rowsIn(row("count", old), row("mean", { column: "pay", ...old }))).toBe(40);
  expect(rowsIn(row("count"), row("mean", { column: "pay", ...old })), "others than it counts").toBeUndefined();
  expect(rowsIn(row("count", { column: "pay" }), row("mean", { column: "pay" })), "values, not rows").toBeUndefined();
  expect(shown(row("count"), row("mean"))?.about).toEqual({ dataset: "adults", when: "as of 2026-11-29" });
  const window = { blocks: ["2024-01 to 2024-12"] };
  expect(shown(row("count"), row("mean"), window)?.about?.when).toBe("2024-01 to 2024-12");
});
