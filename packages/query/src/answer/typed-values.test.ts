import { expect, test } from "vitest";
import type { Plan } from "../statistics/request.ts";
import { typedValues } from "./typed-values.ts";

const count = { statistic: "count", epsilon: "0.1" } as const;

test("every text, number and new name of a condition or a derived column is named, however it is written", () => {
  expect(
    typedValues({
      join: {
        dataset: "dat_1",
        columns: { op: "sum of cost where city = 'Oslo'", value: { take: "sum", column: "cost", lower: 0, upper: 77 } },
      },
      let: {
        by: "cut(age, 12)",
        "Eve's half": { op: "map", of: [{ column: "name" }, { value: "Ada" }, { value: true }] },
      },
      statistics: [
        { ...count, where: "name = 'O''Hara' and (age >= -3.5 or \"born 1974\" is null)" },
        {
          ...count,
          where: {
            op: "and",
            of: [
              { op: "in", column: "x", values: ["Ada", 9] },
              { op: "between", column: "y", lower: "2024-01-01", upper: 8 },
            ],
          },
        },
        { ...count, impossible: "age < 18 and rank = 'Major'", bins: "income = 0, 20; city = Bergen" },
        { ...count, where: "this is # no condition" },
      ],
    }),
  ).toEqual([
    ...["op", "'Oslo'", "value", "0", "77", "by", "12", '"Eve\'s half"', "'Ada'", "'O''Hara'", "-3.5", "9"],
    ...["'2024-01-01'", "8", "18", "'Major'", "'income = 0, 20; city = Bergen'", "this is # no condition"],
  ]);
});

test("bins, bounds, shares, weights and names of rows are named, as is any field that no one thought of", () => {
  const row = { ...count, column: "age", groupBy: ["sex"], keyShare: "0.2", noise: "laplace" } as const;
  const plan: Plan = {
    window: { latest: 12 },
    sample: { rate: 0.5 } as never,
    confidence: 0.9,
    statistics: [
      { ...row, bins: ["Tromsø"] },
      { ...row, bins: "month", id: "s3" },
      { ...row, bins: { epsilon: ["Voss"], age: 10, born: "year" } },
      { ...row, bins: [0, 18, 65.5], id: "Ada's row" },
      { ...row, lower: 1, upper: "2031-05", unitLower: -2, unitUpper: 3, quantiles: [0.37] },
      { ...row, tables: [["age", "sex"]], weights: { age: 7 }, keysFrom: "people", atLeast: 13 },
      { ...row, novel: { epsilon: 1, told: ["Eve", 44] } } as never,
    ],
  };
  expect(typedValues(plan)).toEqual([
    ...["'Tromsø'", "'Voss'", "10", "0, 18, 65.5", '"Ada\'s row"', "1", "'2031-05'", "-2", "3", "0.37", "7", "13"],
    ...["'Eve'", "44"],
  ]);
  const edges = Array.from({ length: 250 }, (_, at) => at);
  expect(typedValues({ statistics: [{ ...row, bins: edges }] })).toHaveLength(3);
});
