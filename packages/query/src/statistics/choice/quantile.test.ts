import { Exact, toDouble } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { errorsOf } from "../../../../planner/src/practice/practice.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { leavesIn } from "../../plan/task.kit.ts";
import { accuracy, epsilonFor } from "../../quote/calculus.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";
import { rowsIn, runsOf, widthOf } from "./quantile.ts";
import { leafCounts, mostMisses, mostOff, ranksOff, worstOfNeighbours } from "./ranks.kit.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 10_000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100 },
    pay: { type: "number", lower: 0, upper: 200_000 },
    married: { type: "boolean" },
    district: { type: "integer", lower: 1, upper: 8 },
  },
});
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);
const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

describe("quantiles [M93, M94]", () => {
  /** A heap at one end that a share just misses or just reaches, and the same from the other end. */
  const heaps = (leaves: number, rows: number, low: number): readonly (readonly bigint[])[] => {
    const counts = new Array<bigint>(leaves).fill(0n);
    counts[0] = BigInt(Math.round(low * rows));
    counts[leaves - 1] = BigInt(rows - Math.round(low * rows));
    return [counts, counts.toReversed()];
  };
  const AGES: readonly (readonly [string, readonly bigint[]])[] = [
    [
      "spread out",
      leafCounts(
        101,
        Array.from({ length: 500 }, (_, i) => (i * i) % 101),
      ),
    ],
    ["all alike", leafCounts(101, new Array(500).fill(37))],
    [
      "in two heaps",
      leafCounts(
        101,
        Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? 3 : 90)),
      ),
    ],
    ["of nobody", leafCounts(101, [])],
    ...[0.2501, 0.26, 0.3, 0.11, 0.51].flatMap((low) =>
      heaps(101, 1_000_000, low).map((counts, at) => [`in heaps of ${low}, ${["low", "high"][at]}`, counts] as const),
    ),
  ];
  const quotedOf = (request: StatisticRequest): number =>
    quotePlan(bounded(request))[0]?.accuracy.halfWidth ?? Number.NaN;

  test.each([
    ["median", { statistic: "median", column: "age", epsilon: "0.2" }, [0.5]],
    ["quartiles", { statistic: "quantiles", column: "age", epsilon: 1 }, [0.25, 0.5, 0.75]],
    ["two shares", { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0.25, 0.75] }, [0.25, 0.75]],
    ["nine deciles", { statistic: "quantiles", column: "age", epsilon: 1, quantiles: DECILES }, DECILES],
    ["the ends", { statistic: "quantiles", column: "age", epsilon: 1, quantiles: [0, 1] }, [0, 1]],
  ] as const)("%s: all answers at once are within the quoted ranks, and rise", (_, request, shares) => {
    const plan = bounded(request);
    const quoted = quotedOf(request);
    const random = seededRandom(93);
    for (const [name, counts] of AGES) {
      const off = mostOff(plan, [counts], { shares, releases: 60, random });
      // A correct one fails for one of the 14 tables with a chance of at most 14e-6.
      expect(off.filter((rows) => rows > quoted).length, name).toBeLessThanOrEqual(mostMisses(60, 0.05));
      const cells = addNoise(plan, new Exact([counts]), random)[0]?.cells ?? [];
      expect(cells.map(({ value }) => value)).toEqual(cells.map(({ value }) => value).toSorted((a, b) => a - b));
      expect(cells.every(({ rank }) => rank === quoted)).toBe(true);
    }
  });

  test("40,000 rows of which 26 % lie at one end of 200,000 values: the quartiles are where they are", () => {
    const request = { statistic: "quantiles", column: "pay", epsilon: 1, quantiles: [0.25, 0.75] } as const;
    const plan = bounded(request);
    const leaves = leavesIn(plan.statistics[0]);
    for (const counts of heaps(leaves, 40_000, 0.26)) {
      const off = mostOff(plan, [counts], { shares: [0.25, 0.75], releases: 12, random: seededRandom(26) });
      expect(off.filter((rows) => rows > quotedOf(request)).length).toBeLessThanOrEqual(mostMisses(12, 0.05));
    }
  });

  test("eight groups of 10,000 rows with 30 % at one end: each group is within the quoted ranks", () => {
    const request = { statistic: "quantiles", column: "age", epsilon: 1, groupBy: ["district"] } as const;
    for (const counts of heaps(101, 10_000, 0.3)) {
      const groups = Array.from({ length: 8 }, () => counts);
      const shares = [0.25, 0.5, 0.75];
      const off = mostOff(bounded(request), groups, { shares, releases: 40, random: seededRandom(8) });
      // The worst of eight groups: each is off by more with a chance of at most 0.05.
      expect(off.filter((rows) => rows > quotedOf(request)).length).toBeLessThanOrEqual(mostMisses(40, 0.4));
      expect(Math.max(...off)).toBeLessThan(500);
    }
  });

  test.each([
    ["median", [0.5]],
    ["quartiles", [0.25, 0.5, 0.75]],
    ["two shares", [0.1, 0.9]],
  ] as const)("%s: the quoted ranks are nearly reached where values are alike", (_, shares) => {
    const request = { statistic: "quantiles", column: "age", epsilon: "0.1", quantiles: shares } as const;
    const quoted = quotedOf(request);
    const [first = 0] = shares;
    const random = seededRandom(25);
    const offWith = (rows: number): readonly number[] =>
      mostOff(bounded(request), [leafCounts(101, new Array(rows).fill(100))], { shares, releases: 400, random });
    // Every leaf but one is off by the first share of all rows: a little more than quoted, then 85 % of it.
    const beyond = offWith(Math.floor(quoted / first) + 1).filter((rows) => rows > quoted).length;
    expect(beyond).toBeLessThanOrEqual(mostMisses(400, 0.05));
    expect(beyond).toBeGreaterThan(0);
    // Three of a hundred at least: Binomial(400, 0.03) is below 3 with a chance of 1e-3 at most.
    expect(offWith(Math.floor((0.85 * quoted) / first)).filter((rows) => rows >= 0.8 * quoted).length).toBeGreaterThan(
      2,
    );
  });

  test.each([[[0.5]], [[0.25, 0.75]], [[0.1, 0.2]], [[0.1, 0.5, 0.9]], [[0, 0.3, 1]]] as const)(
    "%j: no neighbour of any table of four leaves with up to four rows each changes an answer by more than e^ε",
    (shares) => {
      const [statistic] = bounded({ statistic: "quantiles", column: "age", epsilon: 1, quantiles: shares }).statistics;
      const { task, noise } = statistic ?? {};
      if (task?.kind !== "choice" || noise?.kind !== "laplace") throw new Error("a choice");
      const worst = worstOfNeighbours(
        (counts) => task.targets.map(({ numerator }) => runsOf(counts, numerator * rowsIn(counts), task.denominator)),
        toDouble(widthOf(task, noise.scale), "up"),
      );
      expect(worst).toBeLessThanOrEqual(1 + 1e-9);
      expect(worst).toBeGreaterThan(0.6);
    },
  );

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

  test("10,000 rows spread over 65,536 leaves, epsilon 1: a median is off by 1 row, nine deciles by 11 on average", () => {
    // A log-normal column; the bands are generous for means of 40 medians and of 180 deciles.
    const random = seededRandom(5);
    const normal = (): number => {
      const [u, v] = [(random.uint32() + 1) / 2 ** 32, random.uint32() / 2 ** 32];
      return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    };
    const leaves = leavesIn(bounded({ statistic: "median", column: "pay", epsilon: 1 }).statistics[0]);
    const values = Array.from({ length: 10_000 }, () =>
      Math.floor(Math.min(1, Math.exp(10.5 + 0.6 * normal()) / 200_000) * (leaves - 1)),
    );
    const counts = leafCounts(leaves, values);
    const error = (shares: readonly number[], releases: number): number => {
      const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: shares });
      const off = ranksOff(plan, [counts], { shares, releases, random }).flat();
      return off.reduce((sum, each) => sum + each, 0) / off.length;
    };
    expect(error([0.5], 40)).toBeLessThan(3);
    expect(error(DECILES, 20)).toBeLessThan(18);
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
      "statistics[0].quantiles[0] is NaN, must be a share from 0 to 1",
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

