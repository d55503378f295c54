import { expect, test } from "vitest";
import { type StatisticName, statisticNames, statisticOf } from "../../../query/src/statistics/registry.ts";
import type { Statistic } from "../../../query/src/statistics/statistic.ts";
import { peopleWith } from "../planner.kit.ts";
import { practise } from "./practice.ts";

const columns = {
  age: { type: "integer", lower: 0, upper: 100, required: true },
  race: { type: "category", categories: ["a", "b", "c"], required: true },
} as const;
const declarations = { addRemove: peopleWith(columns), replace: peopleWith(columns, { public: 1000 }) };

/** They count what clamping and contribution bounds leave out, which practice data have none of. */
const losses: readonly StatisticName[] = ["clippedValues", "cutUnits"];
const plain = statisticNames.filter((name) => {
  const { column, cells, others }: Statistic = statisticOf(name);
  return cells === undefined && others === undefined && column !== "any" && column !== "key" && !losses.includes(name);
});
const isSlow = (name: StatisticName): boolean => ["variance", "standardDeviation"].includes(name);
const cases = plain.flatMap((statistic) =>
  (["addRemove", "replace"] as const).flatMap((adjacency) =>
    (["laplace", "gaussian"] as const)
      .filter((noise) => noise === "laplace" || statisticOf(statistic).choose === undefined)
      .flatMap((noise) => [0.8, 0.95].map((confidence) => ({ statistic, adjacency, noise, confidence })))
      // Reading an interval off three noisy sums takes a tenth of a second: fewer runs, once for each noise.
      .filter(({ confidence }) => !isSlow(statistic) || (adjacency === "addRemove" && confidence === 0.95)),
  ),
);

/**
 * The first answers of N independent runs are each within what was stated with probability ≥ confidence; fewer than
 * confidence·N − 5 standard deviations of them happen with probability below 3e-7 for a ± that holds.
 */
test.each(cases)(
  "± of a $statistic holds at $confidence: $adjacency, $noise",
  ({ statistic, adjacency, noise, confidence }) => {
    const { column, choose, takes }: Statistic = statisticOf(statistic);
    const runs = isSlow(statistic) ? 60 : choose === undefined ? 2000 : 500;
    const request = {
      statistic,
      ...(column === "none" ? {} : { column: column === "binned" ? "race" : "age" }),
      ...(takes.includes("quantiles") ? { quantiles: statistic === "quantiles" ? [0.25, 0.5] : [0.25] } : {}),
      ...(noise === "gaussian" ? { noise, rho: 0.02 } : { epsilon: 0.2 }),
    };
    const { statistics } = practise({ statistics: [request], confidence }, declarations[adjacency], { runs, seed: 11 });
    const [found] = statistics;
    const within = found?.errors.filter((error) => error <= (found.stated ?? 0) * (1 + 1e-9)).length ?? 0;
    const least = confidence * runs - 5 * Math.sqrt(runs * confidence * (1 - confidence));
    expect(within).toBeGreaterThanOrEqual(least);
  },
);

/** The same for a curve and a covariance, whose answers take long to compute. */
test.each([
  { statistic: "cdf", column: "age" },
  { statistic: "covariance", column: "age", with: "score" },
] as const)("± of a $statistic holds", (request) => {
  const declaration = peopleWith({ ...columns, score: { type: "integer", lower: 0, upper: 50, required: true } });
  const runs = 100;
  const { statistics } = practise({ statistics: [{ ...request, epsilon: 0.5 }] }, declaration, { runs, seed: 5 });
  const [found] = statistics;
  const within = found?.errors.filter((error) => error <= (found.stated ?? 0) * (1 + 1e-9)).length ?? 0;
  expect(within).toBeGreaterThanOrEqual(0.95 * runs - 5 * Math.sqrt(runs * 0.95 * 0.05));
});
