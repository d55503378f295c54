import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { boundPlan } from "../../plan/bound-plan.ts";
import { leavesIn } from "../../plan/task.kit.ts";
import { accuracy, epsilonFor } from "../../quote/calculus.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 10_000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    pay: { type: "number", lower: 0, upper: 200_000 },
    married: { type: "boolean" },
  },
});
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);
const leafCounts = (leaves: number, values: readonly number[]): bigint[] => {
  const counts = new Array<bigint>(leaves).fill(0n);
  for (const value of values) counts[value] = (counts[value] ?? 0n) + 1n;
  return counts;
};

/** Rows between a value and the rank that a share asks for. */
function rankError(sorted: readonly number[], value: number, share: number): number {
  const below = sorted.filter((x) => x < value).length;
  const upTo = sorted.filter((x) => x <= value).length;
  return Math.max(0, below - share * sorted.length, share * sorted.length - upTo);
}

describe("quantiles [M93, M94]", () => {
  test.each([
    ["median", { statistic: "median", column: "age", epsilon: "0.2" }, [0.5]],
    [
      "nine deciles",
      { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] },
      [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    ],
    ["the ends", { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0, 1] }, [0, 1]],
  ] as const)("%s: the rank error is within what was quoted, and answers rise", (_, request, shares) => {
    const plan = bounded(request);
    const half = quotePlan(plan)[0]?.accuracy.halfWidth ?? Number.NaN;
    const random = seededRandom(93);
    for (const values of [
      Array.from({ length: 500 }, (_, i) => (i * i) % 101),
      Array.from({ length: 500 }, () => 37),
      Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? 3 : 90)),
      [],
    ]) {
      const sorted = values.toSorted((a, b) => a - b);
      const exact = new Exact([leafCounts(101, values)]);
      let far = 0;
      for (let i = 0; i < 100; i++) {
        const cells = addNoise(plan, exact, random)[0]?.cells ?? [];
        expect(cells.map(({ value }) => value)).toEqual(cells.map(({ value }) => value).toSorted((a, b) => a - b));
        expect(cells.every(({ rank }) => rank === half)).toBe(true);
        if (shares.some((share, at) => rankError(sorted, cells[at]?.value ?? Number.NaN, share) > half)) far += 1;
      }
      // Chance that correct quantiles fail: Binomial(100, 0.05 · 9) at most, far above 95 only with 1e-26; the bound is loose.
      expect(far).toBeLessThanOrEqual(shares.length === 1 ? 20 : 95);
    }
  });

  test("case 25: every quantile of a constant column is the constant, nearly always", () => {
    const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: [0.1, 0.5, 0.9] });
    const task = plan.statistics[0]?.task;
    if (task?.kind !== "choice") throw new Error("a choice");
    const exact = new Exact([leafCounts(task.leaves, new Array(4000).fill(12_345))]);
    const random = seededRandom(25);
    const all = Array.from({ length: 30 }, () =>
      addNoise(plan, exact, random)[0]?.cells.map(({ noisy }) => noisy[0]),
    ).flat();
    expect(all.filter((leaf) => leaf === "12345").length).toBeGreaterThan(80);
  });

  test("rank errors of the specification: one median 1.4 and nine deciles 5.3 rows of 10,000 at epsilon 1", () => {
    // A log-normal column on 2^16 leaves; the band is generous: mean rank errors of 40 releases each.
    const random = seededRandom(5);
    const normal = (): number => {
      const [u, v] = [(random.uint32() + 1) / 2 ** 32, random.uint32() / 2 ** 32];
      return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    };
    const leaves = leavesIn(bounded({ statistic: "median", column: "pay", epsilon: 1 }).statistics[0]);
    const sorted = Array.from({ length: 10_000 }, () =>
      Math.floor(Math.min(1, Math.exp(10.5 + 0.6 * normal()) / 200_000) * (leaves - 1)),
    ).sort((a, b) => a - b);
    const exact = new Exact([leafCounts(leaves, sorted)]);
    const error = (shares: readonly number[], releases: number): number => {
      const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: shares });
      let sum = 0;
      for (let i = 0; i < releases; i++)
        addNoise(plan, exact, random)[0]?.cells.forEach(({ noisy }, at) => {
          sum += rankError(sorted, Number(noisy[0]), shares[at] ?? 0);
        });
      return sum / releases / shares.length;
    };
    expect(error([0.5], 40)).toBeLessThan(3);
    expect(error([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 10)).toBeLessThan(12);
  });

  test("what is charged, and what a plan shows", () => {
    const request = { statistic: "quantiles", column: "age", quantiles: [0.75, 0.25, 0.25], epsilon: "0.3" } as const;
    const plan = bounded({ ...request, groupBy: ["married"] });
    expect(plan.statistics[0]?.events).toEqual([{ kind: "pure", epsilon: "0.3" }]);
    expect(quotePlan(plan)[0]).toMatchObject({ noise: "selection", cells: 4, cost: { epsilon: "0.3" } });
    const [answer] = addNoise(plan, new Exact([new Array(202).fill(1n)]), seededRandom(1));
    expect(answer?.cells.map(({ group, bin }) => [group.married, bin?.label])).toEqual([
      [false, "25%"],
      [false, "75%"],
      [true, "25%"],
      [true, "75%"],
    ]);
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  });

  test("the least epsilon for a rank error reaches it, and one unit less does not", () => {
    for (const more of [{ statistic: "median" }, { statistic: "quantiles", quantiles: [0.25, 0.5, 0.75] }] as const) {
      const request = { ...more, lower: 0, upper: 100 };
      const { epsilon } = epsilonFor({ ...request, accuracy: 40 }) as { epsilon: string };
      expect(accuracy({ ...request, epsilon })).toBeLessThanOrEqual(40);
      expect(accuracy({ ...request, epsilon: Number(epsilon) - 1e-9 })).toBeGreaterThan(40);
    }
  });

  test.each([
    [
      { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [] },
      "statistics[0].quantiles is 0, must be 1 to 99 shares from 0 to 1",
    ],
    [
      { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0.5, 1.5] },
      "statistics[0].quantiles[1] is 1.5, must be a share from 0 to 1",
    ],
    [
      { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [Number.NaN] },
      'statistics[0].quantiles[0] is "NaN", must be a share from 0 to 1',
    ],
    [
      { statistic: "median", column: "age", epsilon: 1, quantiles: [0.5] },
      "statistics[0].quantiles is [0.5], must be absent from a median",
    ],
    [
      { statistic: "median", column: "age", rho: 1 },
      "statistics[0].rho is 1, must be absent: a median is chosen, which is paid in epsilon",
    ],
    [
      { statistic: "median", column: "age", epsilon: 1, noise: "gaussian" },
      'statistics[0].noise is "gaussian", must be absent: a median is chosen, which is paid in epsilon',
    ],
  ] as const)("%j is refused", (request, message) => {
    expect(() => bounded(request as StatisticRequest)).toThrow(message);
  });

  test("case 26: the ends 0, 1 and a share of 1e-9 are valid", () => {
    expect(
      bounded({ statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0, 1e-9, 1] }).statistics,
    ).toHaveLength(1);
  });
});
