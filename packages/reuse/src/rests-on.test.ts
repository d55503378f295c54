import { expect, test } from "vitest";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { diagramsOf } from "./diagram.ts";
import { restsOn } from "./rests-on.ts";
import { bounded } from "./reuse.kit.ts";

const declaration = checkDeclaration({
  name: "t",
  source: { csv: "t.csv" },
  privacyUnit: "row",
  columns: {
    sex: { type: "category", categories: ["f", "m"], required: true },
    region: { type: "category", categories: ["n", "s"] },
    age: { type: "integer", lower: 0, upper: 99, required: true },
  },
});
const rests = (...requests: readonly Partial<StatisticRequest>[]) =>
  restsOn(
    requests.map((one) => bounded({ statistic: "count", epsilon: 1, ...one }, declaration)),
    diagramsOf(declaration),
  );
const on = (names: string) => [
  `It rests on what the owner requires: a row without a declared value of ${names} counts nowhere.`,
];

test("an equation between a total and its groups names what the owner requires of them", () => {
  expect(rests({}, { groupBy: ["sex"] })).toEqual(on("sex"));
  expect(rests({}, { statistic: "histogram", column: "age", bins: 3 }, { where: "sex = 'f'" })).toEqual(
    on("age and sex"),
  );
  expect(rests({ where: "sex = 'f'" }, { groupBy: ["sex"] })).toEqual(on("sex"));
});

test("what both read alike, and what is not required, is no part of it", () => {
  expect(rests({ groupBy: ["sex"] }, { groupBy: ["sex", "region"] })).toEqual([]);
  const mean = { statistic: "mean", column: "age" } as const;
  expect(rests(mean, { statistic: "sum", column: "age" }, { statistic: "histogram", column: "age", bins: 3 })).toEqual(
    [],
  );
});
