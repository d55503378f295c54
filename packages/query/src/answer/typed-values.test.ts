import { expect, test } from "vitest";
import { typedValues } from "./typed-values.ts";

test("every text and number of a condition or a derived column is named, however it is written", () => {
  const count = { statistic: "count", epsilon: "0.1" } as const;
  expect(
    typedValues({
      join: {
        dataset: "dat_1",
        columns: { op: "sum of cost where city = 'Oslo'", value: { take: "sum", column: "cost", lower: 0, upper: 77 } },
      },
      let: { op: "cut(age, 12)", half: { op: "map", of: [{ column: "name" }, { value: "Ada" }, { value: true }] } },
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
        { ...count, where: "married = true", bins: ["Tromsø"] },
        { ...count, bins: "month" },
        { ...count, bins: { city: ["Voss"], age: 10 } },
        { ...count, where: "this is # no condition" },
      ],
    }),
  ).toEqual([
    ...["'Oslo'", "0", "77", "12", "'Ada'", "'O''Hara'", "-3.5", "9", "'2024-01-01'", "8", "18", "'Major'"],
    ...["this is # no condition", "'income = 0, 20; city = Bergen'", "'Tromsø'", "'Voss'"],
  ]);
});
