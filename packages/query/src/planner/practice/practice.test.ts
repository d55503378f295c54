import { normalCdf } from "@dosimeter/core";
import { expect, test } from "vitest";
import { checkDeclaration } from "../../declaration.ts";
import { type Statistic, statisticNames, statisticOf } from "../../statistics.ts";
import { cutOff, cutOffOf } from "./clipping.ts";
import { practise } from "./practice.ts";
import { noiseSpread } from "./spread.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 2000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    income: { type: "number", lower: -1000, upper: 200_000, granularity: 10 },
    race: { type: "category", categories: ["a", "b", "c"] },
    married: { type: "boolean" },
  },
});

test("a twin comes from the declaration alone, and practice is the same for the same seed", () => {
  const plan = {
    statistics: [
      { statistic: "mean", column: "age", where: "married = true and age >= 18", epsilon: 0.2 },
      { statistic: "histogram", column: "race", groupBy: ["married"], epsilon: 0.1 },
      { statistic: "quantiles", column: "income", epsilon: 0.5 },
    ],
  } as const;
  const once = practise(plan, declaration, { runs: 20, seed: 7 });
  expect(practise(plan, declaration, { runs: 20, seed: 7 })).toEqual(once);
  expect(once).toMatchObject({ watermark: "SYNTHETIC", rows: 2000, runs: 20, leftOut: [] });
  expect(once.answers.map(({ cells }) => cells.length)).toEqual([1, 6, 3]);
  expect(once.statistics.every(({ within }) => within !== null && within > 0.85)).toBe(true);
});

const plain = statisticNames.filter((name) => {
  const { column, outputs, tree, findsKeys, distinct, others, fixedBins, clips }: Statistic = statisticOf(name);
  if (fixedBins !== undefined || clips !== undefined) return false;
  const isPlain = outputs === undefined && tree === undefined && findsKeys === undefined;
  return isPlain && distinct === undefined && others === undefined && column !== "any" && column !== "key";
});

/** 200 answers, each further off than stated with probability 5 %: more than 24 of them in less than one run of 10,000. */
test.each(plain)("200 practice runs: ± of a %s holds", (name) => {
  const { column, selects }: Statistic = statisticOf(name);
  const request = {
    statistic: name,
    ...(column === "none" ? {} : { column: column === "binned" ? "race" : "age" }),
    ...(selects === null ? { quantiles: [0.5, 0.9] } : {}),
    epsilon: 1,
  };
  const { statistics } = practise({ statistics: [request] }, declaration, { runs: 200 });
  expect(statistics).toHaveLength(1);
  expect(statistics[0]?.within ?? 0).toBeGreaterThan(0.88);
  expect(statistics[0]?.observed ?? Number.NaN).toBeLessThanOrEqual(1.35 * (statistics[0]?.stated ?? 0));
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
