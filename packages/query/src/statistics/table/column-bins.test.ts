import fc from "fast-check";
import { expect, test } from "vitest";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TableTask } from "../../plan/task.ts";
import type { Plan } from "../request.ts";
import { columnBinsText, parts, releasesNamed, withColumnBins } from "./column-bins.ts";
import { type AnswerForBins, releasedBins } from "./released-bins.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: {
    sex: { type: "boolean" },
    age: { type: "integer", lower: 0, upper: 99 },
    income: { type: "number" },
    born: { type: "date", lower: "2020-01-01", upper: "2020-12-31" },
    city: { type: "text" },
  },
});

const bound = (bins: unknown): BoundedStatistic<TableTask> => {
  const plan = { statistics: [{ statistic: "syntheticTable", epsilon: 1, bins }] } as unknown as Plan;
  const [statistic] = boundPlan(plan, declaration).statistics;
  if (statistic?.task.kind !== "table") throw new Error("a table");
  return { ...statistic, task: statistic.task };
};
const labels = (bins: unknown): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    bound(bins).task.columns.map(({ name, bins: of, hasMissing }) => [
      name,
      [...of.map(({ label }) => label), ...(hasMissing ? ["missing"] : [])],
    ]),
  );

test("columns have bins of their own: edges, a number, periods, and the texts that count", () => {
  const made = labels('income = 0, 20000, 50000; born = quarter; city = Oslo, "Paris, Texas"; age = 2');
  expect(made).toEqual({
    sex: ["false", "true", "missing"],
    age: ["0–49", "50–99", "missing"],
    income: ["[0, 20,000)", "[20,000, 50,000]", "missing"],
    born: ["2020-Q1", "2020-Q2", "2020-Q3", "2020-Q4", "missing"],
    city: ["Oslo", "Paris, Texas", "missing"],
  });
  const asObject = { income: [0, 20_000, 50_000], born: "quarter", city: ["Oslo", "Paris, Texas"], age: 2 };
  expect(labels(asObject)).toEqual(made);
  expect(labels(columnBinsText(asObject))).toEqual(made);
});

test("other columns keep the bins that they have without", () => {
  expect(labels({ city: ["Oslo"] }).age).toEqual(labels(undefined).age);
  expect(Object.keys(labels(undefined))).toEqual(["sex", "age", "born"]);
});

test.each([
  [{ city: [] }, /bins\.city is \[\], must be at least one value/],
  [{ city: ["Oslo", "Oslo"] }, /bins\.city\[1\] is "Oslo", must be listed once/],
  [{ city: 3 }, /bins\.city is 3, must be a list/],
  [{ town: ["Oslo"] }, /town/],
  [{ age: [0, 50, 40] }, /is 40, must be > the edge before it/],
  [{ income: 10 }, /must be given, or declared for the column, or bins as a list of edges/],
  [{ sex: ["true"] }, /must be absent: the bins are the declared values/],
  ["age", /must be a whole number >= 1/],
  ["age = x", /bins\.age is "x"/],
  ["age = 5; age = 6", /named once/],
  ["age = release:chg_1", /the command line reads them from that release/],
  ["city = release:chg_1", /the command line reads them from that release/],
])("%j is refused", (bins, words) => {
  expect(() => bound(bins)).toThrow(words);
});

test.each([
  ["escaped quotes", `a = "${'\\\\"'.repeat(500_000)}`],
  ["spaces", `a${" ".repeat(1_000_000)}b = 1`],
  ["values", `city = ${"x,".repeat(500_000)}`],
])("a megabyte of %s is refused by its length", (_, bins) => {
  expect(() => bound(bins)).toThrow(/bins is \d{7}, must be at most 20000 characters/);
});

test("more values than a column may have are refused before they are compared", () => {
  const city = Array.from({ length: 200_000 }, (_, at) => `c${at}`);
  expect(() => bound({ city })).toThrow(/bins\.city is 200000, must be at most 10000 values/);
});

test("a text is cut as a plain expression cuts it, whatever quotes and escapes it has", () => {
  const letters = fc.constantFrom('"', "\\", ";", ",", "=", " ", "a", "\n");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 30 }), (text) => {
      const plain = (text.match(/("(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []).filter((part) => part.trim() !== "");
      expect(parts(text, ";")).toEqual(plain);
    }),
    { seed: 1, numRuns: 5000 },
  );
});

test("a long hostile text is cut in one pass", () => {
  expect(parts(`"${'\\"'.repeat(500_000)}`, ";")).toHaveLength(500_000);
});

const cell = (value: number, share?: number) => ({
  group: {},
  value,
  ...(share === undefined ? {} : { bin: { value: share } }),
});
const quantiles = (column: string, ...cells: AnswerForBins["cells"]): AnswerForBins => ({
  ...{ id: "s1", statistic: "quantiles", column, groupBy: [], cells },
});
const keys = (...cities: readonly string[]): AnswerForBins => ({
  ...{ id: "s2", statistic: "keyCounts", column: null, groupBy: ["city"] },
  cells: cities.map((city) => ({ group: { city }, value: 9 })),
});
const from = (...answers: readonly AnswerForBins[]) => ({ id: "chg_1", dataset: "d", answers });
const asked = { of: "d", declaration, path: "bins" };

test("what was released becomes bins: quantiles edges between the declared bounds, found keys the texts that count", () => {
  const found = releasedBins(
    from(
      quantiles("age", cell(60.5, 0.75), cell(30.2, 0.25), cell(30.4, 0.5)),
      quantiles("income", cell(100, 0.25), cell(900.5, 0.75)),
      quantiles("born", cell(18_293.4)),
      keys("Oslo", "Bergen"),
    ),
    asked,
  );
  expect(found).toEqual({
    age: [0, 30, 61, 99],
    income: [100, 900.5],
    born: ["2020-01-01", "2020-02-01", "2020-12-31"],
    city: ["Oslo", "Bergen"],
  });
  // They are edges like any others: written into the plan, at the price that any bins have.
  expect(bound(found).events).toEqual(bound({ ...found, age: [0, 1, 2, 99] }).events);
});

test("a release names itself in the text, and its bins take the place of the name", () => {
  const text = "age = 5; city = release:chg_1";
  expect(releasesNamed(text)).toEqual([{ column: "city", release: "chg_1" }]);
  const city = releasedBins(from(keys("Oslo")), { ...asked, only: "city" });
  expect(withColumnBins(text, city)).toBe("age = 5; city = Oslo");
  expect(labels("city = Oslo").city).toEqual(["Oslo", "missing"]);
});

test.each([
  ["of another dataset", { ...from(keys("Oslo")), dataset: "e" }, /a release of the same dataset/],
  ["without answers yet", { ...from(), answers: null }, /whose answers are there/],
  ["with nothing of the column", from(quantiles("income", cell(1, 0.5))), /quantiles of age, not by group/],
  ["with quantiles by group", from({ ...quantiles("age", cell(1, 0.5)), groupBy: ["sex"] }), /quantiles of age/],
  [
    "with quantiles that fall",
    from(quantiles("age", cell(50, 0.25), cell(40, 0.5))),
    /is 40, must be a quantile >= the one/,
  ],
])("a release %s gives no bins", (_, release, words) => {
  expect(() => releasedBins(release, { ...asked, only: "age" })).toThrow(words);
});