test("a quote of groups and its answer say how few rows get an answer that says nothing: any leaf is as near as stated [M94]", () => {
  const plan = bounded({ statistic: "median", column: "age", epsilon: 1, groupBy: ["district"] });
  const [statistic] = plan.statistics;
  const [quote] = quotePlan(plan);
  const rank = quote?.accuracy.halfWidth ?? 0;
  const few = Number(/ Of a group of at most (\d+) rows it says nothing\.$/.exec(quote?.sentence ?? "")?.[1]);
  if (statistic === undefined) throw new Error("one statistic");
  const mostOffOf = (rows: number): number => {
    const counts = leafCounts(101, new Array(rows).fill(100));
    const off = errorsOf(statistic, Array.from({ length: 8 }, () => counts).flat());
    const group = { district: 1 };
    return Math.max(
      ...[0, 50, 100].map((leaf) => off({ group, noisy: [String(leaf)], value: leaf, interval: [0, 100] }, 0)),
    );
  };
  expect(few).toBe(Math.ceil(2 * rank));
  expect(mostOffOf(2 * Math.floor(rank))).toBeLessThanOrEqual(rank);
  expect(mostOffOf(few + 2)).toBeGreaterThan(rank);
  const exact = new Exact([leafCounts(808, [])]);
  expect(addNoise(plan, exact, seededRandom(1))[0]?.notes).toContain(
    `Of a group of at most ${few} rows an answer says nothing.`,
  );
  expect(quotePlan(bounded({ statistic: "median", column: "age", epsilon: 1 }))[0]?.sentence).not.toContain("group");
});
