import { normalCdf } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { type StatisticName, statisticNames, statisticOf } from "../../../query/src/statistics/registry.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { peopleWith } from "../planner.kit.ts";
import { cutOff, cutOffOf, noiseSpread } from "./clipping.ts";
import { practise } from "./practice.ts";

const declaration = peopleWith(
  {
    age: { type: "integer", lower: 0, upper: 100 },
    income: { type: "number", lower: -1000, upper: 200_000, granularity: 10 },
    race: { type: "category", categories: ["a", "b", "c"] },
    married: { type: "boolean" },
    town: { type: "text" },
  },
  { assumed: 2000 },
);

test("practice data come from the declaration alone, and practice is the same for the same seed", () => {
  const plan = {
    statistics: [
      { statistic: "mean", column: "age", where: "married = true and age >= 18", epsilon: 0.2 },
      { statistic: "histogram", column: "race", groupBy: ["married"], epsilon: 0.1 },
      { statistic: "quantiles", column: "income", epsilon: 0.5 },
    ],
  } as const;
  const once = practise(plan, declaration, { runs: 20, seed: 7 });
  expect(practise(plan, declaration, { runs: 20, seed: 7 })).toEqual(once);
  expect(once).toMatchObject({ watermark: "SYNTHETIC", rows: 2000, runs: 20 });
  expect(once.answers.map(({ cells }) => cells.length)).toEqual([1, 6, 3]);
  expect(once.statistics.every(({ within }) => within !== null && within > 0.75)).toBe(true);
});

const settings: Partial<Record<StatisticName, object>> = {
  quantiles: { quantiles: [0.5, 0.9] },
  histogram: { column: "race" },
  keyCounts: { column: "town", delta: 1e-6 },
  topValues: { column: "town", k: 3, delta: 1e-6 },
  bounds: { column: "income" },
  covariance: { with: "income" },
  correlation: { with: "income" },
  regression: { with: ["income", "married"] },
  distinctValues: { column: "town" },
  runningTotal: { with: "age" },
  clippedValues: { lower: 20, upper: 60 },
};
const requestOf = (name: StatisticName) => ({
  statistic: name,
  ...(statisticOf(name).column === "none" ? {} : { column: "age" }),
  ...settings[name],
  epsilon: 1,
});
const byPerson = checkDeclaration({
  ...JSON.parse(JSON.stringify(declaration)),
  privacyUnit: { column: "id" },
  contribution: { rows: 1 },
  columns: { ...declaration.columns, id: { type: "integer" } },
});

/**
 * 200 answers, each further off than stated with probability 5 %: more than 24 of them in less than one run of 10,000. What is
 * slow to compute runs less often here, and at length in practice.long.test.ts.
 */
const SLOW: readonly StatisticName[] = [
  "variance",
  "standardDeviation",
  "covariance",
  "correlation",
  "regression",
  "cdf",
];
test.each(statisticNames)("practice runs: ± of a %s holds", (name) => {
  const plan = { statistics: [requestOf(name)] } as Plan;
  const runs = SLOW.includes(name) ? 2 : 200;
  const { statistics, answers } = practise(plan, byPerson, { runs });
  expect(answers[0]?.cells.length).toBeGreaterThan(0);
  const [found] = statistics;
  expect(Number.isFinite(found?.observed)).toBe(true);
  if (found?.assumes !== null || runs < 200) return;
  expect(found.within ?? 0).toBeGreaterThan(0.88);
  expect(found.observed).toBeLessThanOrEqual(1.35 * (found.stated ?? 0));
});

test("groups that no one declared and derived columns are practised too", () => {
  const plan: Plan = {
    let: { decade: "cut(age, 10)", double: "age * 2" },
    statistics: [
      { statistic: "mean", column: "age", groupBy: ["town"], keys: "select", delta: 1e-6, epsilon: 1 },
      { statistic: "histogram", column: "decade", epsilon: 1 },
      { statistic: "mean", column: "double", where: "age >= 20", epsilon: 1 },
    ],
  };
  const { answers, statistics } = practise(plan, byPerson, { runs: 40 });
  expect(answers[0]?.cells[0]?.group).toMatchObject({ town: expect.stringMatching(/^word \d+$/) });
  expect(answers[1]?.cells).toHaveLength(11);
  expect(answers[2]?.cells[0]?.value).toBeGreaterThan(90);
  expect(answers[2]?.cells[0]?.value).toBeLessThan(115);
  for (const { within } of statistics) expect(within ?? 0).toBeGreaterThan(0.8);
});

test("noise spreads as it is stated to; what a bound cuts off is the tail's mean", () => {
  for (const kind of ["laplace", "gaussian"] as const) {
    const at = noiseSpread(kind, { halfWidth: 10, confidence: 0.95 });
    expect(at(0.975)).toBeCloseTo(10, 9);
    expect(at(0.025)).toBeCloseTo(-10, 9);
    expect(Math.abs(at(0.5))).toBe(0);
  }
  const guess = { typical: 30_000, topPercent: 300_000 };
  const sigma = Math.log(10) / 2.3263478740408408;
  const spread = noiseSpread("gaussian", { halfWidth: 1.959963984540054, confidence: 0.95 });
  const values = Array.from({ length: 20_001 }, (_, i) => 30_000 * Math.exp(sigma * spread((i + 0.5) / 20_001)));
  for (const upper of [20_000, 100_000, 400_000])
    expect(cutOff(guess, upper, normalCdf) / cutOffOf(values, upper)).toBeCloseTo(1, 1);
});
