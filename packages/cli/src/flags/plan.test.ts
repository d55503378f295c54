import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { parseStatistic, planOf } from "./plan.ts";

const here = { cwd: ".", in: Readable.from([]) };

test.each([
  ["count epsilon=0.1", { statistic: "count", epsilon: "0.1" }],
  [
    "count epsilon=0.1 where age >= 65 and sex = 'f'",
    { statistic: "count", epsilon: "0.1", where: "age >= 65 and sex = 'f'" },
  ],
  ["mean income 0..1e5 rho=0.02", { statistic: "mean", column: "income", lower: 0, upper: 100_000, rho: "0.02" }],
  ["mean x -5..-1.5 epsilon=1", { statistic: "mean", column: "x", lower: -5, upper: -1.5, epsilon: "1" }],
  [
    "regression pay with=age,educ noise=auto rho=0.1",
    { statistic: "regression", column: "pay", with: ["age", "educ"], noise: "auto", rho: "0.1" },
  ],
  [
    "distinctValues job valuesPerUnit=3 epsilon=1",
    { statistic: "distinctValues", column: "job", valuesPerUnit: 3, epsilon: "1" },
  ],
  ["sum pay epsilon=1 by sex, race", { statistic: "sum", column: "pay", epsilon: "1", groupBy: ["sex", "race"] }],
  [
    "runningTotal pay with=seen bins=month rho=0.1",
    { statistic: "runningTotal", column: "pay", with: ["seen"], bins: "month", rho: "0.1" },
  ],
  ["histogram age bins=5 epsilon=1", { statistic: "histogram", column: "age", bins: 5, epsilon: "1" }],
  [
    "histogram age bins=0,18,65,120 epsilon=1",
    { statistic: "histogram", column: "age", bins: [0, 18, 65, 120], epsilon: "1" },
  ],
  [
    "quantiles age quantiles=0.1,0.5 epsilon=1",
    { statistic: "quantiles", column: "age", quantiles: [0.1, 0.5], epsilon: "1" },
  ],
  ["quantiles age quantiles=0.5 epsilon=1", { statistic: "quantiles", column: "age", quantiles: [0.5], epsilon: "1" }],
  [
    "unitSum pay unitLower=0 unitUpper=500 epsilon=1",
    { statistic: "unitSum", column: "pay", unitLower: 0, unitUpper: 500, epsilon: "1" },
  ],
  [
    "keyCounts diagnosis delta=1e-9 atLeast=5 epsilon=1",
    { statistic: "keyCounts", column: "diagnosis", delta: "1e-9", atLeast: 5, epsilon: "1" },
  ],
  ["topValues diagnosis k=3 epsilon=1", { statistic: "topValues", column: "diagnosis", k: 3, epsilon: "1" }],
  [
    "mean pay keys=select keyShare=0.5 delta=1e-9 epsilon=1 by diagnosis",
    {
      statistic: "mean",
      column: "pay",
      keys: "select",
      keyShare: "0.5",
      delta: "1e-9",
      epsilon: "1",
      groupBy: ["diagnosis"],
    },
  ],
  [
    "count keysFrom=s1 epsilon=1 by diagnosis",
    { statistic: "count", keysFrom: "s1", epsilon: "1", groupBy: ["diagnosis"] },
  ],
])("%s", (spec, request) => {
  expect(parseStatistic(spec)).toEqual(request);
});

test.each([
  ["mean income age epsilon=1", "--statistic is"],
  ["count colour=red", "--statistic is"],
  ["mean income 0..x epsilon=1", "--statistic is"],
  ["mean income 1.2.3..4 epsilon=1", "lower is"],
  ["histogram age bins=a epsilon=1", "bins is"],
])("%s is refused, saying what can be written", (spec, message) => {
  expect(() => parseStatistic(spec)).toThrow(message);
});

test("derived columns are flags too", async () => {
  const plan = await planOf(
    { let: ["age10 = cut(age, 10)", '"a b"=if(age = 3, 1, 0)'], statistic: ["count epsilon=1 by age10"] },
    here,
  );
  expect(plan).toEqual({
    let: { age10: "cut(age, 10)", "a b": "if(age = 3, 1, 0)" },
    statistics: [{ statistic: "count", epsilon: "1", groupBy: ["age10"] }],
  });
  await expect(planOf({ let: ["age10"] }, here)).rejects.toThrow("name = formula");
  await expect(planOf({ let: ["a=1", "a=2"] }, here)).rejects.toThrow("each name once");
});

test("what is taken of another dataset is flags too, and adds to the join of a plan file", async () => {
  const take = [
    "age",
    "visits = count 0..20 where year = 2024",
    "paid=sum cost 0..500",
    '"last kind" = last kind by day where year > 2020',
    "ever = any where ill = true",
  ];
  const plan = await planOf({ join: "visits", take, statistic: ["mean visits epsilon=1"] }, here);
  expect(plan.join).toEqual({
    dataset: "visits",
    columns: {
      age: "age",
      visits: { take: "count", lower: 0, upper: 20, where: "year = 2024" },
      paid: { take: "sum", column: "cost", lower: 0, upper: 500 },
      "last kind": { take: "last", column: "kind", by: "day", where: "year > 2020" },
      ever: { take: "any", where: "ill = true" },
    },
  });
  await expect(planOf({ take: ["age"] }, here)).rejects.toThrow("--join");
  await expect(planOf({ join: "visits", take: ["a=b", "a=c"] }, here)).rejects.toThrow("each name once");
});

test.each([
  ["0.1", { rate: "0.1" }],
  [".25", { rate: ".25" }],
  ["1000", { size: 1000 }],
])("--sample %s", async (sample, want) => {
  expect(await planOf({ statistic: ["count epsilon=1"], sample }, here)).toMatchObject({ sample: want });
});
