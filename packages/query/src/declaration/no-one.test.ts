import { expect, test } from "vitest";
import { undeclaredNotes } from "../answer/notes.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { quotePlan } from "../quote/quote.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { noOneText } from "./no-one.ts";
import { readPredicate } from "./predicate-text.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 10_000 },
  columns: {
    age: { type: "integer", lower: 18, upper: 93, label: "Age" },
    income: { type: "number", lower: 0, upper: 90_000, required: true },
    open: { type: "number" },
    sex: { type: "category", categories: ["f", "m"] },
    region: { type: "category", categories: ["n", "s"], required: true },
    since: { type: "date", lower: "2020-01-01", upper: "2020-12-31" },
    note: { type: "text" },
  },
});
const said = (where: string) => noOneText(readPredicate(where, declaration), declaration);

test.each([
  ["age > 200", "age is over 200"],
  ["age < 18", "age is under 18"],
  ["income > 90000", "income is over 90,000"],
  ["income >= 1000000 and sex = 'f'", "income is at least 1,000,000"],
  ["age between 100 and 120", "age is between 100 and 120"],
  ["age > 60 and age < 20 and sex = 'f'", "age fits “age < 20 and age > 60”"],
  ["age > 60 and age < 61", "age fits “age < 61 and age > 60”"],
  ["age in (1, 2)", "age fits “age in (1, 2)”"],
  ["not (income <= 90000)", "income fits “not (income <= 90000)”"],
  ["age > 200 or age < 10", "age fits “age < 10 or age > 200”"],
  ["sex = 'f' and sex = 'm'", "sex fits “sex = 'f' and sex = 'm'”"],
  ["region != 'n' and region != 's'", "region fits “region != 'n' and region != 's'”"],
  ["since >= '2030-01-01'", "since is at least 2030-01-01"],
])("%s fits no declared value", (where, words) => {
  expect(said(where)).toBe(
    `No declared value of ${words}: by the declaration, this counts no one.`.replace("of age", "of Age"),
  );
});

test.each([
  "age > 90",
  "age <= 18",
  "income > 60 and income < 60.5",
  "income >= 90000",
  "age > 200 or sex = 'f'",
  "not (age <= 200)",
  "age is null",
  "sex != 'f' and sex != 'm'",
  "open > 1000000",
  "note = 'x'",
  "since >= '2020-12-31'",
  "not (age > 200 and sex = 'f')",
])("%s may fit", (where) => expect(said(where)).toBeNull());

test("a row for no one is useless at any price, assumes no people and has no remedy", () => {
  const quote = (where: string, statistic: "mean" | "count") => {
    const column = statistic === "mean" ? { column: "income" } : {};
    return quotePlan(
      boundPlan({ statistics: [{ statistic, ...column, where, groupBy: ["sex"], rho: 1 }] }, declaration),
    )[0];
  };
  for (const statistic of ["mean", "count"] as const) {
    expect(quote("age > 90", statistic)?.accuracy).toMatchObject({ useless: false, lost: 0 });
    const none = quote("age > 200", statistic);
    expect(none?.sentence).toBe("No declared value of Age is over 200: by the declaration, this counts no one.");
    expect(none?.accuracy).toMatchObject({ useless: true, lost: 2, remedy: null, assumes: null, groupSize: null });
  }
});

test("a filter on a category that rows may have another value of says so in the answer, and which rows it leaves out", () => {
  const noted = (where: string) =>
    boundPlan({ statistics: [{ statistic: "count", where, epsilon: 1 }] }, declaration).statistics.flatMap(
      undeclaredNotes,
    );
  const out = "Rows without a declared value of sex do not fit the filter, and are not counted.";
  const other = "Rows without a declared value of sex have, in the filter, none of the values that it names.";
  expect(noted("sex = 'f'")).toEqual([out]);
  expect(noted("age > 30 and not (sex != 'f' or sex is null)")).toEqual([out]);
  // A stored value that is no category differs from each, and no value is missing.
  for (const where of ["sex != 'f'", "not (sex = 'f')", "sex is null", "sex = 'f' or age > 30"])
    expect(noted(where)).toEqual([other]);
  expect(noted("region = 'n' and age > 30")).toEqual([]);
});
